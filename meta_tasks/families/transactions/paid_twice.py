"""Invoices that were paid twice, of which some suppliers have paid the money back.

A second invoice has the number of the first, perhaps written in another way. Which money has
come back stands nowhere; the pairs themselves are open.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import date, timedelta

from trainee_bench.meta_tasks.families.transactions.ledger import (
    MONTHS,
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
from trainee_bench.meta_tasks.families.transactions.review import HiddenFigure, Review, ReviewScale
from trainee_bench.meta_tasks.task_context import TaskContext

_NO_SIGN = re.compile(r"[^a-z0-9]")
_PAIRS = (6, 5, 7)
"""Invoices paid twice in each part of the review, by size, or one more."""
_LEFT = 2
"""So many money has come back for at least, and for so many it has not."""

ASKS = (
    "For which invoices of {part} has the money come back? It is for {file}.",
    "Which double payments of {part} have been paid back by the suppliers, for {file}?",
    "Which invoices in {file} that were paid twice in {part} have been refunded?",
    "What refunds have we received for double payments of {part}? I am reviewing {file}.",
    "Did suppliers return money for invoices that we paid twice in {part}, in {file}?",
    "Which duplicates of {part} in {file} have already been paid back?",
    "I need the refunded double payments of {part} for the review of {file}, please.",
    "Which of the invoices paid twice in {part} have been returned, for {file}?",
)


def find(ledger: PaymentLedger, returned: frozenset[str]) -> ReviewFindings:
    """The second payments of one invoice, but for those whose money was *returned* (numbers of
    the invoices they paid); their suppliers."""
    same: dict[tuple[str, str, int], list[Payment]] = defaultdict(list)
    for payment in ledger.payments:
        number = plain_number(ledger.invoice(payment).number)
        same[payment.supplier, number, ledger.invoice(payment).cents].append(payment)
    again = {p for group in same.values() for p in group[1:] if p.invoice not in returned}
    counted = tuple(payment for payment in ledger.payments if payment in again)
    return ReviewFindings(counted, frozenset(payment.supplier for payment in counted))


def plain_number(number: str) -> str:
    """A supplier's number as it is compared: letters, in any case, and digits alone."""
    return _NO_SIGN.sub("", number.casefold())


def draw(context: TaskContext, scale: ReviewScale) -> Review:
    """Invoices paid twice, by suppliers of all kinds, and what only looks like it."""
    period = draw_period(context)
    book = LedgerBuilder(context, period)
    draw_regular_suppliers(book, scale.regulars)
    half = len(period.months) // 2
    parts = (
        (period.months[:half], period.months[half:])
        if scale.has_second_question
        else (period.months,)
    )
    told: list[HiddenFigure] = []
    returned: frozenset[str] = frozenset()
    for number, months in enumerate(parts, start=1):
        again = _paid_twice(book, months, _PAIRS[scale.size - 1] + book.draws.randrange(2))
        clue = f"returned_{number}"
        # By number, not by drawing: the order of what was drawn says nothing.
        numbers = sorted(payment.invoice for payment in again)
        secret = context.secret_stream(clue)
        drawn = sorted(secret.sample(numbers, secret.randint(_LEFT, len(numbers) - _LEFT)))
        told.append(_returned(clue, months, drawn))
        returned |= frozenset(drawn)
    for _ in range(scale.size):
        _parts_of_one(book)
        _every_month(book)
    ledger = book.ledger()
    return Review(period, ledger, find(ledger, returned), tuple(told))


def _returned(clue: str, months: Sequence[date], invoices: Sequence[str]) -> HiddenFigure:
    part = f"{MONTHS[months[0].month - 1]} to {MONTHS[months[-1].month - 1]}"
    return HiddenFigure(
        clue=clue,
        subject=f"which double payments of {part} have been paid back",
        asks=tuple(ask.replace("{part}", part) for ask in ASKS),
        sentence=f"Of the double payments of {part}, those of {', '.join(invoices)} have been "
        "paid back by the suppliers.",
    )


def _paid_twice(book: LedgerBuilder, months: Sequence[date], count: int) -> list[Payment]:
    """So many second payments; one of the suppliers has been paid twice for two invoices, and
    another supplier has sent an invoice of the same number and amount."""
    suppliers = [book.supplier("AB--") for _ in range(count - 1)]
    again: list[Payment] = []
    for place in range(count):
        supplier = suppliers[place % len(suppliers)]
        paid = book.day(book.draws.choice(months[:-1]), 1, 28)
        number, cents = book.number(), book.amount(400_00, 9_000_00)
        first = book.pay(supplier, paid, cents, number=number)
        later = paid + timedelta(days=book.draws.randint(8, 28))
        dated = book.dated(first)
        again.append(book.pay(supplier, later, cents, number=_as_typed(book, number), dated=dated))
        if place == 0:
            book.pay(book.supplier("AB--"), later, cents, number=number)
    _ordinary(book, suppliers, months)
    return again


def _as_typed(book: LedgerBuilder, number: str) -> str:
    """A number as somebody else types it."""
    letters, _, digits = number.partition("-")
    forms = (number, f"{letters} {digits}", f"{letters.lower()}-{digits}", f"{letters}{digits}")
    return book.draws.choice(forms)


def _ordinary(book: LedgerBuilder, suppliers: Sequence[Supplier], months: Sequence[date]) -> None:
    """A few payments each that were made once."""
    for supplier in suppliers:
        for month in book.draws.sample(list(months), len(months) - 1):
            book.pay(supplier, book.day(month, 1, 28), book.amount(400_00, 9_000_00))


def _parts_of_one(book: LedgerBuilder) -> None:
    """One order that is invoiced in three parts, of other amounts, under one number."""
    supplier, number = book.supplier("AB--"), book.number()
    for month in sorted(book.draws.sample(book.period.months, 3)):
        cents = book.amount(400_00, 9_000_00)
        book.pay(supplier, book.day(month, 1, 28), cents, number=number)


def _every_month(book: LedgerBuilder) -> None:
    """The same amount every month, under another number each."""
    supplier, cents = book.supplier("AB--"), book.amount(400_00, 9_000_00)
    for month in book.period.months:
        book.pay(supplier, book.day(month, 2, 8), cents)
