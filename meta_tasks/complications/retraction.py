"""A colleague takes back what they said: some time after they told it they write again, unasked.

Who has handed in by then has to do it again. Who asks only afterwards hears the right thing.
"""

from __future__ import annotations

from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene, SecretDraws, at
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.work.asking import Unasked, WrittenAbout
from trainee_bench.meta_tasks.work.habits import Habit, Inner, around
from trainee_bench.meta_tasks.work.need import Work
from trainee_bench.meta_tasks.work.sources import ReadMessage
from trainee_bench.world.apps.chat import ClueRevised

OPENINGS = (
    "I have to take back what I told you for “{title}”. The correct answer is this:",
    "Sorry, what I told you for “{title}” was wrong. Here is the correct answer:",
    "Please forget my answer about “{title}”: I had looked in the wrong place. It should be:",
)
EARLIEST, LATEST, BEFORE_END = 60, 150, 60
"""Minutes after the task comes, and before the day ends, between which they write."""


class HeedsCorrections(Habit):
    """Takes as told what somebody who was asked writes about the task later, unasked."""

    name = "heeds corrections"

    @around(Unasked)
    async def _unasked(
        self, work: Work, need: Unasked, inner: Inner[tuple[ReadMessage, ...]]
    ) -> tuple[ReadMessage, ...]:
        written = await work(WrittenAbout(need.task))
        own = (message for message in written if message.sender == need.person)
        return (*await inner(), *own)


class Retraction(Complication):
    """What a colleague told first is wrong; they notice and write what is right."""

    name = "retraction"
    kind = ComplicationKind.CHANGE
    stage = Stage.NEWS
    takes = EARLIEST
    leaves = BEFORE_END
    asks = 30
    about = "The colleague who told a fact takes it back later and writes what is right."
    requires = frozenset({SceneFeature.HELD_FACT, SceneFeature.REPEATABLE})
    habits = (HeedsCorrections(),)

    def apply(self, scene: Scene) -> Complicated:
        """The clues are others from a moment on, and so is the right answer."""
        believed = dict[str, str]()
        moment = scene.change(self.name, EARLIEST, LATEST, BEFORE_END, self.asks)
        opening = scene.context.stream(self.name).choice(OPENINGS)
        exchanged, scene = scene.all_exchanged(scene.held_clues(), SecretDraws.RETRACTION)
        for clue, revised in exchanged:
            event = ClueRevised(
                clue=clue.id,
                payload=revised.payload,
                opening=opening.format(title=scene.label),
            )
            scene = scene.with_events(at(moment, event)).taking(clue.id)
            believed[revised.payload] = clue.payload
        return Complicated(scene.changing(moment), believed=believed)
