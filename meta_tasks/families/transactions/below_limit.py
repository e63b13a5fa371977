"""Payments that stay just below the approval limit, which was changed during the review.

Every supplier of a group stays just below one limit all the time; which of them are abnormal
hangs on which limit was in force when. The day of the change tells apart what was approved
shortly before or after it, however it was paid.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta

from trainee_bench.meta_tasks.families.transactions.ledger import (
    PaymentLedger,
    ReviewFindings,
    long_date,
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
    edges,
    just_below,
    limit_figure,
)
from trainee_bench.meta_tasks.task_context import TaskContext

LIMITS = tuple(euros * 100 for euros in (3_000, 4_000, 6_000, 7_000, 8_000, 9_000, 12_000,
                                         13_000, 14_000, 16_000, 17_000, 18_000))  # fmt: skip
ASSUMED_LIMIT = 10_000_00
MIN_COUNTED_PAYMENTS = 3
"""So many payments make a supplier abnormal."""
_NEW, _NEW_ALONE, _OLD = 4, 8, 3
"""How many limits may be in force now (more, if nothing else is asked for), and before."""

BEFORE_ASKS = (
    "What was the approval limit before it was changed, for the review of {file}?",
    "When was the approval limit changed, and what was it before? I am reviewing {file}.",
    "Which approval limit did we have earlier, and until when? It is for {file}.",
    "Until when did the former approval limit hold for {file}, and how high was it?",
    "I need the old approval limit and the date of its change. This is about {file}.",
    "Which was the previous approval limit, and on which date was it replaced, for {file}?",
    "How high was the approval limit earlier this year, before the change? It is for {file}.",
    "On what day did the approval limit change, and from what? I am working on {file}.",
)


@dataclass(frozen=True)
class ApprovalLimits:
    """The limit in force since the day of the ``change``, and the one ``before``."""

    now: int
    before: int
    change: date

    def on(self, day: date) -> int:
        """The limit that was in force on *day*."""
        return self.now if day >= self.change else self.before


def find(ledger: PaymentLedger, limits: ApprovalLimits) -> ReviewFindings:
    """The payments just below the limit that was in force when they were approved; the
    suppliers with three of them or more."""
    counted = tuple(
        payment
        for payment in ledger.payments
        if just_below(payment.cents, limits.on(ledger.approval(payment).approved))
    )
    of_supplier = Counter(payment.supplier for payment in counted)
    abnormal = frozenset(
        name for name, count in of_supplier.items() if count >= MIN_COUNTED_PAYMENTS
    )
    return ReviewFindings(counted, abnormal)


def draw(context: TaskContext, scale: ReviewScale) -> Review:
    """A group of suppliers below each limit that may be in force, or may have been."""
    period = draw_period(context)
    draws = context.stream("limits")
    count = _NEW if scale.has_second_question else _NEW_ALONE
    drawn = draws.sample(LIMITS, count + _OLD)
    new, old = drawn[:count], drawn[count:]
    changes = period.months[2:5]
    book = LedgerBuilder(context, period, edges((*drawn, ASSUMED_LIMIT)))
    draw_regular_suppliers(book, scale.regulars)
    for limit in (*new, *old, ASSUMED_LIMIT):
        for _ in range((1, 1, 2)[scale.size - 1]):
            _all_the_time(book, book.supplier("AB--"), limit)
    for limit in drawn[count - scale.size : count + scale.size]:
        _for_a_while(book, book.supplier("AB--"), limit)
    now = context.secret_stream("limit").choice(new)
    hidden = (
        context.secret_stream("earlier_limit")
        if scale.has_second_question
        else context.stream("earlier limit")
    )
    limits = ApprovalLimits(now, hidden.choice(old), hidden.choice(changes))
    earlier = _earlier(limits)
    ledger = book.ledger()
    return Review(
        period=period,
        ledger=ledger,
        findings=find(ledger, limits),
        told=(limit_figure(now), earlier) if scale.has_second_question else (limit_figure(now),),
        stated=() if scale.has_second_question else (earlier.sentence,),
    )


def _earlier(limits: ApprovalLimits) -> HiddenFigure:
    last = limits.change - timedelta(days=1)
    return HiddenFigure(
        clue="earlier_limit",
        subject="the former approval limit and the day of its change",
        asks=BEFORE_ASKS,
        sentence=(
            f"Until {long_date(last)} the approval limit was EUR {limits.before // 100:,}; the one "
            f"in force now holds since {long_date(limits.change)}."
        ),
    )


def _all_the_time(book: LedgerBuilder, supplier: Supplier, limit: int) -> None:
    """Two payments a month; the first has always been approved in the month before."""
    for month in book.period.months:
        book.pay(supplier, book.day(month, 1, 3), book.just_below(limit))
        book.pay(supplier, book.day(month, 12, 28), book.just_below(limit))


def _for_a_while(book: LedgerBuilder, supplier: Supplier, limit: int) -> None:
    """Just below the limit in the first half of the review only, or in the second."""
    half = len(book.period.months) // 2
    early = book.draws.random() < 0.5
    for number, month in enumerate(book.period.months):
        below = (number < half) is early
        amount = book.just_below(limit) if below else book.amount(limit * 5 // 10, limit * 9 // 10)
        book.pay(supplier, book.day(month, 12, 28), amount)
