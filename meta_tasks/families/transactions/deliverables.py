"""The submitted report and its grading."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import Field

from trainee_bench.meta_tasks.authoring import (
    AnswerKeys,
    Deliverable,
    RecordId,
    Text,
    same_numbers,
    values_in,
)
from trainee_bench.meta_tasks.families.transactions.subject.ledger import ReviewFindings

_HALF_A_CENT = 0.005 + 1e-6
"""Tolerance in EUR: half a unit of the required rounding, plus floating-point error."""


class ReviewReport(Deliverable):
    """The report on a review."""

    abnormal_suppliers: list[Text] = Field(
        description="list of strings: the names of all abnormal suppliers, each once, any order; "
        "an empty list if there are none"
    )
    counted_payments: int = Field(description="how many payments count")
    counted_amount: float = Field(
        description="the sum of transaction_amount over the payments that count, in EUR, exact to "
        "the cent"
    )
    largest_payment: RecordId = Field(
        description="transaction_id of the payment with the largest transaction_amount among "
        "those that count; if several are equally large, any one of them; an empty string if no "
        "payment counts"
    )


def largest_payments(findings: ReviewFindings) -> tuple[str, ...]:
    """Return the ids of all payments with the largest amount, or "" alone if none counts."""
    largest = max((payment.cents for payment in findings.payments), default=None)
    found = (payment.transaction for payment in findings.payments if payment.cents == largest)
    return tuple(found) or ("",)


def make_report(findings: ReviewFindings) -> ReviewReport:
    """Create the right report on *findings*."""
    return ReviewReport(
        abnormal_suppliers=sorted(findings.suppliers),
        counted_payments=len(findings.payments),
        counted_amount=sum(payment.cents for payment in findings.payments) / 100,
        largest_payment=largest_payments(findings)[0],
    )


@dataclass(frozen=True)
class ReviewTruth:
    """Grading data: the report's path, the right report, and the names of the clues.

    Any payment in ``largest`` may be reported as the largest.
    """

    path: str
    right: ReviewReport
    largest: tuple[str, ...]
    clues: tuple[str, ...]

    def names(self, report: ReviewReport, keys: AnswerKeys) -> bool:
        """Return whether the report names exactly the abnormal suppliers, each once."""
        return "abnormal_suppliers" not in keys.differing(report, self.right)

    def certain_values(self) -> str:
        """Return the values of the right report that have no alternative, as text."""
        largest = self.right.largest_payment if len(self.largest) == 1 else ""
        return values_in(self.right.model_copy(update={"largest_payment": largest}))

    def counts(self, report: ReviewReport) -> bool:
        """Return whether the number, sum and largest of the counted payments are right."""
        same = same_numbers(report, self.right, _HALF_A_CENT)
        return same and report.largest_payment in self.largest


def review_truth(path: str, findings: ReviewFindings, clues: tuple[str, ...]) -> ReviewTruth:
    """Create grading data for a report at *path*; the findings need the *clues*."""
    return ReviewTruth(path, make_report(findings), largest_payments(findings), clues)
