"""Invoices that are higher than what was approved, by more than Finance tolerates.

Excesses lie half a per cent apart, so each tolerance finds other payments. Some of the highest
were approved afterwards, which stands in no register.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType

from trainee_bench.meta_tasks.families.transactions.ledger import (
    Payment,
    PaymentLedger,
    ReviewFindings,
)
from trainee_bench.meta_tasks.families.transactions.ledger_builder import (
    LedgerBuilder,
    Supplier,
    draw_period,
    draw_regular_suppliers,
    round_up_to_ten,
)
from trainee_bench.meta_tasks.families.transactions.review import HiddenFigure, Review, ReviewScale
from trainee_bench.meta_tasks.task_context import TaskContext

TOLERANCES = (15, 25, 35, 40, 45, 55, 60, 65, 70, 75, 80, 85, 90, 95)
"""In tenths of a per cent, and none that one would take for granted."""
_LADDER = range(25, 1000, 50)
_FAR_ABOVE = range(1500, 4000, 100)
"""Excesses in hundredths of a per cent."""
_RAISED = 2
_NOTHING: Mapping[str, int] = MappingProxyType({})

TOLERANCE_ASKS = (
    "By how many per cent may an invoice exceed the approved amount, for {file}?",
    "What tolerance do we allow between invoice and approval in the review of {file}?",
    "Which tolerance holds for invoices above the approved amount? I am reviewing {file}.",
    "How much more than approved may an invoice be, in per cent, in {file}?",
    "What deviation from the approved amount is tolerated in {file}?",
    "How large is the tolerance for invoices that are higher than approved, for {file}?",
    "I need the tolerance between approved and invoiced amounts for {file}, please.",
    "From which excess over the approved amount on does an invoice in {file} count?",
)
RAISED_ASKS = (
    "Which approvals were raised afterwards, and to which amounts, for {file}?",
    "Have any approvals in {file} been increased later?",
    "For which approvals was more money granted afterwards? I am reviewing {file}.",
    "Which approvals have been topped up since they were signed, in {file}?",
    "What subsequent increases of approvals are there for {file}?",
    "Which of the approvals were raised after signing? It is for {file}.",
    "I need the approvals that were increased afterwards for the review of {file}, please.",
    "Are there approvals in {file} that were extended later, and by how much?",
)


@dataclass(frozen=True)
class ToleranceFigures:
    """The tolerance in tenths of a per cent; what approvals were raised to, by number."""

    tolerance: int
    raised: Mapping[str, int] = field(default_factory=lambda: _NOTHING)


def find(ledger: PaymentLedger, figures: ToleranceFigures) -> ReviewFindings:
    """The payments of invoices that exceed what was approved by more than is tolerated."""
    counted = tuple(p for p in ledger.payments if _exceeds(ledger, p, figures))
    return ReviewFindings(counted, frozenset(payment.supplier for payment in counted))


def _exceeds(ledger: PaymentLedger, payment: Payment, figures: ToleranceFigures) -> bool:
    approved = figures.raised.get(payment.approval, ledger.approval(payment).cents)
    return ledger.invoice(payment).cents * 1000 > approved * (1000 + figures.tolerance)


def draw(context: TaskContext, scale: ReviewScale) -> Review:
    """Payments of every excess, a few far above, and most of them in order."""
    period = draw_period(context)
    book = LedgerBuilder(context, period)
    draw_regular_suppliers(book, scale.regulars)
    far = _suppliers(book, scale)
    figures = ToleranceFigures(context.secret_stream("tolerance").choice(TOLERANCES))
    told = [_tolerance(figures.tolerance)]
    if scale.has_second_question:
        by_number = {payment.approval: payment.cents for payment in far}
        drawn = sorted(context.secret_stream("raised").sample(sorted(by_number), _RAISED))
        raised = {number: round_up_to_ten(by_number[number]) for number in drawn}
        figures = ToleranceFigures(figures.tolerance, raised)
        told.append(_raised(raised))
    ledger = book.ledger()
    return Review(period, ledger, find(ledger, figures), tuple(told))


def _tolerance(tenths: int) -> HiddenFigure:
    per_cent = Decimal(tenths) / 10
    return HiddenFigure(
        clue="tolerance",
        subject="the tolerance between invoice and approval",
        asks=TOLERANCE_ASKS,
        sentence=f"An invoice may exceed the approved amount by up to {per_cent} % of that amount.",
    )


def _raised(raised: Mapping[str, int]) -> HiddenFigure:
    told = "; ".join(f"{number} to EUR {cents // 100:,}" for number, cents in raised.items())
    return HiddenFigure(
        clue="raised",
        subject="which approvals were raised afterwards",
        asks=RAISED_ASKS,
        sentence=f"These approvals were raised afterwards: {told}.",
    )


def _suppliers(book: LedgerBuilder, scale: ReviewScale) -> list[Payment]:
    """A few suppliers with the excesses of the ladder divided among them, from the lowest to
    the highest; the payments of others that lie far above it."""
    draws = book.draws
    suppliers = [book.supplier("AB--") for _ in range(7 + scale.size)]
    for place, rung in enumerate(_LADDER):
        _over(book, suppliers[place * len(suppliers) // len(_LADDER)], rung)
    distant = [book.supplier("AB--") for _ in range(3 + scale.size)]
    for supplier in (*suppliers, *distant):
        for month in draws.sample(book.period.months, 1 + scale.size):
            book.pay(supplier, book.day(month, 1, 28), book.amount(800_00, 9_000_00))
    far = draws.sample(_FAR_ABOVE, len(distant))
    return [_over(book, *pair) for pair in zip(distant, far, strict=True)]


def _over(book: LedgerBuilder, supplier: Supplier, excess: int) -> Payment:
    """A payment of so many hundredths of a per cent more than was approved, or nearly."""
    approved = book.draws.randrange(1_000_00, 9_000_00, 10_00)
    low, high = (approved * (10_000 + excess + jitter) // 10_000 for jitter in (-10, 10))
    month = book.draws.choice(book.period.months)
    cents = book.amount(low, high)
    return book.pay(supplier, book.day(month, 1, 28), cents, approved_cents=approved)
