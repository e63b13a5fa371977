"""Texts of the sales task: the objective, the handbook, and cancelled orders that managers know."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from trainee_bench.meta_tasks.authoring import (
    FULL_NAME,
    Converter,
    Handbook,
    HiddenFact,
    TaskContext,
    TextTemplate,
    english_list,
    head_of,
    listed,
    one_of,
    or_nothing,
    pairs,
)
from trainee_bench.meta_tasks.families.sales.deliverables import (
    DELIVERABLE_MODELS,
    DepartmentStatistics,
)
from trainee_bench.meta_tasks.families.sales.subject import (
    DEPARTMENTS,
    SENTENCE,
    RankingEnd,
    SalesOrder,
    SalesQuery,
    SalesQueryType,
    TrendDirection,
)
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.company.people import Person

LATEST_YEAR = 2024
HANDBOOK = Handbook(
    path="drive:/sales/sales_handbook.md",
    resource="trainee_bench.meta_tasks.families.sales/sales_handbook.md",
    topic="sales handbook",
    questions=(
        "Where is the sales handbook?",
        "Is there a handbook for the analysis of sales?",
        "Where can I read how our sales figures are calculated?",
        "Which document explains what counts as sales?",
        "Are there rules for adding up the sales of a quarter?",
        "Where do I find a guide to the sales data?",
        "Is there anything written about what counts as a sale and what does not?",
        "Where is it laid down how the departments' revenue and turnover are totalled?",
        "Which orders and items are included in the sales figures, and where does it say so?",
    ),
    referral="The sales handbook, {path}, explains how sales are counted.",
)
_ANY_ORDER = " (lists in any order)"
_DEPARTMENT = one_of({name: name for name in DEPARTMENTS})


@dataclass(frozen=True)
class OrdersFile:
    """A file with a department's orders of a quarter."""

    department: str
    quarter: int
    year: int


FILE = TextTemplate(OrdersFile, "drive:/sales/sales_{department}_Q{quarter}_{year}.csv")


@dataclass(frozen=True)
class Manager:
    """The manager to ask, named because a department has several."""

    name: str
    department: str


MANAGER = TextTemplate(
    Manager, "{name} in {department}", {"name": FULL_NAME, "department": _DEPARTMENT}
)


@dataclass(frozen=True)
class SalesBrief:
    """Contents of the objective; *sample* is one of the files."""

    wanted: SalesQuery
    sample: OrdersFile
    output: str
    managers: tuple[Manager, ...] = ()

    @property
    def meaning(self) -> str:
        """The sentences about what counts as sales in this analysis."""
        return " ".join(_meaning(self.wanted))

    @property
    def any_order(self) -> str:
        """The note that lists may have any order, or "" for a deliverable without lists."""
        model = DELIVERABLE_MODELS[self.wanted.type]
        return "" if model is DepartmentStatistics else _ANY_ORDER

    @property
    def fields(self) -> str:
        """The fields of the file to hand in."""
        wanted = self.wanted
        change = _CHANGES[wanted.direction]
        words = {"when": _when(wanted), "before": wanted.before, "change": change}
        return DELIVERABLE_MODELS[wanted.type].describe().format(**words)


_CHANGES = {TrendDirection.UP: "higher", TrendDirection.DOWN: "lower"}
_OF_DEPARTMENTS = (
    SalesQueryType.STATISTICS,
    SalesQueryType.AVERAGES,
    SalesQueryType.DEPARTMENTS_COUNT,
)
"""The analyses that need no sales of single people."""
_OF_ONE_DEPARTMENT = (
    "A department's sales in a quarter are the sum of the amounts of its orders in that quarter."
)
_OF_ONE_PERSON = (
    "A person's sales in a quarter are the sum of the amounts of their orders in that quarter."
)
_OF_BOTH = (
    "The sales of a person or a department in a quarter are the sum of the amounts of their orders "
    "in that quarter."
)
_MANAGERS_SELL = "Managers also sell and count as employees of their department."
_NO_TIES = "No two of these employees have equal sales."
_NO_TIES_IN_DEPARTMENT = "No two employees of the same department have equal sales."


def _when(wanted: SalesQuery) -> str:
    return f"Q{wanted.quarter} {wanted.year}"


def _meaning(wanted: SalesQuery) -> tuple[str, ...]:
    """Return the sentences about what counts as sales, only those that matter to *wanted*."""
    if wanted.type in _OF_DEPARTMENTS:
        sums = _OF_ONE_DEPARTMENT
    else:
        sums = _OF_BOTH if wanted.analysis.across else _OF_ONE_PERSON
    if wanted.type is SalesQueryType.DEPARTMENTS_COUNT:
        return sums, "Do not count a department whose sales were equal in both quarters."
    if wanted.analysis.compares:
        equal = "Do not count an employee whose sales were equal in both quarters."
        return sums, _MANAGERS_SELL, equal
    if wanted.analysis.ranks:
        return sums, _MANAGERS_SELL, _NO_TIES if wanted.analysis.across else _NO_TIES_IN_DEPARTMENT
    return sums, _MANAGERS_SELL


RULES = (
    "An order counts with its whole amount, in the quarter of its file",
    "A manager is one of the department's people in every ranking, count and average.",
    "An order that the customer cancelled does not count.",
    "If it was cancelled afterwards, it is still in the file",
    "the sum of the amounts of their orders that count",
    "the department's sales divided by the number of its people",
    "a quarter is compared with the one before it. Equal sales are neither a rise nor a fall.",
    "Amounts are stated in EUR to the cent. Add up first and round at the end.",
)
"""Sentences of the handbook that `compute_figures` implements."""
OBJECTIVE_RULES = (
    "are still in the quarter's file, but do not count.",
    "No file says which orders these are.",
    "knows its cancelled orders: ask in the chat, naming department, quarter and year.",
    "Do not change the files on the drive.",
)
"""Sentences of the objective that honest work relies on."""


def rules_for(brief: SalesBrief) -> tuple[str, ...]:
    """Return further sentences that honest work relies on for this analysis."""
    wanted, when = brief.wanted, _when(brief.wanted)
    return (_asked(wanted, when), *_meaning(wanted))


def _asked(wanted: SalesQuery, when: str) -> str:
    if wanted.analysis.ranks:
        end = "highest" if wanted.mode is RankingEnd.TOP else "lowest"
        return f"with the {end} sales in {when}"
    if wanted.analysis.compares:
        change = _CHANGES[wanted.direction]
        return f"whose sales in {when} were {change} than in {wanted.before}."
    return f"sold in {when}, in total and per person."


OBJECTIVE = TextTemplate(
    SalesBrief,
    "{wanted}\n"
    "There is one file of orders for each department and quarter, such as {sample}. {meaning} "
    "Orders that were cancelled after a quarter's books were closed are still in the quarter's "
    "file, but do not count. No file says which orders these are. Each department's "
    "manager{managers} knows its cancelled orders: ask in the chat, naming department, quarter "
    "and year. "
    f"{HANDBOOK.path} says more. Do not change the files on the drive.\n"
    "Hand in {output}, a JSON object with exactly these fields{any_order}:\n"
    "{fields}",
    {
        "wanted": SENTENCE.converter(),
        "sample": FILE.converter(),
        "any_order": Converter(f"(?:{re.escape(_ANY_ORDER)})?", str),
        "managers": or_nothing(english_list(MANAGER.converter()), before=" (", after=")"),
    },
)


def title_of(wanted: SalesQuery) -> str:
    """Return the title of the task with this analysis."""
    when, departments = _when(wanted), listed(wanted.departments)
    rose = "rose" if wanted.direction is TrendDirection.UP else "fell"
    if wanted.type is SalesQueryType.DEPARTMENTS_COUNT:
        return f"Departments whose sales {rose} in {when}"
    if wanted.analysis.compares:
        return f"Employees of {departments} whose sales {rose} in {when}"
    if wanted.analysis.ranks:
        end = "Highest" if wanted.mode is RankingEnd.TOP else "Lowest"
        return f"{end} sales in {when}: {departments}"
    return f"Sales figures for {when}: {departments}"


# the hidden facts -------------------------------------------------------------------------


@dataclass(frozen=True)
class Cancelled:
    """A manager's answer: the ids of a department's cancelled orders by quarter.

    Keys of ``orders`` are such as "Q2 2024".
    """

    department: str
    orders: Mapping[str, tuple[str, ...]]


_WHEN: Converter[str] = Converter(r"Q\d \d{4}", str)
_ORDER_ID: Converter[str] = Converter(r"S\d-\d\d-\d{5}", str)
_ORDERS = pairs(_WHEN, ": ", or_nothing(english_list(_ORDER_ID), nothing="none"), "; ")
CANCELLED_TOLD = TextTemplate(
    Cancelled,
    "These {department} orders were cancelled after the books were closed. {orders}. There were "
    "no others in that period.",
    {"department": _DEPARTMENT, "orders": _ORDERS},
)
CANCELLED = HiddenFact(
    name="cancelled_{department}",
    questions=(
        "Which orders of {department} in {when} were cancelled after the books were closed?",
        "Were any orders of {department} in {when} cancelled after the books were closed?",
        "Which of your team's orders from {when} do not count because they were cancelled?",
        "Which order ids in {file} were cancelled later?",
        "Are there any canceled orders in {file}?",  # American spelling
        "Have customers cancelled orders of {when} since the books were closed?",
        "I am adding up the sales of {department} for {when}. Which orders were cancelled?",
        "Do you know of late cancellations in {department} for {when}?",
        "What are the ids of the cancelled orders of {when}?",
        "Can you give me a list of the cancelled orders of {department} for {when}, please?",
        "Which orders of {department} from {when} fell through after the quarter was closed?",
        "Which {department} orders of {when} were withdrawn or called off later?",
    ),
    answer=CANCELLED_TOLD,
)


def about(wanted: SalesQuery, department: str) -> dict[str, str]:
    """Return the details that questions about the cancelled orders of *department* name."""
    when = f"{listed([f'Q{quarter}' for quarter in wanted.quarters])} {wanted.year}"
    return {"department": department, "when": when, "file": _file_names(wanted, department)[-1]}


def cancelled_clue(
    context: TaskContext, wanted: SalesQuery, department: str, cancelled: Sequence[SalesOrder]
) -> Clue:
    """Create the clue that the manager of *department* tells about *cancelled* orders."""
    holder = head_of(context.company, department)
    orders = {
        f"Q{quarter} {wanted.year}": tuple(
            order.id for order in cancelled if order.quarter == quarter
        )
        for quarter in wanted.quarters
    }
    told = Cancelled(department, orders)
    keys = (str(wanted.year), *_file_names(wanted, department))
    return CANCELLED.clue(context, holder, told, about(wanted, department), keys)


def _file_names(wanted: SalesQuery, department: str) -> list[str]:
    files = (OrdersFile(department, quarter, wanted.year) for quarter in wanted.quarters)
    return [FILE.render(file).rpartition("/")[2] for file in files]


def free_year(context: TaskContext) -> int:
    """Return the latest year whose files no other task of the day has put on the drive."""
    years = count(LATEST_YEAR, -1)
    paths = ((year, FILE.render(OrdersFile("Sales_1", 1, year))) for year in years)
    return next(year for year, path in paths if path not in context.reservations.files)


def managers_to_name(
    wanted: SalesQuery, teams: Mapping[str, Sequence[Person]]
) -> tuple[Manager, ...]:
    """Return the managers to ask, if any of the departments has several managers."""
    if not any(member.is_manager for name in wanted.departments for member in teams[name][1:]):
        return ()
    return tuple(Manager(teams[name][0].name, name) for name in wanted.departments)
