"""The person on call gets the number of urgent tickets each day; the rota is read out only once.

Told once: the rota of the week, in Monday's meeting. On Wednesday a colleague writes that they take
over Thursday.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time, timedelta

from pydantic import Field

from trainee_bench.meta_tasks.authoring import (
    FULL_NAME,
    Checkpoint,
    CsvFile,
    Deliverable,
    Hints,
    PersonRef,
    TextTemplate,
)
from trainee_bench.meta_tasks.families.week.daily import Notes, Today, WorkOfDay
from trainee_bench.meta_tasks.families.week.days import FRIDAY, MONDAY, THURSDAY, WEDNESDAY
from trainee_bench.meta_tasks.families.week.desk import DeskText, MeetingBrief
from trainee_bench.meta_tasks.families.week.marks import each_day, heard_in_meeting, reported
from trainee_bench.meta_tasks.families.week.meeting_duty import Drawn, MeetingDuty, MeetingScene
from trainee_bench.meta_tasks.families.week.telling import Aloud, ByChat

URGENCIES = ("urgent", "normal", "low")
TOPICS = ("login", "printer", "network", "mailbox", "backup", "licence", "laptop", "access card")
ON_CALL = tuple(f"on_{day}" for day in ("monday", "tuesday", "wednesday", "thursday", "friday"))
"""The names in the notes for the person on call on each day."""


class CallDay(Deliverable):
    """The person on call and the number of urgent tickets on one day."""

    day: date = Field(description="YYYY-MM-DD")
    name: PersonRef = Field(description="full name of the person who was on call")
    urgent: int = Field(description="how many of the day's tickets were urgent")


class RotaReport(Deliverable):
    """Friday's report."""

    days: list[CallDay] = Field(description="one for each day of the week")


@dataclass(frozen=True)
class CallRota:
    """The full name of the person on call on each day."""

    on_monday: str
    on_tuesday: str
    on_wednesday: str
    on_thursday: str
    on_friday: str


@dataclass(frozen=True)
class TakenOver:
    """The full name of the person who takes over Thursday."""

    substitute: str


ROTA = Aloud(
    MONDAY,
    TextTemplate(
        CallRota,
        "On call this week: {on_monday} on Monday, {on_tuesday} on Tuesday, {on_wednesday} on "
        "Wednesday, {on_thursday} on Thursday, {on_friday} on Friday.",
        dict.fromkeys(ON_CALL, FULL_NAME),
    ),
    "rota",
)
TAKES_OVER = ByChat(
    WEDNESDAY,
    TextTemplate(
        TakenOver,
        "{substitute} here. I am on call tomorrow, Thursday, instead of the person on the rota.",
        {"substitute": FULL_NAME},
    ),
    time(10),
)


@dataclass(frozen=True)
class Ticket:
    """A ticket of the help desk."""

    ticket: str
    day: date
    topic: str
    urgency: str


def _draw_tickets(scene: MeetingScene, day: int, urgent: int) -> list[Ticket]:
    """Draw the tickets of a day; *urgent* is the number of urgent ones."""
    draws = scene.context.stream(f"tickets {day}")
    urgencies = [URGENCIES[0]] * urgent
    urgencies += [draws.choice(URGENCIES[1:]) for _ in range(draws.randrange(8, 20))]
    draws.shuffle(urgencies)
    cells = ((draws.choice(TOPICS), urgency) for urgency in urgencies)
    return scene.rows(Ticket, "HD", day, cells)


class Rota(MeetingDuty[MeetingBrief, Ticket]):
    """Tell the person on call each day how many tickets are urgent."""

    name = "rota"
    taken = "the week's rota"
    title = "{brief.department} on call"
    people, meeting, topic, reader = "rota", "rota", "the week", ""
    count, invited = 7, slice(1, None)  # the first one takes over
    report_path = "workspace:/rota_report.json"
    file = CsvFile(Ticket, ("ticket", "date", "topic", "urgency"))
    file_path = "drive:/helpdesk/tickets_of_the_day.csv"
    tellings = (ROTA, TAKES_OVER)
    subject, only = "Urgent tickets", "the person on call"
    desk = DeskText(
        MeetingBrief,
        "[A different person is on call each day this week for] {department}. {host} [reads out "
        "the rota only in Monday's meeting] {meeting}. [If somebody takes over a day, they write "
        "to you the day before.] Every morning at 09:00, from Monday to Friday, [that day's "
        "tickets replace the previous day's in] {file}. Each day by {by}, [mail the person on call "
        'that day, and nobody else,] with the subject "{subject}". [State how many of the day\'s '
        "tickets are urgent, and no other number.]",
        RotaReport,
    )
    hints = Hints(
        strategy="The rota for the whole week is read out once, and somebody may take over a day. "
        "Write it down when you hear it, and change your note when somebody writes to you.",
        where="In Monday's meeting, in the chat, and in each day's file.",
        how="Attend the meeting and note all five names. Each day, count the urgent tickets, send "
        "the number only to the person of that day, and note it for Friday's report.",
    )

    def draw_week(self, scene: MeetingScene) -> Drawn:
        """Draw the rota, the tickets of five days, and the colleague who takes over a day."""
        context, (substitute, *members) = scene.context, scene.team
        drawn = context.secret_stream(ROTA.clue).sample(members, 5)
        rota, taken = CallRota(*(person.name for person in drawn)), TakenOver(substitute.name)
        counts = context.stream("urgent").sample(range(4, 24), 5)  # different on each day
        rows = {day: _draw_tickets(scene, day, urgent) for day, urgent in enumerate(counts)}
        message = TAKES_OVER.event(context, substitute, taken)
        return Drawn({ROTA: rota, TAKES_OVER: taken}, rows, (message,))

    def result(self, today: Today[MeetingBrief, Ticket]) -> WorkOfDay:
        """The number of urgent tickets, and the person who gets it."""
        day = today.weekday
        name = today.text("substitute" if day == THURSDAY else ON_CALL[day])
        urgent = sum(ticket.urgency == URGENCIES[0] for ticket in today.rows)
        return WorkOfDay(urgent, {"name": name, "urgent": urgent}, to=name)

    def report(self, friday: Today[MeetingBrief, Ticket]) -> RotaReport:
        """The person and the number of each day, as noted."""
        days = [friday.date - timedelta(days=FRIDAY - day) for day in range(5)]
        kept = zip(days, friday.kept(range(5)), strict=True)
        return RotaReport(days=[CallDay(day=day, **own) for day, own in kept])

    def guess(self, today: Today[MeetingBrief, Ticket]) -> Notes:
        """Assume that the meeting's host is always on call."""
        return dict.fromkeys((*ON_CALL, "substitute"), today.brief.host)

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Each day's mail, the report, and Monday's meeting."""
        daily = each_day(
            range(5),
            "On {day}, you mailed the number of urgent tickets in time, only to the person on call",
            only_after="heard",
            where="Monday's rota, any message from a person who takes over a day, and the file.",
            how="Write to one person only, with the subject that the task names.",
        )
        report = reported(
            "Friday's report says who was on call on each day, and how many tickets were urgent",
            only_after="heard",
            where="The rota with its changes, and the files of all five days.",
            how="Note the name and the number each day, and list all five on Friday.",
        )
        return (*daily, report, heard_in_meeting(ROTA.clue, "report"))
