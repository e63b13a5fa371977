"""The ledger of payments, the registers of invoices and approvals, and a review's findings.

Amounts are whole cents everywhere except in files and deliverables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from trainee_bench.meta_tasks.authoring import CENTS, ColumnKind, CsvFile, RecordFile


@dataclass(frozen=True)
class Payment:
    """A row of the ledger; ``invoice`` and ``approval`` are numbers."""

    transaction: str
    invoice: str
    approval: str
    supplier: str
    rating: str
    applicant: str
    approver: str
    paid: date
    cents: int


@dataclass(frozen=True)
class Invoice:
    """A row of the invoice register; ``number`` is the supplier's own number."""

    id: str
    supplier: str
    number: str
    dated: date
    cents: int


@dataclass(frozen=True)
class Approval:
    """A row of the approval register; ``signed`` is a name, or "for" and a name."""

    id: str
    applicant: str
    requested: date
    approved: date
    cents: int
    signed: str


PAYMENTS = CsvFile(
    Payment,
    (
        "transaction_id", "invoice_id", "approval_id", "supplier_name", "supplier_rating",
        "applicant_name", "approver_name", "transaction_date", "transaction_amount",
    ),
    {"cents": CENTS},
    numbered="id",
)  # fmt: skip
INVOICES = CsvFile(
    Invoice,
    ("invoice_id", "supplier_name", "supplier_number", "invoice_date", "invoice_amount"),
    {"cents": CENTS},
)
APPROVALS = CsvFile(
    Approval,
    (
        "approval_id", "applicant_name", "requested_on", "approved_on", "approved_amount",
        "signed_by",
    ),
    {"cents": CENTS},
)  # fmt: skip


@dataclass(frozen=True)
class PaymentLedger:
    """Payments ordered by date, and invoices and approvals by number, if there are any."""

    payments: tuple[Payment, ...]
    invoices: Mapping[str, Invoice] = field(default_factory=dict)
    approvals: Mapping[str, Approval] = field(default_factory=dict)

    def invoice(self, payment: Payment) -> Invoice:
        """Return the invoice of *payment*."""
        return self.invoices[payment.invoice]

    def approval(self, payment: Payment) -> Approval:
        """Return the approval of *payment*."""
        return self.approvals[payment.approval]


@dataclass(frozen=True)
class ReviewFindings:
    """Findings of a review: the payments that count, and the abnormal suppliers."""

    payments: tuple[Payment, ...]
    suppliers: frozenset[str]

    @classmethod
    def counting(cls, payments: Iterable[Payment]) -> ReviewFindings:
        """Count *payments*, and call each of their suppliers abnormal."""
        counted = tuple(payments)
        return cls(counted, frozenset(payment.supplier for payment in counted))


_CHARGES = 37


def record_file(path: str, payments: Sequence[Payment]) -> RecordFile:
    """Return the ledger's file; in its earlier version, amounts include bank charges."""
    early = [replace(payment, cents=payment.cents + _CHARGES) for payment in payments]
    columns = {"transaction_date": ColumnKind.DATE, "transaction_amount": ColumnKind.AMOUNT}
    return RecordFile(path, PAYMENTS.render(payments), PAYMENTS.render(early), columns)
