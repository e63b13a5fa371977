"""Sales of a quarter: best and worst sellers, totals, averages, rises and falls.

Told: the files, the rules for counting, and the question. Hidden: orders that were cancelled after
the books were closed. In the files they look like all others; only a department's manager knows
its cancelled orders. An answer that counts them is wrong for every department.

    files of the departments and quarters − cancelled orders ──► figures
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Self

from pydantic import Field, JsonValue, model_validator

from trainee_bench.meta_tasks.authoring import (
    Checkpoint,
    CompositionError,
    Deliverable,
    Domain,
    GradedPart,
    GradingContext,
    HiddenPart,
    Hints,
    MetaTask,
    OutputType,
    PlannedEvent,
    PublishedEntry,
    Rule,
    TaskContext,
    TaskInstance,
    TaskOutput,
    ToldPart,
    Verdict,
    checkpoint,
    choose_checkpoints,
    lists_of,
    rules_of,
    same_numbers,
    values_in,
    were_told,
)
from trainee_bench.meta_tasks.families.sales import work
from trainee_bench.meta_tasks.families.sales.brief import (
    CANCELLED,
    FILE,
    HANDBOOK,
    OBJECTIVE,
    OrdersFile,
    SalesBrief,
    cancelled_clue,
    free_year,
    managers_to_name,
    title_of,
)
from trainee_bench.meta_tasks.families.sales.data import (
    draw_all_orders,
    order_records,
    order_texts,
)
from trainee_bench.meta_tasks.families.sales.deliverables import (
    DELIVERABLE_MODELS,
    TOLERANCE,
    Averages,
    DepartmentsCount,
    DepartmentStatistics,
    PeopleCount,
    SalesTruth,
    Sellers,
    SellersAcross,
    compute_figures,
)
from trainee_bench.meta_tasks.families.sales.subject import (
    ANALYSES,
    DEPARTMENTS,
    QUARTERS,
    RankingEnd,
    SalesOrder,
    SalesQuery,
    SalesQueryType,
    TrendDirection,
    employee_id,
)
from trainee_bench.meta_tasks.meta_task import HonestWay, Shortcut
from trainee_bench.meta_tasks.scene_features import RECORD_WORK
from trainee_bench.world.apps.files import FileAppears

Department = Literal["Sales_1", "Sales_2", "Sales_3"]
_OUTCOMES: Mapping[type[Deliverable], tuple[str, ...]] = {
    Sellers: ("people_right",),
    SellersAcross: ("people_right", "departments_right"),
    DepartmentStatistics: ("statistics_right",),
    Averages: ("departments_right",),
    PeopleCount: ("quarters_right", "count_right"),
    DepartmentsCount: ("quarters_right", "count_right"),
}
HINTS = Hints(
    strategy="The sums of the files are not yet the answer: some orders in them do not count, and "
    "only colleagues know which. Ask early, and add up while you wait for the answers.",
    where="The folder that the task names has one file for each department and quarter; the "
    "handbook in it says what counts. Look up in the people directory who manages each department "
    "whose figures you need.",
    how="Ask each manager with chat_send_message which orders were cancelled after the books were "
    "closed, naming department, quarter and year; for a comparison, ask about both quarters. Read "
    "the files with files_read or sheets_query, leave out the order ids you were told, add up by "
    "employee or department with sheets_calculate, and write the JSON file with files_write.",
)


class PublishedSales(PublishedEntry):
    """Arguments of a published entry: the type and its parameters."""

    task_type: SalesQueryType
    task_params: dict[str, JsonValue] = Field(default_factory=dict)

    def parameters(self) -> Mapping[str, object]:
        """Return our parameters: the same names, but a single department becomes a list."""
        given = dict(self.task_params)
        single = given.pop("department", None)
        return given | {"type": self.task_type} | ({"departments": (single,)} if single else {})


class Sales(MetaTask[SalesTruth]):
    """Sum up a quarter's sales by employee or department, without cancelled orders.

    Depending on the type, ``departments`` has one, two or three departments, and ``mode``, ``n``
    and ``direction`` apply or not.
    """

    family = "sales"
    domain = Domain.INFORMATION
    features = RECORD_WORK
    published_name = "Sales Analysis"
    published_entry = PublishedSales
    output_type = OutputType.PERSON

    # parameters ---------------------------------------------------------------------------

    type: SalesQueryType
    departments: tuple[Department, ...] | None = None
    mode: RankingEnd | None = None
    n: Literal[1, 2, 3] | None = None
    quarter: Literal[1, 2, 3, 4] | None = None
    direction: TrendDirection | None = None

    @model_validator(mode="after")
    def _check_type_parameters(self) -> Self:
        analysis = ANALYSES[self.type]
        for name in ("mode", "n", "direction"):
            if getattr(self, name) is not None and name not in analysis.has:
                raise ValueError(f"{self.type} has no {name}")
        if analysis.compares and self.quarter == QUARTERS[0]:
            raise ValueError(f"{self.type} compares with the quarter before; Q1 has none")
        if self.departments is not None:
            if len(set(self.departments)) != len(self.departments):
                raise ValueError("a department is named twice")
            if len(self.departments) not in analysis.departments:
                allowed = " or ".join(map(str, analysis.departments))
                raise ValueError(f"{self.type} is about {allowed} departments")
        return self

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """Return one rule for each type; comparisons and top-n rankings are hard."""
        return rules_of(
            (cls(type=kind) for kind in SalesQueryType),
            hard=lambda rule: bool({"n", "direction"}.intersection(ANALYSES[rule.type].has)),
        )

    @property
    def rule_id(self) -> str:
        """An id such as ``sales.per_dept_top_n``."""
        return f"{self.family}.{self.type}"

    # the task instance ----------------------------------------------------------------------

    def generate(self, context: TaskContext) -> TaskInstance[SalesTruth]:
        """Put a year's orders on the drive; managers know which were cancelled.

        Raises CompositionError for a company without three different sales departments.
        """
        teams = {name: context.company.staff(name) for name in DEPARTMENTS}
        sellers = [person.id for team in teams.values() for person in team]
        if not all(teams.values()) or len(set(sellers)) < len(sellers):
            raise CompositionError(
                f"{self.rule_id} needs three departments that sell, each with its own people"
            )
        wanted = self._query(context)
        books = context.drawn_alike(
            "orders", wanted, lambda: draw_all_orders(context.stream("orders"), wanted, teams)
        )
        files = [OrdersFile(name, q, wanted.year) for name in DEPARTMENTS for q in QUARTERS]
        wanted_files = {
            OrdersFile(name, q, wanted.year) for name in wanted.departments for q in wanted.quarters
        }
        paths = {file: context.reserve_path(FILE.render(file)) for file in files}
        texts = context.drawn_alike("files", wanted, lambda: order_texts(books, files))
        records = context.drawn_alike(
            "records", (wanted, *paths.values()), lambda: order_records(books, paths, wanted_files)
        )
        events = [
            PlannedEvent(FileAppears(path=path, text=texts[file])) for file, path in paths.items()
        ]
        output = context.reserve_path(f"workspace:/{wanted.output}")
        clues, counted, names = [], list[SalesOrder](), list[str]()
        for department in wanted.departments:
            name = CANCELLED.clue_name({"department": department})
            cancelled = context.secret_stream(name).choice(books[department].choices)
            orders = books[department].within(wanted.quarters)
            gone = [order for order in orders if order.id in cancelled]
            clues.append(cancelled_clue(context, wanted, department, gone))
            counted += [order for order in orders if order.id not in cancelled]
            names.append(name)
        sold = SalesTruth(output, compute_figures(wanted, counted), tuple(names))
        sample = OrdersFile(wanted.departments[0], wanted.quarter, wanted.year)
        return TaskInstance(
            ToldPart(
                title=title_of(wanted),
                objective=OBJECTIVE.render(
                    SalesBrief(wanted, sample, output, managers_to_name(wanted, teams))
                ),
                hints=HINTS,
                requester=context.employee.manager or "",
                deliverable_paths=(output,),
            ),
            HiddenPart(
                clues=tuple(clues), events=(*events, *HANDBOOK.events(context)), records=records
            ),
            GradedPart(
                truth=sold,
                right_text=values_in(sold.right),
                task_output=_one_person(context, sold),
                background=tuple(map(FILE.render, set(files) - wanted_files)),
            ),
        )

    def _query(self, context: TaskContext) -> SalesQuery:
        """Draw the parameters that are not fixed.

        Raises CompositionError if there are fewer people than the task asks for.
        """
        draws, analysis = context.stream("wanted"), ANALYSES[self.type]
        several = draws.choice(analysis.departments)
        departments: Sequence[str] = self.departments or sorted(draws.sample(DEPARTMENTS, several))
        if self.type is SalesQueryType.DEPARTMENTS_COUNT:
            departments = self.departments or DEPARTMENTS
        sizes = [len(context.company.staff(name)) for name in departments]
        most = min(3, sum(sizes) if analysis.across else min(sizes))
        fewer = max(1, most if analysis.across else min(most, min(sizes) - 1))
        drawn = draws.randint(1, fewer) if "n" in analysis.has else 1
        if self.n is not None and self.n > most:
            raise CompositionError(f"{self.rule_id} asks for {self.n} people, but there are {most}")
        first = 2 if analysis.compares else 1
        mode, direction = draws.choice(list(RankingEnd)), draws.choice(list(TrendDirection))
        return SalesQuery(
            type=self.type,
            departments=tuple(departments),
            quarter=draws.randint(first, 4) if self.quarter is None else self.quarter,
            year=free_year(context),
            mode=self.mode or (mode if "mode" in analysis.has else RankingEnd.TOP),
            n=self.n or drawn,
            direction=self.direction or direction,
        )

    # checkpoints ----------------------------------------------------------------------------

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Return the outcomes of this type, and ``told``, which counts only with the last one."""
        outcomes = _OUTCOMES[DELIVERABLE_MODELS[self.type]]
        return choose_checkpoints(
            Sales, outcomes, only_with={"told": outcomes[-1]}, only_after="told"
        )

    @checkpoint(
        "Exactly the employees asked for are listed, each with the right sales",
        where="The files for the departments and the quarter that the task names, and what the "
        "managers of these departments told you.",
        how="Leave out the cancelled orders, add up each employee's amounts, and only then rank "
        "them.",
    )
    def people_right(self, grading: GradingContext[SalesTruth]) -> Verdict:
        """Check that the rows of employees are exactly the right ones."""
        return grading.truth.compared(grading, "employees")

    @checkpoint(
        "Exactly the departments asked for are listed, each with the right figures",
        where="Each department's file for the quarter that the task names, and what the managers "
        "told you.",
        how="Add up all amounts in a department's file, leaving out the cancelled orders.",
    )
    def departments_right(self, grading: GradingContext[SalesTruth]) -> Verdict:
        """Check that the rows of departments are exactly the right ones."""
        return grading.truth.compared(grading, "departments")

    @checkpoint(
        "The department's figures are right",
        where="The department's file for the quarter that the task names, and what its manager "
        "told you.",
        how="Add up all amounts, leaving out the cancelled orders; divide by the number of people "
        "who sold, including the manager, and round to the cent.",
    )
    def statistics_right(self, grading: GradingContext[SalesTruth]) -> Verdict:
        """Check all fields."""
        right = same_numbers(grading.truth.read(grading), grading.truth.right, TOLERANCE)
        return Verdict(right, f"the figures are {'' if right else 'not all '}right")

    @checkpoint(
        "Every row has the right sales in both quarters",
        where="The files of both quarters, and what the managers told you about both.",
        how="Ask about both quarters, leave out the cancelled orders of each, and add up each "
        "quarter separately.",
    )
    def quarters_right(self, grading: GradingContext[SalesTruth]) -> Verdict:
        """Check that the rows with both quarters are exactly the right ones."""
        return grading.truth.compared(grading, *lists_of(grading.truth.right))

    @checkpoint(
        "The count and the underlying sales of both quarters are right",
        where="The sales of both quarters in your own rows.",
        how="Count the rows whose sales rose or fell as the task asks.",
    )
    def count_right(self, grading: GradingContext[SalesTruth]) -> Verdict:
        """Check the count with its rows, because a count alone could be guessed."""
        rows = grading.truth.compared(grading, *lists_of(grading.truth.right))
        right = same_numbers(grading.truth.read(grading), grading.truth.right, TOLERANCE)
        return Verdict(rows.passed and right, f"{rows.seen}; the file has a count")

    @checkpoint(
        "The managers of these departments have told you which orders were cancelled",
        weight=0.25,
        where="The chat with the manager of each department that the task asks about.",
        how="Ask each of them, naming department, quarter and year. Wait a few minutes and read "
        "the answer. If they ask a question, answer it.",
    )
    def told(self, grading: GradingContext[SalesTruth]) -> Verdict:
        """Check that all managers told their orders, independently of the deliverable."""
        return were_told(grading, grading.truth.clues, "managers have told you")

    # honest work ----------------------------------------------------------------------------

    shortcut: ClassVar[Shortcut] = staticmethod(work.add_up_all_orders)
    honest_work: ClassVar[HonestWay] = staticmethod(work.honest_work)


# staging ------------------------------------------------------------------------------------


def _one_person(context: TaskContext, sold: SalesTruth) -> TaskOutput | None:
    """Return the employee in the result as output for another task, if there is only one."""
    if not isinstance(sold.right, Sellers) or len(sold.right.employees) != 1:
        return None
    (named,) = sold.right.employees
    team = context.company.staff(named.department)
    (person,) = (member.id for member in team if employee_id(member) == named.employee_id)
    return TaskOutput(context.task, sold.path, "the employee in the list employees", person=person)
