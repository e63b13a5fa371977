"""A policy changes at noon: what is filed has to follow the rules that hold when it is due.

the filing rules say where a copy goes ──noon──► they name another folder
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import ClassVar

from pydantic import JsonValue

from trainee_bench.meta_tasks.authoring.converters import PATH
from trainee_bench.meta_tasks.authoring.text_template import ValueTemplate
from trainee_bench.meta_tasks.complication import (
    Complicated,
    Complication,
    ComplicationKind,
    ForeignCall,
    Stage,
)
from trainee_bench.meta_tasks.complication_scene import Scene, at
from trainee_bench.meta_tasks.meta_task import GradingContext, PlannedEvent, Verdict, checkpoint
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.task_context import CompositionError, TaskContext
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
from trainee_bench.world.filesystem.wording import words_and_numbers

PAGE = "drive:/handbook/filing_rules.md"
FILED = "drive:/filed"
_TOPICS = ("results", "reports", "records", "findings", "papers")
NOON = time(12)
LATEST_ARRIVAL, EARLIEST_DEADLINE = time(11, 30), time(13)
RULE = ValueTemplate("Put an exact copy, under the same name, into the folder {value}.", PATH)
NOTE = ValueTemplate(
    "File a copy of each file that you hand in for this, by the filing rules that hold at the "
    "deadline: "
    "{value}.",
    PATH,
)
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
    """The files handed in, where their copies have to be, and the folders in which copies may lie
    besides, since the rules have named them before."""

    paths: tuple[str, ...]
    folder: str
    former: tuple[str, ...]


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
        today = context.day.starts.date()
        before, after = _folder(context, today - timedelta(days=1)), _folder(context, today)
        since = f"It holds since {noon:%H:%M} on {noon:%Y-%m-%d}, also for what was filed before."
        hr = next(iter(context.company.department("HR").managers))
        mail = MailArrives(
            sender=hr.id,
            to=(context.employee.id,),
            subject="New filing rules",
            body=context.stream(self.name).choice(_MAILS).format(page=PAGE),
        )
        told = () if not context.claim_if_free("the mail about filing rules") else (at(noon, mail),)
        paths = scene.instance.deliverable_paths
        former = (before, *(_folder(context, one.starts.date()) for one in context.week))
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
        facts = Filed(paths, after, tuple(one for one in former if one != after))
        return Complicated(scene.with_note(NOTE.render(PAGE)), facts)

    @checkpoint(
        "An exact copy of what was handed in is filed as the rules say that hold at the deadline",
        where="The page on filing, as it stands in the afternoon.",
        how="Read drive:/handbook/filing_rules.md again after noon and copy each file that you "
        "handed in, with files_copy, into the folder that it names then.",
    )
    def filed(self, grading: GradingContext[Filed]) -> Verdict:
        """Whether copy and file say the same, however they are laid out, and none lies elsewhere:
        what is filed everywhere is filed nowhere."""
        files, truth = Files(grading.tx), grading.truth
        pairs = [(path, _copy_in(truth.folder, path)) for path in truth.paths]
        right = [
            files.exists(path)
            and files.exists(copy)
            and words_and_numbers(files.content(path).data)
            == words_and_numbers(files.content(copy).data)
            for path, copy in pairs
        ]
        names = {path.rpartition("/")[2] for path in truth.paths}
        found = [one.path.rpartition("/") for one in files.files_within(FILED)]
        allowed = (truth.folder, *truth.former)
        stray = [folder for folder, _, name in found if name in names and folder not in allowed]
        seen = f"{sum(right)} of {len(right)} files are filed where they belong"
        return Verdict(
            all(right) and not stray,
            f"{seen}, and {len(stray)} where the rules have never wanted them" if stray else seen,
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
        page = NOTE.search((await own_task(client)).notes)
        folder = RULE.search(await read_text(client, page)) if page else None
        writing = WritingClient(client)
        await do(writing)
        for path in writing.written if folder else ():
            await _copy(client, path, str(folder))

    async def work_blind(
        self, client: ToolClient, do: Solver, elsewhere: Sequence[ForeignCall]
    ) -> None:
        """Do the task, and file the result in every folder that was right elsewhere."""
        writing = WritingClient(client)
        await do(writing)
        folders = {
            str(one.arguments["target"]).rpartition("/")[0]
            for one in elsewhere
            if one.tool == "files_copy"
        }
        for path in writing.written:
            for folder in sorted(folders):
                await _copy(client, path, folder)


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


def _folder(context: TaskContext, day: date) -> str:
    """The folder that the rules name from noon of *day* on: the same for all tasks."""
    draws = context.office_stream(f"filing rules of {day}")
    return f"{FILED}/{draws.choice(_TOPICS)}_{draws.randrange(100, 1_000)}"


def _copy_in(folder: str, path: str) -> str:
    """Where in *folder* the copy of the file at *path* goes."""
    return f"{folder}/{path.rpartition('/')[2]}"


def _page(folder: str, since: str) -> str:
    return _TEXT.format(rule=RULE.render(folder), since=since).replace(" \n", "\n")
