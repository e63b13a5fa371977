"""The choice of days for an evaluation: all or some days of a benchmark, and their seeds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from trainee_bench.harness.records.plan import WEEK_NAME, PlanError
from trainee_bench.meta_tasks.catalog import UnknownRuleError, matching_rules
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.meta_tasks.task_context import Modality


@dataclass(frozen=True)
class DayChoice:
    """A selection and variation of a benchmark's days; empty and None change nothing.

    ``rules`` are globs such as ``sales.*``, or ``sales.*+sign_off`` for tasks with this
    complication. A day is worked only if one of its tasks has a matching rule. If there are
    ``seeds``, it is worked once with each of them instead of its own.
    """

    rules: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()
    guidance: int | None = None
    modality: Modality | None = None


@dataclass(frozen=True)
class ChosenDay:
    """Day number ``number`` of ``scenario``, or the whole scenario if it is a week."""

    id: str
    scenario: Scenario
    number: int

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules of its tasks, in order."""
        days = self.scenario.days_in_world(self.number)
        return tuple(task.rule for day in days for task in self.scenario.days[day].tasks)

    @property
    def summary(self) -> str:
        """One line for lists of days; no agent sees it."""
        what = "a week" if self.scenario.week else self.scenario.days[self.number].name
        return f"{self.scenario.name}, {what}: {', '.join(dict.fromkeys(self.rules))}"


def choose_days(scenarios: Sequence[Scenario], choice: DayChoice) -> list[ChosenDay]:
    """Return the days of *scenarios* that *choice* selects, in order, each with all its seeds.

    Raises PlanError for an unknown rule, for an invalid guidance, and if no day is left.
    """
    _check_rules(choice.rules)
    if choice.guidance not in (None, 0, 1, 2, 3):
        raise PlanError(f"guidance must be 0, 1, 2 or 3, not {choice.guidance}")
    days = [
        day
        for scenario in scenarios
        for varied in _varied(scenario, choice)
        for day in _days(varied, with_seed=bool(choice.seeds))
        if not choice.rules or _is_of(day, choice.rules)
    ]
    if not days:
        raise PlanError(
            f"no day of this benchmark has a task of a rule that matches "
            f"{', '.join(choice.rules)}; `trainee-bench catalog --config NAME` lists the days"
        )
    return days


def _check_rules(globs: Sequence[str]) -> None:
    try:
        matching_rules([glob.partition("+")[0] for glob in globs])
    except UnknownRuleError as error:
        raise PlanError(f"rules: {error}") from None


def _is_of(day: ChosenDay, globs: Sequence[str]) -> bool:
    return any(_matches(rule, glob) for rule in day.rules for glob in globs)


def _matches(rule: str, glob: str) -> bool:
    (plain, *names), (wanted, *needed) = rule.split("+"), glob.split("+")
    return fnmatchcase(plain, wanted) and set(needed) <= set(names)


def _varied(scenario: Scenario, choice: DayChoice) -> Iterable[Scenario]:
    given = {"guidance": choice.guidance, "modality": choice.modality}
    changes = {name: value for name, value in given.items() if value is not None}
    for seed in choice.seeds or (scenario.seed,):
        yield scenario.without_bounds().model_copy(update={**changes, "seed": seed})


def _days(scenario: Scenario, *, with_seed: bool) -> Iterable[ChosenDay]:
    for number in scenario.world_days:
        name = WEEK_NAME if scenario.week else scenario.days[number].name
        parts = [scenario.name, name, *([f"seed_{scenario.seed}"] if with_seed else [])]
        yield ChosenDay(".".join(parts), scenario, number)
