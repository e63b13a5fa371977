"""Payments that stay just below the approval limit, which was changed during the review.

Every supplier of a group stays just below one limit all the time. Which of them are abnormal
depends on which limit was in force when. The date of the change decides about payments that
were approved shortly before or after it, whenever they were paid.
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
"""This many counted payments make a supplier abnormal."""
_NEW, _NEW_ALONE, _OLD = 4, 8, 3
"""How many limits may be in force now (more if nothing else has to be asked), and before."""


def find(ledger: PaymentLedger, figures: Figures) -> ReviewFindings:
    """The payments just below the limit that was in force when they were approved; the
    suppliers with three of them or more."""

    def counts(payment: Payment) -> bool:
        earlier = ledger.approval(payment).approved < figures.earlier.change
        return just_below(payment.cents, figures.earlier.before if earlier else figures.limit)

    counted = tuple(filter(counts, ledger.payments))
    of_supplier = Counter(payment.supplier for payment in counted)
    abnormal = (name for name, count in of_supplier.items() if count >= MIN_COUNTED_PAYMENTS)
    return ReviewFindings(counted, frozenset(abnormal))


def draw(context: TaskContext, size: int) -> Review:
    """A group of suppliers below each limit that may be in force, or may have been."""
    count = _NEW_ALONE if size == 1 else _NEW
    drawn = context.stream("limits").sample(LIMITS, count + _OLD)
    new, old = drawn[:count], drawn[count:]
    period, ledger = context.drawn_once("ledger", lambda: _draw_ledger(context, size, drawn, count))
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
    """Payments just below each of *limits*, of which the first *new* may be in force now."""
    book = LedgerBuilder(context, 2 * size + 1, edges((*limits, ASSUMED_LIMIT)))
    for limit in (*limits, ASSUMED_LIMIT):
        for _ in range((1, 1, 2)[size - 1]):
            _all_the_time(book, limit)
    for limit in limits[new - size : new + size]:
        _for_a_while(book, limit)
    return book.period, book.ledger()


def _all_the_time(book: LedgerBuilder, limit: int) -> None:
    """Two payments a month; the first was always approved in the month before."""
    supplier = book.supplier()
    for month in book.period.months:
        book.pay(supplier, book.day(month, 1, 3), book.just_below(limit))
        book.pay(supplier, book.day(month, 12, 28), book.just_below(limit))


def _for_a_while(book: LedgerBuilder, limit: int) -> None:
    """Just below the limit in the first half of the review only, or in the second."""
    supplier, months = book.supplier(), book.period.months
    early = book.draws.random() < 0.5
    for number, month in enumerate(months):
        below = (number < len(months) // 2) is early
        amount = book.just_below(limit) if below else book.amount(limit * 5 // 10, limit * 9 // 10)
        book.pay(supplier, book.day(month, 12, 28), amount)
