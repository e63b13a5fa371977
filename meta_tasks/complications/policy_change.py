"""A policy changes during the day: files follow the rules that apply when they are due.

the filing rules say where a copy goes ──later──► they name another folder
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from trainee_bench.meta_tasks.authoring.converters import PATH
from trainee_bench.meta_tasks.authoring.text_template import ValueTemplate
from trainee_bench.meta_tasks.checkpoints import GradingContext, Verdict, checkpoint
from trainee_bench.meta_tasks.complication import (
    Complicated,
    Complication,
    ComplicationKind,
    DoTask,
    ForeignCall,
    Stage,
)
from trainee_bench.meta_tasks.complication_scene import Scene, at
from trainee_bench.meta_tasks.meta_task import PlannedEvent, first_version
from trainee_bench.meta_tasks.moments import colleagues_go_home, last_moment
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.task_context import ChangesFrom, CompositionError, TaskContext
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed
from trainee_bench.meta_tasks.work.achieving import Afterwards, paths_of
from trainee_bench.meta_tasks.work.habits import Habit, Inner, around
from trainee_bench.meta_tasks.work.need import LastDone, Need, Work
from trainee_bench.meta_tasks.work.reading import notes_of
from trainee_bench.meta_tasks.work.sources import MailSearch, ReadText
from trainee_bench.world.apps.files import FileAppears, Files
from trainee_bench.world.apps.mail import MailArrives
from trainee_bench.world.filesystem.content import words_and_numbers

PAGE = "drive:/handbook/filing_rules.md"
FILED = "drive:/filed"
_TOPICS = ("results", "reports", "records", "findings", "papers")
NOON = time(12)
"""The time at which the rules change on a day whose deadlines are set afterwards."""
AFTER_ARRIVAL, BEFORE_DEADLINE = timedelta(minutes=30), timedelta(hours=1)
"""The least time from a task's arrival to the change, and from the change to its deadline."""
_HOUR = "the filing rules change at "
"""The start of a claim that ends with the hour, which the day's tasks share."""
SUBJECT = "New filing rules"
RULE = ValueTemplate("Put an exact copy, under the same name, into the folder {value}.", PATH)
NOTE = ValueTemplate(
    "File a copy of each file that you hand in for this task, by the version of {value} that "
    "applies at the task's deadline.",
    PATH,
)
_TEXT = """# Filing results

If your task asks you to file what you hand in, this rule says where the copy goes:

{rule}

If the rule changes, the version that applies when the task is due counts. {since}
"""
_MAILS = (
    (
        "The filing rules have just changed; please read {page} again. The new rules apply to all "
        "tasks that ask for filing and are due from now on, even if you have filed already."
    ),
    (
        "From now on we file differently; {page} says how. If you have been asked to file "
        "something for a task that is not due yet, file it by the new rules, even if you have "
        "filed it before."
    ),
    (
        "There is a new version of {page}. Please follow it for each task that asks for filing and "
        "is due from now on. If you have already filed for such a task, file again."
    ),
)


@dataclass(frozen=True)
class Filed:
    """The files handed in, the folder where their copies have to be, and the folders where copies
    may be as well, since the rules named them before."""

    paths: tuple[str, ...]
    folder: str
    former: tuple[str, ...]


@dataclass(frozen=True)
class CopyFiled(Need[None]):
    """A copy of a *result* in a folder, up to date."""

    result: Need[Any]
    path: str
    folder: str

    async def satisfy(self, work: Work) -> None:
        """Copy it over what was filed there before, unless that is the same."""
        copy = _copy_in(self.folder, self.path)
        filed = LastDone(copy)
        if await work(filed) == self:
            return
        try:
            await work.call("files_copy", source=self.path, target=copy)
        except ToolFailed:
            await work.call("files_delete", path=copy)
            await work.call("files_copy", source=self.path, target=copy)
        work.note(filed, self)


class FilesCopies(Habit):
    """A habit: files copies by the rules that apply, and again when the rules have changed."""

    name = "files copies"

    @around(Afterwards)
    async def _filed(
        self, work: Work, need: Afterwards, inner: Inner[tuple[Need[Any], ...]]
    ) -> tuple[Need[Any], ...]:
        page, done = NOTE.search(await notes_of(work, need.task)), await inner()
        if page is None:
            return done
        return (*done, *_copies(need.results, await self._folder(work, page)))

    async def _folder(self, work: Work, page: str) -> str:
        """Return the folder that the rules on *page* name now. A mail tells when they have
        changed."""
        news = " ".join(str(mail.id) for mail in await work(MailSearch(SUBJECT)))
        folder = RULE.search(await work(ReadText(page, news)))
        if folder is None:
            raise ToolFailed(f"{page} does not say where copies go")
        return folder


class FilesAsInFormerYears(FilesCopies):
    """A bad habit: files copies where they went in former years, without reading the rules."""

    name = "files copies as in former years"

    async def _folder(self, work: Work, page: str) -> str:
        return f"{FILED}/2024"


def _copies(results: Iterable[Need[Any]], folder: str) -> list[CopyFiled]:
    """Return the copies in *folder* of those *results* that are files."""
    return [CopyFiled(result, path, folder) for result in results for path in paths_of([result])]


class PolicyChange(Complication):
    """The filing rules name another folder from a certain hour on, for everything that is due
    later."""

    name = "policy_change"
    kind = ComplicationKind.CHANGE
    stage = Stage.HANDING_IN
    about = "Copies have to be filed by rules that change during the day."
    requires = frozenset({SceneFeature.REPEATABLE})
    habits = (FilesCopies(),)
    ignoring = (FilesAsInFormerYears(),)

    def apply(self, scene: Scene) -> Complicated:
        """Stage the page with the task, and a new version later. Raises CompositionError for a task
        that comes too late or is due too early for that."""
        context = scene.context
        if context.copies and context.deadline.date() > context.day.starts.date():
            raise CompositionError(
                f"{context.task} is due on a later day, when the filing rules may change again; "
                "let it be due on the day on which it comes"
            )
        moment = _changes_at(context)
        arrival, deadline = moment - AFTER_ARRIVAL, moment + BEFORE_DEADLINE
        if context.arrives > arrival or context.deadline < deadline:
            raise CompositionError(
                f"{context.task} must come by {arrival:%H:%M} and be due at {deadline:%H:%M} or "
                f"later for {self.name}; give it such times or leave that out"
            )
        context.share_path(PAGE)
        today = context.day.starts.date()
        before, after = _folder(context, today - timedelta(days=1)), _folder(context, today)
        since = (
            f"This version has applied since {moment:%H:%M on %Y-%m-%d}, also to files filed "
            "before. Copies in an earlier folder may stay there."
        )
        hr = next(iter(context.company.department("HR").managers))
        mail = MailArrives(
            sender=hr.id,
            to=(context.employee.id,),
            subject=SUBJECT,
            body=context.stream(self.name).choice(_MAILS).format(page=PAGE),
        )
        first = context.claim_if_free(_of_day(context, "the mail about filing rules"))
        told = (at(moment, mail),) if first else ()
        paths = scene.told.deliverable_paths
        former = (before, *(_folder(context, day.starts.date()) for day in context.world_days))
        filed = {
            _copy_in(folder, path)
            for folder in (before, after)
            for path in (*paths, *scene.dropped)
        }
        scene = (
            scene.with_events(
                PlannedEvent(FileAppears(path=PAGE, text=_page(before, ""), once=True)),
                at(moment, FileAppears(path=PAGE, text=_page(after, since))),
                *told,
            )
            .with_told(writable_paths=scene.told.writable_paths | filed)
            # only the second version is needed for handing in after the change
            .with_background(*(mail.subject for _ in told), first_version(PAGE))
        )
        facts = Filed(paths, after, tuple(folder for folder in former if folder != after))
        return Complicated(scene.with_note(NOTE.render(PAGE)), facts)

    @checkpoint(
        "An exact copy of what was handed in is filed by the rules that apply at the deadline",
        where="The page on filing, as it is at the deadline.",
        how="Read drive:/handbook/filing_rules.md again when a mail says that it has changed, and "
        "copy each file that you handed in, with files_copy, into the folder that it then names.",
    )
    def filed(self, grading: GradingContext[Filed]) -> Verdict:
        """Check that copy and file have the same contents, whatever their layout, and that no copy
        is in a folder that the rules never named: a file that is filed everywhere is filed
        nowhere."""
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
        found = [file.path.rpartition("/") for file in files.files_within(FILED)]
        allowed = (truth.folder, *truth.former)
        stray = [folder for folder, _, name in found if name in names and folder not in allowed]
        seen = f"{sum(right)} of {len(right)} files are filed where they belong"
        return Verdict(
            all(right) and not stray,
            f"{seen}, and {len(stray)} in folders that the rules never named" if stray else seen,
        )

    async def work_blind(
        self, client: ToolClient, do: DoTask, elsewhere: Sequence[ForeignCall]
    ) -> None:
        """Do the task, and file the result in every folder that was right elsewhere."""
        await do()
        folders = {
            str(call.arguments["target"]).rpartition("/")[0]
            for call in elsewhere
            if call.tool == "files_copy"
        }
        listed = (await client.call("files_list", folder="workspace:/")).data["entries"]
        for path in (str(entry["path"]) for entry in listed):
            for folder in sorted(folders):
                await _copy(client, path, folder)


def _changes_at(context: TaskContext) -> datetime:
    """Return when the rules change: at noon, or at the last full hour before the task is due or
    colleagues go home, so that nobody begins after that. The first task of a day decides for
    all."""
    last = min(last_moment(context), colleagues_go_home(context)) - BEFORE_DEADLINE
    clock = NOON if context.changes_from is ChangesFrom.ARRIVAL else time(last.hour)
    for hour in map(time, range(24)):
        if _of_day(context, f"{_HOUR}{hour:%H:%M}") in context.reservations.claims:
            clock = hour
    context.claim_if_free(_of_day(context, f"{_HOUR}{clock:%H:%M}"))
    return datetime.combine(context.day.starts, clock)


def _of_day(context: TaskContext, claim: str) -> str:
    """Return the *claim* of all tasks with one rule change: those of a world, or those of a day
    where any rule may come on any day."""
    return f"{claim} on {context.day.starts:%Y-%m-%d}" if context.copies else claim


async def _copy(client: ToolClient, path: str, folder: str) -> None:
    """Copy the file into *folder*, over what was filed there before."""
    copy = _copy_in(folder, path)
    try:
        await client.call("files_copy", source=path, target=copy)
    except ToolFailed:
        await client.call("files_delete", path=copy)
        await client.call("files_copy", source=path, target=copy)


def _folder(context: TaskContext, day: date) -> str:
    """Return the folder that the rules name once they have changed on *day*. It is the same for all
    tasks, and differs from the folder of the day before."""
    order = context.office_stream("topics of filing rules").sample(_TOPICS, len(_TOPICS))
    number = context.office_stream(f"filing rules of {day}").randrange(100, 1_000)
    return f"{FILED}/{order[day.toordinal() % len(order)]}_{number}"


def _copy_in(folder: str, path: str) -> str:
    """Return where in *folder* the copy of the file at *path* goes."""
    return f"{folder}/{path.rpartition('/')[2]}"


def _page(folder: str, since: str) -> str:
    return _TEXT.format(rule=RULE.render(folder), since=since).replace(" \n", "\n")
