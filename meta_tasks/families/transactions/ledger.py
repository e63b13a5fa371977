"""What a review reads: the ledger of payments and the registers of invoices and approvals.

Amounts are whole cents everywhere but in files and deliverables. What is written here is read
here again by an oracle, column by column.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal


@dataclass(frozen=True)
class Payment:
    """A row of the ledger; ``invoice`` and ``approval_expectation`` are the numbers of its papers."""

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
    """A line of the register of invoices; ``number`` is the supplier's own."""

    supplier: str
    number: str
    dated: date
    cents: int


@dataclass(frozen=True)
class Approval:
    """A line of the register of approvals: ``signed`` is a name, or "for" and a name."""

    applicant: str
    requested: date
    approved: date
    cents: int
    signed: str


@dataclass(frozen=True)
class PaymentLedger:
    """Payments in the order of their dates, and their papers by number, where there are any."""

    payments: tuple[Payment, ...]
    invoices: Mapping[str, Invoice] = field(default_factory=dict)
    approvals: Mapping[str, Approval] = field(default_factory=dict)

    def invoice(self, payment: Payment) -> Invoice:
        """What *payment* paid."""
        return self.invoices[payment.invoice]

    def approval(self, payment: Payment) -> Approval:
        """Who allowed *payment*, and how much."""
        return self.approvals[payment.approval]


@dataclass(frozen=True)
class ReviewFindings:
    """What a review finds: the payments that count, and the suppliers that are abnormal."""

    payments: tuple[Payment, ...]
    suppliers: frozenset[str]


MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
PAYMENT_COLUMNS = (
    "id", "transaction_id", "invoice_id", "approval_id", "supplier_name", "supplier_rating",
    "applicant_name", "approver_name", "transaction_date", "transaction_amount",
)  # fmt: skip
INVOICE_COLUMNS = (
    "invoice_id", "supplier_name", "supplier_number", "invoice_date", "invoice_amount",
)  # fmt: skip
APPROVAL_COLUMNS = (
    "approval_id", "applicant_name", "requested_on", "approved_on", "approved_amount", "signed_by",
)  # fmt: skip


def payments_csv(payments: Sequence[Payment]) -> str:
    """The ledger as a file."""
    rows = (
        (
            number, p.transaction, p.invoice, p.approval, p.supplier, p.rating, p.applicant,
            p.approver, p.paid, _plain(p.cents),
        )
        for number, p in enumerate(payments, start=1)
    )  # fmt: skip
    return _csv(PAYMENT_COLUMNS, rows)


def invoices_csv(ledger: PaymentLedger, payments: Iterable[Payment]) -> str:
    """The register of the invoices of *payments*."""
    found = ((payment.invoice, ledger.invoice(payment)) for payment in payments)
    rows = ((id, i.supplier, i.number, i.dated, _plain(i.cents)) for id, i in found)
    return _csv(INVOICE_COLUMNS, rows)


def approvals_csv(ledger: PaymentLedger, payments: Iterable[Payment]) -> str:
    """The register of the approvals of *payments*."""
    found = ((payment.approval, ledger.approval(payment)) for payment in payments)
    rows = (
        (id, a.applicant, a.requested, a.approved, _plain(a.cents), a.signed) for id, a in found
    )
    return _csv(APPROVAL_COLUMNS, rows)


def read_payments(text: str) -> tuple[Payment, ...]:
    """The ledger of a file."""
    return tuple(
        Payment(
            transaction=row["transaction_id"],
            invoice=row["invoice_id"],
            approval=row["approval_id"],
            supplier=row["supplier_name"],
            rating=row["supplier_rating"],
            applicant=row["applicant_name"],
            approver=row["approver_name"],
            paid=date.fromisoformat(row["transaction_date"]),
            cents=parse_cents(row["transaction_amount"]),
        )
        for row in csv.DictReader(io.StringIO(text))
    )


def read_invoices(text: str) -> dict[str, Invoice]:
    """The register of invoices of a file."""
    return {
        row["invoice_id"]: Invoice(
            supplier=row["supplier_name"],
            number=row["supplier_number"],
            dated=date.fromisoformat(row["invoice_date"]),
            cents=parse_cents(row["invoice_amount"]),
        )
        for row in csv.DictReader(io.StringIO(text))
    }


def read_approvals(text: str) -> dict[str, Approval]:
    """The register of approvals of a file."""
    return {
        row["approval_id"]: Approval(
            applicant=row["applicant_name"],
            requested=date.fromisoformat(row["requested_on"]),
            approved=date.fromisoformat(row["approved_on"]),
            cents=parse_cents(row["approved_amount"]),
            signed=row["signed_by"],
        )
        for row in csv.DictReader(io.StringIO(text))
    }


def parse_cents(amount: str) -> int:
    """An amount as it is written ("12,000.50") in cents."""
    return int(Decimal(amount.replace(",", "")) * 100)


def long_date(day: date) -> str:
    """A date in words: "1 July 2025"."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def read_date(words: str) -> date:
    """A date in words. Raises ValueError for what is none."""
    day, month, year = words.split()
    return date(int(year), MONTHS.index(month) + 1, int(day))


def _plain(amount: int) -> str:
    return f"{amount // 100}.{amount % 100:02d}"


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return written.getvalue()
