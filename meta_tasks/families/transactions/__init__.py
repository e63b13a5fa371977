"""A review of payments: figures that only Finance knows decide which ones are abnormal.

Told: the ledger, its registers, the kind of review, and the names of the necessary figures. Public:
the manual, which defines what counts. Hidden: the figures, such as the approval limit in force. One
colleague in Finance knows each figure, and each possible value leads to a different report.

    manual ──► what counts ──────────────┐
    ledger, registers ──► candidates ────┼──► payments that count, abnormal suppliers
    colleagues in Finance ──► figures ───┘
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import groupby, product
from typing import Annotated, ClassVar, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from trainee_bench.meta_tasks.authoring import (
    Domain,
    GradedPart,
    GradingContext,
    HiddenPart,
    MetaTask,
    PlannedEvent,
    PublishedEntry,
    RecordFile,
    Rule,
    TaskContext,
    TaskInstance,
    ToldPart,
    Verdict,
    checkpoint,
    first_groups,
    rules_of,
    were_told,
)
from trainee_bench.meta_tasks.families.transactions import work
from trainee_bench.meta_tasks.families.transactions.brief import (
    FOLDER,
    HINTS,
    MANUAL,
    OBJECTIVE,
    TransactionsBrief,
    contacts_referral,
)
from trainee_bench.meta_tasks.families.transactions.deliverables import (
    ReviewReport,
    ReviewTruth,
    review_truth,
)
from trainee_bench.meta_tasks.families.transactions.subject import (
    below_limit,
    more_than_approved,
    new_suppliers,
    paid_twice,
    self_approved,
    split_invoices,
)
from trainee_bench.meta_tasks.families.transactions.subject.ledger import (
    APPROVALS,
    INVOICES,
    Payment,
    PaymentLedger,
    record_file,
)
from trainee_bench.meta_tasks.families.transactions.subject.review import Review
from trainee_bench.meta_tasks.meta_task import HonestWay, Shortcut
from trainee_bench.meta_tasks.scene_features import RECORD_WORK
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.company.org_chart import EXECUTIVE

# parameters -------------------------------------------------------------------------------

OtherKind = Literal[
    "just_below", "split_invoice", "duplicate_invoice", "amount_differs", "self_approved"
]
_DRAW: Mapping[OtherKind, Callable[[TaskContext, int], Review]] = {
    "just_below": below_limit.draw,
    "split_invoice": split_invoices.draw,
    "duplicate_invoice": paid_twice.draw,
    "amount_differs": more_than_approved.draw,
    "self_approved": self_approved.draw,
}


Quarter = tuple[int, int]
"""A year and a quarter of it, from 1."""
Register = tuple[Literal["invoices", "approvals"], Quarter]
"""A quarterly register of documents."""


class SupplierReview(BaseModel, frozen=True, extra="forbid"):
    """The review of new suppliers: the numbers of regular and abnormal ones."""

    normal: Annotated[int, Field(ge=2, le=5)]
    abnormal: Annotated[int, Field(ge=0, le=2)]


class AnomalyReview(BaseModel, frozen=True, extra="forbid"):
    """A review of another kind, and its size."""

    anomaly: OtherKind
    size: Annotated[int, Field(ge=1, le=3)]


class PublishedTransactions(PublishedEntry):
    """Arguments of a published entry: the numbers of regular and abnormal suppliers."""

    model_config = ConfigDict(strict=True)

    num_normal_transactions: int
    num_abnormal_transactions: int

    def parameters(self) -> Mapping[str, object]:
        """Return the review of new suppliers."""
        normal, abnormal = self.num_normal_transactions, self.num_abnormal_transactions
        return {"review": SupplierReview(normal=normal, abnormal=abnormal)}


class Transactions(MetaTask[ReviewTruth]):
    """Review payments and find the abnormal ones."""

    family = "transactions"
    domain = Domain.INFORMATION
    features = RECORD_WORK
    published_name = "Transaction Data Review"
    published_entry = PublishedTransactions

    review: SupplierReview | AnomalyReview

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """Return rules for new suppliers by number, and for the other kinds in three sizes.

        New suppliers: 2 to 5 regular and 0 to 2 abnormal ones.
        """
        made = [
            cls(review=SupplierReview(normal=normal, abnormal=abnormal))
            for normal, abnormal in product(range(2, 6), range(3))
        ]
        others = product(get_args(OtherKind), (1, 2, 3))
        made += [cls(review=AnomalyReview(anomaly=kind, size=size)) for kind, size in others]
        return rules_of(made, hard=lambda rule: rule.is_hard)

    @property
    def rule_id(self) -> str:
        """An id such as ``transactions.n2.a1`` or ``transactions.split_invoice.s3``."""
        if isinstance(self.review, SupplierReview):
            return f"{self.family}.n{self.review.normal}.a{self.review.abnormal}"
        return f"{self.family}.{self.review.anomaly}.s{self.review.size}"

    @property
    def is_hard(self) -> bool:
        """Whether there are over three regular suppliers, or the size is above the smallest."""
        if isinstance(self.review, SupplierReview):
            return self.review.normal > 3
        return self.review.size > 1

    # the task instance ----------------------------------------------------------------------

    def generate(self, context: TaskContext) -> TaskInstance[ReviewTruth]:
        """Stage a ledger, registers if needed, the manual, and colleagues who know the figures."""
        wanted = self.review
        if isinstance(wanted, SupplierReview):
            kind, review = (
                "new_supplier",
                new_suppliers.draw(context, wanted.normal, wanted.abnormal),
            )
        else:
            kind, review = wanted.anomaly, _DRAW[wanted.anomaly](context, wanted.size)
        ledger = context.reserve_path("workspace:/transactions.csv")
        report = context.reserve_path("workspace:/transaction_data_review_report.json")
        registers = _register_paths(context, review.ledger)
        documents, record = context.drawn_alike(
            "documents",
            (ledger, *registers.values()),
            lambda: _documents(ledger, registers, review),
        )
        brief = TransactionsBrief(
            kind=kind,
            ledger=ledger,
            first=review.period.review,
            last=review.period.last,
            registers=tuple(path for path in documents if path != ledger),
            needed=tuple(figure.subject for figure in review.told),
            stated=tuple(figure.sentence for figure in review.stated),
            report=report,
        )
        staff = (context.company.staff(name) for name in ("Finance", EXECUTIVE, "HR"))
        candidates = first_groups(context, staff, len(review.told))
        holders = context.pick("holders", candidates, len(review.told))
        known = list(zip(review.told, holders, strict=True))
        events = (
            MANUAL.file(),
            *(FileAppears(path=path, text=text) for path, text in documents.items()),
            MANUAL.known(),
            contacts_referral(brief.file, known),
        )
        (requester,) = context.pick("requester", context.company.staff("Finance", manager=True))
        names = tuple(figure.name for figure in review.told)
        truth = review_truth(report, review.findings, names)
        return TaskInstance(
            ToldPart(
                title="A review of our payments",
                objective=OBJECTIVE.render(brief),
                hints=HINTS,
                requester=requester.id,
                deliverable_paths=(report,),
            ),
            HiddenPart(
                clues=tuple(figure.clue(context, who, brief.file) for figure, who in known),
                events=tuple(map(PlannedEvent, events)),
                records=(record,),
            ),
            GradedPart(truth=truth, right_text=truth.certain_values()),
        )

    # checkpoints ------------------------------------------------------------------------

    @checkpoint(
        "The report names all abnormal suppliers and no others; if there are none, the counted "
        "payments must be right",
        weight=2,
        only_after="figures_told",
        where="the manual's section on this kind of review, and what Finance told you",
        how="Apply the manual's definition of an abnormal supplier to every supplier in the "
        "ledger, with the figures in force. Leave out suppliers that only look similar.",
    )
    def suppliers_found(self, grading: GradingContext[ReviewTruth]) -> Verdict:
        """Check the abnormal suppliers; an empty list also needs the right payments."""
        truth, report = grading.truth, grading.read(grading.truth.path, ReviewReport)
        right = truth.names(report, grading.keys) and (
            bool(truth.right.abnormal_suppliers) or truth.counts(report)
        )
        return Verdict(right, f"reported: {', '.join(report.abnormal_suppliers) or 'nobody'}")

    @checkpoint(
        "The number, the sum and the largest of the counted payments are right",
        weight=2,
        only_after="figures_told",
        where="the ledger and its registers; the manual says what counts",
        how="Select exactly the payments that count, with the figures that Finance told you. Check "
        "which dates and amounts to compare, and whether a limit is included.",
    )
    def payments_counted(self, grading: GradingContext[ReviewTruth]) -> Verdict:
        """Check number, sum and largest payment together."""
        report = grading.read(grading.truth.path, ReviewReport)
        seen = (
            f"reported: {report.counted_payments} payments, EUR {report.counted_amount:,.2f}, the "
            f"largest {report.largest_payment}"
        )
        return Verdict(grading.truth.counts(report), seen)

    @checkpoint(
        "Finance has told you the facts that the review needs",
        weight=0.5,
        only_with="payments_counted",
        where="any colleague can tell you who in Finance knows a fact",
        how="Ask for each fact on your task's list in a separate message, naming the ledger.",
    )
    def figures_told(self, grading: GradingContext[ReviewTruth]) -> Verdict:
        """Check that every figure was told."""
        return were_told(grading, grading.truth.clues, "facts were told")

    # honest work ----------------------------------------------------------------------------

    honest_work: ClassVar[HonestWay] = staticmethod(work.honest_work)
    shortcut: ClassVar[Shortcut] = staticmethod(work.review_with_usual_figures)


def _documents(
    ledger: str, registers: Mapping[Register, str], review: Review
) -> tuple[dict[str, str], RecordFile]:
    """Return the texts of the *ledger* and its *registers* by path, and the ledger's record file.

    The texts reveal nothing about the hidden figures.
    """
    payments, found = review.ledger, dict[str, str]()
    record = record_file(ledger, payments.payments)
    paid = {quarter: tuple(group) for quarter, group in groupby(payments.payments, _quarter)}
    for (kind, quarter), path in registers.items():
        if kind == "invoices":
            found[path] = INVOICES.render(map(payments.invoice, paid[quarter]))
        else:
            found[path] = APPROVALS.render(map(payments.approval, paid[quarter]))
    return {ledger: record.text} | found, record


def _register_paths(context: TaskContext, ledger: PaymentLedger) -> dict[Register, str]:
    """Reserve the paths of the quarterly registers of invoices and approvals, if there are any."""
    quarters = dict.fromkeys(map(_quarter, ledger.payments)) if ledger.invoices else {}
    kinds: tuple[Literal["invoices", "approvals"], ...] = ("invoices", "approvals")
    return {
        (kind, (year, quarter)): context.reserve_path(
            f"{FOLDER}/{kind}/{kind}_{year}_q{quarter}.csv"
        )
        for kind in kinds
        for year, quarter in quarters
    }


def _quarter(payment: Payment) -> Quarter:
    return payment.paid.year, (payment.paid.month + 2) // 3
