"""A counter is read out every morning, and its rise since the day before is due in the afternoon.

Told once: the reading of each day, in that day's stand-up. Each day's figure also needs the reading
of the day before, and Friday's report needs all five.
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
"""The counters, each with the subject of the mails about it."""
LOWEST, STEP, SPREAD = 20_000, 1_000, 900
"""Each day has its own range of readings, so the counter only goes up."""


class CounterReport(Deliverable):
    """Friday's report."""

    monday_reading: int = Field(description="Monday's reading")
    friday_reading: int = Field(description="Friday's reading")
    total: int = Field(description="how much the reading went up from Monday to Friday")
    largest: int = Field(description="the largest of the four numbers that were due by mail")
    date_of_largest: date = Field(
        description="the day on which that number was due, YYYY-MM-DD; in a tie, the earlier day"
    )


@dataclass(frozen=True, kw_only=True)
class ReadingsBrief(MeetingBrief):
    """The facts that the objective states."""

    counter: str


SAID = ValueTemplate("This morning's reading is {value}.", INTEGER)
OPENINGS = (
    "Now for {counter}.",
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
"""Questions of a person who has missed a reading."""


def _not_repeated(context: TaskContext, counter: str) -> ReferralPublished:
    """The reply of every colleague to a question for a reading after the stand-up."""
    return ReferralPublished(
        topic=context.clue_id("readings are not repeated"),
        asks=tuple(ask.format(counter=counter) for ask in MISSED),
        text=f"The reading of {counter} is given in the stand-up, and nobody repeats it later.",
    )


class CounterReadings(MeetingDuty[ReadingsBrief, None]):
    """Report a counter's rise each day, and the week's figures on Friday."""

    name = "readings"
    taken = "a counter that is read out"
    title = "{brief.subject}, every day"
    people, meeting, topic, minutes, count = "stand-up", "stand-up", "stand-up", 15, 5
    report_path = "workspace:/counter_report.json"
    tellings = tuple(Aloud(day, SAID, clue, OPENINGS) for day, clue in enumerate(CLUES))
    desk = DeskText(
        ReadingsBrief,
        "Every morning this week, from Monday to Friday, {host} holds a stand-up {meeting}, and "
        "reads out the current reading of {counter}. [The reading is said only there and not "
        "written down anywhere.] [Each day from Tuesday to Friday], mail {recipient} by {by}, with "
        'the subject "{subject}". [State how much the reading has gone up since the previous '
        "morning, and no other number.]",
        CounterReport,
        {"counter": one_of({counter: counter for counter in COUNTERS})},
        also=" as well",
    )
    hints = Hints(
        strategy="Each day's figure needs the reading of the day before, which nobody repeats. "
        "Every morning, write down what you hear in a place where you will find it the next day.",
        where="In each morning's stand-up. The calendar does not show the reading afterwards.",
        how="Attend the stand-up each day, write the reading to a file in your workspace, subtract "
        "the previous day's reading, and mail the difference. On Friday, use all five readings.",
    )

    def draw_week(self, scene: MeetingScene) -> Drawn:
        """Draw a counter and its readings on five mornings."""
        context = scene.context
        counter = context.stream("counter").choice(tuple(COUNTERS))
        more = [context.secret_stream(clue).randrange(SPREAD) for clue in CLUES]
        told = {
            telling: LOWEST + STEP * telling.day + more[telling.day] for telling in self.tellings
        }
        over = scene.at(MONDAY, scene.meeting.hour.ends)
        referral = PlannedEvent(_not_repeated(context, counter), over)
        stated = {"counter": counter, "subject": COUNTERS[counter]}
        return Drawn(told, events=(referral,), stated=stated)

    def result(self, today: Today[ReadingsBrief, None]) -> WorkOfDay:
        """The rise since the previous morning."""
        day = today.weekday
        if day == MONDAY:
            return WorkOfDay()
        return WorkOfDay(today.number(CLUES[day]) - today.number(CLUES[day - 1]))

    def report(self, friday: Today[ReadingsBrief, None]) -> CounterReport:
        """The first and last readings, the week's rise, and the largest daily rise."""
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
        """Assume the same plausible rise every day."""
        return {clue: LOWEST + STEP * day for day, clue in enumerate(CLUES)}

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The figures of four days, the report, and all stand-ups."""
        daily = each_day(
            range(TUESDAY, 5),
            "On {day}, you mailed the right figure in time, with the right subject",
            where="That morning's stand-up, and the one on the day before.",
            how="Subtract the previous day's reading, and mail only the difference, in time.",
        )
        report = reported(
            "Friday's report states all figures of the week correctly",
            where="The readings from all five stand-ups.",
            how="Take the first and the last reading, and the largest of the four numbers that "
            "were due.",
        )
        heard = all_told(
            "heard",
            "You were in all five stand-ups",
            CLUES,
            "readings were heard",
            "report",
            where="The calendar shows when they take place.",
            how="Call calendar_attend when each one begins.",
        )
        return (*daily, report, heard)
