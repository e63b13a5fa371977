"""Purchases split into two invoices, so that each stays below the approval limit.

There is a pair of invoices for each possible limit and each possible number of days between them.
So another limit or another number of days finds different payments.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import combinations

from trainee_bench.meta_tasks.authoring import TaskContext
from trainee_bench.meta_tasks.families.transactions.data import (
    LedgerBuilder,
    LedgerPeriod,
    Supplier,
)
from trainee_bench.meta_tasks.families.transactions.subject.ledger import (
    Payment,
    PaymentLedger,
    ReviewFindings,
)
from trainee_bench.meta_tasks.families.transactions.subject.review import (
    DAYS_APART,
    LIMIT,
    Figures,
    Review,
    ToldFigure,
)

LIMITS = tuple(euros * 100 for euros in (2_400, 3_200, 4_200, 6_000, 8_000, 12_000, 24_000,
                                         31_000, 40_000))  # fmt: skip
"""Possible limits, each at least a quarter larger than the one before.

Values that agents may assume are at least an eighth above or 15 % below each limit, so they find
different pairs.
"""
_LIMITS = (8, 5, 6)
"""Numbers of possible limits by size; the highest applies if nothing else is asked."""
MAX_DAYS_APART = (4, 5, 6, 8, 9, 11, 12, 13)
"""Possible numbers of days between two invoices; none is a value that agents would assume."""
_GAPS = range(2, 16)
_AROUND = 3
_GROUPS = 3
"""Number of suppliers among which the pairs below one limit are divided, closest pairs first."""


def find(ledger: PaymentLedger, figures: Figures) -> ReviewFindings:
    """Find payments that belong to a split purchase, and their suppliers."""
    split = {
        payment
        for pair in _pairs(ledger, figures.days_apart)
        if max(part.cents for part in pair) < figures.limit <= sum(part.cents for part in pair)
        for payment in pair
    }
    return ReviewFindings.counting(payment for payment in ledger.payments if payment in split)


def _pairs(ledger: PaymentLedger, days: int) -> Iterator[tuple[Payment, Payment]]:
    """Yield pairs of payments with one supplier and applicant, invoiced at most *days* apart."""
    groups: dict[tuple[str, str], list[Payment]] = defaultdict(list)
    for payment in ledger.payments:
        groups[payment.supplier, payment.applicant].append(payment)
    for group in groups.values():
        for first, second in combinations(group, 2):
            apart = ledger.invoice(first).dated - ledger.invoice(second).dated
            if abs(apart) <= timedelta(days=days):
                yield first, second


def draw(context: TaskContext, size: int) -> Review:
    """Draw split pairs at every distance below each possible limit, and pairs that are no split."""
    limits = sorted(context.stream("limits").sample(LIMITS, _LIMITS[size - 1]))
    limit = context.secret_stream(LIMIT.name).choice(limits)
    hidden = context.stream("days") if size == 1 else context.secret_stream(DAYS_APART.name)
    days = hidden.choice(MAX_DAYS_APART)
    # A number of days that the task states only needs pairs around it.
    gaps = range(days - _AROUND, days + _AROUND) if size == 1 else _GAPS
    period, ledger = context.drawn_alike(
        "ledger", size, lambda: _draw_ledger(context, 2 * size + 1, limits, gaps)
    )
    figures = [ToldFigure(LIMIT, limit), ToldFigure(DAYS_APART, days)]
    findings = find(ledger, Figures(limit=limit, days_apart=days))
    return Review(period, ledger, findings, figures[:size], figures[size:])


def _draw_ledger(
    context: TaskContext, regulars: int, limits: Sequence[int], gaps: Sequence[int]
) -> tuple[LedgerPeriod, PaymentLedger]:
    """Draw pairs of invoices below each of *limits*, and payments that only look like pairs."""
    book = LedgerBuilder(context, regulars, limits)
    for limit in limits:
        _pairs_below(book, limit, gaps)
        _no_split(book, limit)
    return book.period, book.ledger()


def _pairs_below(book: LedgerBuilder, limit: int, gaps: Sequence[int]) -> None:
    """Add a pair for each of *gaps*, divided among a few suppliers.

    Pairs of one supplier differ in month and applicant.
    """
    share = -(-len(gaps) // _GROUPS)
    for start in range(0, len(gaps), share):
        supplier, own_gaps = book.supplier(), gaps[start : start + share]
        months = book.draws.sample(book.period.months, len(own_gaps))
        applicants = book.draws.sample(book.applicants, len(own_gaps))
        for gap, month, applicant in zip(own_gaps, months, applicants, strict=True):
            # The larger part of the closest pair is too large for a split below a lower limit.
            amounts = _parts(book, limit, least=85 if gap == gaps[0] else 50)
            _two(book, supplier, month, gap, amounts, (applicant, applicant))


def _no_split(book: LedgerBuilder, limit: int) -> None:
    """Add three pairs a few days apart that are no splits.

    They have two applicants, one invoice above the limit, and a sum below the limit.
    """
    draws, supplier = book.draws, book.supplier()
    months = draws.sample(book.period.months, 3)
    first, second = draws.sample(book.applicants, 2)
    _two(book, supplier, months[0], draws.randint(1, 3), _parts(book, limit, 50), (first, second))
    above = book.amount(limit * 103 // 100, limit * 115 // 100), _share(book, limit, 20, 50)
    _two(book, supplier, months[1], draws.randint(1, 3), above, (first, first))
    low = _share(book, limit, 40, 55), _share(book, limit, 20, 40)
    _two(book, supplier, months[2], draws.randint(1, 3), low, (second, second))


def _parts(book: LedgerBuilder, limit: int, least: int) -> tuple[int, int]:
    """Draw two amounts below *limit* whose sum is slightly above it.

    The larger amount is at least *least* per cent of the limit.
    """
    while True:
        larger = _share(book, limit, least, 90)
        smaller = limit * book.draws.randint(1030, 1120) // 1000 - larger
        if book.clear(smaller) and book.clear(larger + smaller):
            return larger, book.amount(smaller, smaller + 9_99)


def _share(book: LedgerBuilder, limit: int, least: int, most: int) -> int:
    return book.amount(limit * least // 100, limit * most // 100)


def _two(
    book: LedgerBuilder,
    supplier: Supplier,
    month: date,
    gap: int,
    amounts: tuple[int, int],
    applicants: tuple[str, str],
) -> None:
    """Add two invoices *gap* days apart.

    They are paid two days further apart if *gap* is even, else two days closer, so that dates of
    payment mislead.
    """
    first = book.day(month, 1, 10)
    dates, delays = (first, first + timedelta(days=gap)), (1, 3) if gap % 2 == 0 else (3, 1)
    for dated, days, cents, applicant in zip(dates, delays, amounts, applicants, strict=True):
        paid = dated + timedelta(days=days)
        book.pay(supplier, paid, cents, applicant=applicant, dated=dated)
