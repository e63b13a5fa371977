"""Payments approved by whoever applied for them, be it in somebody else's place.

For each manager who is often away, every applicant has payments that were signed in the
manager's place; who is the deputy, and so has approved their own, stands nowhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
from trainee_bench.meta_tasks.families.transactions.review import HiddenFigure, Review, ReviewScale
from trainee_bench.meta_tasks.task_context import TaskContext

IN_PLACE_OF = "for "

ASKS = (
    "Who signs for {manager} when {first} is away? I am reviewing {file}.",
    "Who is the deputy of {manager} for approvals in {file}?",
    "Who signed the approvals in place of {manager}, in {file}?",
    "Whose signature is behind the approvals for {manager} in {file}?",
    "Which colleague stands in for {manager} when payments in {file} are approved?",
    "Who is allowed to approve payments for {manager} in {file}?",
    "I need the name of the deputy of {manager} for the review of {file}, please.",
    "In the absence of {manager}, who approved the payments in {file}?",
)


def find(ledger: PaymentLedger, deputies: Mapping[str, str]) -> ReviewFindings:
    """The payments whose applicant has approved them; *deputies* by whom they sign for."""
    counted = tuple(p for p in ledger.payments if _signer(ledger, p, deputies) == p.applicant)
    return ReviewFindings(counted, frozenset(payment.supplier for payment in counted))


def _signer(ledger: PaymentLedger, payment: Payment, deputies: Mapping[str, str]) -> str:
    signed = ledger.approval(payment).signed
    if not signed.startswith(IN_PLACE_OF):
        return signed
    return deputies[signed.removeprefix(IN_PLACE_OF)]


def draw(context: TaskContext, scale: ReviewScale) -> Review:
    """As many managers with a deputy as the review is large, and payments for all of them."""
    period = draw_period(context)
    book = LedgerBuilder(context, period)
    draw_regular_suppliers(book, scale.regulars)
    away = context.stream("away").sample(book.approvers, scale.size)
    suppliers = [book.supplier("AB--") for _ in range(11 + 3 * scale.size)]
    for _ in range(1 + scale.size):
        manager = book.draws.choice(book.approvers)
        _pay(book, suppliers, manager, manager, manager)
    deputies: dict[str, str] = {}
    told: list[HiddenFigure] = []
    for number, manager in enumerate(away, start=1):
        for applicant in book.applicants:
            _pay(book, suppliers, applicant, manager, manager)
        for applicant in (*book.applicants, manager):
            for _ in range(book.draws.randint(1, 3)):
                _pay(book, suppliers, applicant, manager, f"{IN_PLACE_OF}{manager}")
        clue = f"deputy_{number}"
        deputies[manager] = context.secret_stream(clue).choice(book.applicants)
        told.append(_deputy(clue, manager, deputies[manager]))
    ledger = book.ledger()
    return Review(period, ledger, find(ledger, deputies), tuple(told))


def _deputy(clue: str, manager: str, deputy: str) -> HiddenFigure:
    return HiddenFigure(
        clue=clue,
        subject=f"who signs for {manager}",
        asks=tuple(
            ask.replace("{manager}", manager).replace("{first}", manager.split()[0]) for ask in ASKS
        ),
        sentence=f"When {manager} is away, {deputy} signs.",
    )


def _pay(
    book: LedgerBuilder, suppliers: Sequence[Supplier], applicant: str, approver: str, signed: str
) -> None:
    """A payment to any of *suppliers* on any day."""
    supplier = book.draws.choice(suppliers)
    paid = book.day(book.draws.choice(book.period.months), 1, 28)
    cents = book.amount(400_00, 9_000_00)
    book.pay(supplier, paid, cents, applicant=applicant, approver=approver, signed=signed)
