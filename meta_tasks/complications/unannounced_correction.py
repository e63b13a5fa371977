"""A file of records is replaced and nobody says so: only the time of its last change shows it."""

from __future__ import annotations

from trainee_bench.meta_tasks.authoring.handbook import HOUSE_RULES, Handbook
from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene, at
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.work.habits import Habit, Inner, around
from trainee_bench.meta_tasks.work.need import Work
from trainee_bench.meta_tasks.work.reading import FileNews, HouseRules
from trainee_bench.meta_tasks.work.sources import FileState
from trainee_bench.world.apps.files import FileAppears

PAGE = Handbook(
    path="drive:/handbook/open_records.md",
    resource="trainee_bench.meta_tasks.complications/open_records.md",
    topic="open records",
    questions=(
        "Can a file of records still change after I have read it?",
        "Until when are records open?",
        "How do I see that somebody has exchanged a file?",
        "Does anybody tell me when records are exchanged?",
        "Which version of the records counts when a task is due?",
    ),
    referral="The rules for open records are in {path}.",
)
RULES = (
    "Until 45 minutes before a task is due",
    "the time of its last change shows it",
    "Only the last version of the file counts for the task",
)
EARLIEST, LATEST, BEFORE_END = 45, 150, 90


class ChecksTimesOfChange(Habit):
    """A habit: checks whether files of records have been replaced since they were read."""

    name = "checks times of change"

    @around(FileNews)
    async def _exchanged(self, work: Work, file: FileNews, inner: Inner[str]) -> str:
        if not file.path.endswith(".csv"):
            return await inner()
        if not await work(HouseRules(file.task, PAGE.path, RULES)):
            return await inner()
        changed, _ = await work(FileState(file.path))
        return f"{await inner()} {changed}".strip()


class UnannouncedCorrection(Complication):
    """The records are replaced by the right ones later, without a word."""

    name = "unannounced_correction"
    kind = ComplicationKind.CHANGE
    stage = Stage.EXCHANGE
    takes = EARLIEST
    leaves = BEFORE_END
    asks = 30
    announced = False
    about = "A file of records is replaced later, and only its time of change shows it."
    requires = frozenset({SceneFeature.RECORDS, SceneFeature.REPEATABLE})
    habits = (ChecksTimesOfChange(),)

    def apply(self, scene: Scene) -> Complicated:
        """Stage earlier versions with the task, and the right ones later."""
        records = scene.free_records()
        moment = scene.after_news().change(self.name, EARLIEST, LATEST, BEFORE_END, self.asks)
        scene = scene.with_earlier_records().with_events(
            *(at(moment, FileAppears(path=record.path, text=record.text)) for record in records),
            *PAGE.events(scene.context),
        )
        return Complicated(scene.with_note(HOUSE_RULES))
