"""New suppliers whose payments cluster just below the approval limit.

There is a group of new suppliers just below each possible limit, so the groups alone reveal
nothing. The rule sets the number of suppliers in each group. Another group stays below 10,000,
which agents may assume to be the limit but never is.
"""

from __future__ import annotations

from collections import defaultdict

from trainee_bench.meta_tasks.authoring import TaskContext
from trainee_bench.meta_tasks.families.transactions.data import LedgerBuilder, LedgerPeriod
from trainee_bench.meta_tasks.families.transactions.subject.ledger import (
    Payment,
    PaymentLedger,
    ReviewFindings,
)
from trainee_bench.meta_tasks.families.transactions.subject.review import (
    LIMIT,
    Figures,
    Review,
    ToldFigure,
    edges,
    just_below,
)

LIMITS = tuple(euros * 100 for euros in (3_000, 4_000, 6_000, 7_000, 8_000, 9_000, 12_000,
                                         14_000, 16_000, 18_000, 21_000, 24_000))  # fmt: skip
ASSUMED_LIMIT = 10_000_00
LIMITS_IN_PLAY = 8
_A_MONTH = 3
_LOOK_ALIKES = 3


def find(ledger: PaymentLedger, figures: Figures) -> ReviewFindings:
    """Find payments under review just below the limit.

    A supplier is abnormal if all its payments are under review and at least three quarters of them
    are just below the limit.
    """

    def under_review(payment: Payment) -> bool:
        return figures.first <= payment.paid <= figures.last

    def counts(payment: Payment) -> bool:
        return under_review(payment) and just_below(payment.cents, figures.limit)

    of_supplier: dict[str, list[Payment]] = defaultdict(list)
    for payment in ledger.payments:
        of_supplier[payment.supplier].append(payment)
    abnormal = frozenset(
        name
        for name, payments in of_supplier.items()
        if all(map(under_review, payments)) and 4 * sum(map(counts, payments)) >= 3 * len(payments)
    )
    return ReviewFindings(tuple(filter(counts, ledger.payments)), abnormal)


def draw(context: TaskContext, normal: int, abnormal: int) -> Review:
    """Draw *normal* regular suppliers, *abnormal* new ones below each limit, and look-alikes."""
    candidates, ledger, period = context.drawn_alike(
        "ledger", (normal, abnormal), lambda: _draw_ledger(context, normal, abnormal)
    )
    limit = context.secret_stream(LIMIT.name).choice(candidates)
    findings = find(ledger, Figures(period.review, period.last, limit))
    return Review(period, ledger, findings, [ToldFigure(LIMIT, limit)])


def _draw_ledger(
    context: TaskContext, normal: int, abnormal: int
) -> tuple[list[int], PaymentLedger, LedgerPeriod]:
    """Draw the possible limits and payments around each of them."""
    draws = context.stream("limits")
    candidates = sorted(draws.sample(LIMITS, LIMITS_IN_PLAY))
    groups = (*candidates, ASSUMED_LIMIT)
    book = LedgerBuilder(context, normal, edges(groups), since_january=True)
    for limit in groups:
        for _ in range(abnormal):
            _newcomer(book, limit)
    # If nobody is abnormal, similar suppliers below each limit leave something to count.
    alike = groups if not abnormal else draws.sample(groups, _LOOK_ALIKES)
    kinds = (_half_of_them, _older, _lower)
    first = draws.randrange(3)
    for number, limit in enumerate(alike):
        kinds[(first + number) % (3 if abnormal else 2)](book, limit)
    return candidates, book.ledger(documents=False), book.period


def _newcomer(book: LedgerBuilder, limit: int) -> None:
    supplier = book.supplier()
    for month in book.period.under_review:
        for _ in range(_A_MONTH):
            book.pay(supplier, book.day(month), book.just_below(limit))


def _half_of_them(book: LedgerBuilder, limit: int) -> None:
    """Add a new supplier that is just below the limit with only every other payment."""
    supplier = book.supplier()
    for month in book.period.under_review:
        book.pay(supplier, book.day(month, 1, 14), book.just_below(limit))
        book.pay(supplier, book.day(month, 15, 28), book.amount(limit * 6 // 10, limit * 9 // 10))


def _older(book: LedgerBuilder, limit: int) -> None:
    """Add a supplier that is always just below the limit, but already before the review."""
    supplier = book.supplier()
    under_review = book.period.under_review
    earlier = len(book.period.months) - len(under_review) - book.draws.randint(2, 4)
    for month in book.period.months[earlier:]:
        for _ in range(2 if month in under_review else 1):
            book.pay(supplier, book.day(month), book.just_below(limit))


def _lower(book: LedgerBuilder, limit: int) -> None:
    """Add a new supplier whose amounts are slightly too low to be just below the limit."""
    supplier = book.supplier()
    for month in book.period.under_review:
        for _ in range(2):
            lower = book.amount(limit * 90 // 100, limit * 948 // 1000)
            book.pay(supplier, book.day(month), lower)
