"""A review made concrete: its ledger, what it finds, and what colleagues in Finance tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from trainee_bench.meta_tasks.families.transactions.ledger import PaymentLedger, ReviewFindings
from trainee_bench.meta_tasks.families.transactions.ledger_builder import LedgerPeriod


class Anomaly(StrEnum):
    """What a review looks for."""

    NEW_SUPPLIER = "new_supplier"
    JUST_BELOW = "just_below"
    SPLIT_INVOICE = "split_invoice"
    DUPLICATE_INVOICE = "duplicate_invoice"
    AMOUNT_DIFFERS = "amount_differs"
    SELF_APPROVED = "self_approved"


HEADINGS = {
    Anomaly.NEW_SUPPLIER: "New suppliers just below the limit",
    Anomaly.JUST_BELOW: "Payments just below the limit",
    Anomaly.SPLIT_INVOICE: "Split invoices",
    Anomaly.DUPLICATE_INVOICE: "Invoices paid twice",
    Anomaly.AMOUNT_DIFFERS: "More than was approved",
    Anomaly.SELF_APPROVED: "Approved by the applicant",
}
"""The section of the manual on each kind of review, by which an objective names it."""


@dataclass(frozen=True)
class HiddenFigure:
    """What a review needs beside its papers and one colleague tells, in a sentence.

    ``subject`` completes "who knows …"; ``asks`` are ways to ask, with {file} for the ledger's
    name.
    """

    clue: str
    subject: str
    asks: tuple[str, ...]
    sentence: str


@dataclass(frozen=True)
class Review:
    """``told_trigger`` are the figures one has to ask for, ``stated`` what the objective says itself."""

    period: LedgerPeriod
    ledger: PaymentLedger
    findings: ReviewFindings
    told: tuple[HiddenFigure, ...]
    stated: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReviewScale:
    """How large a review of one of the five kinds is: ``schema_size`` 1 to 3."""

    size: int

    @property
    def regulars(self) -> int:
        """Suppliers of whom nothing is to be found."""
        return (3, 5, 7)[self.size - 1]

    @property
    def has_second_question(self) -> bool:
        """Whether a second figure has to be asked for, too; else the objective states it."""
        return self.size > 1


def just_below(cents: int, limit: int) -> bool:
    """Whether an amount lies just below a limit: from 95 % of it on, the limit not included."""
    return 95 * limit <= 100 * cents and cents < limit


def edges(limits: Sequence[int]) -> tuple[int, ...]:
    """The amounts at which something is, or is no longer, just below one of *limits*."""
    return tuple(edge for limit in limits for edge in (limit * 95 // 100, limit))


LIMIT_ASKS = (
    "Which approval limit is in force for the review of {file}?",
    "What is the current approval limit? I am reviewing the payments in {file}.",
    "How high is the approval limit at the moment, for {file}?",
    "Could you tell me the approval limit that I have to use for {file}?",
    "What is the approval threshold for the payments in {file}?",
    "From which amount on does a payment in {file} need a second approval?",
    "Which limit holds for approvals now? It is for {file}.",
    "I need the approval limit for the review of {file}, please.",
)


def limit_figure(limit: int) -> HiddenFigure:
    """The approval limit in force."""
    return HiddenFigure(
        clue="limit",
        subject="the approval limit in force",
        asks=LIMIT_ASKS,
        sentence=limit_sentence(limit),
    )


def limit_sentence(limit: int) -> str:
    """How the limit in force is told."""
    return f"The approval limit in force is EUR {limit // 100:,}."
