"""Invoices that exceed the approved amount by more than Finance tolerates.

Excesses are half a per cent apart, so each tolerance finds different payments. Some approvals of
the highest excesses were raised afterwards, which no register shows.
"""

from __future__ import annotations

from collections.abc import Mapping

from trainee_bench.meta_tasks.authoring import TaskContext
from trainee_bench.meta_tasks.families.transactions.data import (
    LedgerBuilder,
    LedgerPeriod,
    Supplier,
    round_up_to_ten,
)
from trainee_bench.meta_tasks.families.transactions.subject.ledger import (
    Payment,
    PaymentLedger,
    ReviewFindings,
)
from trainee_bench.meta_tasks.families.transactions.subject.review import (
    RAISED,
    TOLERANCE,
    Figures,
    Review,
    ToldFigure,
)

TOLERANCES = (15, 25, 35, 40, 45, 55, 60, 65, 70, 75, 80, 85, 90, 95)
"""Possible tolerances in tenths of a per cent; none is a value that agents would assume."""
_LADDER = range(25, 1000, 50)
_FAR_ABOVE = range(1500, 4000, 100)
"""Excesses in hundredths of a per cent."""
_RAISED = 2


def find(ledger: PaymentLedger, figures: Figures) -> ReviewFindings:
    """Find payments whose invoice exceeds the approved amount by more than the tolerance."""

    def counts(payment: Payment) -> bool:
        approved = figures.raised.get(payment.approval, ledger.approval(payment).cents)
        return ledger.invoice(payment).cents * 1000 > approved * (1000 + figures.tolerance)

    return ReviewFindings.counting(filter(counts, ledger.payments))


def draw(context: TaskContext, size: int) -> Review:
    """Draw payments at every excess, a few far above, and mostly ordinary ones."""
    period, ledger, far = context.drawn_alike("ledger", size, lambda: _draw_ledger(context, size))
    tolerance = context.secret_stream(TOLERANCE.name).choice(TOLERANCES)
    told = [ToldFigure(TOLERANCE, tolerance)]
    raised: dict[str, int] = {}
    if size > 1:
        drawn = sorted(context.secret_stream(RAISED.name).sample(sorted(far), _RAISED))
        raised = {number: round_up_to_ten(far[number]) for number in drawn}
        told.append(ToldFigure(RAISED, raised))
    findings = find(ledger, Figures(tolerance=tolerance, raised=raised))
    return Review(period, ledger, findings, told)


def _draw_ledger(
    context: TaskContext, size: int
) -> tuple[LedgerPeriod, PaymentLedger, Mapping[str, int]]:
    """Draw the payments; also return the amounts far above the ladder by approval."""
    book = LedgerBuilder(context, 2 * size + 1)
    far = {payment.approval: payment.cents for payment in _payments_above(book, size)}
    return book.period, book.ledger(), far


def _payments_above(book: LedgerBuilder, size: int) -> list[Payment]:
    """Add a ladder of excesses, divided among a few suppliers from lowest to highest.

    Returns payments to other suppliers whose excess is far above the ladder.
    """
    draws, suppliers = book.draws, book.suppliers(7 + size)
    for place, rung in enumerate(_LADDER):
        _over(book, suppliers[place * len(suppliers) // len(_LADDER)], rung)
    distant = book.suppliers(3 + size)
    for supplier in (*suppliers, *distant):
        for month in draws.sample(book.period.months, 1 + size):
            book.pay(supplier, book.day(month), book.amount(800_00, 9_000_00))
    far = draws.sample(_FAR_ABOVE, len(distant))
    return [_over(book, *pair) for pair in zip(distant, far, strict=True)]


def _over(book: LedgerBuilder, supplier: Supplier, excess: int) -> Payment:
    """Add a payment about *excess* hundredths of a per cent above the approved amount."""
    approved = book.draws.randrange(1_000_00, 9_000_00, 10_00)
    low, high = (approved * (10_000 + excess + jitter) // 10_000 for jitter in (-10, 10))
    month = book.draws.choice(book.period.months)
    cents = book.amount(low, high)
    return book.pay(supplier, book.day(month), cents, approved_cents=approved)
