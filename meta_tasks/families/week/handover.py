"""Somebody goes on leave on Tuesday; what only they know is needed on Thursday.

Told once: the discount of each customer, by whoever leaves, when asked in time. The orders to which
they apply come on Thursday, when nobody can be asked any more. On Wednesday one of the discounts
is raised.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import time, timedelta
from typing import ClassVar

from trainee_bench.meta_tasks.absences import mark_absent
from trainee_bench.meta_tasks.authoring import (
    Checkpoint,
    GradedPart,
    GradingContext,
    HiddenPart,
    Hints,
    PlannedEvent,
    TaskContext,
    TaskInstance,
    ToldPart,
    ToolClient,
    Verdict,
    hand_in,
    head_of,
    pick_colleagues,
    read_brief,
    read_text,
    were_told,
)
from trainee_bench.meta_tasks.families.week.daily import DayDone, DutyDay, Written
from trainee_bench.meta_tasks.families.week.days import (
    FILES_COME,
    FRIDAY,
    MONDAY,
    THURSDAY,
    TUESDAY,
    WEDNESDAY,
    at_clock,
    clock_by,
    replaced_daily,
    today,
    wait_for_clock,
    working_week,
)
from trainee_bench.meta_tasks.families.week.duty import WeekDuty, mark
from trainee_bench.meta_tasks.families.week.handover_brief import (
    DISCOUNT_TOLD,
    FACT,
    OBJECTIVE,
    ORDERS,
    RAISED,
    RULES,
    SUBJECT,
    CustomerTotal,
    Discount,
    HandoverBrief,
    InvoiceReport,
    Order,
    Raise,
)
from trainee_bench.meta_tasks.families.week.mails import DueMail, decision_lines
from trainee_bench.meta_tasks.families.week.people import draw_reader
from trainee_bench.meta_tasks.work.achieving import MailSent
from trainee_bench.meta_tasks.work.asking import Question, Told
from trainee_bench.meta_tasks.work.reading import PersonCalled
from trainee_bench.world.apps.chat import MessageArrives
from trainee_bench.world.colleagues.availability import AbsenceBegins
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.company.people import Person

CUSTOMERS = 3
KNOWN_BY = time(12)
NEWS = (
    "News about one of the three customers.",
    "I have just talked with a customer.",
    "Something about the discounts that you have taken over.",
)
RAISE_COMES, RAISE_READ = time(10, 30), time(10, 35)
DISCOUNTS = range(4, 30)


def make_report(orders: Sequence[Order], discounts: Mapping[str, int]) -> InvoiceReport:
    """The report on *orders*, customer by customer."""
    totals = Counter[str]()
    for one in orders:
        totals[one.customer] += one.amount(discounts)
    return InvoiceReport(
        customers=[
            CustomerTotal(customer=customer, discount=percent, total=totals[customer])
            for customer, percent in discounts.items()
        ]
    )


def _draw_discounts(
    context: TaskContext, leaver: Person, customers: Sequence[str]
) -> tuple[dict[str, int], tuple[Clue, ...]]:
    """What *leaver* says of each customer, and the clues that say it."""
    told, clues = {}, []
    for number, customer in enumerate(customers):
        about = {"number": str(number), "customer": customer}
        told[customer] = context.secret_stream(FACT.clue_name(about)).choice(DISCOUNTS)
        said = Discount(customer, told[customer])
        clues.append(FACT.clue(context, leaver, said, about, (customer,)))
    return told, tuple(clues)


def _draw_orders(context: TaskContext, customers: Sequence[str]) -> tuple[Order, ...]:
    draws = context.stream("orders")
    whose = [*customers, *customers, *(draws.choice(customers) for _ in range(3))]
    draws.shuffle(whose)
    return tuple(
        Order(
            context.fresh_id("ORD", str(place)), customer, draws.randrange(2, 30),
            100 * draws.randrange(1, 12),
        )
        for place, customer in enumerate(whose)
    )  # fmt: skip


# what is graded -------------------------------------------------------------------------------


@dataclass(frozen=True)
class HandoverTruth:
    """The amounts by order, to whom they go, the mail, the report, and the clues it needs."""

    amounts: Mapping[str, int]
    recipient: str
    mail: DueMail
    path: str
    report: InvoiceReport
    clues: tuple[str, ...]


def _mailed(grading: GradingContext[HandoverTruth]) -> Verdict:
    truth = grading.truth
    return truth.mail.states_each(grading, truth.recipient, truth.amounts, "amounts were sent")


def _reported(grading: GradingContext[HandoverTruth]) -> Verdict:
    given = grading.read(grading.truth.path, InvoiceReport)
    wrong = grading.keys.differing(given, grading.truth.report)
    flaw = ", and not all of it is right" if wrong else ""
    return Verdict(not wrong, f"the report has {len(given.customers)} customers{flaw}")


def _told(grading: GradingContext[HandoverTruth]) -> Verdict:
    return were_told(grading, grading.truth.clues, "discounts were told")


@dataclass(frozen=True)
class DiscountOf(Question[int]):
    """The discount of a customer."""

    customer: str

    @property
    def subjects(self) -> tuple[str, ...]:
        """The customer's number."""
        return (self.customer,)

    def ask(self, missing: Sequence[str]) -> str:
        """Name the customer."""
        return FACT.question({"customer": self.customer})

    def read(self, text: str) -> Mapping[str, int]:
        """All discounts that *text* tells."""
        return {told.customer: told.percent for told in DISCOUNT_TOLD.find_all(text)}


class Handover(WeekDuty[HandoverTruth]):
    """Ask somebody who leaves for what is needed two days later."""

    name: ClassVar[str] = "handover"
    objective = OBJECTIVE
    rules = RULES
    hints: ClassVar[Hints] = Hints(
        strategy="Whoever leaves can be asked for two days only, and what they say is needed on "
        "the fourth. Ask at once, and write the answers down together with what changes.",
        where="In the chat with whoever leaves, in that with the head, and in Thursday's file.",
        how="Ask for each customer's discount in a message of its own, naming the customer. Add "
        "what the head writes on Wednesday. On Thursday calculate each order and mail the amounts.",
    )

    def generate(self, context: TaskContext) -> TaskInstance[HandoverTruth]:
        """Three discounts, who knows them and leaves, one that is raised, and the orders."""
        working_week(context)
        context.claim("the handover of the week")
        (leaver,) = pick_colleagues(context, "leaver")
        mark_absent(context, leaver)
        head = head_of(context.company, leaver.department)
        recipient = draw_reader(context, "recipient", (leaver, head))
        customers = tuple(context.fresh_id("CU", str(number)) for number in range(CUSTOMERS))
        told, clues = _draw_discounts(context, leaver, customers)
        draws, orders = context.stream("changes"), _draw_orders(context, customers)
        raised = Raise(draws.choice(customers), draws.randrange(2, 10))
        discounts = {
            customer: percent + (raised.points if customer == raised.customer else 0)
            for customer, percent in told.items()
        }
        leaves = draws.choice((time(14), time(15), time(16)))
        file = context.reserve_path("drive:/orders/orders_of_thursday.csv")
        path, by = context.reserve_path("workspace:/invoice_report.json"), clock_by(context, "by")
        brief = HandoverBrief(
            leaver.name, leaves, customers, head.name, file, recipient.name, by, path,
            InvoiceReport,
        )  # fmt: skip
        message = MessageArrives(
            sender=head.id,
            to=context.employee.id,
            text=f"{draws.choice(NEWS)} {RAISED.render(raised)}",
        )
        leave = AbsenceBegins(
            person=leaver.id,
            until=context.week[FRIDAY].starts + timedelta(days=10),
            note="I am on leave and do not read messages.",
        )
        truth = HandoverTruth(
            {one.order: one.amount(discounts) for one in orders},
            recipient.id,
            DueMail(SUBJECT, at_clock(context, THURSDAY, by)),
            path,
            make_report(orders, discounts),
            tuple(clue.id.removeprefix(context.clue_id("")) for clue in clues),
        )
        return TaskInstance(
            ToldPart(
                title=f"What {leaver.name} hands over",
                objective=OBJECTIVE.render(brief),
                hints=self.hints,
                requester=head.id,
                deliverable_paths=(path,),
                must_know_by=at_clock(context, MONDAY, KNOWN_BY),
            ),
            HiddenPart(
                clues=clues,
                events=(
                    PlannedEvent(leave, at_clock(context, TUESDAY, leaves)),
                    PlannedEvent(message, at_clock(context, WEDNESDAY, RAISE_COMES)),
                    *replaced_daily(context, file, {THURSDAY: ORDERS.render(orders)}),
                ),
            ),
            GradedPart(truth),
        )

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Thursday's mail, the report, and having asked in time."""
        amounts = mark(
            "amounts",
            "On Thursday, the right amount of each order was mailed in time",
            _mailed,
            weight=2,
            needs="told",
            where="What was told before the leave, what changed on Wednesday, Thursday's file.",
            how="Pieces times price, less the discount in per cent that holds on Thursday.",
            day=THURSDAY,
        )
        report = mark(
            "report",
            "Friday's report states each customer's discount and total",
            _reported,
            weight=2,
            needs="told",
            where="What was told before the leave, what changed on Wednesday, Thursday's file.",
            how="Add up the amounts of each customer's orders.",
        )
        told = mark(
            "told",
            "All discounts were told before the leave began",
            _told,
            weight=0.5,
            only_with="amounts",
            where="Only whoever goes on leave knows them.",
            how="Ask on Monday, one customer in a message.",
        )
        return (amounts, report, told)

    async def do(self, day: DutyDay[HandoverBrief]) -> DayDone:
        """Ask on Monday, add what changes, calculate on Thursday, report on Friday."""
        brief, today = day.brief, day.weekday
        if today == MONDAY:
            leaver = await day.work(PersonCalled(brief.leaver))
            asked = [Told(day.task, leaver.id, DiscountOf(one)) for one in brief.customers]
            told = await day.work.all(asked)
            return DayDone(
                notes={one: own[one] for one, own in zip(brief.customers, told, strict=True)}
            )
        if today == WEDNESDAY:
            change = await day.work(Written(RAISED, day.at(RAISE_READ), brief.head))
            before = await day.number(change.customer)
            return DayDone(notes={change.customer: before + change.points})
        if today < THURSDAY:
            return DayDone()
        discounts = {one: await day.number(one) for one in brief.customers}
        orders = await day.rows(brief.file, ORDERS)
        if today == FRIDAY:
            return DayDone(report=(brief.path, make_report(orders, discounts)))
        amounts = {one.order: one.amount(discounts) for one in orders}
        return DayDone(MailSent((brief.recipient,), SUBJECT, decision_lines(amounts)))

    async def shortcut(self, client: ToolClient) -> None:
        """Take a usual discount for all."""
        brief = await read_brief(client, OBJECTIVE)
        day = (await today(client)).weekday()
        usual = dict.fromkeys(brief.customers, 10)
        if day in (THURSDAY, FRIDAY):
            await wait_for_clock(client, FILES_COME)
            orders = ORDERS.parse(await read_text(client, brief.file))
            await _mail(client, brief, orders, usual)
            if day == FRIDAY:
                await hand_in(client, brief.path, make_report(orders, usual))


async def _mail(
    client: ToolClient,
    brief: HandoverBrief,
    orders: Sequence[Order],
    discounts: Mapping[str, int],
) -> None:
    amounts = {one.order: one.amount(discounts) for one in orders}
    await client.call(
        "mail_send", to=[brief.recipient], subject=SUBJECT, body=decision_lines(amounts)
    )
