"""A colleague contributes a file with missing records: check it, and send it back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from trainee_bench.meta_tasks.authoring.converters import FULL_NAME, INTEGER, PATH
from trainee_bench.meta_tasks.authoring.solving import check_rules
from trainee_bench.meta_tasks.authoring.text_template import TextTemplate
from trainee_bench.meta_tasks.blind_steps import complain, own_task
from trainee_bench.meta_tasks.checkpoints import GradingContext
from trainee_bench.meta_tasks.complication import (
    Complicated,
    Complication,
    ComplicationKind,
    DoTask,
    ForeignCall,
    Stage,
)
from trainee_bench.meta_tasks.complication_scene import Scene, at, outsider
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.tool_client import ToolClient
from trainee_bench.meta_tasks.work.asking import SentBack
from trainee_bench.meta_tasks.work.habits import Habit, Inner, around
from trainee_bench.meta_tasks.work.need import Work
from trainee_bench.meta_tasks.work.reading import FileNews, notes_of
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.colleagues.knowledge import Expectation
from trainee_bench.world.triggers import TriggeredEvent, heard_trigger

SENT_BACK = "contribution_sent_back"
ASKS_BACK = (
    "If records are missing from {file}, I will add them. How many records does it have, not "
    "counting the header line, or how many are missing?"
)
REPLY = "Sorry, you are right, some were missing. I have replaced {file} with the complete version."


@dataclass(frozen=True)
class ContributionNote:
    """A file, its author, and how many records it has to have."""

    path: str
    name: str
    records: int


NOTE = TextTemplate(
    ContributionNote,
    "{name} has put {path} together for you. Check it before you use it: the complete file has "
    "{records} records, not counting the header line. If any are missing, tell {name} in the chat; "
    "name the file, and say how many records it has or how many are missing. Then work with the "
    "new version.",
    {"path": PATH, "name": FULL_NAME, "records": INTEGER},
)

RULES = (
    "Check it before you use it",
    "If any are missing",
    "how many are missing",
    "Then work with the new version",
)


class SendsBackContributions(Habit):
    """A habit: counts the records of files that colleagues have put together, and sends back
    incomplete ones."""

    name = "sends back contributions"

    @around(FileNews)
    async def _mended(self, work: Work, file: FileNews, inner: Inner[str]) -> str:
        news, notes = await inner(), await notes_of(work, file.task)
        for note in NOTE.find_all(notes):
            if note.path == file.path:
                check_rules("the note on the file", notes, RULES)
                author = note.name
                news = await work(SentBack(file.task, file.path, author, note.records, news))
        return news


class FlawedContribution(Complication):
    """The records come from a colleague, who has left some out until somebody says so."""

    name = "flawed_contribution"
    kind = ComplicationKind.PEOPLE
    stage = Stage.READING
    asks = 30
    about = (
        "A colleague's contribution has to be checked, and sent back because records are missing."
    )
    requires = frozenset({SceneFeature.RECORDS})
    habits = (SendsBackContributions(),)

    def apply(self, scene: Scene) -> Complicated:
        """Stage incomplete files. Each is replaced once its author is told."""
        records = scene.free_records()
        scene, missing = scene.with_incomplete_records(self.name)
        author = outsider(scene, self.name, scene.context.company.people)
        for number, record in enumerate(records, start=1):
            file = record.path.rpartition("/")[2]
            sent_back = Expectation(
                id=scene.context.clue_id(f"{SENT_BACK}_{number}"),
                holder=author.id,
                values=((file,),),
                shortfall=missing[record.path],
                reply=REPLY.format(file=file),
                asks_back=ASKS_BACK.format(file=file),
                since=scene.staged_at(record.path),
            )
            mended = TriggeredEvent.of(
                heard_trigger(sent_back.id), FileAppears(path=record.path, text=record.text)
            )
            note = ContributionNote(record.path, author.name, missing[record.path].whole)
            scene = (
                scene.with_events(at(scene.context.arrives, mended))
                .with_note(NOTE.render(note), standing=False)
                .with_expectations(sent_back)
            )
        return Complicated(scene)

    def is_dealt_with(self, grading: GradingContext[Any]) -> bool:
        """Return whether each file was sent back, with how much is missing."""
        return grading.all_met(SENT_BACK)

    async def work_blind(
        self, client: ToolClient, do: DoTask, elsewhere: Sequence[ForeignCall]
    ) -> None:
        """Send it back unread, with how much was missing elsewhere."""
        notes = NOTE.find_all((await own_task(client)).notes)
        await complain(client, {note.path: note.name for note in notes})
        await super().work_blind(client, do, elsewhere)
