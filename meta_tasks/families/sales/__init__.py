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

from meta_tasks.deliverable import Deliverable, Flaw
from meta_tasks.families.sales.books import Book, draw_books
from meta_tasks.families.sales.figures import (
    MODELS,
    Averages,
    DepartmentsCount,
    PeopleCount,
    Sellers,
    SellersAcross,
    Statistics,
    same_numbers,
    work_out,
)
from meta_tasks.families.sales.oracle import analyse
from meta_tasks.families.sales.orders import Order, csv_of, employee_id
from meta_tasks.families.sales.sold import Sold, lists, rows_right
from meta_tasks.families.sales.telling import (
    HANDBOOK,
    HINTS,
    cancellation_clue,
    clue_name,
    handbook,
    handbook_known,
    objective,
)
from meta_tasks.families.sales.wanted import (
    DEPARTMENTS,
    QUARTERS,
    Direction,
    Mode,
    Type,
    Wanted,
    listed,
)
from meta_tasks.hands import Hands
from meta_tasks.meta_task import (
    Case,
    Checkpoint,
    Domain,
    Label,
    MetaTask,
    Planned,
    Rule,
    Scene,
    Verdict,
    checkpoint,
    declared_checkpoints,
)
from meta_tasks.stage import CompositionError, Handover, Port, Stage
from world.apps.files import FileAppears
from world.npc import Clue
from world.people import Person

FOLDER = "drive:/sales"
LATEST_YEAR = 2024
Department = Literal["Sales_1", "Sales_2", "Sales_3"]
_HARD = frozenset({Type.TOP_EACH, Type.TOP_ACROSS, Type.PEOPLE_COUNT, Type.DEPARTMENTS_COUNT})
_OUTCOMES: Mapping[type[Deliverable], tuple[str, ...]] = {
    Sellers: ("people_right",),
    SellersAcross: ("people_right", "departments_right"),
    Statistics: ("statistics_right",),
    Averages: ("departments_right",),
    PeopleCount: ("quarters_right", "count_right"),
    DepartmentsCount: ("quarters_right", "count_right"),
}


class _Parameters(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    department: Department | None = None
    departments: tuple[Department, ...] | None = None
    mode: Mode | None = None
    n: Literal[1, 2, 3] | None = None
    quarter: Literal[1, 2, 3, 4] | None = None
    direction: Direction | None = None


class _Published(BaseModel):
    """An entry's arguments in the original's files."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task_type: Type
    task_params: _Parameters = Field(default_factory=_Parameters)


class Sales(MetaTask[Sold]):
    """Sales of a quarter by employee and department, without the orders that were cancelled.

    ``departments`` is one department for the types about one, else two or three of them.
    ``mode``, ``n`` and ``direction`` are for the types that have them.
    """

    family: ClassVar[str] = "sales"
    domain: ClassVar[Domain] = Domain.INFORMATION
    published_name: ClassVar[str] = "Sales Analysis"
    gives: ClassVar[Port | None] = Port.PERSON

    type: Type
    departments: tuple[Department, ...] | None = None
    mode: Mode | None = None
    n: Literal[1, 2, 3] | None = None
    quarter: Literal[1, 2, 3, 4] | None = None
    direction: Direction | None = None

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
        made = [cls(type=kind) for kind in Type]
        return tuple(
            Rule(one.rule_id, Label.HARD if one.type in _HARD else Label.EASY, one) for one in made
        )

    @property
    def rule_id(self) -> str:
        """Such as ``sales.per_dept_top_n``."""
        return f"{self.family}.{self.type}"

    @classmethod
    def from_published(cls, arguments: Mapping[str, JsonValue]) -> Sales:
        """The analysis that an entry of the original's files means. Raises ValueError."""
        entry = _Published.model_validate(arguments)
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

    def scene(self, stage: Stage) -> Scene[Sold]:
        """A year's orders on the drive, and managers who know which were cancelled."""
        wanted = self._wanted(stage)
        teams = {name: stage.company.staff(name) for name in DEPARTMENTS}
        books = draw_books(stage.stream("orders"), wanted, teams)
        files = {
            (name, quarter): stage.file(_path(name, quarter, wanted.year))
            for name in DEPARTMENTS
            for quarter in QUARTERS
        }
        output = stage.file(f"workspace:/{wanted.output}")
        clues: list[Clue] = []
        counted: list[Order] = []
        for name in wanted.departments:
            book = books[name]
            cancelled = stage.secret(clue_name(name)).choice(book.choices)
            paths = [files[name, quarter] for quarter in wanted.quarters]
            gone = [order for order in book.orders if order.id in cancelled]
            clues.append(cancellation_clue(stage, wanted, teams[name][0], paths, gone))
            counted += [o for o in book.within(wanted.quarters) if o.id not in cancelled]
        sold = Sold(
            output, work_out(wanted, counted), tuple(clue_name(d) for d in wanted.departments)
        )
        sample = files[wanted.departments[0], wanted.quarter]
        return Scene(
            title=f"Sales of {listed(wanted.departments)} in Q{wanted.quarter} {wanted.year}",
            objective=objective(wanted, output, sample, _to_be_named(wanted, teams)),
            truth=sold,
            hints=HINTS,
            clues=tuple(clues),
            events=tuple(_events(stage, books, files)),
            outputs=(output,),
            requester=stage.employee.manager or "",
            result=_one_person(stage, sold),
        )

    def _wanted(self, stage: Stage) -> Wanted:
        """What is asked for, drawn as far as it is not fixed. Raises CompositionError if there
        are fewer people than are asked for."""
        draws = stage.stream("wanted")
        several = draws.choice(_department_counts(self.type))
        departments: Sequence[str] = self.departments or draws.sample(DEPARTMENTS, several)
        if self.type is Type.DEPARTMENTS_COUNT:
            departments = self.departments or DEPARTMENTS
        sizes = [len(stage.company.staff(name)) for name in departments]
        most = min(3, sum(sizes) if self.type.across else min(sizes))
        drawn = draws.randint(1, most) if self.type.has_n else 1
        if self.n is not None and self.n > most:
            raise CompositionError(f"{self.rule_id} asks for {self.n} people, there are {most}")
        first = 2 if self.type.compares else 1
        mode, direction = draws.choice(list(Mode)), draws.choice(list(Direction))
        return Wanted(
            type=self.type,
            departments=tuple(departments),
            quarter=draws.randint(first, 4) if self.quarter is None else self.quarter,
            year=next(
                year
                for year in count(LATEST_YEAR, -1)
                if _path(DEPARTMENTS[0], QUARTERS[0], year) not in stage.commons.files
            ),
            mode=self.mode or (mode if self.type.has_mode else Mode.TOP),
            n=self.n or drawn,
            direction=self.direction or direction,
        )

    @staticmethod
    async def oracle(hands: Hands) -> None:
        """Ask, read, leave out, add up."""
        await analyse(hands)

    # what is graded ---------------------------------------------------------------------

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The outcomes of this type; that the managers told counts with the last of them."""
        declared = {mark.name: mark for mark in declared_checkpoints(Sales)}
        outcomes = [declared[name] for name in _OUTCOMES[MODELS[self.type]]]
        return (*outcomes, replace(declared["told"], only_with=outcomes[-1].name))

    @checkpoint(
        "Exactly the employees asked for are listed, each with the right sales",
        where="The files of the departments and the quarter that the task names, and what the "
        "managers of these departments have told.",
        how="Leave out the cancelled orders, add up each employee's amounts, and only then rank "
        "them.",
    )
    def people_right(self, case: Case[Sold]) -> Verdict:
        """Precision and recall over whole rows."""
        return rows_right(case, "employees")

    @checkpoint(
        "Every department asked for is listed with the right figures, and no other",
        where="The files of each department for the quarter that the task names, and what their "
        "managers have told.",
        how="Add up all amounts of a department's file but those of the cancelled orders.",
    )
    def departments_right(self, case: Case[Sold]) -> Verdict:
        """Precision and recall over whole rows."""
        return rows_right(case, "departments")

    @checkpoint(
        "The department's figures are right",
        where="The department's file for the quarter that the task names, and what its manager "
        "has told.",
        how="Add up all amounts but those of the cancelled orders; divide by the number of people "
        "who sold, the manager among them, and round to the cent.",
    )
    def statistics_right(self, case: Case[Sold]) -> Verdict:
        """All fields."""
        given = case.truth.handed_in(case)
        if isinstance(given, Flaw):
            return Verdict(False, given.seen)
        right = same_numbers(given, case.truth.right)
        return Verdict(right, f"the figures are {'' if right else 'not all '}right")

    @checkpoint(
        "The sales in both quarters are right in every row",
        where="The files of both quarters, and what the managers have told about both.",
        how="Ask about both quarters, leave out the cancelled orders of each, and add up each "
        "quarter by itself.",
    )
    def quarters_right(self, case: Case[Sold]) -> Verdict:
        """Precision and recall over whole rows."""
        return rows_right(case, *lists(case.truth.right))

    @checkpoint(
        "The count is right, and so are the sales in both quarters that it follows from",
        where="In your own rows: the sales in both quarters.",
        how="Count the rows in which the sales went the way the task asks for.",
    )
    def count_right(self, case: Case[Sold]) -> Verdict:
        """The count, which by itself could be guessed."""
        given = case.truth.handed_in(case)
        if isinstance(given, Flaw):
            return Verdict(False, given.seen)
        rows = rows_right(case, *lists(case.truth.right))
        right = same_numbers(given, case.truth.right)
        return Verdict(rows.passed and right, f"{rows.seen}; the file has a count")

    @checkpoint(
        "The managers concerned have told which orders were cancelled",
        weight=0.25,
        where="The chat with the manager of each department whose figures are asked for.",
        how="Ask each of them, naming department, quarter and year, wait a few minutes and read "
        "the answer. If they ask back, answer them.",
    )
    def told(self, case: Case[Sold]) -> Verdict:
        """Whether every clue was released, whatever the employee wrote themself."""
        clues = case.truth.clues
        told = sum(case.released(clue) is not None for clue in clues)
        return Verdict(told == len(clues), f"{told} of {len(clues)} managers have told you")


# the scene --------------------------------------------------------------------------------


def _department_counts(kind: Type) -> tuple[int, ...]:
    """How many departments an analysis may be about."""
    if kind is Type.DEPARTMENTS_COUNT:
        return (len(DEPARTMENTS),)
    return (1,) if kind.of_one_department else (2, 3)


def _path(department: str, quarter: int, year: int) -> str:
    return f"{FOLDER}/sales_{department}_Q{quarter}_{year}.csv"


def _events(
    stage: Stage, books: Mapping[str, Book], files: Mapping[tuple[str, int], str]
) -> list[Planned]:
    events = [
        Planned(FileAppears(path=path, text=csv_of(books[name].within([quarter]))))
        for (name, quarter), path in files.items()
    ]
    if stage.commons.files.setdefault(HANDBOOK, stage.task) == stage.task:
        events.append(Planned(FileAppears(path=HANDBOOK, text=handbook())))
        events.append(Planned(handbook_known()))
    return events


def _to_be_named(wanted: Wanted, teams: Mapping[str, Sequence[Person]]) -> list[Person]:
    """The managers who know, if any department has another one as well."""
    several = any(person.is_manager for name in wanted.departments for person in teams[name][1:])
    return [teams[name][0] for name in wanted.departments] if several else []


def _one_person(stage: Stage, sold: Sold) -> Handover | None:
    """The employee the result names, if it names one alone."""
    if not isinstance(sold.right, Sellers) or len(sold.right.employees) != 1:
        return None
    (named,) = sold.right.employees
    team = stage.company.staff(named.department)
    (person,) = (one.id for one in team if employee_id(one) == named.employee_id)
    return Handover(stage.task, sold.path, "the employee in the list employees", person=person)
