"""A file of records is corrected after it was given out, so earlier results are wrong."""

from __future__ import annotations

from trainee_bench.meta_tasks.authoring.converters import listed
from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene, at
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.work.asking import WrittenAbout
from trainee_bench.meta_tasks.work.habits import Habit, Inner, around
from trainee_bench.meta_tasks.work.need import Work
from trainee_bench.meta_tasks.work.reading import FileNews
from trainee_bench.world.apps.chat import MessageArrives
from trainee_bench.world.apps.files import FileAppears

OPENINGS = (
    "The records that I gave you for “{title}” were not final.",
    "I have found mistakes in the records that I gave you for “{title}”.",
    "I am afraid that I gave you old records for “{title}”.",
)
EARLIEST, LATEST, BEFORE_END = 45, 120, 90


class RereadsNamedFiles(Habit):
    """A habit: reads a file again once somebody sends an unasked message about the task that names
    it."""

    name = "reads named files again"

    @around(FileNews)
    async def _news(self, work: Work, need: FileNews, inner: Inner[str]) -> str:
        known = await inner()
        written = await work(WrittenAbout(need.task))
        about = [message.id for message in written if need.path in message.text]
        return f"{known} message {about[-1]}".strip() if about else known


class CorrectedFile(Complication):
    """The records are replaced by the right ones later, and the requester says so."""

    name = "corrected_file"
    kind = ComplicationKind.CHANGE
    stage = Stage.EXCHANGE
    takes = EARLIEST
    leaves = BEFORE_END
    asks = 30
    about = "A file of records is exchanged for a corrected one some time later."
    requires = frozenset({SceneFeature.RECORDS, SceneFeature.REPEATABLE})
    habits = (RereadsNamedFiles(),)

    def apply(self, scene: Scene) -> Complicated:
        """Stage earlier versions with the task, and the right ones later."""
        records = scene.free_records()
        moment = scene.after_news().change(self.name, EARLIEST, LATEST, BEFORE_END, self.asks)
        names = listed([record.path for record in records])
        opening = scene.context.stream(f"{self.name} opening").choice(OPENINGS)
        message = MessageArrives(
            sender=scene.told.requester,
            to=scene.context.employee.id,
            text=f"{opening.format(title=scene.label)} I have just put the right "
            f"version in {names}. Please do not use the old one any more.",
        )
        scene = scene.with_earlier_records().with_events(
            *(at(moment, FileAppears(path=record.path, text=record.text)) for record in records),
            at(moment, message),
        )
        return Complicated(scene)
