"""On Monday it is said aloud what goes into Thursday's extract; what it is made of comes from
Tuesday to Thursday, and is replaced each morning.

Told once: from where and how heavy the deliveries are that count, in Monday's meeting. The list of
a day's deliveries is in a file that the next day's replaces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from pydantic import Field

from trainee_bench.meta_tasks.authoring import (
    Checkpoint,
    CsvFile,
    Deliverable,
    Hints,
    Text,
    TextTemplate,
    one_of,
)
from trainee_bench.meta_tasks.families.week.daily import Notes, Today, WorkOfDay
from trainee_bench.meta_tasks.families.week.days import (
    MONDAY,
    THURSDAY,
    TUESDAY,
    WEDNESDAY,
    WEEKDAYS,
)
from trainee_bench.meta_tasks.families.week.desk import DeskText, MeetingBrief
from trainee_bench.meta_tasks.families.week.marks import heard_in_meeting, mailed, reported
from trainee_bench.meta_tasks.families.week.meeting_duty import Drawn, MeetingDuty, MeetingScene
from trainee_bench.meta_tasks.families.week.telling import Aloud

PLACES = ("Rotterdam", "Hamburg", "Antwerp", "Gdansk")
BANDS = (range(20, 95), range(100, 195), range(200, 295), range(300, 395))
"""Of each place there is a delivery of each weight, so that every extract has something in it."""
DAYS = (TUESDAY, WEDNESDAY, THURSDAY)
LEAST = tuple(range(60, 310, 10))


class ExtractSummary(Deliverable):
    """Friday's summary."""

    place: Text = Field(description="the place that was agreed on in the meeting")
    least_kg: int = Field(description="the least weight that was agreed on, in kg")
    deliveries: int = Field(description="how many deliveries the extract has")
    total_kg: int = Field(description="what they weigh together, in kg")


@dataclass(frozen=True)
class AgreedExtract:
    """Which of the deliveries count: those from *place* of at least *least* kg."""

    place: str
    least: int


AGREED = Aloud(
    MONDAY,
    TextTemplate(
        AgreedExtract,
        "For the extract we take the deliveries from {place} of at least {least} kg.",
        {"place": one_of({place: place for place in PLACES})},
    ),
    "agreed",
)


@dataclass(frozen=True)
class Delivery:
    """A delivery: its number, the day, where it comes from, and what it weighs in kg."""

    delivery: str
    day: date
    place: str
    weight: int


def _draw_deliveries(scene: MeetingScene, day: int) -> list[Delivery]:
    draws = scene.context.stream(f"deliveries {day}")
    rows = [(place, draws.choice(band)) for place in PLACES for band in BANDS]
    rows += [(draws.choice(PLACES), draws.choice(draws.choice(BANDS))) for _ in range(6)]
    draws.shuffle(rows)
    return scene.rows(Delivery, "DEL", day, rows)


class Extract(MeetingDuty[MeetingBrief, Delivery]):
    """Keep on Thursday what was agreed on Monday, of what three days brought."""

    name = "extract"
    taken = "the extract of the deliveries"
    title = "An extract of the deliveries"
    people, meeting, topic, count = "extract", "planning", "planning", 4
    report_path = "workspace:/extract_summary.json"
    file = CsvFile(Delivery, ("delivery", "date", "from", "weight_kg"))
    file_path = "drive:/warehouse/deliveries_of_the_day.csv"
    file_days = DAYS
    tellings = (AGREED,)
    subject = "Extract of deliveries"
    desk = DeskText(
        MeetingBrief,
        "In Monday's meeting with {host} {meeting}, [it is agreed which deliveries an extract is "
        "to list: from which place, and how heavy at least; it is said there and not written "
        "down.] [From Tuesday to Thursday, every morning at 09:00, the deliveries of the day "
        "replace those of the day before in] {file}. [By Thursday] {by}, mail {recipient}, with "
        'the subject "{subject}", [a line for each delivery of these three days that belongs '
        "into the extract, with its number, a colon, and its weight in kg.]",
        ExtractSummary,
    )
    hints = Hints(
        strategy="What is agreed on Monday, and what the file has on each of three days, is needed "
        "together on Thursday, when most of it cannot be seen any more. Keep all of it.",
        where="In Monday's meeting, and in the file as it is on each of the three days.",
        how="Attend the meeting and note place and weight. Each day pick the deliveries that "
        "count, or copy the file into your workspace. On Thursday mail all of them.",
    )

    def draw_week(self, scene: MeetingScene) -> Drawn:
        """What is agreed in a meeting, and the deliveries of three days."""
        secret = scene.context.secret_stream(AGREED.clue)
        agreed = AgreedExtract(secret.choice(PLACES), secret.choice(LEAST))
        return Drawn({AGREED: agreed}, {day: _draw_deliveries(scene, day) for day in DAYS})

    def result(self, today: Today[MeetingBrief, Delivery]) -> WorkOfDay:
        """Those of the day that count; on Thursday all of them are listed."""
        if not today.rows:
            return WorkOfDay()
        place, least = today.text("place"), today.number("least")
        own = {
            one.delivery: one.weight
            for one in today.rows
            if one.place == place and one.weight >= least
        }
        complete = today.weekday >= THURSDAY
        return WorkOfDay(_joined([*today.kept(DAYS[:-1]), own]) if complete else None, own)

    def report(self, friday: Today[MeetingBrief, Delivery]) -> ExtractSummary:
        """What was agreed, and what the extract comes to."""
        extract = _joined(friday.kept(DAYS))
        return ExtractSummary(
            place=friday.text("place"),
            least_kg=friday.number("least"),
            deliveries=len(extract),
            total_kg=sum(extract.values()),
        )

    def guess(self, today: Today[MeetingBrief, Delivery]) -> Notes:
        """What most of today's deliveries have in common."""
        most = Counter(one.place for one in today.rows).most_common(1)
        return {
            "place": most[0][0] if most else PLACES[0], "least": LEAST[0], WEEKDAYS[TUESDAY]: {},
            WEEKDAYS[WEDNESDAY]: {},
        }  # fmt: skip

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Thursday's mail, Friday's summary, and having been in the meeting."""
        extract = mailed(
            "extract",
            THURSDAY,
            "By Thursday, exactly the deliveries were mailed that were agreed on",
            "deliveries were listed",
            weight=2,
            only_after="heard",
            where="What was said in Monday's meeting, and the file as it was on each day.",
            how="Take the deliveries from the place that was named, of that weight and above.",
        )
        summary = reported(
            "Friday's summary states what was agreed on, and what the extract comes to",
            name="summary",
            only_after="heard",
            where="What was said in Monday's meeting, and the extract.",
            how="Count the deliveries of the extract and add up their weights.",
        )
        return (extract, summary, heard_in_meeting(AGREED.clue, "extract"))


def _joined(days: Sequence[dict[str, int]]) -> dict[str, int]:
    """The deliveries of several days, by number."""
    return {id: weight for own in days for id, weight in own.items()}
