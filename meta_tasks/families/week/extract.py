"""On Monday it is said aloud what goes into Thursday's extract; what it is made of comes from
Tuesday to Thursday, and is replaced each morning.

Told once: from where and how heavy the deliveries are that count, in Monday's meeting. The list of
a day's deliveries is in a file that the next day's replaces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
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
    TaskContext,
    TaskInstance,
    Text,
    TextTemplate,
    ToldPart,
    ToolClient,
    Verdict,
    hand_in,
    one_of,
    read_brief,
    read_text,
)
from trainee_bench.meta_tasks.families.week.daily import DayDone, DutyDay
from trainee_bench.meta_tasks.families.week.days import (
    FILES_COME,
    FRIDAY,
    MONDAY,
    THURSDAY,
    TUESDAY,
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
from trainee_bench.meta_tasks.families.week.duty import (
    WeekDuty,
    fields_right,
    heard_in_meeting,
    mark,
)
from trainee_bench.meta_tasks.families.week.mails import DueMail, decision_lines, decisions_in
from trainee_bench.meta_tasks.families.week.people import draw_reader, draw_team
from trainee_bench.meta_tasks.work.achieving import MailSent

SUBJECT = "Extract of deliveries"
CLUE = "agreed"
PLACES = ("Rotterdam", "Hamburg", "Antwerp", "Gdansk")
BANDS = (range(20, 95), range(100, 195), range(200, 295), range(300, 395))
"""Of each place there is a delivery of each weight, so that every extract has something in it."""
DAYS = (TUESDAY, WEDNESDAY, THURSDAY)
LEAST = tuple(range(60, 310, 10))

# what is told ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExtractBrief:
    """What the desk says."""

    host: str
    room: str
    starts: time
    ends: time
    file: str
    recipient: str
    by: time
    path: str
    fields: type[Deliverable]


class ExtractSummary(Deliverable):
    """Friday's summary."""

    place: Text = Field(description="the place that was agreed on in the meeting")
    least_kg: int = Field(description="the least weight that was agreed on, in kg")
    deliveries: int = Field(description="how many deliveries the extract has")
    total_kg: int = Field(description="what they weigh together, in kg")


RULES = (
    (
        "it is agreed which deliveries an extract is to list: from which place, and how heavy at "
        "least; it is said there and not written down."
    ),
    (
        "From Tuesday to Thursday, every morning at 09:00, the deliveries of the day replace those "
        "of the day before in"
    ),
    "By Thursday",
    (
        "a line for each delivery of these three days that belongs into the extract, with its "
        "number, a colon, and its weight in kg."
    ),
    "On Friday, hand in",
)
OBJECTIVE = TextTemplate(
    ExtractBrief,
    "In Monday's meeting with {host} in {room}, from {starts} to {ends}, it is agreed which "
    "deliveries an extract is to list: from which place, and how heavy at least; it is said there "
    "and not written down. From Tuesday to Thursday, every morning at 09:00, the deliveries of the "
    "day replace those of the day before in {file}. By Thursday {by}, mail {recipient}, with the "
    f'subject "{SUBJECT}", a line for each delivery of these three days that belongs into the '
    "extract, with its number, a colon, and its weight in kg. On Friday, hand in {path}, a JSON "
    "object with exactly these fields:\n{fields}",
    {
        "host": FULL_NAME,
        "room": WORD,
        "file": PATH,
        "recipient": FULL_NAME,
        "path": PATH,
        "fields": one_of({ExtractSummary: ExtractSummary.describe()}),
    },
)

# what is said once ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Agreed:
    """Which of the deliveries count: those from *place* of at least *least* kg."""

    place: str
    least: int


SAID = TextTemplate(
    Agreed,
    "For the extract we take the deliveries from {place} of at least {least} kg.",
    {"place": one_of({place: place for place in PLACES})},
)


@dataclass(frozen=True)
class Delivery:
    """A delivery: its number, the day, where it comes from, and what it weighs in kg."""

    delivery: str
    day: date
    place: str
    weight: int


DELIVERIES = CsvFile(Delivery, ("delivery", "date", "from", "weight_kg"))


def extract_of(deliveries: Iterable[Delivery], agreed: Agreed) -> dict[str, int]:
    """The weights of those that count, by number."""
    return {
        one.delivery: one.weight
        for one in deliveries
        if one.place == agreed.place and one.weight >= agreed.least
    }


def summary_of(extract: Mapping[str, int], agreed: Agreed) -> ExtractSummary:
    """What Friday's summary says of *extract*."""
    return ExtractSummary(
        place=agreed.place,
        least_kg=agreed.least,
        deliveries=len(extract),
        total_kg=sum(extract.values()),
    )


def _draw_deliveries(context: TaskContext, day: int) -> tuple[Delivery, ...]:
    draws = context.stream(f"deliveries {day}")
    moment = context.week[day].starts.date()
    rows = [(place, draws.choice(band)) for place in PLACES for band in BANDS]
    rows += [(draws.choice(PLACES), draws.choice(draws.choice(BANDS))) for _ in range(6)]
    draws.shuffle(rows)
    return tuple(
        Delivery(context.fresh_id("DEL", f"{day} {number}"), moment, place, weight)
        for number, (place, weight) in enumerate(rows)
    )


# what is graded -------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExtractTruth:
    """What is agreed, the weights of what counts, by number, the mail, and the summary's path."""

    agreed: Agreed
    extract: Mapping[str, int]
    recipient: str
    mail: DueMail
    path: str


def _mailed(grading: GradingContext[ExtractTruth]) -> Verdict:
    truth = grading.truth
    return truth.mail.states_each(grading, truth.recipient, truth.extract, "deliveries were listed")


def _summed_up(grading: GradingContext[ExtractTruth]) -> Verdict:
    truth, given = grading.truth, grading.read(grading.truth.path, ExtractSummary)
    return fields_right(grading, given, summary_of(truth.extract, truth.agreed))


class Extract(WeekDuty[ExtractTruth]):
    """Keep on Thursday what was agreed on Monday, of what three days brought."""

    name: ClassVar[str] = "extract"
    objective = OBJECTIVE
    rules = RULES
    hints: ClassVar[Hints] = Hints(
        strategy="What is agreed on Monday, and what the file has on each of three days, is needed "
        "together on Thursday, when most of it cannot be seen any more. Keep all of it.",
        where="In Monday's meeting, and in the file as it is on each of the three days.",
        how="Attend the meeting and note place and weight. Each day pick the deliveries that "
        "count, or copy the file into your workspace. On Thursday mail all of them.",
    )

    def generate(self, context: TaskContext) -> TaskInstance[ExtractTruth]:
        """What is agreed in a meeting, and the deliveries of three days."""
        working_week(context)
        context.claim("the extract of the deliveries")
        department, host, team = draw_team(context, "extract", 4)
        recipient = draw_reader(context, "recipient", (host, *team))
        meeting = gather(context, "planning", host, team, (MONDAY,), 30)
        secret = context.secret_stream(CLUE)
        agreed = Agreed(secret.choice(PLACES), secret.choice(LEAST))
        said = [say_aloud(context, MONDAY, CLUE, SAID.render(agreed))]
        file = context.reserve_path("drive:/warehouse/deliveries_of_the_day.csv")
        path, by = context.reserve_path("workspace:/extract_summary.json"), clock_by(context, "by")
        brief = ExtractBrief(
            host.name, meeting.room, meeting.starts, meeting.ends, file, recipient.name, by, path,
            ExtractSummary,
        )  # fmt: skip
        days = {day: _draw_deliveries(context, day) for day in DAYS}
        texts = {day: DELIVERIES.render(deliveries) for day, deliveries in days.items()}
        truth = ExtractTruth(
            agreed,
            extract_of((one for deliveries in days.values() for one in deliveries), agreed),
            recipient.id,
            DueMail(SUBJECT, at_clock(context, THURSDAY, by)),
            path,
        )
        return TaskInstance(
            ToldPart(
                title="An extract of the deliveries",
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
                    *meeting.events(context, f"{department}: planning", said),
                ),
            ),
            GradedPart(truth),
        )

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Thursday's mail, Friday's summary, and having been in the meeting."""
        extract = mark(
            "extract",
            "By Thursday, exactly the deliveries were mailed that were agreed on",
            _mailed,
            weight=2,
            needs="heard",
            where="What was said in Monday's meeting, and the file as it was on each day.",
            how="Take the deliveries from the place that was named, of that weight and above.",
            day=THURSDAY,
        )
        summary = mark(
            "summary",
            "Friday's summary states what was agreed on, and what the extract comes to",
            _summed_up,
            weight=2,
            needs="heard",
            where="What was said in Monday's meeting, and the extract.",
            how="Count the deliveries of the extract and add up their weights.",
        )
        return (extract, summary, heard_in_meeting(CLUE, "extract"))

    async def do(self, day: DutyDay[ExtractBrief]) -> DayDone:
        """Note what is agreed, then what counts of each day's file; send and sum it up."""
        brief, today = day.brief, day.weekday
        if today == MONDAY:
            said = await day.hear(brief.room, brief.starts, SAID)
            return DayDone(notes={"place": said.place, "least": said.least})
        agreed = Agreed(str(await day.noted("place")), await day.number("least"))
        before = [str(await day.noted(WEEKDAYS[one])) for one in DAYS if one < today]
        if today == FRIDAY:
            said_of = decisions_in("\n".join(before)) or {}
            extract = {id: int(weight) for id, weight in said_of.items()}
            return DayDone(report=(brief.path, summary_of(extract, agreed)))
        own = decision_lines(extract_of(await day.rows(brief.file, DELIVERIES), agreed))
        mail = MailSent((brief.recipient,), SUBJECT, "\n".join([*before, own]))
        return DayDone(mail if today == THURSDAY else None, {WEEKDAYS[today]: own})

    async def shortcut(self, client: ToolClient) -> None:
        """List all of today's deliveries."""
        brief = await read_brief(client, OBJECTIVE)
        day = (await today(client)).weekday()
        if day in (THURSDAY, FRIDAY):
            await wait_for_clock(client, FILES_COME)
            listed: Sequence[Delivery] = DELIVERIES.parse(await read_text(client, brief.file))
            everything = {one.delivery: one.weight for one in listed}
            await _mail(client, brief, decision_lines(everything))
            if day == FRIDAY:
                usual = Agreed(Counter(one.place for one in listed).most_common(1)[0][0], LEAST[0])
                await hand_in(client, brief.path, summary_of(everything, usual))


async def _mail(client: ToolClient, brief: ExtractBrief, lines: str) -> None:
    await client.call("mail_send", to=[brief.recipient], subject=SUBJECT, body=lines)
