"""An extract of three days' deliveries, by a choice that is announced on Monday.

Told once: the place and the minimum weight of the deliveries that count, in Monday's meeting. The
lists come from Tuesday to Thursday, and each one replaces the list of the day before.
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
"""Weights in kg. Each place has a delivery in each band every day, so no extract is empty."""
DAYS = (TUESDAY, WEDNESDAY, THURSDAY)
LEAST = tuple(range(60, 310, 10))


class ExtractSummary(Deliverable):
    """Friday's summary."""

    place: Text = Field(description="the place that was agreed on in the meeting")
    least_kg: int = Field(description="the minimum weight that was agreed on, in kg")
    deliveries: int = Field(description="how many deliveries the extract has")
    total_kg: int = Field(description="their total weight, in kg")


@dataclass(frozen=True)
class AgreedExtract:
    """The deliveries that count: those from *place* that weigh at least *least* kg."""

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
    """A delivery; *place* is its origin, *weight* is in kg."""

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
    """List on Thursday the deliveries of three days that fit Monday's agreement."""

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
        "In Monday's meeting with {host} {meeting}, [the team agrees which deliveries an extract "
        "has to list: from which place, and of what minimum weight. The agreement is said only in "
        "that meeting and not written down.] [From Tuesday to Thursday, every morning at 09:00, "
        "that day's deliveries replace the previous day's in] {file}. [By Thursday] {by}, mail "
        '{recipient} the extract, with the subject "{subject}". [Write one line for each delivery '
        "of these three days that belongs in the extract: its number, a colon, and its weight in "
        "kg.]",
        ExtractSummary,
    )
    hints = Hints(
        strategy="On Thursday you need Monday's agreement and the files of all three days. By then "
        "you can no longer see most of it, so keep all of it.",
        where="In Monday's meeting, and in the file on each of the three days.",
        how="Attend the meeting and note the place and the weight. Each day, pick the deliveries "
        "that count, or copy the file into your workspace. On Thursday, mail all that count.",
    )

    def draw_week(self, scene: MeetingScene) -> Drawn:
        """Draw the agreement and the deliveries of three days."""
        secret = scene.context.secret_stream(AGREED.clue)
        agreed = AgreedExtract(secret.choice(PLACES), secret.choice(LEAST))
        return Drawn({AGREED: agreed}, {day: _draw_deliveries(scene, day) for day in DAYS})

    def result(self, today: Today[MeetingBrief, Delivery]) -> WorkOfDay:
        """Keep the day's deliveries that count; on Thursday, mail those of all three days."""
        if not today.rows:
            return WorkOfDay()
        place, least = today.text("place"), today.number("least")
        own = {
            delivery.delivery: delivery.weight
            for delivery in today.rows
            if delivery.place == place and delivery.weight >= least
        }
        complete = today.weekday >= THURSDAY
        return WorkOfDay(_joined([*today.kept(DAYS[:-1]), own]) if complete else None, own)

    def report(self, friday: Today[MeetingBrief, Delivery]) -> ExtractSummary:
        """The agreement, and the number and total weight of the extract's deliveries."""
        extract = _joined(friday.kept(DAYS))
        return ExtractSummary(
            place=friday.text("place"),
            least_kg=friday.number("least"),
            deliveries=len(extract),
            total_kg=sum(extract.values()),
        )

    def guess(self, today: Today[MeetingBrief, Delivery]) -> Notes:
        """Assume the most frequent place of today, and the lowest minimum weight."""
        most = Counter(delivery.place for delivery in today.rows).most_common(1)
        return {
            "place": most[0][0] if most else PLACES[0], "least": LEAST[0], WEEKDAYS[TUESDAY]: {},
            WEEKDAYS[WEDNESDAY]: {},
        }  # fmt: skip

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Thursday's mail, Friday's summary, and Monday's meeting."""
        extract = mailed(
            "extract",
            THURSDAY,
            "By Thursday, you mailed exactly the deliveries that fit the agreement",
            "deliveries were listed",
            weight=2,
            only_after="heard",
            where="Monday's meeting, and the file on each of the three days.",
            how="Take the deliveries from the place that was named, with that weight or more.",
        )
        summary = reported(
            "Friday's summary states the agreement and the right figures of the extract",
            name="summary",
            only_after="heard",
            where="Monday's meeting, and the extract.",
            how="Count the deliveries of the extract and add up their weights.",
        )
        return (extract, summary, heard_in_meeting(AGREED.clue, "extract"))


def _joined(days: Sequence[dict[str, int]]) -> dict[str, int]:
    """The deliveries of several days, by number."""
    return {id: weight for own in days for id, weight in own.items()}
