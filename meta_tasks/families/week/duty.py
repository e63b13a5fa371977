"""The base class of all duties of a week.

In a duty, facts are told once, a new file may come each day, a mail is due on some days, and a
report is due on Friday. The right result of a day follows from that day's rows and from a careful
worker's notes: the facts told so far, and the results of earlier days. The truth, the honest worker
and the shortcut all use the same functions, `result` and `report`.

A duty defines:

| part                                              | where                                     |
|---------------------------------------------------|-------------------------------------------|
| the objective                                     | `desk`, `subject`, `hints`                |
| the facts that are told once, when, and how       | `tellings`, or else `learn`               |
| the file of the day                               | `file`, `file_path`                       |
| the drawn people, figures and events of a week    | `draw`                                    |
| the right results                                 | `result`, `report`                        |
| the checkpoints                                   | `checkpoints`, built with `marks`         |
| the assumptions of a worker who does not ask      | `guess`                                   |
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from typing import Any, ClassVar, Generic, TypeVar

from trainee_bench.meta_tasks.authoring import (
    Checkpoint,
    CsvFile,
    Deliverable,
    GradedPart,
    HiddenPart,
    Hints,
    PlannedEvent,
    TaskContext,
    TaskInstance,
    ToldPart,
    ToolClient,
    hand_in,
    read_brief,
    read_text,
)
from trainee_bench.meta_tasks.families.week.daily import DutyDay, Noted, Notes, Today, WorkOfDay
from trainee_bench.meta_tasks.families.week.days import (
    FRIDAY,
    MONDAY,
    WEEKDAYS,
    at_clock,
    days_note,
    require_last_result,
    require_working_week,
)
from trainee_bench.meta_tasks.families.week.desk import FILES_COME, AskedReport, DeskText, DutyBrief
from trainee_bench.meta_tasks.families.week.mails import RightMail, body_of
from trainee_bench.meta_tasks.families.week.telling import Telling
from trainee_bench.meta_tasks.told_apart import about_task
from trainee_bench.meta_tasks.work.achieving import FileHas, HandedIn, MailSent
from trainee_bench.meta_tasks.work.need import Work
from trainee_bench.meta_tasks.work.reading import TaskBrief
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.company.people import Person

Brief = TypeVar("Brief", bound=DutyBrief)
Stated = TypeVar("Stated", bound=DutyBrief)
Row = TypeVar("Row")
DUE = (time(15), time(16), time(17))
"""The possible hours by which the day's result is due."""
KNOWN_BY = time(12)
"""The time on Monday by which a duty without a meeting has to be known."""


@dataclass(frozen=True)
class DutyTruth:
    """The right mails by day, and the right report with its path."""

    mails: Mapping[int, RightMail]
    path: str
    report: Deliverable


@dataclass(frozen=True)
class DutyScene:
    """The parts of a duty's week that exist before the duty draws its own."""

    context: TaskContext
    by: time
    report: AskedReport
    file: str

    def states(self, of: type[Stated], subject: str, **own: Any) -> Stated:
        """The stated facts; *own* are those of this duty alone. Where tasks may be alike, the
        *subject* of the mails names the task."""
        if self.context.copies:
            subject = about_task(subject, self.context.task)
        return of(by=self.by, report=self.report, file=self.file, subject=subject, **own)

    def rows(
        self, of: Callable[..., Row], prefix: str, day: int, cells: Iterable[tuple[object, ...]]
    ) -> list[Row]:
        """The rows of a day's file, each with its own number, the date, and its *cells*."""
        return [
            of(self.context.fresh_id(prefix, f"{day} {place}"), self.date(day), *own)
            for place, own in enumerate(cells)
        ]

    def files(self, file: CsvFile[Row], rows: Mapping[int, Sequence[Row]]) -> list[PlannedEvent]:
        """The events that replace the file on each day that has *rows*."""
        return [
            PlannedEvent(
                FileAppears(path=self.file, text=file.render(own)), self.at(day, FILES_COME)
            )
            for day, own in rows.items()
        ]

    def date(self, day: int) -> date:
        """The date of day number *day*."""
        return self.context.week[day].starts.date()

    def at(self, day: int, clock: time) -> datetime:
        """The time *clock* on day number *day*."""
        return at_clock(self.context, day, clock)


@dataclass(frozen=True)
class DrawnWeek(Generic[Row]):
    """A drawn week of a duty.

    *told* has the facts that are noted on each day. *reader* gets the mails. Without *known_by*,
    the duty has to be known on Monday at noon.
    """

    title: str
    brief: DutyBrief
    requester: Person
    told: Mapping[int, Notes]
    clues: Sequence[Clue]
    events: Sequence[PlannedEvent]
    rows: Mapping[int, Sequence[Row]] = field(default_factory=dict)
    reader: Person | None = None
    known_by: datetime | None = None


class DailyDuty(ABC, Generic[Brief, Row]):
    """One kind of work that takes the whole week."""

    name: ClassVar[str]
    taken: ClassVar[str]
    """The name of the claim that keeps a second duty of this kind out of the week."""
    once_a_week: ClassVar[bool] = False
    """Whether that holds even where tasks may be alike."""
    desk: ClassVar[DeskText[Any]]
    hints: ClassVar[Hints]
    policy_changes_on: ClassVar[int | None] = None
    """See `MetaTask.policy_changes_on`."""
    subject: ClassVar[str] = ""
    """The subject of the mails, unless it is drawn."""
    only: ClassVar[str] = ""
    """Words for the only person who may get the mails; empty if others may get them, too."""
    report_path: ClassVar[str]
    file: ClassVar[CsvFile[Any] | None] = None
    file_path: ClassVar[str] = ""
    file_days: ClassVar[Sequence[int]] = range(5)
    tellings: ClassVar[Sequence[Telling[Any]]] = ()

    # parts that each duty defines -----------------------------------------------------------

    @abstractmethod
    def draw(self, scene: DutyScene) -> DrawnWeek[Row]:
        """Draw one week of the duty: a pure function of the context's streams."""

    @abstractmethod
    def result(self, today: Today[Brief, Row]) -> WorkOfDay:
        """The result of *today*. Raises ToolFailed if the notes lack something."""

    @abstractmethod
    def report(self, friday: Today[Brief, Row]) -> Deliverable:
        """The report; *friday* has notes that include Friday's own result."""

    @abstractmethod
    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The checkpoints of the duty."""

    @abstractmethod
    def guess(self, today: Today[Brief, Row]) -> Notes:
        """The assumptions of a worker who neither listens nor asks; *today* has no notes."""

    async def learn(self, day: DutyDay[Brief]) -> Notes:
        """Find out what is told on *day*, and return it as notes."""
        told: Notes = {}
        for telling in self.tellings:
            if telling.day == day.weekday:
                told |= telling.note(await telling.learn(day))
        return told

    async def pretend(self, client: ToolClient, brief: Brief, now: datetime) -> None:
        """Do what the shortcut does besides mails and the report; nothing by default."""

    # parts that all duties share ------------------------------------------------------------

    def generate(self, context: TaskContext) -> TaskInstance[DutyTruth]:
        """Generate the duty's instance. Raises CompositionError unless the week has five days and
        the task is due at their end."""
        require_working_week(context)
        if not context.copies:
            context.claim(self.taken)
        elif self.once_a_week:
            context.claim(f"{self.taken} in the week of {context.week[0].starts:%Y-%m-%d}")
        report = AskedReport(context.reserve_path(self.report_path), self.desk.report)
        file = context.reserve_path(self.file_path) if self.file_path else ""
        scene = DutyScene(context, context.stream("by").choice(DUE), report, file)
        require_last_result(context, scene.by)
        week = self.draw(scene)
        days = days_note(context)
        return TaskInstance(
            ToldPart(
                title=week.title,
                objective=self.desk.wording.render(week.brief) + days,
                hints=self.hints,
                requester=week.requester.id,
                deliverable_paths=(report.path,),
                must_know_by=week.known_by or scene.at(MONDAY, KNOWN_BY),
            ),
            HiddenPart(clues=tuple(week.clues), events=tuple(week.events)),
            GradedPart(truth=self.truth(scene, week), background=(days.strip(),) if days else ()),
        )

    def truth(self, scene: DutyScene, week: DrawnWeek[Row]) -> DutyTruth:
        """The right mails and the right report: the week of a worker who misses nothing."""
        brief: Any = week.brief
        notes, mails = Notes(), dict[int, RightMail]()
        for day in range(len(WEEKDAYS)):
            notes |= week.told.get(day, {})
            today = Today(brief, day, scene.date(day), notes, week.rows.get(day, ()))
            result = self.result(today)
            notes = result.notes_after(today)
            reader = scene.context.company.person(result.to) if result.to else week.reader
            if result.said is not None and reader is not None:
                due = scene.at(day, scene.by)
                mails[day] = RightMail(brief.subject, due, reader.id, result.said, self.only)
        return DutyTruth(mails, scene.report.path, self.report(replace(today, notes=notes)))

    async def honest_work(self, work: Work, task: str) -> None:
        """Do today's work, and note what later days need."""
        brief = await work(TaskBrief(task, self.desk.wording, self.desk.rules))
        day = DutyDay(work, task, brief)
        told, rows = await self.learn(day), await self._rows(day)
        if not told and not rows and day.weekday < FRIDAY:
            return
        notes = await day.notes_with(told, at_once=day.weekday == self.policy_changes_on)
        today = Today(brief, day.weekday, day.date, notes, rows)
        result = self.result(today)
        if result.said is not None:
            to = result.to or brief.recipient
            await work(MailSent((to,), brief.subject, body_of(result.said)))
        notes = result.notes_after(today)
        if day.weekday < FRIDAY:
            await work(Noted(task).page(notes))
            return
        report = self.report(replace(today, notes=notes)).model_dump_json(indent=2)
        await work(HandedIn(task, (FileHas(brief.report.path, report),)))

    async def _rows(self, day: DutyDay[Brief]) -> Sequence[Row]:
        if self.file is None or day.weekday not in self.file_days:
            return ()
        return await day.rows(self.file)

    async def shortcut(self, client: ToolClient) -> None:
        """Look only at the desk and the files, and assume that every day is like today."""
        brief: Brief = await read_brief(client, self.desk.wording)
        now: datetime = (await client.call("desk_now")).time
        await self.pretend(client, brief, now)
        rows = await self._seen(client, brief, now)
        today = Today(brief, now.weekday(), now.date(), Notes(), rows)
        guessed = self.guess(today)
        result = self.result(replace(today, notes=guessed))
        if result.said is not None:
            to, body = result.to or brief.recipient, body_of(result.said)
            await client.call("mail_send", to=[to], subject=brief.subject, body=body)
        if today.weekday == FRIDAY:
            notes = {**dict.fromkeys(WEEKDAYS, result.kept), **guessed, **result.notes}
            report = self.report(replace(today, notes=notes))
            await hand_in(client, brief.report.path, report)

    async def _seen(self, client: ToolClient, brief: Brief, now: datetime) -> Sequence[Row]:
        """The rows of the current file, if one has come by now."""
        if self.file is None or now.weekday() < min(self.file_days):
            return ()
        then = datetime.combine(now, FILES_COME)
        if then > now:
            await client.wait_at_least(int((then - now).total_seconds() // 60))
        return self.file.parse(await read_text(client, brief.file))
