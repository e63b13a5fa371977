"""The report that is handed in, and when what it says is right."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pydantic import Field

from trainee_bench.meta_tasks.deliverable import Deliverable, fold_text
from trainee_bench.meta_tasks.families.transactions.ledger import ReviewFindings

_HALF_A_CENT = 0.5 + 1e-4
"""In cents: half a unit of the rounding that is asked for, and the error of calculating."""


class ReviewReport(Deliverable):
    """What a review has found."""

    abnormal_suppliers: list[str] = Field(
        description="list of texts: the names of all abnormal suppliers, each once, any order; "
        "an empty list if there are none"
    )
    counted_payments: int = Field(description="how many payments count")
    counted_amount: float = Field(
        description="the sum of transaction_amount over the payments that count, in EUR, exact to "
        "the cent"
    )
    largest_payment: str = Field(
        description="transaction_id of the payment with the largest transaction_amount of all "
        "that count"
    )


@dataclass(frozen=True)
class ReviewTruth:
    """What a right report says; the amount in cents."""

    path: str
    suppliers: frozenset[str]
    payments: int
    amount: int
    largest: str
    clues: tuple[str, ...]

    @classmethod
    def from_findings(
        cls, path: str, findings: ReviewFindings, clues: tuple[str, ...]
    ) -> ReviewTruth:
        """The report on *findings*."""
        return cls(
            path=path,
            suppliers=findings.suppliers,
            payments=len(findings.payments),
            amount=sum(payment.cents for payment in findings.payments),
            largest=max(findings.payments, key=lambda p: (p.cents, p.transaction)).transaction,
            clues=clues,
        )

    def names(self, report: ReviewReport) -> bool:
        """Whether the report names all abnormal suppliers and no others, each once."""
        given = sorted(map(fold_text, report.abnormal_suppliers))
        return given == sorted(map(fold_text, self.suppliers))

    def counts(self, report: ReviewReport) -> bool:
        """Whether number, sum and largest of the payments that count are right."""
        return (
            report.counted_payments == self.payments
            and math.isfinite(report.counted_amount)
            and abs(report.counted_amount * 100 - self.amount) <= _HALF_A_CENT
            and report.largest_payment.strip() == self.largest
        )


def make_report(findings: ReviewFindings) -> ReviewReport:
    """The report on *findings*, as one writes it."""
    right = ReviewTruth.from_findings("", findings, ())
    return ReviewReport(
        abnormal_suppliers=sorted(findings.suppliers),
        counted_payments=right.payments,
        counted_amount=right.amount / 100,
        largest_payment=right.largest,
    )
