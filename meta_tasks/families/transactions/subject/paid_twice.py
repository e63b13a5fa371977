"""Invoices that were paid twice; some suppliers have refunded the second payment.

The second invoice has the same number as the first, perhaps typed differently. The files show the
pairs, but not the refunds.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import date, timedelta

from trainee_bench.meta_tasks.authoring import TaskContext
from trainee_bench.meta_tasks.families.transactions.data import LedgerBuilder, LedgerPeriod
from trainee_bench.meta_tasks.families.transactions.subject.ledger import (
    Payment,
    PaymentLedger,
    ReviewFindings,
)
from trainee_bench.meta_tasks.families.transactions.subject.review import (
    MONTHS,
    REFUNDS,
    Figures,
    Refunds,
    Review,
    ToldFigure,
)

_NO_SIGN = re.compile(r"[^a-z0-9]")
_PAIRS = (6, 5, 7)
"""Minimum number of invoices paid twice in each part of the review, by size; the maximum is one
more."""
_LEFT = 2
"""Minimum number of them that are refunded, and also that are not."""


def find(ledger: PaymentLedger, figures: Figures) -> ReviewFindings:
    """Find later payments of the same invoice that were not refunded, and their suppliers."""
    same: dict[tuple[str, str, int], list[Payment]] = defaultdict(list)
    for payment in ledger.payments:
        invoice = ledger.invoice(payment)
        # Only letters, in any case, and digits are compared.
        number = _NO_SIGN.sub("", invoice.number.casefold())
        same[payment.supplier, number, invoice.cents].append(payment)
    again = {p for group in same.values() for p in group[1:] if p.invoice not in figures.refunded}
    return ReviewFindings.counting(payment for payment in ledger.payments if payment in again)


def draw(context: TaskContext, size: int) -> Review:
    """Draw invoices paid twice, and payments that only look like it."""
    period, ledger, parts = context.drawn_alike("ledger", size, lambda: _draw_ledger(context, size))
    told: list[ToldFigure] = []
    refunded: set[str] = set()
    for number, (within, numbers) in enumerate(parts, start=1):
        part = f"{MONTHS[within[0].month - 1]} to {MONTHS[within[-1].month - 1]}"
        details = {"number": str(number), "part": part}
        secret = context.secret_stream(REFUNDS.clue_name(details))
        drawn = sorted(secret.sample(numbers, secret.randint(_LEFT, len(numbers) - _LEFT)))
        told.append(ToldFigure(REFUNDS, Refunds(part, tuple(drawn)), details))
        refunded |= {*drawn}
    findings = find(ledger, Figures(refunded=frozenset(refunded)))
    return Review(period, ledger, findings, told)


def _draw_ledger(
    context: TaskContext, size: int
) -> tuple[LedgerPeriod, PaymentLedger, list[tuple[Sequence[date], list[str]]]]:
    """Draw payments; also return each part's months with the invoices paid again in them."""
    book = LedgerBuilder(context, 2 * size + 1)
    months = book.period.months
    half = len(months) // (1 if size == 1 else 2)
    parts = list[tuple[Sequence[date], list[str]]]()
    for start in range(0, len(months), half):
        within = months[start : start + half]
        again = _paid_twice(book, within, _PAIRS[size - 1] + book.draws.randrange(2))
        # Sorted, so the order of drawing reveals nothing.
        parts.append((within, sorted(payment.invoice for payment in again)))
    for _ in range(size):
        _parts_of_one(book)
        _every_month(book)
    return book.period, book.ledger(), parts


def _paid_twice(book: LedgerBuilder, months: Sequence[date], count: int) -> list[Payment]:
    """Add *count* second payments, and ordinary payments of the same suppliers.

    One supplier was paid twice for two invoices. An unrelated supplier has sent an invoice with the
    same number and amount as one of the others.
    """
    suppliers = book.suppliers(count - 1)
    again: list[Payment] = []
    for place in range(count):
        supplier = suppliers[place % len(suppliers)]
        paid = book.day(book.draws.choice(months[:-1]))
        number, cents = book.number(), book.ordinary_amount()
        first = book.pay(supplier, paid, cents, number=number)
        later = paid + timedelta(days=book.draws.randint(8, 28))
        dated = book.dated(first)
        again.append(book.pay(supplier, later, cents, number=_as_typed(book, number), dated=dated))
        if place == 0:
            book.pay(book.supplier(), later, cents, number=number)
    for supplier in suppliers:
        for month in book.draws.sample(months, len(months) - 1):
            book.pay(supplier, book.day(month), book.ordinary_amount())
    return again


def _as_typed(book: LedgerBuilder, number: str) -> str:
    """Return a number as another person might type it."""
    letters, _, digits = number.partition("-")
    forms = (number, f"{letters} {digits}", f"{letters.lower()}-{digits}", f"{letters}{digits}")
    return book.draws.choice(forms)


def _parts_of_one(book: LedgerBuilder) -> None:
    """Add three invoices with one number and different amounts, as for partial deliveries."""
    supplier, number = book.supplier(), book.number()
    for month in sorted(book.draws.sample(book.period.months, 3)):
        cents = book.ordinary_amount()
        book.pay(supplier, book.day(month), cents, number=number)


def _every_month(book: LedgerBuilder) -> None:
    """Add the same amount every month, each time with a different number."""
    supplier, cents = book.supplier(), book.ordinary_amount()
    for month in book.period.months:
        book.pay(supplier, book.day(month, 2, 8), cents)
