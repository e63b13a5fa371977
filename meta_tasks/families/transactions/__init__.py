"""A review of payments: what is abnormal hangs on figures that only Finance knows.

Told: the ledger, its registers, the kind of review, which figures are needed. Open: the manual,
which says what counts. Hidden: the approval limit in force and its like; each is known to one
colleague in Finance, and every figure that might be told makes another report right.

    drive:/financial ──► manual        ledger ──► what may be abnormal
                           │                           │
    who knows a figure ──► a colleague ──► figure ──► what is abnormal
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Annotated, ClassVar, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from trainee_bench.meta_tasks.deliverable import InvalidDeliverable
from trainee_bench.meta_tasks.families.transactions import (
    below_limit,
    colleague_clues,
    more_than_approved,
    new_suppliers,
    paid_twice,
    self_approved,
    split_invoices,
)
from trainee_bench.meta_tasks.families.transactions.deliverables import ReviewReport, ReviewTruth
from trainee_bench.meta_tasks.families.transactions.ledger import (
    Payment,
    approvals_csv,
    invoices_csv,
    payments_csv,
)
from trainee_bench.meta_tasks.families.transactions.oracle import review_and_report
from trainee_bench.meta_tasks.families.transactions.review import (
    HEADINGS,
    Anomaly,
    Review,
    ReviewScale,
)
from trainee_bench.meta_tasks.meta_task import (
    Difficulty,
    Domain,
    GradingContext,
    Hints,
    MetaTask,
    PlannedEvent,
    Rule,
    TaskInstance,
    Verdict,
    checkpoint,
)
from trainee_bench.meta_tasks.task_context import TaskContext
from trainee_bench.meta_tasks.tool_client import ToolClient
from trainee_bench.world.apps.files import FileAppears

REPORT = "workspace:/transaction_data_review_report.json"
LEDGER = "workspace:/transactions.csv"
MANUAL = "drive:/financial/manuals_for_transactions_data_review.md"
REGISTERS = "drive:/financial/{kind}/{kind}_{year}_q{quarter}.csv"
HINTS = Hints(
    strategy=(
        "The papers alone do not say what is abnormal: several groups of suppliers look alike, "
        "and a figure that stands nowhere tells them apart. Read what counts, ask for the "
        "figures, and only then count."
    ),
    where=(
        "What counts stands in the manual for reviews in drive:/financial, in the section of the "
        "kind your task names. Any colleague can tell you who in Finance knows a figure; the "
        "ledger and the registers can be read as texts and queried as tables."
    ),
    how=(
        "Ask the Finance manager in the chat who knows each figure on the list of your task, and "
        "then that colleague for the figure, one figure in a message and with the name of the "
        "ledger's file. Select the payments that count with sheets_query, or read the files page "
        "by page, and join the registers by invoice_id and approval_id. Add up exactly, compare "
        "limits as the manual has them, included or not, and write the report."
    ),
)


class _ReviewParameters(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SupplierReview(_ReviewParameters):
    """The review for new suppliers: how many are regular, and how many are abnormal."""

    normal: Annotated[int, Field(ge=2, le=5)]
    abnormal: Annotated[int, Field(ge=0, le=2)]


class AnomalyReview(_ReviewParameters):
    """A review of another kind, and how large it is."""

    anomaly: Literal[
        Anomaly.JUST_BELOW,
        Anomaly.SPLIT_INVOICE,
        Anomaly.DUPLICATE_INVOICE,
        Anomaly.AMOUNT_DIFFERS,
        Anomaly.SELF_APPROVED,
    ]
    size: Annotated[int, Field(ge=1, le=3)]


class PublishedTransactions(BaseModel):
    """An entry's arguments in the original's files."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    num_normal_transactions: int
    num_abnormal_transactions: int


class _DrawReview(Protocol):
    def __call__(self, context: TaskContext, scale: ReviewScale) -> Review: ...


_DRAWS: Mapping[Anomaly, _DrawReview] = {
    Anomaly.JUST_BELOW: below_limit.draw,
    Anomaly.SPLIT_INVOICE: split_invoices.draw,
    Anomaly.DUPLICATE_INVOICE: paid_twice.draw,
    Anomaly.AMOUNT_DIFFERS: more_than_approved.draw,
    Anomaly.SELF_APPROVED: self_approved.draw,
}


class Transactions(MetaTask[ReviewTruth]):
    """Payments under review, and the figures that tell the normal from the abnormal."""

    family: ClassVar[str] = "transactions"
    domain: ClassVar[Domain] = Domain.INFORMATION
    published_name: ClassVar[str] = "Transaction Data Review"

    review: SupplierReview | AnomalyReview

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """New suppliers: 2 to 5 regular ones and 0 to 2 abnormal; the other kinds in 3 sizes."""
        made = [
            cls(review=SupplierReview(normal=normal, abnormal=abnormal))
            for normal in range(2, 6)
            for abnormal in range(3)
        ]
        kinds = [{"anomaly": kind, "size": size} for kind in _DRAWS for size in (1, 2, 3)]
        made += [cls(review=AnomalyReview.model_validate(knobs)) for knobs in kinds]
        return tuple(Rule(one.rule_id, one.label, one) for one in made)

    @property
    def rule_id(self) -> str:
        """Such as ``transactions.n2.a1`` or ``transactions.split_invoice.s3``."""
        if isinstance(self.review, SupplierReview):
            return f"{self.family}.n{self.review.normal}.a{self.review.abnormal}"
        return f"{self.family}.{self.review.anomaly}.s{self.review.size}"

    @property
    def label(self) -> Difficulty:
        """Up to three regular suppliers are easy, and so is the smallest size."""
        if isinstance(self.review, SupplierReview):
            return Difficulty.EASY if self.review.normal <= 3 else Difficulty.HARD
        return Difficulty.EASY if self.review.size == 1 else Difficulty.HARD

    @classmethod
    def from_published(cls, arguments: Mapping[str, JsonValue]) -> Transactions:
        """The numbers of suppliers that an entry of the original's files has. Raises ValueError."""
        entry = PublishedTransactions.model_validate(arguments)
        return cls(
            review=SupplierReview(
                normal=entry.num_normal_transactions, abnormal=entry.num_abnormal_transactions
            )
        )

    # the scene ------------------------------------------------------------------------

    def generate(self, context: TaskContext) -> TaskInstance[ReviewTruth]:
        """A ledger, perhaps with registers, a manual, and colleagues who know the figures."""
        knobs, kind = self.review, Anomaly.NEW_SUPPLIER
        if isinstance(knobs, SupplierReview):
            review = new_suppliers.draw(context, knobs.normal, knobs.abnormal)
        else:
            kind = knobs.anomaly
            review = _DRAWS[kind](context, ReviewScale(knobs.size))
        ledger, report = context.reserve_path(LEDGER), context.reserve_path(REPORT)
        registers = _registers(context, review)
        file = ledger.rpartition("/")[2]
        people = colleague_clues.draw_holders(context, len(review.told))
        papers = {MANUAL: _manual(), ledger: payments_csv(review.ledger.payments)} | registers
        events = [FileAppears(path=path, text=text) for path, text in papers.items()]
        referrals = [
            colleague_clues.manual_referral(MANUAL),
            colleague_clues.contacts_referral(file, review.told, people),
        ]
        clues = tuple(
            colleague_clues.figure_clue(context, file, figure, person)
            for figure, person in zip(review.told, people, strict=True)
        )
        (requester,) = context.pick("requester", context.company.staff("Finance", manager=True))
        names = tuple(figure.clue for figure in review.told)
        return TaskInstance(
            title="A review of our payments",
            objective=_objective(kind, review, ledger, tuple(registers), report),
            truth=ReviewTruth.from_findings(report, review.findings, names),
            hints=HINTS,
            clues=clues,
            events=tuple(PlannedEvent(event) for event in (*events, *referrals)),
            deliverable_paths=(report,),
            requester=requester.id,
        )

    @staticmethod
    async def oracle(client: ToolClient) -> None:
        """Read, ask, count, report."""
        await review_and_report(client)

    # what is graded ---------------------------------------------------------------------

    @checkpoint(
        "The report names the abnormal suppliers, all of them and no others; where there are "
        "none, its payments that count show that",
        weight=2,
        where="the section of the manual on this kind of review, and what Finance told you",
        how="Apply the manual's definition of an abnormal supplier to every supplier of the "
        "ledger, with the figures in force. Those that only look alike do not belong there.",
    )
    def suppliers_found(self, grading: GradingContext[ReviewTruth]) -> Verdict:
        """Precision and recall at once; an empty list needs the payments, too."""
        truth = grading.truth
        report = grading.read_deliverable(truth.path, ReviewReport)
        if isinstance(report, InvalidDeliverable):
            return Verdict(False, report.seen)
        right = truth.names(report) and (bool(truth.suppliers) or truth.counts(report))
        return Verdict(right, f"reported: {', '.join(report.abnormal_suppliers) or 'nobody'}")

    @checkpoint(
        "Number, sum and largest of the payments that count are right",
        weight=2,
        where="the ledger and its registers; what counts stands in the manual",
        how="Select the payments that count, neither more nor fewer, with the figures that "
        "Finance told you; mind which dates and amounts are compared, and what is included.",
    )
    def payments_counted(self, grading: GradingContext[ReviewTruth]) -> Verdict:
        """All three at once."""
        report = grading.read_deliverable(grading.truth.path, ReviewReport)
        if isinstance(report, InvalidDeliverable):
            return Verdict(False, report.seen)
        seen = (
            f"reported: {report.counted_payments} payments, EUR {report.counted_amount:,.2f}, the "
            f"largest {report.largest_payment}"
        )
        return Verdict(grading.truth.counts(report), seen)

    @checkpoint(
        "Finance has told the figures that the review needs",
        weight=0.5,
        only_with="payments_counted",
        where="colleagues know who in Finance knows a figure",
        how="Ask for each figure that your task lists, one in a message, and name the ledger.",
    )
    def figures_told(self, grading: GradingContext[ReviewTruth]) -> Verdict:
        """Every clue was released."""
        clues = grading.truth.clues
        told = sum(grading.clue_released_at(clue) is not None for clue in clues)
        return Verdict(told == len(clues), f"{told} of {len(clues)} figures were told")


@cache
def _manual() -> str:
    return (files("trainee_bench.meta_tasks.families.transactions") / "manual.md").read_text(
        encoding="utf-8"
    )


def _registers(context: TaskContext, review: Review) -> dict[str, str]:
    """The registers of invoices and of approvals, quarter by quarter; none without papers."""
    ledger = review.ledger
    if not ledger.invoices:
        return {}
    quarters: dict[tuple[int, int], list[Payment]] = {}
    for payment in ledger.payments:
        key = (payment.paid.year, (payment.paid.month + 2) // 3)
        quarters.setdefault(key, []).append(payment)
    found = {}
    for kind, write in (("invoices", invoices_csv), ("approvals", approvals_csv)):
        for (year, quarter), payments in quarters.items():
            path = REGISTERS.format(kind=kind, year=year, quarter=quarter)
            found[context.reserve_path(path)] = write(ledger, payments)
    return found


def _objective(
    kind: Anomaly, review: Review, ledger: str, registers: tuple[str, ...], report: str
) -> str:
    first, last = review.period.review, review.period.last
    opening = (
        f"Please review our payments. This review is of the kind “{HEADINGS[kind]}”. Its ledger is "
        f"{ledger}, and under review are the payments made from {first} to {last}."
    )
    papers = f"The registers of invoices and approvals are {', '.join(registers)}."
    asking = (
        "What counts in a review of this kind, and which suppliers are abnormal, is in Finance's "
        "manual for such reviews, which lies in drive:/financial. Some of it stands in no paper; "
        f"ask Finance for it, one thing at a time and with the name {ledger.rpartition('/')[2]}. "
        "Anybody can tell you whom to ask about this review. You need:"
    )
    needed = [f"- {figure.subject}" for figure in review.told]
    ending = f"Hand in {report}, a JSON object with exactly these fields:"
    lines = [opening, *([papers] if registers else []), asking, *needed, *review.stated]
    return "\n".join([*lines, ending, ReviewReport.describe()])
