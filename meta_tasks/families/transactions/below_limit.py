"""Payments that stay just below the approval limit, which was changed during the review.

Every supplier of a group stays just below one limit all the time; which of them are abnormal
hangs on which limit was in force when. The day of the change tells apart what was approved
shortly before or after it, however it was paid.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta

from meta_tasks.families.transactions.book import Book, Supplier, period_of, regulars
from meta_tasks.families.transactions.ledger import Findings, Ledger, long_date
from meta_tasks.families.transactions.review import (
    Figure,
    Review,
    Scale,
    edges,
    just_below,
    limit_figure,
)
from meta_tasks.stage import Stage

LIMITS = tuple(euros * 100 for euros in (3_000, 4_000, 6_000, 7_000, 8_000, 9_000, 12_000,
                                         13_000, 14_000, 16_000, 17_000, 18_000))  # fmt: skip
TAKEN_FOR_GRANTED = 10_000_00
ENOUGH = 3
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
class Limits:
    """The limit in force since the day of the ``change``, and the one ``before``."""

    now: int
    before: int
    change: date

    def on(self, day: date) -> int:
        """The limit that was in force on *day*."""
        return self.now if day >= self.change else self.before


def find(ledger: Ledger, limits: Limits) -> Findings:
    """The payments just below the limit that was in force when they were approved; the
    suppliers with three of them or more."""
    counted = tuple(
        payment
        for payment in ledger.payments
        if just_below(payment.cents, limits.on(ledger.approval(payment).approved))
    )
    of_supplier = Counter(payment.supplier for payment in counted)
    abnormal = frozenset(name for name, count in of_supplier.items() if count >= ENOUGH)
    return Findings(counted, abnormal)


def draw(stage: Stage, scale: Scale) -> Review:
    """A group of suppliers below each limit that may be in force, or may have been."""
    period = period_of(stage)
    draws = stage.stream("limits")
    count = _NEW if scale.asked_twice else _NEW_ALONE
    drawn = draws.sample(LIMITS, count + _OLD)
    new, old = drawn[:count], drawn[count:]
    changes = period.months[2:5]
    book = Book(stage, period, edges((*drawn, TAKEN_FOR_GRANTED)))
    regulars(book, scale.regulars)
    for limit in (*new, *old, TAKEN_FOR_GRANTED):
        for _ in range((1, 1, 2)[scale.size - 1]):
            _all_the_time(book, book.supplier("AB--"), limit)
    for limit in drawn[count - scale.size : count + scale.size]:
        _for_a_while(book, book.supplier("AB--"), limit)
    now = stage.secret("limit").choice(new)
    hidden = stage.secret("earlier_limit") if scale.asked_twice else stage.stream("earlier limit")
    limits = Limits(now, hidden.choice(old), hidden.choice(changes))
    earlier = _earlier(limits)
    ledger = book.ledger()
    return Review(
        period=period,
        ledger=ledger,
        findings=find(ledger, limits),
        told=(limit_figure(now), earlier) if scale.asked_twice else (limit_figure(now),),
        stated=() if scale.asked_twice else (earlier.sentence,),
    )


def _earlier(limits: Limits) -> Figure:
    last = limits.change - timedelta(days=1)
    return Figure(
        clue="earlier_limit",
        subject="the former approval limit and the day of its change",
        asks=BEFORE_ASKS,
        sentence=(
            f"Until {long_date(last)} the approval limit was EUR {limits.before // 100:,}; the one "
            f"in force now holds since {long_date(limits.change)}."
        ),
    )


def _all_the_time(book: Book, supplier: Supplier, limit: int) -> None:
    """Two payments a month; the first has always been approved in the month before."""
    for month in book.period.months:
        book.pay(supplier, book.day(month, 1, 3), book.just_below(limit))
        book.pay(supplier, book.day(month, 12, 28), book.just_below(limit))


def _for_a_while(book: Book, supplier: Supplier, limit: int) -> None:
    """Just below the limit in the first half of the review only, or in the second."""
    half = len(book.period.months) // 2
    early = book.draws.random() < 0.5
    for number, month in enumerate(book.period.months):
        below = (number < half) is early
        amount = book.just_below(limit) if below else book.amount(limit * 5 // 10, limit * 9 // 10)
        book.pay(supplier, book.day(month, 12, 28), amount)
