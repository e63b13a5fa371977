"""A counter is read out every morning; what it went up by is due in the afternoon.

Told once: what the counter stands at, in a stand-up each day. Each day's figure needs what was said
the day before, and Friday's report all five.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import ClassVar

from pydantic import Field

from trainee_bench.meta_tasks.authoring import (
    FULL_NAME,
    PATH,
    WORD,
    Checkpoint,
    Deliverable,
    GradedPart,
    GradingContext,
    HiddenPart,
    Hints,
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
    were_told,
)
from trainee_bench.meta_tasks.families.week.daily import DayDone, DutyDay
from trainee_bench.meta_tasks.families.week.days import (
    FRIDAY,
    MONDAY,
    WEEKDAYS,
    at_clock,
    clock_by,
    gather,
    said_clues,
    say_aloud,
    today,
    working_week,
)
from trainee_bench.meta_tasks.families.week.duty import WeekDuty, each_day, fields_right, mark
from trainee_bench.meta_tasks.families.week.mails import DueMail, states_only
from trainee_bench.meta_tasks.families.week.people import draw_reader, draw_team
from trainee_bench.meta_tasks.work.achieving import MailSent
from trainee_bench.world.colleagues.referrals import ReferralPublished

COUNTERS: Mapping[str, str] = {
    "the electricity meter of the server room": "Electricity of the server room",
    "the water meter of the laboratory": "Water of the laboratory",
    "the page counter of the print room": "Pages of the print room",
    "the parcel counter at the goods entrance": "Parcels at the goods entrance",
    "the turnstile counter at the main gate": "Visitors at the main gate",
}
"""What is read, and the subject of the mails about it."""

# what is told ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class ReadingsBrief:
    """What the desk says."""

    counter: str
    host: str
    room: str
    starts: time
    ends: time
    recipient: str
    by: time
    path: str
    fields: type[Deliverable]

    @property
    def subject(self) -> str:
        """The subject of the mails."""
        return COUNTERS[self.counter]


class CounterReport(Deliverable):
    """Friday's report."""

    monday_reading: int = Field(description="what the counter stood at on Monday")
    friday_reading: int = Field(description="what it stood at on Friday")
    total: int = Field(description="how much it went up from Monday to Friday")
    largest: int = Field(description="the largest number that was due by mail")
    date_of_largest: date = Field(
        description="the day on which it was due, YYYY-MM-DD; of two equal ones the earlier"
    )


RULES = (
    "it is said there and written down nowhere",
    "From Tuesday to Friday",
    "how much it has gone up since the morning before; the mail states this number and no other.",
    "On Friday, hand in",
)
OBJECTIVE = TextTemplate(
    ReadingsBrief,
    "Every morning of this week, from Monday to Friday, {host} reads out in a stand-up what "
    "{counter} stands at; it is said there and written down nowhere. The stand-up is in {room}, "
    "from {starts} to {ends}. From Tuesday to Friday, mail {recipient} by {by}, with the subject "
    '"{subject}", how much it has gone up since the morning before; the mail states this number '
    "and no other. On Friday, hand in {path} as well, a JSON object with exactly these fields:\n"
    "{fields}",
    {
        "counter": one_of({one: one for one in COUNTERS}),
        "host": FULL_NAME,
        "room": WORD,
        "recipient": FULL_NAME,
        "path": PATH,
        "fields": one_of({CounterReport: CounterReport.describe()}),
    },
)

# what is said once ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Reading:
    """What the counter stands at on a morning."""

    count: int


SAID = TextTemplate(Reading, "This morning it stands at {count}.")
OPENINGS = (
    "Now to {counter}.",
    "I have just been at {counter}.",
    "And {counter}, as every morning.",
    "A look at {counter}.",
)
LOWEST, STEP, SPREAD = 20_000, 1_000, 900
"""Of each day the counter has a range of its own, so that it only goes up, whatever is drawn."""


def clue_of(day: int) -> str:
    """The name of what is said on that day."""
    return f"reading_{WEEKDAYS[day].casefold()}"


@dataclass(frozen=True)
class ReadingsTruth:
    """What the counter stood at, to whom the figures go, the mails by day, and the report."""

    readings: tuple[int, ...]
    recipient: str
    mails: tuple[DueMail, ...]
    path: str

    def rise(self, day: int) -> int:
        """How much the counter went up to that day from the day before."""
        return self.readings[day] - self.readings[day - 1]


def make_report(readings: Sequence[int], friday: date) -> CounterReport:
    """The report over the *readings* of five mornings, the last of which is that of *friday*."""
    rises = [later - earlier for earlier, later in itertools.pairwise(readings)]
    largest = max(rises)
    return CounterReport(
        monday_reading=readings[MONDAY],
        friday_reading=readings[FRIDAY],
        total=readings[FRIDAY] - readings[MONDAY],
        largest=largest,
        date_of_largest=friday - timedelta(days=len(rises) - 1 - rises.index(largest)),
    )


# what is graded -------------------------------------------------------------------------------


def _mailed(grading: GradingContext[ReadingsTruth], day: int) -> Verdict:
    truth = grading.truth
    due = truth.mails[day - 1]
    message = due.to(grading, truth.recipient)
    if message is None:
        return due.missing()
    right = states_only(message.body, truth.rise(day))
    return Verdict(right, "the mail was sent in time" + ("" if right else "; its number is wrong"))


def _reported(grading: GradingContext[ReadingsTruth]) -> Verdict:
    truth, given = grading.truth, grading.read(grading.truth.path, CounterReport)
    return fields_right(grading, given, make_report(truth.readings, truth.mails[-1].by.date()))


def _heard(grading: GradingContext[ReadingsTruth]) -> Verdict:
    return were_told(grading, [clue_of(day) for day in range(5)], "readings were heard")


MISSED = (
    "What does {counter} stand at?",
    "What did {counter} stand at on Wednesday?",
    "By how much has {counter} gone up since yesterday?",
    "I was not in the stand-up: what was the reading of {counter}?",
    "Could you repeat what you said about {counter} in the stand-up?",
    "What did our colleague read out of {counter} that day?",
)
"""How somebody asks who has missed a reading."""


def _not_repeated(context: TaskContext, counter: str) -> ReferralPublished:
    """What everybody says who is asked for a reading later."""
    return ReferralPublished(
        topic=context.clue_id("readings are not repeated"),
        asks=tuple(ask.format(counter=counter) for ask in MISSED),
        text=f"What {counter} stands at is read out in the stand-up; nobody repeats it afterwards.",
    )


class CounterReadings(WeekDuty[ReadingsTruth]):
    """Report each day what a counter went up by, and the week on Friday."""

    name: ClassVar[str] = "readings"
    objective = OBJECTIVE
    rules = RULES
    hints: ClassVar[Hints] = Hints(
        strategy="Each day's figure needs what was said the day before, and nobody repeats it: "
        "write down each morning what you hear, where you find it again the next day.",
        where="In the stand-up of each morning; nothing of it stands in the calendar afterwards.",
        how="Attend the stand-up each day, write the reading into a file of your workspace, take "
        "yesterday's from it, and mail the difference. On Friday use all five.",
    )

    def generate(self, context: TaskContext) -> TaskInstance[ReadingsTruth]:
        """A counter, a stand-up on five mornings, and what is said there."""
        working_week(context)
        counter = context.stream("counter").choice(tuple(COUNTERS))
        department, host, team = draw_team(context, "stand-up", 5)
        recipient = draw_reader(context, "recipient", (host, *team))
        standup = gather(context, "stand-up", host, team, range(5), 15)
        readings = tuple(
            LOWEST + STEP * day + context.secret_stream(clue_of(day)).randrange(SPREAD)
            for day in range(5)
        )
        openings = tuple(opening.format(counter=counter) for opening in OPENINGS)
        said = [
            say_aloud(context, day, clue_of(day), SAID.render(Reading(count)), openings)
            for day, count in enumerate(readings)
        ]
        path = context.reserve_path("workspace:/counter_report.json")
        by = clock_by(context, "by")
        brief = ReadingsBrief(
            counter, host.name, standup.room, standup.starts, standup.ends, recipient.name, by,
            path, CounterReport,
        )  # fmt: skip
        context.claim("a counter that is read out")
        mails = tuple(DueMail(brief.subject, at_clock(context, day, by)) for day in range(1, 5))
        return TaskInstance(
            ToldPart(
                title=f"{brief.subject}, every day",
                objective=OBJECTIVE.render(brief),
                hints=self.hints,
                requester=host.id,
                deliverable_paths=(path,),
                must_know_by=standup.known_by(context),
            ),
            HiddenPart(
                clues=said_clues(context, said),
                events=(
                    *standup.events(context, f"{department}: stand-up", said),
                    PlannedEvent(
                        _not_repeated(context, counter), at_clock(context, MONDAY, standup.ends)
                    ),
                ),
            ),
            GradedPart(truth=ReadingsTruth(readings, recipient.id, mails, path)),
        )

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """A figure on each of four days, and the report."""
        daily = each_day(
            range(1, 5),
            "On {day}, the right figure was mailed in time, with the right subject",
            _mailed,
            where="What was said in that morning's stand-up and in the one before.",
            how="Subtract the reading of the day before, and send the number alone by the hour.",
        )
        report = mark(
            "report",
            "Friday's report states all figures of the week rightly",
            _reported,
            weight=2,
            where="What was said in the five stand-ups.",
            how="Take both ends of the week, and the largest of the four numbers that were due.",
        )
        heard = mark(
            "heard",
            "You were in all five stand-ups",
            _heard,
            weight=0.5,
            only_with="report",
            where="The calendar shows when they are.",
            how="Call calendar_attend when it begins.",
        )
        return (*daily, report, heard)

    async def do(self, day: DutyDay[ReadingsBrief]) -> DayDone:
        """Listen, note it, and report the difference."""
        brief, today = day.brief, day.weekday
        count = (await day.hear(brief.room, brief.starts, SAID)).count
        if today == MONDAY:
            return DayDone(notes={clue_of(today): count})
        before = [await day.number(clue_of(one)) for one in range(today)]
        mail = MailSent((brief.recipient,), brief.subject, str(count - before[-1]))
        if today == FRIDAY:
            return DayDone(mail, report=(brief.path, make_report([*before, count], day.date)))
        return DayDone(mail, {clue_of(today): count})

    async def shortcut(self, client: ToolClient) -> None:
        """Report what a counter of this size might go up by."""
        brief = await read_brief(client, OBJECTIVE)
        now = await today(client)
        day = now.weekday()
        if day > MONDAY:
            await client.call(
                "mail_send", to=[brief.recipient], subject=brief.subject, body=str(STEP)
            )
        if day == FRIDAY:
            guessed = [LOWEST + STEP * one for one in range(5)]
            await hand_in(client, brief.path, make_report(guessed, now.date()))
