"""Purchases split into two invoices, so that each stays below the approval limit.

For each limit that may be in force, and each possible number of days between two invoices, there
is a pair of invoices. So another limit or another number of days finds other payments.
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
"""Each is at least a quarter larger than the one before. Limits that somebody may assume are at
least an eighth above or 15 % below each of them, so they split the pairs differently."""
_LIMITS = (8, 5, 6)
"""How many of them may be in force, by size: most where nothing else has to be asked."""
MAX_DAYS_APART = (4, 5, 6, 8, 9, 11, 12, 13)
"""How many days apart two invoices may be; nobody would assume one of these numbers."""
_GAPS = range(2, 16)
_AROUND = 3
_GROUPS = 3
"""The pairs below one limit are divided among this many suppliers, closest pairs first."""


def find(ledger: PaymentLedger, figures: Figures) -> ReviewFindings:
    """The payments that belong to a split purchase, and their suppliers."""
    split = {
        payment
        for one, other in _pairs(ledger, figures.days_apart)
        if max(one.cents, other.cents) < figures.limit <= one.cents + other.cents
        for payment in (one, other)
    }
    return ReviewFindings.counting(payment for payment in ledger.payments if payment in split)


def _pairs(ledger: PaymentLedger, days: int) -> Iterator[tuple[Payment, Payment]]:
    """Pairs of invoices of one supplier and one applicant, dated at most *days* apart."""
    groups: dict[tuple[str, str], list[Payment]] = defaultdict(list)
    for payment in ledger.payments:
        groups[payment.supplier, payment.applicant].append(payment)
    for group in groups.values():
        for one, other in combinations(group, 2):
            apart = ledger.invoice(one).dated - ledger.invoice(other).dated
            if abs(apart) <= timedelta(days=days):
                yield one, other


def draw(context: TaskContext, size: int) -> Review:
    """Split pairs at every distance below each of a few limits, and pairs that are no splits."""
    limits = sorted(context.stream("limits").sample(LIMITS, _LIMITS[size - 1]))
    limit = context.secret_stream(LIMIT.name).choice(limits)
    hidden = context.stream("days") if size == 1 else context.secret_stream(DAYS_APART.name)
    days = hidden.choice(MAX_DAYS_APART)
    # A number of days that the task states only needs pairs around it.
    gaps = range(days - _AROUND, days + _AROUND) if size == 1 else _GAPS
    period, ledger = context.drawn_once(
        "ledger", lambda: _draw_ledger(context, 2 * size + 1, limits, gaps)
    )
    figures = [ToldFigure(LIMIT, limit), ToldFigure(DAYS_APART, days)]
    findings = find(ledger, Figures(limit=limit, days_apart=days))
    return Review(period, ledger, findings, figures[:size], figures[size:])


def _draw_ledger(
    context: TaskContext, regulars: int, limits: Sequence[int], gaps: Sequence[int]
) -> tuple[LedgerPeriod, PaymentLedger]:
    """Pairs of invoices below each of *limits*, and payments that only look like such pairs."""
    book = LedgerBuilder(context, regulars, limits)
    for limit in limits:
        _pairs_below(book, limit, gaps)
        _no_split(book, limit)
    return book.period, book.ledger()


def _pairs_below(book: LedgerBuilder, limit: int, gaps: Sequence[int]) -> None:
    """A pair for each of *gaps*, divided among a few suppliers; each pair of a supplier has a month
    and an applicant of its own."""
    share = -(-len(gaps) // _GROUPS)
    for start in range(0, len(gaps), share):
        supplier, its = book.supplier(), gaps[start : start + share]
        months = book.draws.sample(book.period.months, len(its))
        applicants = book.draws.sample(book.applicants, len(its))
        for gap, month, applicant in zip(its, months, applicants, strict=True):
            # The larger part of the closest pair is too large for a split below a lower limit.
            amounts = _parts(book, limit, least=85 if gap == gaps[0] else 50)
            _two(book, supplier, month, gap, amounts, (applicant, applicant))


def _no_split(book: LedgerBuilder, limit: int) -> None:
    """Pairs a few days apart that are no splits: of two applicants, with one invoice that is above
    the limit by itself, and with both together below the limit."""
    draws, supplier = book.draws, book.supplier()
    months = draws.sample(book.period.months, 3)
    one, other = draws.sample(book.applicants, 2)
    _two(book, supplier, months[0], draws.randint(1, 3), _parts(book, limit, 50), (one, other))
    above = book.amount(limit * 103 // 100, limit * 115 // 100), _share(book, limit, 20, 50)
    _two(book, supplier, months[1], draws.randint(1, 3), above, (one, one))
    low = _share(book, limit, 40, 55), _share(book, limit, 20, 40)
    _two(book, supplier, months[2], draws.randint(1, 3), low, (other, other))


def _parts(book: LedgerBuilder, limit: int, least: int) -> tuple[int, int]:
    """Two amounts below *limit* that add up to a little more than it; the larger one is at least
    *least* per cent of it."""
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
    """Two invoices *gap* days apart. They are paid two days further apart if *gap* is even, else
    two days closer, so the dates of payment mislead."""
    first = book.day(month, 1, 10)
    dates, delays = (first, first + timedelta(days=gap)), (1, 3) if gap % 2 == 0 else (3, 1)
    for dated, days, cents, applicant in zip(dates, delays, amounts, applicants, strict=True):
        paid = dated + timedelta(days=days)
        book.pay(supplier, paid, cents, applicant=applicant, dated=dated)
