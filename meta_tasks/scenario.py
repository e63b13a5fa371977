"""Scenarios as data: days, their tasks, and when these arrive, follow each other and are due.

`meta_tasks/composition.py` lays them on a calendar. This module also has the versions by which
worlds and scores are told apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import date, time
from enum import StrEnum
from functools import cache
from importlib import metadata
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, model_validator

from trainee_bench.meta_tasks.task_context import ChangesFrom, Modality
from trainee_bench.world.transaction import Verbosity

__all__ = [
    "Arrival",
    "DaySpec",
    "DeadlineMove",
    "Milestone",
    "PublishAfter",
    "Scenario",
    "TaskSpec",
]

GENERATOR_VERSION = 7
"""The generator's version, raised whenever the same scenario would give a different world."""
SCORE_VERSION = 5
"""The scoring's version, raised whenever the same world would get a different score."""
FIRST_DAY = date(2025, 10, 1)
FIRST_DAY_OF_WEEK = date(2025, 10, 6)
"""A Monday."""
MOST_DAYS = 25
"""The most working days of one world."""
_STAGING_DATA = ("faker", "ironcalc")
"""Distributions whose data staging uses; pinned exactly, and recorded in each world."""


class Arrival(StrEnum):
    """When tasks are published: all at the start of the day, or each at its own time."""

    AT_ONCE = "at_once"
    STREAMED = "streamed"


class _ScenarioModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def _without_zone(clock: time) -> time:
    if clock.tzinfo is not None or clock.second or clock.microsecond:
        raise ValueError("simulated time is in whole minutes and has no zone: write 14:30")
    return clock


Clock = Annotated[time, AfterValidator(_without_zone)]
Minutes = Annotated[int, Field(ge=0, le=24 * 60)]
CompanySize = Annotated[int, Field(ge=10, le=500)]


def canonical_rule_id(rule: str) -> str:
    """Return *rule* with the names of its complications sorted: any order makes the same task."""
    plain, *names = rule.split("+")
    return "+".join([plain, *sorted(names)])


RuleId = Annotated[str, AfterValidator(canonical_rule_id)]
TaskReference = RuleId
"""A task of the same day by its rule, or a task of the same world by its name, which has no dot."""


class Milestone(StrEnum):
    """The milestone of another task that makes a task follow it: the announcement in its meeting,
    or its submission."""

    ANNOUNCEMENT = "announcement"
    SUBMISSION = "submission"


class PublishAfter(_ScenarioModel):
    """A condition for publishing a task: another *task*, named as in `TaskSpec`, has reached a
    milestone."""

    task: TaskReference
    when: Milestone


class DeadlineMove(_ScenarioModel):
    """A change of the deadline, announced at a certain time."""

    at: Clock
    to: Clock


class TaskSpec(_ScenarioModel):
    """One task of a day. Parameters that are left out are drawn; so is the arrival on a streamed
    day.

    ``moved`` changes its deadline during the day. ``follows`` makes another task its cause;
    ``takes_from`` makes the result of another task its input. Both name the other task by its rule
    if it is a task of the same day, or else by its ``name``, which is unique in the scenario. A
    task with a name may be due on an earlier day of the same world. ``worth`` is its worth on a day
    on which not everything can be done: see `DaySpec.best`. ``due_day`` is the index of the day of
    a week on which it is due, if that is a later day; ``deadline`` and ``moved`` are clock times of
    the day on which it is due. ``changes_from`` is the deadline, unless the deadline is set
    afterwards, and so tightly that nobody can begin after the changes.
    """

    rule: RuleId
    name: str = Field(
        default="", pattern=r"^([a-z][a-z0-9_]{0,40})?$", exclude_if=lambda name: not name
    )
    parameters: dict[str, JsonValue] = {}
    deadline: Clock | None = None
    arrives: Clock | None = None
    moved: DeadlineMove | None = None
    follows: PublishAfter | None = None
    takes_from: TaskReference | None = None
    worth: int | None = Field(default=None, ge=1, le=100)
    due_day: int | None = Field(default=None, ge=0, exclude_if=lambda day: day is None)
    changes_from: ChangesFrom = Field(
        default=ChangesFrom.DEADLINE, exclude_if=lambda by: by is ChangesFrom.DEADLINE
    )

    @property
    def dependencies(self) -> tuple[str, ...]:
        """The rules or names of the tasks that this one depends on."""
        named = (self.follows.task if self.follows else None, self.takes_from)
        return tuple(task for task in named if task is not None)


class DaySpec(_ScenarioModel):
    """One day: its tasks, in no particular order. A day without tasks cannot be staged, unless
    another day of its world has some.

    If there is more work than hours, ``best`` names the rules of the tasks with the greatest total
    worth that a planner can hand in on time. Then every task has a worth and its own rule.
    ``order`` has the rules in the order of that planner, the most urgent first; by deadlines if it
    is empty. ``bound`` is a worth that no plan can exceed. It is only reported: neither a world nor
    a score depends on it.
    """

    name: str = "day_1"
    tasks: tuple[TaskSpec, ...]
    best: tuple[RuleId, ...] = ()
    order: tuple[RuleId, ...] = Field(default=(), exclude_if=lambda order: not order)
    bound: int | None = Field(default=None, ge=1, exclude_if=lambda bound: bound is None)

    @model_validator(mode="after")
    def _worth_is_complete(self) -> Self:
        worths = {task.rule: task.worth for task in self.tasks}
        if self.best:
            if len(worths) < len(self.tasks) or None in worths.values():
                raise ValueError(
                    f"{self.name}: with best, every task needs a worth and a different rule"
                )
            if unknown := sorted(set(self.best) - set(worths)):
                raise ValueError(
                    f"{self.name}: best names {unknown[0]}, which is not one of its tasks"
                )
        elif set(worths.values()) != {None} and self.tasks:
            raise ValueError(f"{self.name}: tasks have a worth only on a day with best")
        return self

    @model_validator(mode="after")
    def _order_is_complete(self) -> Self:
        if self.order and sorted(self.order) != sorted(task.rule for task in self.tasks):
            raise ValueError(f"{self.name}: order must name the rule of each task once")
        return self

    @model_validator(mode="after")
    def _bound_is_no_less_than_the_best(self) -> Self:
        if self.bound is not None and self.bound < (self.best_worth or self.bound + 1):
            raise ValueError(
                f"{self.name}: only a day with best has a bound, which is at least its worth"
            )
        return self

    @property
    def best_worth(self) -> int | None:
        """The greatest worth that can be handed in on time; None if everything can be done."""
        worths = {task.rule: task.worth or 0 for task in self.tasks}
        return sum(worths[rule] for rule in self.best) if self.best else None


class Scenario(_ScenarioModel):
    """One or more days from one seed, each in its own world. With ``week``, two or more
    working days from Monday on share one world and make one episode; weekends pass. The field is
    older than worlds of several weeks, and stored documents have its name.

    A seed can be found by trying all seeds until a colleague's name fits. With a ``salt``, 128
    random bits in hexadecimal digits, it cannot. ``tools`` names the offered apps; None means all
    that are not opt-in. ``minutes`` are the costs of tools, by name, that differ from the listed
    ones. With ``guidance`` each task has hints: 1 for the strategy, 2 for where to look as well, 3
    for how. ``small_talk`` is the most messages a day from colleagues who want nothing. ``office``
    names the own office in which the days are, "" for the built-in company; a resolved scenario
    has its digest after @. ``variants`` names the variant in which tools are offered, by tool,
    besides those of its office; all other tools are offered as declared.

    With ``copies``, any rule may come any number of times in one world: alike tasks are drawn about
    different things, and colleagues tell them apart by their ids (see `told_apart`).
    """

    name: str
    seed: int = 0
    salt: str = Field(default="", pattern=r"^([0-9a-f]{32})?$")
    days: tuple[DaySpec, ...] = Field(min_length=1)
    company_size: CompanySize = 50
    arrival: Arrival = Arrival.AT_ONCE
    starts: Clock = time(8)
    ends: Clock = time(20)
    verbosity: Verbosity = Verbosity.ALL
    tools: tuple[str, ...] | None = Field(default=None, min_length=1)
    minutes: dict[str, Minutes] = {}
    modality: Modality = Modality.PICTURES
    guidance: int = Field(default=0, ge=0, le=3)
    small_talk: int = Field(default=2, ge=0, le=2)
    week: bool = Field(default=False, exclude_if=lambda week: not week)
    copies: bool = Field(default=False, exclude_if=lambda copies: not copies)
    office: str = Field(
        default="",
        pattern=r"^([a-z][a-z0-9_]{0,30}(@[0-9a-f]{16})?)?$",
        exclude_if=lambda office: not office,
    )
    variants: dict[str, str] = Field(default_factory=dict, exclude_if=lambda variants: not variants)

    @model_validator(mode="after")
    def _names_are_different(self) -> Self:
        names = Counter(task.name for day in self.days for task in day.tasks if task.name)
        if twice := [name for name, count in names.items() if count > 1]:
            raise ValueError(f"{self.name}: two tasks have the name {twice[0]}; give each its own")
        return self

    @model_validator(mode="after")
    def _due_days_lie_in_the_week(self) -> Self:
        if self.week:
            self._check_week()
        elif any(task.due_day is not None for day in self.days for task in day.tasks):
            raise ValueError(f"{self.name}: only tasks of a week can be due on a later day")
        return self

    def _check_week(self) -> None:
        if not 2 <= len(self.days) <= MOST_DAYS:
            raise ValueError(
                f"{self.name}: one world has 2 to {MOST_DAYS} days, not {len(self.days)}"
            )
        if not any(day.tasks for day in self.days):
            raise ValueError(f"{self.name}: the week has no tasks")
        for number, day in enumerate(self.days):
            if day.best:
                raise ValueError(f"{self.name}: a day of a week cannot have more work than hours")
            if day.order:
                raise ValueError(f"{self.name}: a day of a week cannot have an order")
            for task in day.tasks:
                due = task.due_day
                if due is not None and not number <= due < len(self.days):
                    raise ValueError(
                        f"{self.name}: {task.rule} comes on day {number}, so it is due on a day "
                        f"from {number} to {len(self.days) - 1}, not {due}"
                    )

    @property
    def world_days(self) -> range:
        """The numbers of the days that have their own world: only 0 for a week."""
        return range(1 if self.week else len(self.days))

    def days_in_world(self, day: int) -> range:
        """Return the numbers of the days in the world of day number *day*: all of a week, otherwise
        that day alone."""
        return range(len(self.days)) if self.week else range(day, day + 1)

    def without_bounds(self) -> Scenario:
        """Return the same scenario without the computed bounds of its days."""
        if all(day.bound is None for day in self.days):
            return self
        days = tuple(day.model_copy(update={"bound": None}) for day in self.days)
        return self.model_copy(update={"days": days})

    def with_variants(self, variants: Mapping[str, str]) -> Scenario:
        """Return the same scenario with these *variants* of tools besides its own."""
        if not variants:
            return self
        return self.model_copy(update={"variants": {**self.variants, **variants}})

    @property
    def stream_seed(self) -> int | str:
        """The key of the scenario's random streams: its seed, and its salt if it has one."""
        return f"{self.seed}/{self.salt}" if self.salt else self.seed


class Variation(_ScenarioModel):
    """The differences of a day from the plain one, for certificates. ``secret_seed_offsets`` gives
    clues ("T1/owner") a seed offset other than 0, so that only their secret changes. Nobody knows
    ``withheld`` clues. ``unstaged`` tasks never come, but what everybody knows before them stays.
    """

    secret_seed_offsets: dict[str, int] = {}
    withheld: tuple[str, ...] = ()
    unstaged: tuple[str, ...] = ()


NO_VARIATION = Variation()


class ScenarioDay(_ScenarioModel):
    """The scenario data that a world carries: enough to compose its day again."""

    scenario: Scenario
    day: int
    variation: Variation = NO_VARIATION


version = cache(metadata.version)  # reading it opens a file each time


class GeneratorVersions(_ScenarioModel):
    """The versions that made a world: the generator's, and those of the data it drew on."""

    generator: int
    versions: dict[str, str]

    @classmethod
    def current(cls) -> GeneratorVersions:
        """Return the versions of worlds made by this installation."""
        return cls(
            generator=GENERATOR_VERSION, versions={name: version(name) for name in _STAGING_DATA}
        )
