"""Purchases split into two invoices, so that each stays below the approval limit.

For each limit that may be in force there is a pair of invoices for every number of days that
may lie between two, so another limit or another number of days finds other payments.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import combinations

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
)
from trainee_bench.meta_tasks.families.transactions.review import (
    HiddenFigure,
    Review,
    ReviewScale,
    limit_figure,
)
from trainee_bench.meta_tasks.task_context import TaskContext

LIMITS = tuple(euros * 100 for euros in (2_400, 3_200, 4_200, 6_000, 8_000, 12_000, 24_000,
                                         31_000, 40_000))  # fmt: skip
"""Each a quarter larger than the one before at least. Those that one would take for granted lie
an eighth above or 15 % below at least, where they divide the pairs in another way."""
_LIMITS = (8, 5, 6)
"""How many of them may be in force, by size: most where nothing else is asked for."""
MAX_DAYS_APART = (4, 5, 6, 8, 9, 11, 12, 13)
"""How many days apart two invoices may be: none that one would take for granted."""
_GAPS = range(2, 16)
_AROUND = 3
_GROUPS = 3
"""Suppliers among whom the pairs below one limit are divided, closest pairs first."""

DAYS_ASKS = (
    "How many days apart may two invoices be to count as one purchase, for {file}?",
    "Within how many days do two invoices in {file} count as split?",
    "What is the number of days for split invoices in the review of {file}?",
    "Up to how many days between two invoices is it still a split? I am reviewing {file}.",
    "Which number of days between invoices do we use for splits in {file}?",
    "How close together must two invoices be dated to be a split purchase, in {file}?",
    "I need the number of days between two split invoices for the review of {file}, please.",
    "Two invoices a few days apart: how many days make them a split in {file}?",
)


@dataclass(frozen=True)
class SplitFigures:
    """The approval limit, and how many days apart two invoices may be dated."""

    limit: int
    days: int


def find(ledger: PaymentLedger, figures: SplitFigures) -> ReviewFindings:
    """The payments of which two make up a split purchase, and their suppliers."""
    split = {
        payment
        for pair in _pairs(ledger, figures.days)
        if _is_split(pair[0].cents, pair[1].cents, figures.limit)
        for payment in pair
    }
    counted = tuple(payment for payment in ledger.payments if payment in split)
    return ReviewFindings(counted, frozenset(payment.supplier for payment in counted))


def _is_split(one: int, other: int, limit: int) -> bool:
    return max(one, other) < limit <= one + other


def _pairs(ledger: PaymentLedger, days: int) -> Iterator[tuple[Payment, Payment]]:
    """Two invoices each of one supplier for one applicant, dated at most *days* apart."""
    groups: dict[tuple[str, str], list[Payment]] = defaultdict(list)
    for payment in ledger.payments:
        groups[payment.supplier, payment.applicant].append(payment)
    for group in groups.values():
        for one, other in combinations(group, 2):
            apart = ledger.invoice(one).dated - ledger.invoice(other).dated
            if abs(apart) <= timedelta(days=days):
                yield one, other


def draw(context: TaskContext, scale: ReviewScale) -> Review:
    """Pairs of every distance below each of a few limits, and pairs that are no splits."""
    period = draw_period(context)
    limits = sorted(context.stream("limits").sample(LIMITS, _LIMITS[scale.size - 1]))
    hidden = context.secret_stream("days") if scale.has_second_question else context.stream("days")
    figures = SplitFigures(
        context.secret_stream("limit").choice(limits), hidden.choice(MAX_DAYS_APART)
    )
    # Days that the task states itself need no more pairs than tell them from others.
    gaps = (
        _GAPS
        if scale.has_second_question
        else range(figures.days - _AROUND, figures.days + _AROUND)
    )
    book = LedgerBuilder(context, period, limits)
    draw_regular_suppliers(book, scale.regulars)
    for limit in limits:
        _pairs_below(book, limit, gaps)
        _no_split(book, limit)
    ledger, days = book.ledger(), _days(figures.days)
    told = limit_figure(figures.limit)
    return Review(
        period=period,
        ledger=ledger,
        findings=find(ledger, figures),
        told=(told, days) if scale.has_second_question else (told,),
        stated=() if scale.has_second_question else (days.sentence,),
    )


def _days(days: int) -> HiddenFigure:
    return HiddenFigure(
        clue="days",
        subject="the number of days between split invoices",
        asks=DAYS_ASKS,
        sentence=f"Two invoices dated at most {days} days apart can be a split purchase.",
    )


def _pairs_below(book: LedgerBuilder, limit: int, gaps: Sequence[int]) -> None:
    """A pair for every one of *gaps*, divided among a few suppliers; each pair has a month and
    an applicant of its own."""
    share = -(-len(gaps) // _GROUPS)
    for start in range(0, len(gaps), share):
        supplier, its = book.supplier("AB--"), gaps[start : start + share]
        months = book.draws.sample(book.period.months, len(its))
        applicants = book.draws.sample(book.applicants, len(its))
        for gap, month, applicant in zip(its, months, applicants, strict=True):
            # The larger part of the closest pair is too large for a split below a lower limit.
            amounts = _parts(book, limit, least=85 if gap == gaps[0] else 50)
            _two(book, supplier, month, gap, amounts, (applicant, applicant))


def _no_split(book: LedgerBuilder, limit: int) -> None:
    """Two invoices a few days apart that are no split: for two applicants, or with one that
    needs a second approval by itself, or together below the limit."""
    draws, supplier = book.draws, book.supplier("AB--")
    months = draws.sample(book.period.months, 3)
    one, other = draws.sample(book.applicants, 2)
    _two(book, supplier, months[0], draws.randint(1, 3), _parts(book, limit, 50), (one, other))
    above = book.amount(limit * 103 // 100, limit * 115 // 100), _share(book, limit, 20, 50)
    _two(book, supplier, months[1], draws.randint(1, 3), above, (one, one))
    low = _share(book, limit, 40, 55), _share(book, limit, 20, 40)
    _two(book, supplier, months[2], draws.randint(1, 3), low, (other, other))


def _parts(book: LedgerBuilder, limit: int, least: int) -> tuple[int, int]:
    """Two amounts below *limit* that come to a little more than it; the larger one is at least
    so many per cent of it."""
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
    """Two invoices so many days apart. They are paid two days further apart if that is an even
    number, else two days closer, so that the dates of payment tell something else."""
    first, late = book.day(month, 1, 10), gap % 2 == 0
    draws = list(zip((first, first + timedelta(days=gap)), amounts, applicants, strict=True))
    for number, (dated, cents, applicant) in enumerate(draws):
        days = 3 if (number == 1) is late else 1
        paid = dated + timedelta(days=days)
        book.pay(supplier, paid, cents, applicant=applicant, dated=dated)
