"""A colleague takes back what they said: some time later they write again, unasked.

An employee who has handed in by then has to do it again. One who asks only afterwards hears the
right fact.
"""

from __future__ import annotations

from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene, at
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.secret_draws import SecretDraws
from trainee_bench.meta_tasks.work.asking import Unasked, WrittenAbout
from trainee_bench.meta_tasks.work.habits import Habit, Inner, around
from trainee_bench.meta_tasks.work.need import Work
from trainee_bench.meta_tasks.work.sources import ReadMessage
from trainee_bench.world.apps.chat import ClueRevised

OPENINGS = (
    "Sorry, one of my answers for your task {task} was wrong. Please use this one instead:",
    "I have to correct one of my answers for your task {task}. The complete right answer is:",
    "I made a mistake in one of my answers for your task {task}. The right answer is:",
    "One of my answers for your task {task} was wrong, I am afraid. This is right:",
)
EARLIEST, LATEST, BEFORE_END = 60, 150, 60
"""The window in which they write, in minutes after the task comes and before the day ends."""


class HeedsCorrections(Habit):
    """A habit: counts later, unasked messages about the task from a colleague who was asked."""

    name = "heeds corrections"

    @around(Unasked)
    async def _unasked(
        self, work: Work, need: Unasked, inner: Inner[tuple[ReadMessage, ...]]
    ) -> tuple[ReadMessage, ...]:
        written = await work(WrittenAbout(need.task))
        own = (message for message in written if message.sender == need.person)
        return (*await inner(), *own)


class Retraction(Complication):
    """A colleague first tells a wrong fact, notices it, and writes what is right."""

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
        """Change the clues from a moment on, and the right answer with them."""
        believed = dict[str, str]()
        moment = scene.change(self.name, EARLIEST, LATEST, BEFORE_END, self.asks)
        clues = scene.held_clues()
        first = scene.context.stream(self.name).randrange(len(OPENINGS))
        exchanged, scene = scene.all_exchanged(clues, SecretDraws.RETRACTION)
        for number, (clue, revised) in enumerate(exchanged):
            # so that no sentence comes twice
            opening = OPENINGS[(first + number) % len(OPENINGS)]
            event = ClueRevised(
                clue=clue.id,
                payload=revised.payload,
                opening=opening.format(task=scene.context.task),
            )
            scene = scene.with_events(at(moment, event)).taking(clue.id)
            believed[revised.payload] = clue.payload
        return Complicated(scene.changing(moment), believed=believed)
