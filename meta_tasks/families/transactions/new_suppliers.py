"""Suppliers that appeared of late and whose payments cluster just below the approval limit.

Below each limit that may be in force lies a group of new suppliers, so that the groups alone
say nothing; each group has as many as the rule asks for. Below 10,000, which one might
take for granted, lies a group as well, and it is never the limit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from datetime import date

from trainee_bench.meta_tasks.families.transactions.ledger import (
    Payment,
    PaymentLedger,
    ReviewFindings,
)
from trainee_bench.meta_tasks.families.transactions.ledger_builder import (
    LedgerBuilder,
    draw_period,
    draw_regular_suppliers,
    sample_sorted,
)
from trainee_bench.meta_tasks.families.transactions.review import (
    Review,
    edges,
    just_below,
    limit_figure,
)
from trainee_bench.meta_tasks.task_context import TaskContext

LIMITS = tuple(euros * 100 for euros in (3_000, 4_000, 6_000, 7_000, 8_000, 9_000, 12_000,
                                         14_000, 16_000, 18_000, 21_000, 24_000))  # fmt: skip
ASSUMED_LIMIT = 10_000_00
LIMITS_IN_PLAY = 8
_A_MONTH = 3
_LOOK_ALIKES = 3


def find(ledger: PaymentLedger, first: date, last: date, limit: int) -> ReviewFindings:
    """All payments from *first* to *last* just below the limit; the suppliers whose payments all
    lie between these days and are such payments to three quarters at least."""
    counted = tuple(
        p for p in ledger.payments if first <= p.paid <= last and just_below(p.cents, limit)
    )
    of_supplier: dict[str, list[Payment]] = defaultdict(list)
    for payment in ledger.payments:
        of_supplier[payment.supplier].append(payment)
    abnormal = frozenset(
        name
        for name, payments in of_supplier.items()
        if all(first <= p.paid <= last for p in payments)
        and 4 * sum(just_below(p.cents, limit) for p in payments) >= 3 * len(payments)
    )
    return ReviewFindings(counted, abnormal)


def draw(context: TaskContext, normal: int, abnormal: int) -> Review:
    """*normal* regular suppliers, *abnormal* new ones below each limit, and look-alikes."""
    period = draw_period(context, since_january=True)
    draws = context.stream("limits")
    candidates = sample_sorted(draws, LIMITS, LIMITS_IN_PLAY)
    groups = (*candidates, ASSUMED_LIMIT)
    book = LedgerBuilder(context, period, edges(groups))
    draw_regular_suppliers(book, normal)
    for limit in groups:
        for _ in range(abnormal):
            _newcomer(book, limit)
    # With nobody abnormal, look-alikes are below each limit: there is something to count.
    alike = groups if not abnormal else draws.sample(groups, _LOOK_ALIKES)
    kinds: list[Callable[[LedgerBuilder, int], None]] = [_half_of_them, _older, _lower]
    first = draws.randrange(3)
    for number, limit in enumerate(alike):
        kinds[(first + number) % (3 if abnormal else 2)](book, limit)
    limit = context.secret_stream("limit").choice(candidates)
    ledger = book.ledger(papers=False)
    return Review(
        period, ledger, find(ledger, period.review, period.last, limit), (limit_figure(limit),)
    )


def _newcomer(book: LedgerBuilder, limit: int) -> None:
    supplier = book.supplier("AB--")
    for month in book.period.under_review:
        for _ in range(_A_MONTH):
            book.pay(supplier, book.day(month, 1, 28), book.just_below(limit))


def _half_of_them(book: LedgerBuilder, limit: int) -> None:
    """New, and just below the limit with every other payment only."""
    supplier = book.supplier("AB--")
    for month in book.period.under_review:
        book.pay(supplier, book.day(month, 1, 14), book.just_below(limit))
        book.pay(supplier, book.day(month, 15, 28), book.amount(limit * 6 // 10, limit * 9 // 10))


def _older(book: LedgerBuilder, limit: int) -> None:
    """Just below the limit with every payment, and since before the review begins."""
    supplier = book.supplier("AB--")
    under_review = book.period.under_review
    earlier = len(book.period.months) - len(under_review) - book.draws.randint(2, 4)
    for month in book.period.months[earlier:]:
        book.pay(supplier, book.day(month, 1, 28), book.just_below(limit))
        if month in under_review:
            book.pay(supplier, book.day(month, 1, 28), book.just_below(limit))


def _lower(book: LedgerBuilder, limit: int) -> None:
    """New, but a little lower than just below the limit."""
    supplier = book.supplier("AB--")
    for month in book.period.under_review:
        for _ in range(2):
            lower = book.amount(limit * 90 // 100, limit * 948 // 1000)
            book.pay(supplier, book.day(month, 1, 28), lower)
