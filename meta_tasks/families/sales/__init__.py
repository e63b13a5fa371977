"""Sales of a quarter: best and worst sellers, totals, averages, rises and falls.

Told: folder, conventions, what to find out. Hidden: which orders were cancelled after the books
were closed. They stand in the files like all others, and only the manager of each department
knows those of the own department. Every answer without them is wrong, of every department.

    files of the departments and quarters − cancelled orders ──► figures
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from trainee_bench.meta_tasks.deliverable import Deliverable, InvalidDeliverable
from trainee_bench.meta_tasks.families.sales.data import DepartmentOrders, draw_all_orders
from trainee_bench.meta_tasks.families.sales.deliverables import (
    DELIVERABLE_MODELS,
    Averages,
    DepartmentsCount,
    DepartmentStatistics,
    PeopleCount,
    Sellers,
    SellersAcross,
    compute_figures,
    same_numbers,
)
from trainee_bench.meta_tasks.families.sales.grading import SalesTruth, list_fields, rows_right
from trainee_bench.meta_tasks.families.sales.oracle import analyse_sales
from trainee_bench.meta_tasks.families.sales.orders import SalesOrder, employee_id, orders_csv
from trainee_bench.meta_tasks.families.sales.prompts import (
    HANDBOOK,
    HINTS,
    cancellation_clue,
    cancellation_clue_name,
    handbook,
    handbook_referral,
    objective,
)
from trainee_bench.meta_tasks.families.sales.query import (
    DEPARTMENTS,
    QUARTERS,
    RankingEnd,
    SalesQuery,
    SalesQueryType,
    TrendDirection,
    join_with_and,
)
from trainee_bench.meta_tasks.meta_task import (
    Checkpoint,
    Difficulty,
    Domain,
    GradingContext,
    MetaTask,
    PlannedEvent,
    Rule,
    TaskInstance,
    Verdict,
    checkpoint,
    declared_checkpoints,
)
from trainee_bench.meta_tasks.task_context import (
    CompositionError,
    OutputType,
    TaskContext,
    TaskOutput,
)
from trainee_bench.meta_tasks.tool_client import ToolClient
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.company.people import Person

FOLDER = "drive:/sales"
LATEST_YEAR = 2024
Department = Literal["Sales_1", "Sales_2", "Sales_3"]
_HARD = frozenset(
    {
        SalesQueryType.TOP_EACH,
        SalesQueryType.TOP_ACROSS,
        SalesQueryType.PEOPLE_COUNT,
        SalesQueryType.DEPARTMENTS_COUNT,
    }
)
_OUTCOMES: Mapping[type[Deliverable], tuple[str, ...]] = {
    Sellers: ("people_right",),
    SellersAcross: ("people_right", "departments_right"),
    DepartmentStatistics: ("statistics_right",),
    Averages: ("departments_right",),
    PeopleCount: ("quarters_right", "count_right"),
    DepartmentsCount: ("quarters_right", "count_right"),
}


class _PublishedSalesParameters(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    department: Department | None = None
    departments: tuple[Department, ...] | None = None
    mode: RankingEnd | None = None
    n: Literal[1, 2, 3] | None = None
    quarter: Literal[1, 2, 3, 4] | None = None
    direction: TrendDirection | None = None


class PublishedSales(BaseModel):
    """An entry's arguments in the original's files."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task_type: SalesQueryType
    task_params: _PublishedSalesParameters = Field(default_factory=_PublishedSalesParameters)


class Sales(MetaTask[SalesTruth]):
    """Sales of a quarter by employee and department, without the orders that were cancelled.

    ``departments`` is one department for the types about one, else two or three of them.
    ``mode``, ``n`` and ``direction`` are for the types that have them.
    """

    family: ClassVar[str] = "sales"
    domain: ClassVar[Domain] = Domain.INFORMATION
    published_name: ClassVar[str] = "Sales Analysis"
    output_type: ClassVar[OutputType | None] = OutputType.PERSON

    type: SalesQueryType
    departments: tuple[Department, ...] | None = None
    mode: RankingEnd | None = None
    n: Literal[1, 2, 3] | None = None
    quarter: Literal[1, 2, 3, 4] | None = None
    direction: TrendDirection | None = None

    @model_validator(mode="after")
    def _that_the_type_has(self) -> Self:
        for name, has in (
            ("mode", self.type.has_mode),
            ("n", self.type.has_n),
            ("direction", self.type.compares),
        ):
            if getattr(self, name) is not None and not has:
                raise ValueError(f"{self.type} has no {name}")
        if self.type.compares and self.quarter == QUARTERS[0]:
            raise ValueError(f"{self.type} compares with the quarter before, so Q1 has none")
        if self.departments is not None:
            allowed = _department_counts(self.type)
            if len(set(self.departments)) != len(self.departments):
                raise ValueError("a department is named twice")
            if len(self.departments) not in allowed:
                several = " or ".join(map(str, allowed))
                raise ValueError(f"{self.type} is about {several} departments")
        return self

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """One for each type."""
        made = [cls(type=kind) for kind in SalesQueryType]
        return tuple(
            Rule(one.rule_id, Difficulty.HARD if one.type in _HARD else Difficulty.EASY, one)
            for one in made
        )

    @property
    def rule_id(self) -> str:
        """Such as ``sales.per_dept_top_n``."""
        return f"{self.family}.{self.type}"

    @classmethod
    def from_published(cls, arguments: Mapping[str, JsonValue]) -> Sales:
        """The analysis that an entry of the original's files means. Raises ValueError."""
        entry = PublishedSales.model_validate(arguments)
        given = entry.task_params
        return cls(
            type=entry.task_type,
            departments=(given.department,) if given.department else given.departments,
            mode=given.mode,
            n=given.n,
            quarter=given.quarter,
            direction=given.direction,
        )

    # the scene ------------------------------------------------------------------------

    def generate(self, context: TaskContext) -> TaskInstance[SalesTruth]:
        """A year's orders on the drive, and managers who know which were cancelled."""
        wanted = self._query(context)
        teams = {name: context.company.staff(name) for name in DEPARTMENTS}
        books = draw_all_orders(context.stream("orders"), wanted, teams)
        files = {
            (name, quarter): context.reserve_path(_path(name, quarter, wanted.year))
            for name in DEPARTMENTS
            for quarter in QUARTERS
        }
        output = context.reserve_path(f"workspace:/{wanted.output}")
        clues: list[Clue] = []
        counted: list[SalesOrder] = []
        for name in wanted.departments:
            book = books[name]
            cancelled = context.secret_stream(cancellation_clue_name(name)).choice(book.choices)
            paths = [files[name, quarter] for quarter in wanted.quarters]
            gone = [order for order in book.orders if order.id in cancelled]
            clues.append(cancellation_clue(context, wanted, teams[name][0], paths, gone))
            counted += [o for o in book.within(wanted.quarters) if o.id not in cancelled]
        sold = SalesTruth(
            output,
            compute_figures(wanted, counted),
            tuple(cancellation_clue_name(d) for d in wanted.departments),
        )
        sample = files[wanted.departments[0], wanted.quarter]
        return TaskInstance(
            title=f"Sales of {join_with_and(wanted.departments)} in Q{wanted.quarter} {wanted.year}",
            objective=objective(wanted, output, sample, _to_be_named(wanted, teams)),
            truth=sold,
            hints=HINTS,
            clues=tuple(clues),
            events=tuple(_events(context, books, files)),
            deliverable_paths=(output,),
            requester=context.employee.manager or "",
            task_output=_one_person(context, sold),
        )

    def _query(self, context: TaskContext) -> SalesQuery:
        """What is asked for, drawn as far as it is not fixed. Raises CompositionError if there
        are fewer people than are asked for."""
        draws = context.stream("wanted")
        several = draws.choice(_department_counts(self.type))
        departments: Sequence[str] = self.departments or draws.sample(DEPARTMENTS, several)
        if self.type is SalesQueryType.DEPARTMENTS_COUNT:
            departments = self.departments or DEPARTMENTS
        sizes = [len(context.company.staff(name)) for name in departments]
        most = min(3, sum(sizes) if self.type.across else min(sizes))
        drawn = draws.randint(1, most) if self.type.has_n else 1
        if self.n is not None and self.n > most:
            raise CompositionError(f"{self.rule_id} asks for {self.n} people, there are {most}")
        first = 2 if self.type.compares else 1
        mode, direction = draws.choice(list(RankingEnd)), draws.choice(list(TrendDirection))
        return SalesQuery(
            type=self.type,
            departments=tuple(departments),
            quarter=draws.randint(first, 4) if self.quarter is None else self.quarter,
            year=next(
                year
                for year in count(LATEST_YEAR, -1)
                if _path(DEPARTMENTS[0], QUARTERS[0], year) not in context.reservations.files
            ),
            mode=self.mode or (mode if self.type.has_mode else RankingEnd.TOP),
            n=self.n or drawn,
            direction=self.direction or direction,
        )

    @staticmethod
    async def oracle(client: ToolClient) -> None:
        """Ask, read, leave out, add up."""
        await analyse_sales(client)

    # what is graded ---------------------------------------------------------------------

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The outcomes of this type; that the managers told counts with the last of them."""
        declared = {mark.name: mark for mark in declared_checkpoints(Sales)}
        outcomes = [declared[name] for name in _OUTCOMES[DELIVERABLE_MODELS[self.type]]]
        return (*outcomes, replace(declared["told"], only_with=outcomes[-1].name))

    @checkpoint(
        "Exactly the employees asked for are listed, each with the right sales",
        where="The files of the departments and the quarter that the task names, and what the "
        "managers of these departments have told.",
        how="Leave out the cancelled orders, add up each employee's amounts, and only then rank "
        "them.",
    )
    def people_right(self, case: GradingContext[SalesTruth]) -> Verdict:
        """Precision and recall over whole rows."""
        return rows_right(case, "employees")

    @checkpoint(
        "Every department asked for is listed with the right figures, and no other",
        where="The files of each department for the quarter that the task names, and what their "
        "managers have told.",
        how="Add up all amounts of a department's file but those of the cancelled orders.",
    )
    def departments_right(self, case: GradingContext[SalesTruth]) -> Verdict:
        """Precision and recall over whole rows."""
        return rows_right(case, "departments")

    @checkpoint(
        "The department's figures are right",
        where="The department's file for the quarter that the task names, and what its manager "
        "has told.",
        how="Add up all amounts but those of the cancelled orders; divide by the number of people "
        "who sold, the manager among them, and round to the cent.",
    )
    def statistics_right(self, case: GradingContext[SalesTruth]) -> Verdict:
        """All fields."""
        given = case.truth.handed_in(case)
        if isinstance(given, InvalidDeliverable):
            return Verdict(False, given.seen)
        right = same_numbers(given, case.truth.right)
        return Verdict(right, f"the figures are {'' if right else 'not all '}right")

    @checkpoint(
        "The sales in both quarters are right in every row",
        where="The files of both quarters, and what the managers have told about both.",
        how="Ask about both quarters, leave out the cancelled orders of each, and add up each "
        "quarter by itself.",
    )
    def quarters_right(self, case: GradingContext[SalesTruth]) -> Verdict:
        """Precision and recall over whole rows."""
        return rows_right(case, *list_fields(case.truth.right))

    @checkpoint(
        "The count is right, and so are the sales in both quarters that it follows from",
        where="In your own rows: the sales in both quarters.",
        how="Count the rows in which the sales went the way the task asks for.",
    )
    def count_right(self, case: GradingContext[SalesTruth]) -> Verdict:
        """The count, which by itself could be guessed."""
        given = case.truth.handed_in(case)
        if isinstance(given, InvalidDeliverable):
            return Verdict(False, given.seen)
        rows = rows_right(case, *list_fields(case.truth.right))
        right = same_numbers(given, case.truth.right)
        return Verdict(rows.passed and right, f"{rows.seen}; the file has a count")

    @checkpoint(
        "The managers concerned have told which orders were cancelled",
        weight=0.25,
        where="The chat with the manager of each department whose figures are asked for.",
        how="Ask each of them, naming department, quarter and year, wait a few minutes and read "
        "the answer. If they ask back, answer them.",
    )
    def told(self, case: GradingContext[SalesTruth]) -> Verdict:
        """Whether every clue was released, whatever the employee wrote themself."""
        clues = case.truth.clues
        told = sum(case.clue_released_at(clue) is not None for clue in clues)
        return Verdict(told == len(clues), f"{told} of {len(clues)} managers have told you")


# the scene --------------------------------------------------------------------------------


def _department_counts(kind: SalesQueryType) -> tuple[int, ...]:
    """How many departments an analysis may be about."""
    if kind is SalesQueryType.DEPARTMENTS_COUNT:
        return (len(DEPARTMENTS),)
    return (1,) if kind.of_one_department else (2, 3)


def _path(department: str, quarter: int, year: int) -> str:
    return f"{FOLDER}/sales_{department}_Q{quarter}_{year}.csv"


def _events(
    context: TaskContext,
    books: Mapping[str, DepartmentOrders],
    files: Mapping[tuple[str, int], str],
) -> list[PlannedEvent]:
    events = [
        PlannedEvent(FileAppears(path=path, text=orders_csv(books[name].within([quarter]))))
        for (name, quarter), path in files.items()
    ]
    if context.reservations.files.setdefault(HANDBOOK, context.task) == context.task:
        events.append(PlannedEvent(FileAppears(path=HANDBOOK, text=handbook())))
        events.append(PlannedEvent(handbook_referral()))
    return events


def _to_be_named(wanted: SalesQuery, teams: Mapping[str, Sequence[Person]]) -> list[Person]:
    """The managers who know, if any department has another one as well."""
    several = any(person.is_manager for name in wanted.departments for person in teams[name][1:])
    return [teams[name][0] for name in wanted.departments] if several else []


def _one_person(context: TaskContext, sold: SalesTruth) -> TaskOutput | None:
    """The employee the result names, if it names one alone."""
    if not isinstance(sold.right, Sellers) or len(sold.right.employees) != 1:
        return None
    (named,) = sold.right.employees
    team = context.company.staff(named.department)
    (person,) = (one.id for one in team if employee_id(one) == named.employee_id)
    return TaskOutput(context.task, sold.path, "the employee in the list employees", person=person)
