"""Payments that were approved by the person who applied for them, perhaps as a deputy.

Some managers are often away. Every applicant has payments that a deputy signed in place of such a
manager. No file says which applicant is the deputy and therefore approved their own payments.
"""

from __future__ import annotations

from collections.abc import Sequence

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
    DEPUTY,
    Deputy,
    Figures,
    Review,
    ToldFigure,
)
from trainee_bench.world.company.name_forms import first_name

IN_PLACE_OF = "for "


def find(ledger: PaymentLedger, figures: Figures) -> ReviewFindings:
    """Find payments that their applicant has approved."""

    def counts(payment: Payment) -> bool:
        signed = ledger.approval(payment).signed
        away = signed.removeprefix(IN_PLACE_OF)
        return payment.applicant == (signed if away == signed else figures.deputies[away])

    return ReviewFindings.counting(filter(counts, ledger.payments))


def draw(context: TaskContext, size: int) -> Review:
    """Draw *size* managers with a deputy, and payments that they approved."""
    drawn = context.drawn_alike("ledger", size, lambda: _draw_ledger(context, size))
    period, ledger, away, applicants = drawn
    told: list[ToldFigure] = []
    deputies: dict[str, str] = {}
    for number, manager in enumerate(away, start=1):
        details = {"number": str(number), "manager": manager, "first": first_name(manager)}
        deputies[manager] = context.secret_stream(DEPUTY.clue_name(details)).choice(applicants)
        told.append(ToldFigure(DEPUTY, Deputy(manager, deputies[manager]), details))
    findings = find(ledger, Figures(deputies=deputies))
    return Review(period, ledger, findings, told)


def _draw_ledger(
    context: TaskContext, size: int
) -> tuple[LedgerPeriod, PaymentLedger, Sequence[str], Sequence[str]]:
    """Draw the payments, the managers who were away, and the applicants."""
    book = LedgerBuilder(context, 2 * size + 1)
    away = context.stream("away").sample(book.approvers, size)
    suppliers = book.suppliers(11 + 3 * size)
    for _ in range(1 + size):
        manager = book.draws.choice(book.approvers)
        _pay(book, suppliers, manager, manager, manager)
    for manager in away:
        for applicant in book.applicants:
            _pay(book, suppliers, applicant, manager, manager)
        for applicant in (*book.applicants, manager):
            for _ in range(book.draws.randint(1, 3)):
                _pay(book, suppliers, applicant, manager, f"{IN_PLACE_OF}{manager}")
    return book.period, book.ledger(), away, book.applicants


def _pay(
    book: LedgerBuilder, suppliers: Sequence[Supplier], applicant: str, approver: str, signed: str
) -> None:
    """Add a payment to one of *suppliers* on a drawn day."""
    supplier = book.draws.choice(suppliers)
    paid = book.day(book.draws.choice(book.period.months))
    cents = book.ordinary_amount()
    book.pay(supplier, paid, cents, applicant=applicant, approver=approver, signed=signed)
