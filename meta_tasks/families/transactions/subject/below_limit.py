"""Payments just below the approval limit, which was changed during the reviewed months.

Each supplier of a group always stays just below one of the possible limits. The limits in force
decide which suppliers are abnormal. The date of approval, not of payment, decides which limit
applies to a payment near the change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from trainee_bench.meta_tasks.authoring import TaskContext
from trainee_bench.meta_tasks.families.transactions.data import LedgerBuilder, LedgerPeriod
from trainee_bench.meta_tasks.families.transactions.subject.ledger import (
    Payment,
    PaymentLedger,
    ReviewFindings,
)
from trainee_bench.meta_tasks.families.transactions.subject.review import (
    EARLIER_LIMIT,
    LIMIT,
    EarlierLimit,
    Figures,
    Review,
    ToldFigure,
    edges,
    just_below,
)

LIMITS = tuple(euros * 100 for euros in (3_000, 4_000, 6_000, 7_000, 8_000, 9_000, 12_000,
                                         13_000, 14_000, 16_000, 17_000, 18_000))  # fmt: skip
ASSUMED_LIMIT = 10_000_00
MIN_COUNTED_PAYMENTS = 3
"""Number of counted payments that makes a supplier abnormal."""
_NEW, _NEW_ALONE, _OLD = 4, 8, 3
"""Numbers of possible current limits, of those if nothing else is asked, and of former limits."""


def find(ledger: PaymentLedger, figures: Figures) -> ReviewFindings:
    """Find payments just below the limit in force at their approval.

    Suppliers with three or more of them are abnormal.
    """

    def counts(payment: Payment) -> bool:
        earlier = ledger.approval(payment).approved < figures.earlier.change
        return just_below(payment.cents, figures.earlier.before if earlier else figures.limit)

    counted = tuple(filter(counts, ledger.payments))
    of_supplier = Counter(payment.supplier for payment in counted)
    abnormal = (name for name, count in of_supplier.items() if count >= MIN_COUNTED_PAYMENTS)
    return ReviewFindings(counted, frozenset(abnormal))


def draw(context: TaskContext, size: int) -> Review:
    """Draw a group of suppliers below each possible current or former limit."""
    count = _NEW_ALONE if size == 1 else _NEW
    drawn = context.stream("limits").sample(LIMITS, count + _OLD)
    new, old = drawn[:count], drawn[count:]
    period, ledger = context.drawn_alike(
        "ledger", size, lambda: _draw_ledger(context, size, drawn, count)
    )
    now = context.secret_stream(LIMIT.name).choice(new)
    hidden = (
        context.stream("earlier limit") if size == 1 else context.secret_stream(EARLIER_LIMIT.name)
    )
    earlier = EarlierLimit(hidden.choice(old), hidden.choice(period.months[2:5]))
    figures = [ToldFigure(LIMIT, now), ToldFigure(EARLIER_LIMIT, earlier)]
    findings = find(ledger, Figures(limit=now, earlier=earlier))
    # The smallest review states the second figure itself.
    return Review(period, ledger, findings, figures[:size], figures[size:])


def _draw_ledger(
    context: TaskContext, size: int, limits: Sequence[int], new: int
) -> tuple[LedgerPeriod, PaymentLedger]:
    """Draw payments just below each of *limits*; the first *new* ones may be in force now."""
    book = LedgerBuilder(context, 2 * size + 1, edges((*limits, ASSUMED_LIMIT)))
    for limit in (*limits, ASSUMED_LIMIT):
        for _ in range((1, 1, 2)[size - 1]):
            _all_the_time(book, limit)
    for limit in limits[new - size : new + size]:
        _for_a_while(book, limit)
    return book.period, book.ledger()


def _all_the_time(book: LedgerBuilder, limit: int) -> None:
    """Add two payments a month, the first always approved in the month before."""
    supplier = book.supplier()
    for month in book.period.months:
        book.pay(supplier, book.day(month, 1, 3), book.just_below(limit))
        book.pay(supplier, book.day(month, 12, 28), book.just_below(limit))


def _for_a_while(book: LedgerBuilder, limit: int) -> None:
    """Add payments just below the limit in only one half of the review."""
    supplier, months = book.supplier(), book.period.months
    early = book.draws.random() < 0.5
    for number, month in enumerate(months):
        below = (number < len(months) // 2) is early
        amount = book.just_below(limit) if below else book.amount(limit * 5 // 10, limit * 9 // 10)
        book.pay(supplier, book.day(month, 12, 28), amount)
