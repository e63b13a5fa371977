"""A policy changes at noon: what is filed has to follow the rules that hold when it is due.

the filing rules say where a copy goes ──noon──► they name another folder
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, time
from decimal import Decimal
from typing import ClassVar

from pydantic import JsonValue

from trainee_bench.meta_tasks.authoring.converters import PATH
from trainee_bench.meta_tasks.authoring.text_template import ValueTemplate
from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene, at
from trainee_bench.meta_tasks.meta_task import GradingContext, PlannedEvent, Verdict, checkpoint
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.meta_tasks.tool_client import (
    Solver,
    ToolClient,
    ToolFailed,
    ToolResponse,
    read_text,
)
from trainee_bench.meta_tasks.worker_clients import WritingClient, own_task
from trainee_bench.world.apps.files import FileAppears, Files
from trainee_bench.world.apps.mail import MailArrives

PAGE = "drive:/handbook/filing_rules.md"
FOLDERS = ("drive:/filed/2025", "drive:/filed/october", "drive:/filed/results")
NOON = time(12)
LATEST_ARRIVAL, EARLIEST_DEADLINE = time(11, 30), time(13)
RULE = ValueTemplate("Put an exact copy, under the same name, into the folder {value}.", PATH)
NOTE = ValueTemplate(
    "File a copy of each file that you hand in for this, by the filing rules that hold at the "
    "deadline: "
    "{value}.",
    PATH,
)
_NUMBER_OR_WORD = re.compile(r"(?P<number>\d+(?:\.\d+)?)|(?P<word>\w+)")
_TEXT = """# Filing results

Whoever hands in a file also files it, so that others find it later.

{rule}

What counts is the rule that holds when the task is due. {since}
"""
_MAILS = (
    (
        "The filing rules have changed just now. Please read {page} again: it holds for everything "
        "that is due from now on, also for what you have filed already."
    ),
    (
        "As of now we file differently; {page} says how. If something of yours is still due today, "
        "file it by the new rules, even if you have filed it before."
    ),
    (
        "There is a new version of {page}. Whatever is due from now on has to be filed by it. What "
        "you filed this morning for a task that is not due yet has to be filed again."
    ),
)


@dataclass(frozen=True)
class Filed:
    """The files handed in, and where their copies have to be."""

    paths: tuple[str, ...]
    copies: tuple[str, ...]


class PolicyChange(Complication):
    """The filing rules name another folder from noon on, for everything that is due later."""

    name: ClassVar[str] = "policy_change"
    kind: ClassVar[ComplicationKind] = ComplicationKind.CHANGE
    stage: ClassVar[Stage] = Stage.HANDING_IN
    about: ClassVar[str] = "Copies have to be filed by rules that change at noon."
    needs: ClassVar[frozenset[SceneFeature]] = frozenset({SceneFeature.REPEATABLE})

    def apply(self, scene: Scene) -> Complicated:
        """The page is there with the task, and another one from noon on. Raises CompositionError
        for a task that comes too late or is due too early for that."""
        context = scene.context
        noon = datetime.combine(context.day.starts, NOON)
        if context.arrives.time() > LATEST_ARRIVAL or context.deadline.time() < EARLIEST_DEADLINE:
            raise CompositionError(
                f"{context.task} must come by {LATEST_ARRIVAL:%H:%M} and be due at "
                f"{EARLIEST_DEADLINE:%H:%M} or later for {self.name}"
            )
        context.share_path(PAGE)
        before, after = FOLDERS[0], FOLDERS[1 + context.day.starts.day % 2]
        since = f"This rule holds since {NOON:%H:%M} today, also for what was filed before."
        hr = next(iter(context.company.department("HR").managers))
        mail = MailArrives(
            sender=hr.id,
            to=(context.employee.id,),
            subject="New filing rules",
            body=context.stream(self.name).choice(_MAILS).format(page=PAGE),
        )
        told = () if not context.claim_if_free("the mail about filing rules") else (at(noon, mail),)
        paths = scene.instance.deliverable_paths
        copies = tuple(_copy_in(after, path) for path in paths)
        filed = {
            _copy_in(folder, path)
            for folder in (before, after)
            for path in (*paths, *scene.dropped)
        }
        scene = scene.with_events(
            PlannedEvent(FileAppears(path=PAGE, text=_page(before, ""), once=True)),
            at(noon, FileAppears(path=PAGE, text=_page(after, since))),
            *told,
        ).changed(
            writable_paths=scene.instance.writable_paths | filed,
            background=(*scene.instance.background, *(mail.subject for _ in told)),
        )
        return Complicated(scene.with_note(NOTE.render(PAGE)), Filed(paths, copies))

    @checkpoint(
        "An exact copy of what was handed in is filed as the rules say that hold at the deadline",
        where="The page on filing, as it stands in the afternoon.",
        how="Read drive:/handbook/filing_rules.md again after noon and copy each file that you "
        "handed in, with files_copy, into the folder that it names then.",
    )
    def filed(self, grading: GradingContext[Filed]) -> Verdict:
        """Whether copy and file say the same, however they are laid out."""
        files = Files(grading.tx)
        right = [
            files.exists(path)
            and files.exists(copy)
            and _says(files.content(path).data) == _says(files.content(copy).data)
            for path, copy in zip(grading.truth.paths, grading.truth.copies, strict=True)
        ]
        return Verdict(
            all(right), f"{sum(right)} of {len(right)} files are filed where they belong"
        )

    async def work(self, client: ToolClient, do: Solver) -> None:
        """File whenever something is handed in, and again when the rules have changed."""
        task = await own_task(client)
        page = NOTE.search(task.notes)
        if page is None:
            raise ToolFailed("the task does not say what the filing rules are")
        noon = datetime.combine(task.deadline, NOON)
        filing = _FilingClient(client, page, noon)
        await do(filing)
        now = (await client.call("desk_now")).time
        if now < noon < task.deadline:
            await client.wait_at_least(int((noon - now).total_seconds() // 60) + 1)
        await filing.call("desk_now")

    async def ignore(self, client: ToolClient, do: Solver) -> None:
        """File by the rules of the morning."""
        writing = WritingClient(client)
        await do(writing)
        for path in writing.written:
            await _copy(client, path, FOLDERS[0])


class _FilingClient(WritingClient):
    """Files what is handed in, by the rules on *page*, and once more after *noon*, when others
    hold."""

    def __init__(self, client: ToolClient, page: str, noon: datetime):
        super().__init__(client)
        self._page, self._noon = page, noon
        self._filed_at: datetime | None = None

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        """Call a tool; file the files after they are handed in, and when the rules are new."""
        done = await super().call(tool, **arguments)
        outdated = self._filed_at is not None and self._filed_at <= self._noon < done.time
        if tool == "desk_submit" or outdated:
            await self._file()
            self._filed_at = done.time
        return done

    async def _file(self) -> None:
        folder = str(RULE.search(await read_text(self.client, self._page)))
        for path in self.written:
            await _copy(self.client, path, folder)


async def _copy(client: ToolClient, path: str, folder: str) -> None:
    """Copy the file into *folder*, in place of what was filed there before."""
    copy = _copy_in(folder, path)
    try:
        await client.call("files_copy", source=path, target=copy)
    except ToolFailed:
        await client.call("files_delete", path=copy)
        await client.call("files_copy", source=path, target=copy)


def _says(data: bytes) -> Counter[Decimal | str]:
    """The words and numbers of a file; "1.50" is the number 1.5, and "²" is a word."""
    found = _NUMBER_OR_WORD.finditer(data.decode("utf-8", "replace").casefold())
    return Counter(Decimal(one["number"]) if one["number"] else one["word"] for one in found)


def _copy_in(folder: str, path: str) -> str:
    """Where in *folder* the copy of the file at *path* goes."""
    return f"{folder}/{path.rpartition('/')[2]}"


def _page(folder: str, since: str) -> str:
    return _TEXT.format(rule=RULE.render(folder), since=since).replace(" \n", "\n")
