"""A delivered file was cut off on its way: only the slip beside it says how long it should be."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from trainee_bench.meta_tasks.authoring.converters import FULL_NAME, INTEGER
from trainee_bench.meta_tasks.authoring.handbook import HOUSE_RULES, Handbook
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
from trainee_bench.meta_tasks.meta_task import PlannedEvent
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed, read_text
from trainee_bench.meta_tasks.work.asking import SentBack
from trainee_bench.meta_tasks.work.habits import Habit, Inner, around
from trainee_bench.meta_tasks.work.need import Work
from trainee_bench.meta_tasks.work.reading import FileNews, HouseRules, Task
from trainee_bench.meta_tasks.work.sources import Listing, ReadText
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.colleagues.knowledge import Expectation
from trainee_bench.world.triggers import TriggeredEvent, heard_trigger

PAGE = Handbook(
    path="drive:/handbook/delivered_files.md",
    resource="trainee_bench.meta_tasks.complications/delivered_files.md",
    topic="delivered files",
    questions=(
        "What are the files that end in .slip.txt?",
        "How do I know that a delivered file is complete?",
        "What do I do if a file was cut off?",
        "Where does it say how many records a file should have?",
        "Who sends me a file again that lacks records?",
    ),
    referral="The page on delivered files, {path}, explains what their slips are for.",
)
RULES = (
    "a file with the same name and .slip.txt at the end",
    "Only files with a slip can be cut off on their way",
    "The slip says how many records the file had when it was sent, and who sent it",
    "If there are fewer than the slip says, write to the sender in the chat",
    "Name the file, and say how many records arrived or how many are missing",
)
TOLD = "told_of_the_cut"
REPLY = "Thank you for counting. I have replaced {file} with the complete version."
ASKS_BACK = (
    "If {file} was cut off, I will send it again. How many records arrived, not counting the "
    "header line, or how many are missing?"
)
SLIP = ".slip.txt"
_PATH = re.compile(r"(?:drive|workspace):/[\w./+-]*\.csv")


@dataclass(frozen=True)
class Slip:
    """The sender of a file, and how many records it had."""

    name: str
    records: int


SENT = TextTemplate(
    Slip, "Sent by {name}: {records} records.", {"name": FULL_NAME, "records": INTEGER}
)


class CountsDeliveries(Habit):
    """A habit: counts the records of files that have a slip, and asks for the missing ones."""

    name = "counts deliveries"

    @around(FileNews)
    async def _whole(self, work: Work, file: FileNews, inner: Inner[str]) -> str:
        news = await inner()
        if not _PATH.fullmatch(file.path):
            return news
        if not await work(HouseRules(file.task, PAGE.path, RULES)):
            return news
        folder, slash, _ = file.path.rpartition("/")
        path = f"{file.path}{SLIP}"
        request = (await work(Task(file.task))).objective
        if path not in await work(Listing(f"{folder}{slash}", request)):
            return news
        slip = SENT.search(await work(ReadText(path)))
        if slip is None:
            raise ToolFailed(f"{path} does not say how many records there are")
        return await work(SentBack(file.task, file.path, slip.name, slip.records, news))


class TruncatedFile(Complication):
    """A part of each file of records is missing until its sender is told."""

    name = "truncated_file"
    kind = ComplicationKind.SOURCES
    stage = Stage.READING
    asks = 30
    announced = False
    about = "A delivered file lacks records; only the slip beside it says how many."
    requires = frozenset({SceneFeature.RECORDS})
    habits = (CountsDeliveries(),)

    def apply(self, scene: Scene) -> Complicated:
        """Stage the slip with its file, and the whole file once its sender is told."""
        records, context = scene.free_records(), scene.context
        scene, missing = scene.with_incomplete_records(self.name)
        sender = outsider(scene, self.name, context.company.people)
        for number, record in enumerate(records, start=1):
            file = record.path.rpartition("/")[2]
            comes = scene.staged_at(record.path)
            told = Expectation(
                id=context.clue_id(f"{TOLD}_{number}"),
                holder=sender.id,
                values=((file,),),
                shortfall=missing[record.path],
                reply=REPLY.format(file=file),
                asks_back=ASKS_BACK.format(file=file),
                since=comes,
            )
            whole = FileAppears(path=record.path, text=record.text)
            slip = SENT.render(Slip(sender.name, missing[record.path].whole))
            context.claim(f"the file {record.path}{SLIP}")
            scene = scene.with_events(
                at(context.arrives, TriggeredEvent.of(heard_trigger(told.id), whole, comes)),
                PlannedEvent(FileAppears(path=f"{record.path}{SLIP}", text=f"{slip}\n"), comes),
            ).with_expectations(told)
        scene = scene.with_events(*PAGE.events(context)).with_note(HOUSE_RULES)
        return Complicated(scene)

    def is_dealt_with(self, grading: GradingContext[Any]) -> bool:
        """Return whether the sender was told of each file that was cut off, and how much is
        missing."""
        return grading.all_met(TOLD)

    async def work_blind(
        self, client: ToolClient, do: DoTask, elsewhere: Sequence[ForeignCall]
    ) -> None:
        """Write that records are missing, whether or not they are, and how many were missing
        elsewhere."""
        await complain(client, await _slips(client))
        await super().work_blind(client, do, elsewhere)


async def _slips(client: ToolClient) -> Mapping[str, str]:
    """Return the sender of each file that the task names, read from its slip."""
    senders = dict[str, str]()
    for path in _PATH.findall((await own_task(client)).objective):
        with suppress(ToolFailed):
            slip = SENT.search(await read_text(client, f"{path}{SLIP}"))
            if slip is not None:
                senders[path] = slip.name
    return senders
