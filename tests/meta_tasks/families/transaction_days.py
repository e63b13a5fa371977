"""Scenes and days of the transactions family, and ledgers written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from tests.meta_tasks.days import context_of, texts_of
from trainee_bench.meta_tasks.catalog import all_rules
from trainee_bench.meta_tasks.families.transactions import Transactions
from trainee_bench.meta_tasks.families.transactions.deliverables import ReviewTruth
from trainee_bench.meta_tasks.families.transactions.subject.ledger import (
    APPROVALS,
    INVOICES,
    PAYMENTS,
    Approval,
    Invoice,
    Payment,
    PaymentLedger,
    ReviewFindings,
)
from trainee_bench.meta_tasks.meta_task import TaskInstance

RULES = [rule.id for rule in Transactions.rules()]
KINDS = ("just_below", "split_invoice", "duplicate_invoice", "amount_differs", "self_approved")
SUPPLIER_RULES = [rule for rule in RULES if ".n" in rule]
ONE_OF_EACH = ("transactions.n2.a0", "transactions.n3.a2", *(f"transactions.{k}.s2" for k in KINDS))
"""A rule of each kind; of suppliers, one without and one with abnormal ones."""


def scene_of(
    rule: str, seed: int, size: int = 50, **seed_offsets: int
) -> TaskInstance[ReviewTruth]:
    made = all_rules()[rule].meta_task
    assert isinstance(made, Transactions)
    return made.generate(context_of(seed, size, seed_offsets))


def documents_of(instance: TaskInstance[ReviewTruth]) -> PaymentLedger:
    """Read the ledger and its registers from all files."""
    invoices: dict[str, Invoice] = {}
    approvals: dict[str, Approval] = {}
    payments: Sequence[Payment] = ()
    for path, text in texts_of(instance).items():
        if path.startswith("workspace:/"):
            payments = PAYMENTS.parse(text)
        elif "/invoices/" in path:
            invoices |= {invoice.id: invoice for invoice in INVOICES.parse(text)}
        elif "/approvals/" in path:
            approvals |= {approval.id: approval for approval in APPROVALS.parse(text)}
    return PaymentLedger(tuple(payments), invoices, approvals)


def answer(findings: ReviewFindings) -> tuple[frozenset[str], int, int]:
    """Return suppliers, number and sum of counted payments of *findings*."""
    return findings.suppliers, len(findings.payments), sum(p.cents for p in findings.payments)


def right_answer(instance: TaskInstance[ReviewTruth]) -> tuple[frozenset[str], int, int]:
    right = instance.graded.truth.right
    return (
        suppliers_of(instance.graded.truth),
        right.counted_payments,
        round(100 * right.counted_amount),
    )


def suppliers_of(truth: ReviewTruth) -> frozenset[str]:
    """Return the abnormal suppliers."""
    return frozenset(truth.right.abnormal_suppliers)


@dataclass(frozen=True)
class Row:
    """A payment written by hand with its documents; omitted values are in order."""

    number: str
    supplier: str
    paid: str
    euros: float
    applicant: str = "Ann"
    own: str = ""
    dated: str = ""
    approved_on: str = ""
    approved: float = 1_000_000
    signed: str = "Bob"


def by_hand(*rows: Row) -> PaymentLedger:
    """Return the ledger of these payments, numbered TRA-1 and so on."""
    payments, invoices, approvals = [], {}, {}
    for row in rows:
        paid = date.fromisoformat(row.paid)
        documents = [f"{kind}-{row.number}" for kind in ("TRA", "INV", "APP")]
        cents = round(row.euros * 100)
        payments.append(Payment(*documents, row.supplier, "", row.applicant, "Bob", paid, cents))
        dated = date.fromisoformat(row.dated or row.paid)
        invoices[documents[1]] = Invoice(
            documents[1], row.supplier, row.own or f"R-{row.number}", dated, cents
        )
        day, limit = date.fromisoformat(row.approved_on or row.paid), round(row.approved * 100)
        approvals[documents[2]] = Approval(documents[2], row.applicant, day, day, limit, row.signed)
    return PaymentLedger(tuple(payments), invoices, approvals)


def numbers(findings: ReviewFindings) -> list[str]:
    """Return the numbers of the counted payments, as written by hand."""
    return [payment.transaction.removeprefix("TRA-") for payment in findings.payments]
