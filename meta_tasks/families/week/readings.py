"""A counter is read out every morning; what it went up by is due in the afternoon.

Told once: what the counter stands at, in a stand-up each day. Each day's figure needs what was said
the day before, and Friday's report all five.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from pydantic import Field

from trainee_bench.meta_tasks.authoring import (
    Checkpoint,
    Deliverable,
    Hints,
    PlannedEvent,
    TaskContext,
    ValueTemplate,
    one_of,
)
from trainee_bench.meta_tasks.authoring.converters import INTEGER
from trainee_bench.meta_tasks.families.week.daily import Notes, Today, WorkOfDay
from trainee_bench.meta_tasks.families.week.days import FRIDAY, MONDAY, TUESDAY, WEEKDAYS
from trainee_bench.meta_tasks.families.week.desk import DeskText, MeetingBrief
from trainee_bench.meta_tasks.families.week.marks import all_told, each_day, reported
from trainee_bench.meta_tasks.families.week.meeting_duty import Drawn, MeetingDuty, MeetingScene
from trainee_bench.meta_tasks.families.week.telling import Aloud
from trainee_bench.world.colleagues.referrals import ReferralPublished

COUNTERS: Mapping[str, str] = {
    "the electricity meter of the server room": "Electricity of the server room",
    "the water meter of the laboratory": "Water of the laboratory",
    "the page counter of the print room": "Pages of the print room",
    "the parcel counter at the goods entrance": "Parcels at the goods entrance",
    "the turnstile counter at the main gate": "Visitors at the main gate",
}
"""What is read, and the subject of the mails about it."""
LOWEST, STEP, SPREAD = 20_000, 1_000, 900
"""Of each day the counter has a range of its own, so that it only goes up, whatever is drawn."""


class CounterReport(Deliverable):
    """Friday's report."""

    monday_reading: int = Field(description="what the counter stood at on Monday")
    friday_reading: int = Field(description="what it stood at on Friday")
    total: int = Field(description="how much it went up from Monday to Friday")
    largest: int = Field(description="the largest number that was due by mail")
    date_of_largest: date = Field(
        description="the day on which it was due, YYYY-MM-DD; of two equal ones the earlier"
    )


@dataclass(frozen=True, kw_only=True)
class ReadingsBrief(MeetingBrief):
    """What the desk says."""

    counter: str


SAID = ValueTemplate("This morning it stands at {value}.", INTEGER)
OPENINGS = (
    "Now to {counter}.",
    "I have just been at {counter}.",
    "And {counter}, as every morning.",
    "A look at {counter}.",
)
CLUES = tuple(f"reading_{day.casefold()}" for day in WEEKDAYS)
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


class CounterReadings(MeetingDuty[ReadingsBrief, None]):
    """Report each day what a counter went up by, and the week on Friday."""

    name = "readings"
    taken = "a counter that is read out"
    title = "{brief.subject}, every day"
    people, meeting, topic, minutes, count = "stand-up", "stand-up", "stand-up", 15, 5
    report_path = "workspace:/counter_report.json"
    tellings = tuple(Aloud(day, SAID, clue, OPENINGS) for day, clue in enumerate(CLUES))
    desk = DeskText(
        ReadingsBrief,
        "Every morning of this week, from Monday to Friday, {host} reads out in a stand-up what "
        "{counter} stands at; [it is said there and written down nowhere]. The stand-up is "
        "{meeting}. [From Tuesday to Friday], mail {recipient} by {by}, with the subject "
        '"{subject}", [how much it has gone up since the morning before; the mail states this '
        "number and no other.]",
        CounterReport,
        {"counter": one_of({one: one for one in COUNTERS})},
        also=" as well",
    )
    hints = Hints(
        strategy="Each day's figure needs what was said the day before, and nobody repeats it: "
        "write down each morning what you hear, where you find it again the next day.",
        where="In the stand-up of each morning; nothing of it stands in the calendar afterwards.",
        how="Attend the stand-up each day, write the reading into a file of your workspace, take "
        "yesterday's from it, and mail the difference. On Friday use all five.",
    )

    def draw_week(self, scene: MeetingScene) -> Drawn:
        """A counter, and what it stands at on five mornings."""
        context = scene.context
        counter = context.stream("counter").choice(tuple(COUNTERS))
        more = [context.secret_stream(clue).randrange(SPREAD) for clue in CLUES]
        told = {one: LOWEST + STEP * one.day + more[one.day] for one in self.tellings}
        over = scene.at(MONDAY, scene.meeting.hour.ends)
        referral = PlannedEvent(_not_repeated(context, counter), over)
        stated = {"counter": counter, "subject": COUNTERS[counter]}
        return Drawn(told, events=(referral,), stated=stated)

    def result(self, today: Today[ReadingsBrief, None]) -> WorkOfDay:
        """How much the counter went up."""
        day = today.weekday
        if day == MONDAY:
            return WorkOfDay()
        return WorkOfDay(today.number(CLUES[day]) - today.number(CLUES[day - 1]))

    def report(self, friday: Today[ReadingsBrief, None]) -> CounterReport:
        """Both ends of the week, and the largest rise."""
        monday, *later = readings = [friday.number(clue) for clue in CLUES]
        rises = [after - before for before, after in itertools.pairwise(readings)]
        largest = max(rises)
        return CounterReport(
            monday_reading=monday,
            friday_reading=later[-1],
            total=later[-1] - monday,
            largest=largest,
            date_of_largest=friday.date - timedelta(days=FRIDAY - TUESDAY - rises.index(largest)),
        )

    def guess(self, today: Today[ReadingsBrief, None]) -> Notes:
        """What a counter of this size might go up by."""
        return {clue: LOWEST + STEP * day for day, clue in enumerate(CLUES)}

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """A figure on each of four days, and the report."""
        daily = each_day(
            range(TUESDAY, 5),
            "On {day}, the right figure was mailed in time, with the right subject",
            where="What was said in that morning's stand-up and in the one before.",
            how="Subtract the reading of the day before, and send the number alone by the hour.",
        )
        report = reported(
            "Friday's report states all figures of the week rightly",
            where="What was said in the five stand-ups.",
            how="Take both ends of the week, and the largest of the four numbers that were due.",
        )
        heard = all_told(
            "heard",
            "You were in all five stand-ups",
            CLUES,
            "readings were heard",
            "report",
            where="The calendar shows when they are.",
            how="Call calendar_attend when it begins.",
        )
        return (*daily, report, heard)
