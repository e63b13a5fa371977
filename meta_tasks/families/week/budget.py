"""A budget is kept over the week: each day's requests are granted as long as it lasts.

Told once: the budget, in Monday's meeting, and by how much it grows, in Wednesday's. The requests
of a day are in a file that the next day's replace, so what is left has to be carried from one day
to the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    TextTemplate,
    ToldPart,
    ToolClient,
    ValueTemplate,
    Verdict,
    hand_in,
    one_of,
    read_brief,
    read_text,
)
from trainee_bench.meta_tasks.authoring.converters import INTEGER
from trainee_bench.meta_tasks.families.week.daily import DayDone, DutyDay
from trainee_bench.meta_tasks.families.week.days import (
    FILES_COME,
    FRIDAY,
    MONDAY,
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
    each_day,
    fields_right,
    heard_in_meeting,
    mark,
)
from trainee_bench.meta_tasks.families.week.mails import DueMail, decision_lines
from trainee_bench.meta_tasks.families.week.notes import Notes
from trainee_bench.meta_tasks.families.week.people import draw_reader, draw_team
from trainee_bench.meta_tasks.work.achieving import MailSent

SUBJECT = "Purchase requests"
GRANTED, REFUSED = "granted", "refused"
BUDGET, GROWTH = "budget", "growth"
ITEMS = ("monitor", "standing desk", "office chair", "docking station", "tablet", "projector")
REQUESTS = 5
AMOUNTS, BUDGETS, GROWTHS = range(120, 800), range(1500, 3000), range(900, 2400)

# what is told ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class BudgetBrief:
    """What the desk says."""

    department: str
    file: str
    recipient: str
    by: time
    host: str
    room: str
    starts: time
    ends: time
    path: str
    fields: type[Deliverable]


class BudgetReport(Deliverable):
    """Friday's report."""

    granted: int = Field(description="how many requests of the week were granted")
    refused: int = Field(description="how many were refused")
    spent: int = Field(description="the amounts of all granted requests together, in EUR")
    left: int = Field(description="what is left of the budget after Friday's requests, in EUR")


RULES = (
    "This week you keep the purchase budget of",
    (
        "Every morning at 09:00, from Monday to Friday, the requests of the day replace those of "
        "the day before in"
    ),
    (
        "Go through them from top to bottom: a request is granted if what is left of the budget "
        "covers it, and is then taken off; otherwise it is refused."
    ),
    (
        "a line for each of the day's requests, with its number, a colon, and granted or refused. "
        "The last mail of the day counts."
    ),
    "by how much it grows on Wednesday, before that day's requests;",
    "On Friday, hand in",
)
OBJECTIVE = TextTemplate(
    BudgetBrief,
    "This week you keep the purchase budget of {department}. Every morning at 09:00, from Monday "
    "to Friday, the requests of the day replace those of the day before in {file}. Go through them "
    "from top to bottom: a request is granted if what is left of the budget covers it, and is then "
    "taken off; otherwise it is refused. Each day by {by}, mail {recipient}, with the subject "
    f'"{SUBJECT}", a line for each of the day\'s requests, with its number, a colon, and granted '
    "or refused. The last mail of the day counts. {host} says how large the budget is in Monday's "
    "meeting, and in Wednesday's by how much it grows on Wednesday, before that day's requests; "
    "neither is written down. Both meetings are in {room}, from {starts} to {ends}. On Friday, "
    "hand in {path}, a JSON object with exactly these fields:\n{fields}",
    {
        "file": PATH,
        "recipient": FULL_NAME,
        "host": FULL_NAME,
        "room": WORD,
        "path": PATH,
        "fields": one_of({BudgetReport: BudgetReport.describe()}),
    },
)

# what is said once ----------------------------------------------------------------------------

SAID_BUDGET = ValueTemplate("For purchases we have EUR {value} this week.", INTEGER)
SAID_GROWTH = ValueTemplate("The budget for purchases grows by EUR {value} today.", INTEGER)


@dataclass(frozen=True)
class BudgetRequest:
    """A request: its number, the day, who makes it, for what, and what it costs in whole euros."""

    request: str
    day: date
    name: str
    item: str
    amount: int


REQUEST_FILE = CsvFile(BudgetRequest, ("request", "date", "name", "item", "amount_eur"))


@dataclass(frozen=True)
class DayOfBudget:
    """How a day's requests were decided, and what of the budget is left after it."""

    decisions: Mapping[str, str]
    spent: int
    left: int


def spend(requests: Sequence[BudgetRequest], left: int) -> DayOfBudget:
    """Decide *requests* from top to bottom with so much *left*."""
    decisions, spent = {}, 0
    for one in requests:
        covered = one.amount <= left - spent
        decisions[one.request] = GRANTED if covered else REFUSED
        spent += one.amount if covered else 0
    return DayOfBudget(decisions, spent, left - spent)


def make_report(days: Sequence[DayOfBudget]) -> BudgetReport:
    """The report over the *days* of the week."""
    words = [word for day in days for word in day.decisions.values()]
    return BudgetReport(
        granted=words.count(GRANTED),
        refused=words.count(REFUSED),
        spent=sum(day.spent for day in days),
        left=days[-1].left,
    )


def keep(days: Sequence[Sequence[BudgetRequest]], budget: int, growth: int) -> list[DayOfBudget]:
    """The whole week with this *budget*, which grows on Wednesday."""
    kept, left = list[DayOfBudget](), budget
    for day, requests in enumerate(days):
        left += growth if day == WEDNESDAY else 0
        kept.append(spend(requests, left))
        left = kept[-1].left
    return kept


def _draw_requests(
    context: TaskContext, day: int, names: Sequence[str]
) -> tuple[BudgetRequest, ...]:
    draws = context.stream(f"requests {day}")
    moment = context.week[day].starts.date()
    return tuple(
        BudgetRequest(
            context.fresh_id("REQ", f"{day} {place}"), moment, draws.choice(names),
            draws.choice(ITEMS), draws.choice(AMOUNTS),
        )
        for place in range(REQUESTS)
    )  # fmt: skip


# what is graded -------------------------------------------------------------------------------


@dataclass(frozen=True)
class BudgetTruth:
    """The week as it is kept, to whom the decisions go, the mails, and the report's path."""

    days: tuple[DayOfBudget, ...]
    recipient: str
    mails: tuple[DueMail, ...]
    path: str


def _decided(grading: GradingContext[BudgetTruth], day: int) -> Verdict:
    truth, right = grading.truth, dict(grading.truth.days[day].decisions)
    return truth.mails[day].states_each(grading, truth.recipient, right, "requests were decided")


def _reported(grading: GradingContext[BudgetTruth]) -> Verdict:
    given = grading.read(grading.truth.path, BudgetReport)
    return fields_right(grading, given, make_report(grading.truth.days))


class Budget(WeekDuty[BudgetTruth]):
    """Grant purchase requests as long as the week's budget lasts."""

    name: ClassVar[str] = "budget"
    objective = OBJECTIVE
    rules = RULES
    hints: ClassVar[Hints] = Hints(
        strategy="What is left after a day decides the next one, and the requests are replaced. "
        "Write down each evening what is left and what was spent.",
        where="In the meetings of Monday and Wednesday, and in the file of each day.",
        how="Attend both meetings. Each day take what is left from your own note, go through the "
        "file from top to bottom, mail the decisions, and note what is left now.",
    )

    def generate(self, context: TaskContext) -> TaskInstance[BudgetTruth]:
        """Requests of five days, a budget that is said, and its growth."""
        working_week(context)
        context.claim("the week's purchase budget")
        department, host, team = draw_team(context, "budget", 6)
        recipient = draw_reader(context, "recipient", (host, *team))
        meeting = gather(context, "budget", host, team[:5], (MONDAY, WEDNESDAY), 30)
        file = context.reserve_path("drive:/purchasing/requests_of_the_day.csv")
        path, by = context.reserve_path("workspace:/budget_report.json"), clock_by(context, "by")
        brief = BudgetBrief(
            department, file, recipient.name, by, host.name, meeting.room, meeting.starts,
            meeting.ends, path, BudgetReport,
        )  # fmt: skip
        budget = context.secret_stream(BUDGET).choice(BUDGETS)
        growth = context.secret_stream(GROWTH).choice(GROWTHS)
        said = [
            say_aloud(context, MONDAY, BUDGET, SAID_BUDGET.render(budget)),
            say_aloud(context, WEDNESDAY, GROWTH, SAID_GROWTH.render(growth)),
        ]
        names = [person.name for person in team]
        days = [_draw_requests(context, day, names) for day in range(5)]
        texts = {day: REQUEST_FILE.render(requests) for day, requests in enumerate(days)}
        mails = tuple(DueMail(SUBJECT, at_clock(context, day, by)) for day in range(5))
        return TaskInstance(
            ToldPart(
                title=f"The purchase budget of {department}",
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
                    *meeting.events(context, f"{department}: purchases", said),
                ),
            ),
            GradedPart(
                truth=BudgetTruth(tuple(keep(days, budget, growth)), recipient.id, mails, path)
            ),
        )

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The decisions of each day, and the report."""
        how = "Keep what is left from day to day, and go through the requests from top to bottom."
        before, after = (
            each_day(
                days,
                "On {day}, all requests of the day were decided by what was left of the budget, "
                "and mailed in time",
                _decided,
                needs=needs,
                where="The file of that day, and what was left after the day before.",
                how=how,
            )
            for days, needs in ((range(MONDAY, WEDNESDAY), "heard"), (range(WEDNESDAY, 5), "grown"))
        )
        report = mark(
            "report",
            "Friday's report states what was granted, spent and left",
            _reported,
            weight=2,
            needs="grown",
            where="The files of five days, of which each replaced the one before.",
            how="Keep the count and the amounts of each day; add them up on Friday.",
        )
        heard = heard_in_meeting(BUDGET, "monday")
        grown = heard_in_meeting(GROWTH, "report", name="grown")
        return (*before, *after, report, heard, grown)

    async def do(self, day: DutyDay[BudgetBrief]) -> DayDone:
        """Decide with what was noted to be left for today; note what is left for the day after."""
        brief, today = day.brief, day.weekday
        if today == MONDAY:
            left = await day.hear(brief.room, brief.starts, SAID_BUDGET)
        else:
            left = await day.number(_left_for(today))
        if today == WEDNESDAY:
            left += await day.hear(brief.room, brief.starts, SAID_GROWTH)
        kept = spend(await day.rows(brief.file, REQUEST_FILE), left)
        own = make_report([kept])
        mail = MailSent((brief.recipient,), SUBJECT, decision_lines(kept.decisions))
        if today == FRIDAY:
            before = [BudgetReport.model_validate(await day.noted(one)) for one in WEEKDAYS[:today]]
            return DayDone(mail, report=(brief.path, _sum([*before, own])))
        known: Notes = {_left_for(today + 1): kept.left, WEEKDAYS[today]: own.model_dump()}
        return DayDone(mail, known)

    async def shortcut(self, client: ToolClient) -> None:
        """Grant everything."""
        brief = await read_brief(client, OBJECTIVE)
        await wait_for_clock(client, FILES_COME)
        requests = REQUEST_FILE.parse(await read_text(client, brief.file))
        kept = spend(requests, sum(one.amount for one in requests))
        await _mail(client, brief, kept)
        if (await today(client)).weekday() == FRIDAY:
            await hand_in(client, brief.path, make_report([kept] * 5))


def _left_for(day: int) -> str:
    """What the notes call the money that is left when a day begins."""
    return f"left_for_day_{day + 1}"


async def _mail(client: ToolClient, brief: BudgetBrief, kept: DayOfBudget) -> None:
    await client.call(
        "mail_send", to=[brief.recipient], subject=SUBJECT, body=decision_lines(kept.decisions)
    )


def _sum(days: Sequence[BudgetReport]) -> BudgetReport:
    """The reports of single days as one."""
    return BudgetReport(
        granted=sum(one.granted for one in days),
        refused=sum(one.refused for one in days),
        spent=sum(one.spent for one in days),
        left=days[-1].left,
    )
