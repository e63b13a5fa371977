"""The colleague who knows answers only after one or two hours, as their automatic reply says."""

from __future__ import annotations

from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene, at
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.work.careless import GivesUpSoon
from trainee_bench.world.colleagues.availability import SlowAnswersBegin

DELAYS = (75, 90, 105, 120)
"""The possible minutes from a question to its answer."""
_NOTES = (
    "I am with customers today and will answer within two hours.",
    "I have a lot to do today; it may take me up to two hours to answer.",
    "I only look at my messages now and then today. Expect an answer within two hours.",
)


class SlowHolder(Complication):
    """The colleague who knows takes one to two hours for each answer today."""

    name = "slow_holder"
    kind = ComplicationKind.PEOPLE
    stage = Stage.READING
    takes = 2 * max(DELAYS)
    leaves = 60
    asks = 15
    about = "The colleague who knows answers only after one or two hours."
    requires = frozenset({SceneFeature.HELD_FACT})
    ignoring = (GivesUpSoon(),)
    needs_patience = True

    def apply(self, scene: Scene) -> Complicated:
        """Slow the holders down from when the task comes."""
        holders = sorted({clue.holder for clue in scene.held_clues()})
        draws = scene.context.stream(self.name)
        delay, first = draws.choice(DELAYS), draws.randrange(len(_NOTES))
        scene.moment(self.name, delay, delay + 60, self.leaves)  # time enough for one question
        notes = (_NOTES[(first + number) % len(_NOTES)] for number in range(len(holders)))
        slow = [
            SlowAnswersBegin(person=holder, minutes=delay, note=note)
            for holder, note in zip(holders, notes, strict=True)
        ]
        scene = scene.with_events(*(at(scene.context.arrives, begins) for begins in slow))
        return Complicated(scene.slower(delay))
