"""A colleague goes on leave on Tuesday; the discounts that only they know are needed on Thursday.

Told once: the discount of each customer, by that colleague, if asked before the leave. On Wednesday
one of the discounts is raised. The orders to which they apply come on Thursday.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import time, timedelta
from random import Random

from pydantic import Field

from trainee_bench.meta_tasks.absences import mark_absent
from trainee_bench.meta_tasks.authoring import (
    CLOCK,
    FULL_NAME,
    WORD,
    Checkpoint,
    CsvFile,
    Deliverable,
    HiddenFact,
    Hints,
    PlannedEvent,
    RecordId,
    TaskContext,
    TextTemplate,
    english_list,
    head_of,
    pick_colleagues,
)
from trainee_bench.meta_tasks.families.week.daily import DutyDay, Notes, Today, WorkOfDay
from trainee_bench.meta_tasks.families.week.days import FRIDAY, MONDAY, THURSDAY, TUESDAY, WEDNESDAY
from trainee_bench.meta_tasks.families.week.desk import DeskText, DutyBrief
from trainee_bench.meta_tasks.families.week.duty import DailyDuty, DrawnWeek, DutyScene
from trainee_bench.meta_tasks.families.week.marks import all_told, mailed, reported
from trainee_bench.meta_tasks.families.week.people import draw_reader
from trainee_bench.meta_tasks.families.week.telling import ByChat
from trainee_bench.meta_tasks.work.asking import Question, Told
from trainee_bench.meta_tasks.work.reading import PersonCalled
from trainee_bench.world.colleagues.availability import AbsenceBegins
from trainee_bench.world.colleagues.referrals import ReferralPublished
from trainee_bench.world.company.people import Person

CUSTOMERS = range(3)
DISCOUNTS = range(4, 30)
AWAY = timedelta(days=10)
"""How long after the end of the week the leave lasts."""


class CustomerTotal(Deliverable):
    """The discount of one customer, and the total that they have to pay."""

    customer: RecordId = Field(description="the customer's number")
    discount: int = Field(description="the discount that applies to their orders, in per cent")
    total: int = Field(description="the sum of the amounts of all their orders, in EUR")


class InvoiceReport(Deliverable):
    """Friday's report."""

    customers: list[CustomerTotal] = Field(description="one for each customer")


@dataclass(frozen=True, kw_only=True)
class HandoverBrief(DutyBrief):
    """The facts that the objective states."""

    leaver: str
    leaves: time
    customers: tuple[str, ...]
    head: str


@dataclass(frozen=True)
class Discount:
    """A customer's discount, in per cent."""

    customer: str
    percent: int


@dataclass(frozen=True)
class Raise:
    """The percentage points by which a customer's discount goes up."""

    raised: str
    points: int


DISCOUNT_TOLD = TextTemplate(
    Discount, "{customer} gets {percent} per cent off.", {"customer": WORD}
)
DISCOUNT = HiddenFact(
    name="discount_{number}",
    questions=(
        "What discount does customer {customer} get?",
        "How many per cent off does {customer} have?",
        "Which discount have we agreed on with {customer}?",
        "What rebate applies to the orders of customer {customer}?",
        "Can you tell me the discount of {customer} before you leave?",
        "By how many per cent do we reduce the prices for {customer}?",
    ),
    answer=DISCOUNT_TOLD,
)
RAISE = ByChat(
    WEDNESDAY,
    TextTemplate(
        Raise,
        "From today on, {raised} gets a discount that is {points} percentage points higher.",
        {"raised": WORD},
    ),
    time(10, 30),
    sender=lambda brief: str(brief.head),
)
_WHO = (
    "Who is responsible for the discounts of {customers}?",
    "Who takes over the discounts from {leaver}?",
    "Who knows the discounts that I take over?",
    "Whom do I ask about the discounts of our customers?",
    "Who hands the discounts over, and when does the leave begin?",
    "When does {leaver} go on leave, and who takes over then?",
    "Which colleague goes on leave and hands over the discounts?",
)
NEWS = (
    "I have news about one of the three customers.",
    "I have just talked to a customer.",
    "This is about the discounts that you have taken over.",
)


@dataclass(frozen=True)
class DiscountOf(Question[int]):
    """A question for the discount of one customer."""

    customer: str

    @property
    def subjects(self) -> tuple[str, ...]:
        """The customer's number."""
        return (self.customer,)

    def ask(self, missing: Sequence[str]) -> str:
        """Ask for the discount of this customer."""
        return DISCOUNT.question({"customer": self.customer})

    def read(self, text: str) -> Mapping[str, int]:
        """The discounts in *text*, by customer."""
        return {told.customer: told.percent for told in DISCOUNT_TOLD.find_all(text)}


@dataclass(frozen=True)
class Order:
    """An order; *price* is that of one piece in whole euros."""

    order: str
    customer: str
    pieces: int
    price: int

    def amount(self, discounts: Mapping[str, int]) -> int:
        """The amount to be paid; it is a whole number, since prices are multiples of EUR 100."""
        return self.pieces * self.price * (100 - discounts[self.customer]) // 100


def _draw_order(context: TaskContext, draws: Random, place: int, customer: str) -> Order:
    pieces, price = draws.randrange(2, 30), 100 * draws.randrange(1, 12)
    return Order(context.fresh_id("ORD", str(place)), customer, pieces, price)


def _responsibility(
    leaver: Person, leaves: time, customers: Sequence[str], topic: str
) -> ReferralPublished:
    """Return the public answer that names the person who goes on leave, and when."""
    listed = english_list(WORD).render(tuple(customers))
    return ReferralPublished(
        topic=topic,
        asks=tuple(ask.format(customers=listed, leaver=leaver.name) for ask in _WHO),
        text=f"{leaver.name} knows the discounts of {listed}. The leave begins on Tuesday at "
        f"{CLOCK.render(leaves)}, and you take over then.",
        person=leaver.id,
        keys=tuple(customers),
    )


class Handover(DailyDuty[HandoverBrief, Order]):
    """Ask a colleague for discounts before their leave, and apply them two days later."""

    name = "handover"
    taken = "the handover of the week"
    report_path = "workspace:/invoice_report.json"
    file = CsvFile(Order, ("order", "customer", "pieces", "price_eur"))
    file_path, file_days = "drive:/orders/orders_of_thursday.csv", (THURSDAY,)
    tellings = (RAISE,)
    subject = "Invoice amounts"
    desk = DeskText(
        HandoverBrief,
        "{leaver} [is responsible for the discounts of three customers:] {customers}. {leaver} "
        "[goes on leave on Tuesday at] {leaves} [and cannot be reached for the rest of the week. "
        "Before then, ask for all three discounts.] {head} [writes to you if a discount changes "
        "later.] "
        "[The orders to which the discounts apply come on Thursday at 09:00,] in {file}. [By "
        'Thursday] {by}, mail {recipient} the amounts, with the subject "{subject}". [Write one '
        "line for each order: its number, a colon, and the amount to be paid in whole euros, which "
        "is pieces times price, less the customer's discount.]",
        InvoiceReport,
        {"leaver": FULL_NAME, "customers": english_list(WORD), "head": FULL_NAME},
    )
    hints = Hints(
        strategy="You can ask the person who leaves only on the first two days, and you need the "
        "answers on the fourth. Ask at once, and write down the answers and any later change.",
        where="In the chat with the person who leaves, in the chat with the head, and in "
        "Thursday's file.",
        how="Ask for each customer's discount in a separate message that names the customer. Add "
        "what the head writes on Wednesday. On Thursday, calculate each order and mail the "
        "amounts.",
    )

    def draw(self, scene: DutyScene) -> DrawnWeek[Order]:
        """Draw three discounts, the person who knows them, one raise, and the orders."""
        context = scene.context
        until = context.week[FRIDAY].starts + AWAY
        (leaver,) = pick_colleagues(context, "leaver", until=until)
        mark_absent(context, leaver)
        head = head_of(context.company, leaver.department)
        recipient = draw_reader(context, "recipient", (leaver, head))
        customers = tuple(context.fresh_id("CU", str(number)) for number in CUSTOMERS)
        told, clues = Notes(), []
        for number, customer in enumerate(customers):
            about = {"number": str(number), "customer": customer}
            percent = context.secret_stream(DISCOUNT.clue_name(about)).choice(DISCOUNTS)
            told[customer], said = percent, Discount(customer, percent)
            clues.append(DISCOUNT.clue(context, leaver, said, about, (customer,)))
        draws = context.stream("changes")
        raised = Raise(draws.choice(customers), draws.randrange(2, 10))
        orders = context.stream("orders")
        whose = [*customers, *customers, *(orders.choice(customers) for _ in range(3))]
        orders.shuffle(whose)
        rows = {
            THURSDAY: [
                _draw_order(context, orders, place, customer)
                for place, customer in enumerate(whose)
            ]
        }
        leaves = draws.choice((time(14), time(15), time(16)))
        leave = AbsenceBegins(
            person=leaver.id,
            until=until,
            note="I am on leave and do not read messages.",
        )
        return DrawnWeek(
            title=f"Handover from {leaver.name}",
            brief=scene.states(
                HandoverBrief, self.subject, leaver=leaver.name, leaves=leaves, customers=customers,
                head=head.name, recipient=recipient.name,
            ),
            requester=head,
            reader=recipient,
            told={MONDAY: told, WEDNESDAY: RAISE.note(raised)},
            rows=rows,
            clues=clues,
            events=(
                PlannedEvent(_responsibility(leaver, leaves, customers, context.clue_id("leave"))),
                PlannedEvent(leave, scene.at(TUESDAY, leaves)),
                RAISE.event(context, head, raised, draws.choice(NEWS)),
                *scene.files(self.file, rows),
            ),
        )  # fmt: skip

    async def learn(self, day: DutyDay[HandoverBrief]) -> Notes:
        """Ask on Monday, and read Wednesday's message about the raise."""
        if day.weekday != MONDAY:
            return await super().learn(day)
        leaver = await day.work(PersonCalled(day.brief.leaver))
        customers = day.brief.customers
        asked = [Told(day.task, leaver.id, DiscountOf(customer)) for customer in customers]
        told = zip(customers, await day.work.all(asked), strict=True)
        return {customer: own[customer] for customer, own in told}

    def result(self, today: Today[HandoverBrief, Order]) -> WorkOfDay:
        """The amounts of the orders, once they have come, and each customer's total."""
        if not today.rows:
            return WorkOfDay()
        discounts = {customer: today.number(customer) for customer in today.brief.customers}
        discounts[today.text("raised")] += today.number("points")
        totals = Counter[str]()
        for order in today.rows:
            totals[order.customer] += order.amount(discounts)
        own = InvoiceReport(
            customers=[
                CustomerTotal(customer=customer, discount=percent, total=totals[customer])
                for customer, percent in discounts.items()
            ]
        )
        amounts = {order.order: order.amount(discounts) for order in today.rows}
        return WorkOfDay(amounts, own.model_dump())

    def report(self, friday: Today[HandoverBrief, Order]) -> InvoiceReport:
        """The totals of Thursday's orders."""
        (thursday,) = friday.kept((THURSDAY,))
        return InvoiceReport.model_validate(thursday)

    def guess(self, today: Today[HandoverBrief, Order]) -> Notes:
        """Assume a usual discount for all customers."""
        customers = today.brief.customers
        return {**dict.fromkeys(customers, 10), "raised": customers[0], "points": 0}

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Thursday's mail, the report, and the answers before the leave."""
        where = "The answers from before the leave, Wednesday's message, and Thursday's file."
        amounts = mailed(
            "amounts",
            THURSDAY,
            "On Thursday, you mailed the right amount of each order in time",
            "amounts were sent",
            weight=2,
            only_after="told",
            where=where,
            how="Pieces times price, less the discount in per cent that applies on Thursday.",
        )
        report = reported(
            "Friday's report states each customer's discount and total",
            only_after="told",
            where=where,
            how="Add up the amounts of each customer's orders.",
        )
        told = all_told(
            "told",
            "You were told all discounts before the leave began",
            [DISCOUNT.clue_name({"number": str(number)}) for number in CUSTOMERS],
            "discounts were told",
            "amounts",
            where="Only the person who goes on leave knows them.",
            how="Ask on Monday, about one customer per message.",
        )
        return (amounts, report, told)
