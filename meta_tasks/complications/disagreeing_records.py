"""Versions of the records disagree; the handbook says which one counts."""

from __future__ import annotations

from contextlib import suppress
from random import Random

from trainee_bench.meta_tasks.authoring.converters import PATH
from trainee_bench.meta_tasks.authoring.handbook import Handbook
from trainee_bench.meta_tasks.authoring.text_template import ValueTemplate
from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene
from trainee_bench.meta_tasks.meta_task import PlannedEvent
from trainee_bench.meta_tasks.scene_features import RecordFile, SceneFeature
from trainee_bench.meta_tasks.task_context import TaskContext
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.meta_tasks.work.habits import Habit, Inner, around
from trainee_bench.meta_tasks.work.need import Work
from trainee_bench.meta_tasks.work.reading import FileText, Page, Task, notes_of
from trainee_bench.meta_tasks.work.sources import Listing, ReadText
from trainee_bench.world.apps.files import FileAppears

PAGE = Handbook(
    path="drive:/handbook/versions_of_records.md",
    resource="trainee_bench.meta_tasks.complications/versions_of_records.md",
    topic="versions of records",
    questions=(
        "Which version of a file counts if there are two?",
        "Two files with the same name say different things. Which one do I use?",
        "Is there a rule for corrected records?",
        "Where is it written which records prevail?",
        "What do I do about records that disagree?",
    ),
    referral="The rule for records that disagree is in {path}.",
)
FOLDER = "drive:/corrections"
RULE = ValueTemplate("A file with the same name in {value} replaces the original", PATH)
NOTE = (
    "Records may exist in several versions; drive:/handbook/versions_of_records.md says which one "
    "counts."
)


class TakesCorrectedVersions(Habit):
    """A habit: reads corrections instead of originals, where the handbook says that they count."""

    name = "takes corrected versions"

    @around(FileText)
    async def _corrected(self, work: Work, file: FileText, inner: Inner[str]) -> str:
        if not file.path.endswith(".csv") or NOTE not in await notes_of(work, file.task):
            return await inner()
        folder = RULE.search(await work(Page(PAGE.path, ())))
        if folder is None:
            raise ToolFailed(f"{PAGE.path} does not say which version counts")
        request = (await work(Task(file.task))).objective
        corrected = _in(folder, file.path)
        with suppress(ToolFailed):  # the folder comes with the first correction
            if corrected in await work(Listing(folder, request)):
                return await work(ReadText(corrected))
        return await inner()


class DisagreeingRecords(Complication):
    """The file that the task names is outdated. Only the folder of a correction says that it
    counts."""

    name = "disagreeing_records"
    kind = ComplicationKind.SOURCES
    stage = Stage.READING
    about = "Versions of the records disagree; a page says which one counts."
    requires = frozenset({SceneFeature.RECORDS})
    habits = (TakesCorrectedVersions(),)

    def apply(self, scene: Scene) -> Complicated:
        """Stage the earlier version as the original, and two corrections: a right one, and one that
        was withdrawn. Only the page says which is which."""
        records, context = scene.free_records(), scene.context
        right, withdrawn = _batches(context)
        events, unread = list[PlannedEvent](), [record.path for record in records]
        for record in records:
            draws = context.stream(f"{self.name} {record.path}")
            texts = {right: record.text, withdrawn: _withdrawn(record, draws)}
            unread.append(_in(withdrawn, record.path))
            for folder, text in texts.items():
                path, comes = _in(folder, record.path), scene.staged_at(record.path)
                context.claim(f"the file {path}")
                events.append(PlannedEvent(FileAppears(path=path, text=text), comes))
        page = {"{{folder}}": right}
        scene = scene.with_earlier_records().with_events(*events, *PAGE.events(context, page))
        return Complicated(scene.with_background(*unread).with_note(NOTE))


def _batches(context: TaskContext) -> tuple[str, str]:
    """Return the folders of the corrections that count and of those that do not. They are the same
    for all tasks."""
    numbers = context.office_stream("corrections").sample(range(100, 1_000), 2)
    right, withdrawn = (f"{FOLDER}/batch_{number}" for number in numbers)
    return right, withdrawn


def _withdrawn(record: RecordFile, draws: Random) -> str:
    """Return a withdrawn version of *record*: too few rows, or some of them twice. So its length
    does not tell it from the version that counts."""
    lines = record.cut_off(draws)
    if draws.random() < 0.5:
        lines = [*record.text.splitlines(), *lines[1:]]
    return "\n".join([*lines, ""])


def _in(folder: str, path: str) -> str:
    """Return the path of the correction in *folder* of the file at *path*."""
    return f"{folder}/{path.rpartition('/')[2]}"
