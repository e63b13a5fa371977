"""A review: its ledger, its findings, and the figures that colleagues in Finance know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, TypeVar

from trainee_bench.meta_tasks.authoring import (
    FULL_NAME,
    INTEGER,
    TENTHS,
    WHOLE_EUROS,
    Converter,
    HiddenFact,
    TaskContext,
    TextTemplate,
    ValueTemplate,
    pairs,
    separated,
)
from trainee_bench.meta_tasks.families.transactions.data import LedgerPeriod
from trainee_bench.meta_tasks.families.transactions.subject.ledger import (
    PaymentLedger,
    ReviewFindings,
)
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.company.people import Person

T = TypeVar("T")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
ANY_FIGURE = "Could you tell me {subject}, for {file}?"
"""A question that fits every figure."""


@dataclass(frozen=True)
class FigureFact(HiddenFact[T]):
    """A figure that one colleague in Finance knows; ``subject`` completes "who knows …".

    All texts may have placeholders for the details of a `ToldFigure`. Questions may also have
    {subject} and {file}, the name of the ledger's file.
    """

    subject: str


@dataclass(frozen=True)
class ToldFigure:
    """A figure in one review, and its value."""

    fact: FigureFact[Any]
    value: object
    details: Mapping[str, str] = field(default_factory=dict)

    @property
    def subject(self) -> str:
        """The phrase that completes "who knows …"."""
        return self.fact.subject.format(**self.details)

    @property
    def name(self) -> str:
        """The name of its clue."""
        return self.fact.clue_name(self.details)

    @property
    def sentence(self) -> str:
        """The sentence that tells the figure."""
        return self.fact.answer.render(self.value)

    def clue(self, context: TaskContext, holder: Person, file: str) -> Clue:
        """Create the clue that *holder* tells about the review of *file*."""
        about = {"subject": self.subject, "file": file, **self.details}
        return self.fact.clue(context, holder, self.value, about, (file,))


@dataclass(frozen=True)
class Review:
    """A review; ``told`` are figures to ask for, ``stated`` are figures in the objective."""

    period: LedgerPeriod
    ledger: PaymentLedger
    findings: ReviewFindings
    told: Sequence[ToldFigure]
    stated: Sequence[ToldFigure] = ()


def just_below(cents: int, limit: int) -> bool:
    """Return whether an amount is at least 95 % of a limit but lower than the limit."""
    return 95 * limit <= 100 * cents and cents < limit


def edges(limits: Sequence[int]) -> tuple[int, ...]:
    """Return the bounds of the ranges just below *limits*."""
    return tuple(edge for limit in limits for edge in (limit * 95 // 100, limit))


# the figures ------------------------------------------------------------------------------


def _read_date(words: str) -> date:
    day, month, year = words.split()
    return date(int(year), MONTHS.index(month) + 1, int(day))


LONG_DATE: Converter[date] = Converter(
    r"\d{1,2} [A-Z][a-z]+ \d{4}",
    _read_date,
    lambda day: f"{day.day} {MONTHS[day.month - 1]} {day.year}",
)
"""A date in words: "1 July 2025"."""
LIMIT = FigureFact(
    name="limit",
    subject="the approval limit in force",
    questions=(
        "Which approval limit is in force for the review of {file}?",
        "What is the current approval limit? I am reviewing the payments in {file}.",
        "How high is the approval limit at the moment, for {file}?",
        "Could you tell me the approval limit that I have to use for {file}?",
        "What is the approval threshold for the payments in {file}?",
        "From what amount does a payment in {file} need a second approval?",
        "Which limit applies to approvals now? I am asking about {file}.",
        "I need the approval limit for the review of {file}, please.",
        "From what sum on does a payment in {file} need a second signature?",
        "Up to which amount may one person sign off a payment alone, for {file}?",
        ANY_FIGURE,
    ),
    answer=ValueTemplate("The approval limit in force is EUR {value}.", WHOLE_EUROS),
)


@dataclass(frozen=True)
class EarlierLimit:
    """The limit ``before`` the date of its ``change``."""

    before: int
    change: date

    @property
    def last(self) -> date:
        """The last day on which the former limit was in force."""
        return self.change - timedelta(days=1)


EARLIER_LIMIT = FigureFact(
    name="earlier_limit",
    subject="the former approval limit and the date of its change",
    questions=(
        "What was the approval limit before it was changed, for the review of {file}?",
        "When was the approval limit changed, and what was it before? I am reviewing {file}.",
        "Which approval limit did we have before, and until when? I am asking about {file}.",
        "Until when did the former approval limit apply to {file}, and how high was it?",
        "I need the old approval limit and the date of its change. This is about {file}.",
        "What was the previous approval limit, and when was it replaced, for {file}?",
        "How high was the approval limit earlier this year, before it changed, for {file}?",
        "On what day did the approval limit change, and what was it before? It is for {file}.",
        "What was the sum for a second signature in spring, and when did it change, for {file}?",
        "The threshold used to be different: how high was it then, and since when is it new?",
        "Since when has the new limit for two signatures been in force, and what was the old one?",
        ANY_FIGURE,
    ),
    answer=TextTemplate(
        EarlierLimit,
        "Until {last} the approval limit was EUR {before}; the current limit has "
        "applied since {change}.",
        {"last": LONG_DATE, "before": WHOLE_EUROS, "change": LONG_DATE},
    ),
)
DAYS_APART = FigureFact(
    name="days",
    subject="the greatest number of days between split invoices",
    questions=(
        "How many days apart may two invoices be to count as one purchase, for {file}?",
        "Within how many days do two invoices in {file} count as split?",
        "What is the number of days for split invoices in the review of {file}?",
        "Up to how many days apart are two invoices still a split? I am reviewing {file}.",
        "What number of days between invoices do we use for splits in {file}?",
        "How close together must two invoices be dated to be a split purchase, in {file}?",
        "I need the number of days between two split invoices for the review of {file}, please.",
        "Two invoices a few days apart: how many days make them a split in {file}?",
        "How close together do two bills in {file} have to be to look like one purchase?",
        "What gap between two invoices in {file} still makes them suspicious?",
        ANY_FIGURE,
    ),
    answer=ValueTemplate(
        "Two invoices dated at most {value} days apart can be a split purchase.", INTEGER
    ),
)


@dataclass(frozen=True)
class Refunds:
    """Invoices whose later payments suppliers have refunded, in a part of the review."""

    part: str
    invoices: tuple[str, ...]


_REFUNDS = TextTemplate(
    Refunds,
    "Suppliers have refunded these double payments from {part}: {invoices}.",
    {"invoices": separated(Converter(r"INV-\w+", str), ", ")},
)
REFUNDS = FigureFact(
    name="returned_{number}",
    subject="which double payments from {part} have been refunded",
    questions=(
        "For which invoices from {part} did we get the money back? It is for {file}.",
        "Which double payments from {part} have the suppliers paid back, for {file}?",
        "Which invoices in {file} that were paid twice in {part} have been refunded?",
        "What refunds have we received for double payments from {part}? I am reviewing {file}.",
        "Did suppliers return money for invoices that we paid twice in {part}, in {file}?",
        "Which duplicate payments from {part} in {file} have already been paid back?",
        "I need the refunded double payments from {part} for the review of {file}, please.",
        "Which of the invoices paid twice in {part} have been returned, for {file}?",
        "For which of the bills we paid twice in {part} did the money come back, in {file}?",
        ANY_FIGURE,
    ),
    answer=_REFUNDS,
)
TOLERANCE = FigureFact(
    name="tolerance",
    subject="the tolerance between invoice and approval",
    questions=(
        "By what percentage may an invoice exceed the approved amount, for {file}?",
        "What tolerance do we allow between invoice and approval in the review of {file}?",
        "What tolerance applies to invoices above the approved amount? I am reviewing {file}.",
        "How much more than approved may an invoice be, in per cent, in {file}?",
        "What deviation from the approved amount is tolerated in {file}?",
        "How large is the tolerance for invoices that are higher than approved, for {file}?",
        "I need the tolerance between approved and invoiced amounts for {file}, please.",
        "How far above the approved amount must an invoice in {file} be to count?",
        "How many per cent over the approval are all right, in {file}?",
        "How much leeway is there between approved and invoiced amounts in {file}?",
        "By how many per cent may a bill be above its purchase order? It is for {file}.",
        "How far may an invoice go beyond the order that was signed off, in {file}?",
        "What percentage of overspending do we let pass in {file}?",
        ANY_FIGURE,
    ),
    answer=ValueTemplate(
        "An invoice may exceed the approved amount by up to {value} % of that amount.", TENTHS
    ),
)


RAISED = FigureFact(
    name="raised",
    subject="which approved amounts were increased afterwards",
    questions=(
        "Which approved amounts were increased afterwards, and to which sums, for {file}?",
        "Have any approvals in {file} been increased later?",
        "Which approvals were given more money afterwards? I am reviewing {file}.",
        "Which approvals have been topped up since they were signed, in {file}?",
        "Were there later increases to approvals in {file}, and what are they?",
        "Which of the approvals were raised after signing? It is for {file}.",
        "I need the approvals that were increased afterwards for the review of {file}, please.",
        "Are there approvals in {file} that were extended later, and by how much?",
        "Which approved sums in {file} were topped up later, and what are they now?",
        "Which purchase orders were increased after they were signed, for {file}?",
        "Some orders were raised subsequently: which ones, and to what sums, in {file}?",
        "Which approvals in {file} got a higher amount later?",
        ANY_FIGURE,
    ),
    answer=ValueTemplate(
        "These approved amounts were increased afterwards: {value}.",
        pairs(Converter(r"APP-\w+", str), " to EUR ", WHOLE_EUROS, "; "),
    ),
)


@dataclass(frozen=True)
class Deputy:
    """The deputy who signs for an absent manager."""

    manager: str
    deputy: str


_DEPUTY = TextTemplate(
    Deputy, "When {manager} is away, {deputy} signs.", {"manager": FULL_NAME, "deputy": FULL_NAME}
)
DEPUTY = FigureFact(
    name="deputy_{number}",
    subject="who signs for {manager}",
    questions=(
        "Who signs for {manager} when {first} is away? I am reviewing {file}.",
        "Who is the deputy of {manager} for approvals in {file}?",
        "Who signed the approvals in place of {manager}, in {file}?",
        "Whose signature is behind the approvals for {manager} in {file}?",
        "Which colleague stands in for {manager} when payments in {file} are approved?",
        "Who is allowed to approve payments for {manager} in {file}?",
        "I need the name of the deputy of {manager} for the review of {file}, please.",
        "In the absence of {manager}, who approved the payments in {file}?",
        "Who covers for {manager}, whose signatures are in {file}?",
        "Who may sign in place of {manager} when {first} is out? It is for {file}.",
        ANY_FIGURE,
    ),
    answer=_DEPUTY,
)
FACTS: tuple[FigureFact[Any], ...] = (
    *(LIMIT, EARLIER_LIMIT, DAYS_APART, REFUNDS, TOLERANCE, RAISED, DEPUTY),
)


def fact_about(subject: str) -> FigureFact[Any]:
    """Return the fact that an objective lists as *subject*.

    The subjects of facts may have placeholders only at their end.
    """
    return next(fact for fact in FACTS if subject.startswith(fact.subject.partition("{")[0]))


@dataclass(frozen=True)
class Figures:
    """The figures of a review. Each kind of review needs some; the others keep their defaults.

    ``limit`` is in cents and follows the ``earlier`` limit. ``tolerance`` is in tenths of a per
    cent. ``refunded`` has numbers of invoices, ``raised`` amounts in cents by number of approval,
    and ``deputies`` names of deputies by name of the manager.
    """

    first: date = date.min
    last: date = date.max
    limit: int = 0
    earlier: EarlierLimit = EarlierLimit(0, date.min)
    days_apart: int = 0
    refunded: frozenset[str] = frozenset()
    tolerance: int = 0
    raised: Mapping[str, int] = field(default_factory=dict)
    deputies: Mapping[str, str] = field(default_factory=dict)


def read_figures(told: str) -> Figures:
    """Read the figures in what colleagues *told*. The first of several values counts."""
    default = Figures()
    refunds = _first_told((refund.part, refund.invoices) for refund in _REFUNDS.find_all(told))
    deputies = ((found.manager, found.deputy) for found in _DEPUTY.find_all(told))
    return Figures(
        limit=LIMIT.answer.search(told) or default.limit,
        earlier=EARLIER_LIMIT.answer.search(told) or default.earlier,
        days_apart=DAYS_APART.answer.search(told) or default.days_apart,
        refunded=frozenset(id for invoices in refunds.values() for id in invoices),
        tolerance=TOLERANCE.answer.search(told) or default.tolerance,
        raised=RAISED.answer.search(told) or default.raised,
        deputies=_first_told(deputies),
    )


def _first_told(told: Iterable[tuple[str, T]]) -> dict[str, T]:
    """Return the first value of each subject."""
    first: dict[str, T] = {}
    for subject, value in told:
        first.setdefault(subject, value)
    return first
