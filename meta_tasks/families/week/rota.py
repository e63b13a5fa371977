"""Whoever is on call gets the number of urgent tickets each day; who that is was read out once.

Told once: the rota of the week, in Monday's meeting. On Wednesday somebody writes that they take
over Thursday.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import ClassVar

from pydantic import Field

from trainee_bench.meta_tasks.authoring import (
    FULL_NAME,
    PATH,
    WORD,
    Checkpoint,
    CsvFile,
    Deliverable,
    GradedPart,
    GradingContext,
    HiddenPart,
    Hints,
    PersonRef,
    PlannedEvent,
    TaskContext,
    TaskInstance,
    TextTemplate,
    ToldPart,
    ToolClient,
    Verdict,
    hand_in,
    one_of,
    read_brief,
    read_text,
)
from trainee_bench.meta_tasks.families.week.daily import DayDone, DutyDay, Written
from trainee_bench.meta_tasks.families.week.days import (
    FILES_COME,
    FRIDAY,
    MONDAY,
    THURSDAY,
    WEDNESDAY,
    WEEKDAYS,
    at_clock,
    clock_by,
    gather,
    replaced_daily,
    said_clues,
    say_aloud,
    today,
    wait_for_clock,
    working_week,
)
from trainee_bench.meta_tasks.families.week.duty import WeekDuty, each_day, heard_in_meeting, mark
from trainee_bench.meta_tasks.families.week.mails import DueMail, readers, states_only
from trainee_bench.meta_tasks.families.week.notes import Notes
from trainee_bench.meta_tasks.families.week.people import draw_team
from trainee_bench.meta_tasks.work.achieving import MailSent
from trainee_bench.world.apps.chat import MessageArrives
from trainee_bench.world.company.people import Person

SUBJECT = "Urgent tickets"
ROTA = "rota"
OVER_COMES, OVER_READ = time(10), time(10, 5)
URGENCIES = ("urgent", "normal", "low")
TOPICS = ("login", "printer", "network", "mailbox", "backup", "licence", "laptop", "access card")

# what is told ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class RotaBrief:
    """What the desk says."""

    department: str
    host: str
    room: str
    starts: time
    ends: time
    file: str
    by: time
    path: str
    fields: type[Deliverable]


class CallDay(Deliverable):
    """A day of the rota as it was kept."""

    day: date = Field(description="YYYY-MM-DD")
    name: PersonRef = Field(description="full name of whoever was on call")
    urgent: int = Field(description="how many of the day's tickets were urgent")


class RotaReport(Deliverable):
    """Friday's report."""

    days: list[CallDay] = Field(description="one for each day of the week")


RULES = (
    "Every day of this week somebody else is on call for",
    "reads out who and when in Monday's meeting",
    "whoever takes over a day writes to you the day before.",
    (
        "Every morning at 09:00, from Monday to Friday, the tickets of the day replace those of "
        "the day before in"
    ),
    "mail whoever is on call that day, and nobody else,",
    "how many of the day's tickets are urgent; the mail states this number and no other.",
    "On Friday, hand in",
)
OBJECTIVE = TextTemplate(
    RotaBrief,
    "Every day of this week somebody else is on call for {department}. {host} reads out who and "
    "when in Monday's meeting in {room}, from {starts} to {ends}, and nowhere else; whoever takes "
    "over a day writes to you the day before. Every morning at 09:00, from Monday to Friday, the "
    "tickets of the day replace those of the day before in {file}. Each day by {by}, mail "
    f'whoever is on call that day, and nobody else, with the subject "{SUBJECT}", how many of '
    "the day's tickets are urgent; the mail states this number and no other. On Friday, hand in "
    "{path}, a JSON object with exactly these fields:\n{fields}",
    {
        "host": FULL_NAME,
        "room": WORD,
        "file": PATH,
        "path": PATH,
        "fields": one_of({RotaReport: RotaReport.describe()}),
    },
)

# what is said once ----------------------------------------------------------------------------


@dataclass(frozen=True)
class CallRota:
    """Who is on call on each day, by full name."""

    monday: str
    tuesday: str
    wednesday: str
    thursday: str
    friday: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names from Monday to Friday."""
        return (self.monday, self.tuesday, self.wednesday, self.thursday, self.friday)


SAID = TextTemplate(
    CallRota,
    "On call this week: {monday} on Monday, {tuesday} on Tuesday, {wednesday} on Wednesday, "
    "{thursday} on Thursday, {friday} on Friday.",
    dict.fromkeys(("monday", "tuesday", "wednesday", "thursday", "friday"), FULL_NAME),
)


@dataclass(frozen=True)
class TakenOver:
    """Who takes over Thursday."""

    name: str


TAKES_OVER = TextTemplate(
    TakenOver,
    "{name} here. I am on call tomorrow, Thursday, in place of whoever was on the rota.",
    {"name": FULL_NAME},
)


@dataclass(frozen=True)
class Ticket:
    """A ticket of the help desk."""

    ticket: str
    day: date
    topic: str
    urgency: str


TICKETS = CsvFile(Ticket, ("ticket", "date", "topic", "urgency"))


def urgent_among(tickets: Sequence[Ticket]) -> int:
    """How many of them are urgent."""
    return sum(one.urgency == URGENCIES[0] for one in tickets)


def _draw_tickets(context: TaskContext, day: int, urgent: int) -> tuple[Ticket, ...]:
    """The tickets of a day, so many of them urgent."""
    draws = context.stream(f"tickets {day}")
    moment = context.week[day].starts.date()
    urgencies = [URGENCIES[0]] * urgent
    urgencies += [draws.choice(URGENCIES[1:]) for _ in range(draws.randrange(8, 20))]
    draws.shuffle(urgencies)
    return tuple(
        Ticket(context.fresh_id("HD", f"{day} {place}"), moment, draws.choice(TOPICS), urgency)
        for place, urgency in enumerate(urgencies)
    )


# what is graded -------------------------------------------------------------------------------


@dataclass(frozen=True)
class RotaTruth:
    """Who is on call in the end, how many tickets are urgent, the mails, and the report's path."""

    on_call: tuple[Person, ...]
    urgent: tuple[int, ...]
    mails: tuple[DueMail, ...]
    path: str


def _mailed(grading: GradingContext[RotaTruth], day: int) -> Verdict:
    truth, due = grading.truth, grading.truth.mails[day]
    sent = due.sent(grading)
    if not sent:
        return due.missing()
    reached = frozenset[str]().union(*map(readers, sent))
    if reached != {truth.on_call[day].id}:
        return Verdict(False, "the mail did not go to whoever was on call, and to nobody else")
    right = states_only(sent[-1].body, truth.urgent[day])
    return Verdict(right, f"the mail was sent in time{'' if right else '; its number is wrong'}")


def _reported(grading: GradingContext[RotaTruth]) -> Verdict:
    truth, given = grading.truth, grading.read(grading.truth.path, RotaReport)
    kept = zip(truth.mails, truth.on_call, truth.urgent, strict=True)
    right = RotaReport(
        days=[
            CallDay(day=due.by.date(), name=person.name, urgent=urgent)
            for due, person, urgent in kept
        ]
    )
    wrong = grading.keys.differing(given, right)
    flaw = ", and not all of it is right" if wrong else ""
    return Verdict(not wrong, f"the report has {len(given.days)} days{flaw}")


class Rota(WeekDuty[RotaTruth]):
    """Tell whoever is on call each day how many tickets are urgent."""

    name: ClassVar[str] = "rota"
    objective = OBJECTIVE
    rules = RULES
    hints: ClassVar[Hints] = Hints(
        strategy="The rota is read out once, for the whole week, and somebody may take over a day. "
        "Write it down when you hear it, and change your note when somebody writes.",
        where="In Monday's meeting, in the chat, and in the file of each day.",
        how="Attend the meeting and note all five names. Count the urgent tickets each day, send "
        "the number to the name of that day alone, and note the number for Friday's report.",
    )

    def generate(self, context: TaskContext) -> TaskInstance[RotaTruth]:
        """A rota that is read out, tickets of five days, and somebody who takes over."""
        working_week(context)
        context.claim("the week's rota")
        department, host, team = draw_team(context, "rota", 7)
        substitute, *members = team
        secret = context.secret_stream(ROTA)
        rota = secret.sample(members, 5)
        said = [
            say_aloud(context, MONDAY, ROTA, SAID.render(CallRota(*(one.name for one in rota))))
        ]
        on_call = [substitute if day == THURSDAY else one for day, one in enumerate(rota)]
        meeting = gather(context, "rota", host, members, (MONDAY,), 30)
        file = context.reserve_path("drive:/helpdesk/tickets_of_the_day.csv")
        path, by = context.reserve_path("workspace:/rota_report.json"), clock_by(context, "by")
        brief = RotaBrief(
            department, host.name, meeting.room, meeting.starts, meeting.ends, file, by, path,
            RotaReport,
        )  # fmt: skip
        counts = context.stream("urgent").sample(range(4, 24), 5)  # no day has that of another
        days = [_draw_tickets(context, day, urgent) for day, urgent in enumerate(counts)]
        texts = {day: TICKETS.render(tickets) for day, tickets in enumerate(days)}
        message = MessageArrives(
            sender=substitute.id,
            to=context.employee.id,
            text=TAKES_OVER.render(TakenOver(substitute.name)),
        )
        mails = tuple(DueMail(SUBJECT, at_clock(context, day, by)) for day in range(5))
        truth = RotaTruth(tuple(on_call), tuple(map(urgent_among, days)), mails, path)
        return TaskInstance(
            ToldPart(
                title=f"{department} on call",
                objective=OBJECTIVE.render(brief),
                hints=self.hints,
                requester=host.id,
                deliverable_paths=(path,),
                must_know_by=meeting.known_by(context),
            ),
            HiddenPart(
                clues=said_clues(context, said),
                events=(
                    *replaced_daily(context, file, texts),
                    *meeting.events(context, f"{department}: the week", said),
                    PlannedEvent(message, at_clock(context, WEDNESDAY, OVER_COMES)),
                ),
            ),
            GradedPart(truth),
        )

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """A mail on each day, and the report."""
        daily = each_day(
            range(5),
            "On {day}, whoever was on call, and nobody else, was mailed the number of urgent "
            "tickets in time",
            _mailed,
            needs="heard",
            where="The rota as it was read out on Monday, who has taken over a day, and the file.",
            how="Write to one person only, with the subject that the task names.",
        )
        report = mark(
            "report",
            "Friday's report says who was on call on each day, and how many tickets were urgent",
            _reported,
            weight=2,
            needs="heard",
            where="The rota as it was kept, and the files of five days.",
            how="Note name and number each day; list all five on Friday.",
        )
        return (*daily, report, heard_in_meeting(ROTA, "report"))

    async def do(self, day: DutyDay[RotaBrief]) -> DayDone:
        """Write to whoever is noted for today; note who has taken over."""
        brief, today, notes = day.brief, day.weekday, Notes()
        if today == MONDAY:
            said = await day.hear(brief.room, brief.starts, SAID)
            notes |= zip(WEEKDAYS, said.names, strict=True)
        if today == WEDNESDAY:
            substitute = Written(TAKES_OVER, day.at(OVER_READ))
            notes[WEEKDAYS[THURSDAY]] = (await day.work(substitute)).name
        name = str(notes.get(WEEKDAYS[today]) or await day.noted(WEEKDAYS[today]))
        urgent = urgent_among(await day.rows(brief.file, TICKETS))
        mail = MailSent((name,), SUBJECT, str(urgent))
        if today < FRIDAY:
            return DayDone(mail, {**notes, f"urgent on {WEEKDAYS[today]}": urgent})
        names = [str(await day.noted(one)) for one in WEEKDAYS]
        counts = [await day.number(f"urgent on {one}") for one in WEEKDAYS[:FRIDAY]]
        kept = [
            CallDay(day=day.date - timedelta(days=FRIDAY - place), name=name, urgent=count)
            for place, (name, count) in enumerate(zip(names, [*counts, urgent], strict=True))
        ]
        return DayDone(mail, report=(brief.path, RotaReport(days=kept)))

    async def shortcut(self, client: ToolClient) -> None:
        """Write to who invites to the meeting."""
        brief = await read_brief(client, OBJECTIVE)
        await wait_for_clock(client, FILES_COME)
        urgent = urgent_among(TICKETS.parse(await read_text(client, brief.file)))
        await client.call("mail_send", to=[brief.host], subject=SUBJECT, body=str(urgent))
        now = await today(client)
        if now.weekday() == FRIDAY:
            days = [now.date() - timedelta(days=place) for place in range(5)]
            kept = [CallDay(day=one, name=brief.host, urgent=urgent) for one in days]
            await hand_in(client, brief.path, RotaReport(days=kept))
