"""A benchmark as a task of Inspect: a sample for each day that is chosen, staged when it begins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeVar

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, solver

from trainee_bench.harness.batch.benchmarks import load_benchmark
from trainee_bench.harness.integrations.inspect_ai.native_tools import native_tools
from trainee_bench.harness.integrations.inspect_ai.scoring import day_score
from trainee_bench.harness.integrations.inspect_ai.staged_days import SampleDay, close_day, keep_day
from trainee_bench.harness.records.plan import WEEK_NAME, PlanError
from trainee_bench.meta_tasks.catalog import UnknownRuleError, matching_rules
from trainee_bench.meta_tasks.scenario import GENERATOR_VERSION, SCORE_VERSION, Scenario
from trainee_bench.meta_tasks.task_context import Modality


@solver
def stage_day() -> Solver:
    """Stage the sample's day, give its tools, and say what its employee is told in the morning."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        scenario = Scenario.model_validate(state.metadata["scenario"])
        day = SampleDay(scenario, int(state.metadata["day"]))
        keep_day(state, day)
        state.messages = [ChatMessageUser(content=day.day.start().prompt)]
        state.tools = native_tools(day)
        return state

    return solve


async def leave_day(state: TaskState) -> None:
    """Free the world of a sample that has been scored, or has failed."""
    close_day(state)


@dataclass(frozen=True)
class DayChoice:
    """What is changed or left out of a benchmark; empty and None change nothing.

    Only days are worked that have a task of a rule that matches one of ``rules``, globs such as
    ``sales.*``, or ``sales.*+sign_off`` for such with this complication. Each is worked with every
    one of ``seeds`` in place of its own.
    """

    rules: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()
    guidance: int | None = None
    modality: Modality | None = None


@dataclass(frozen=True)
class ChosenDay:
    """Day number ``number`` of ``scenario``, or the week that it is."""

    id: str
    scenario: Scenario
    number: int

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules of its tasks, in their order."""
        days = self.scenario.days_in_world(self.number)
        return tuple(task.rule for day in days for task in self.scenario.days[day].tasks)

    @property
    def summary(self) -> str:
        """One line for lists of days; no agent sees it."""
        what = "a week" if self.scenario.week else self.scenario.days[self.number].name
        return f"{self.scenario.name}, {what}: {', '.join(dict.fromkeys(self.rules))}"


def choose_days(scenarios: Sequence[Scenario], choice: DayChoice) -> list[ChosenDay]:
    """The days of *scenarios* that *choice* takes, in their order, each with all of its seeds.

    Raises PlanError for a rule that does not exist, for a guidance that there is not, and if no
    day is left.
    """
    _check_rules(choice.rules)
    if choice.guidance not in (None, 0, 1, 2, 3):
        raise PlanError(f"guidance is 0, 1, 2 or 3, not {choice.guidance}")
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


MESSAGES_PER_DAY = 1_000
"""More than our own loop needs for its turns. An agent that never ends its day ends here, and is
scored."""
_One = TypeVar("_One")


def build_task(config: str, choice: DayChoice, solver: Solver) -> Task:
    """The days of *config* (a file, or the name of a shipped benchmark) that *choice* takes, worked
    by *solver*. Raises PlanError."""
    benchmark = load_benchmark(Path(config), None)
    days = choose_days(benchmark.scenarios, choice)
    longest = max(len(day.scenario.days_in_world(day.number)) for day in days)
    return Task(
        dataset=MemoryDataset([_sample(day) for day in days], name=benchmark.name),
        setup=stage_day(),
        solver=solver,
        cleanup=leave_day,
        scorer=day_score(),
        message_limit=MESSAGES_PER_DAY * longest,
        version=f"{GENERATOR_VERSION}.{SCORE_VERSION}",
        metadata={"generator": GENERATOR_VERSION, "score_version": SCORE_VERSION},
    )


def read_choice(
    rules: str | list[str] | None,
    seeds: int | list[int | str] | None,
    guidance: int | None,
    modality: str | None,
) -> DayChoice:
    """The choice of days as the arguments of a task make it; the command line gives several seeds
    as texts. Raises PlanError."""
    return DayChoice(_listed(rules), _seeds(seeds), guidance, _modality(modality))


def _sample(day: ChosenDay) -> Sample:
    return Sample(
        id=day.id,
        input=day.summary,
        metadata={
            "scenario": day.scenario.model_dump(mode="json"),
            "day": day.number,
            "rules": list(day.rules),
        },
    )


def _modality(named: str | None) -> Modality | None:
    try:
        return None if named is None else Modality(named)
    except ValueError:
        raise PlanError(f"modality is {' or '.join(Modality)}, not {named}") from None


def _seeds(given: int | list[int | str] | None) -> tuple[int, ...]:
    listed = given if isinstance(given, list) else _listed(given)
    try:
        return tuple(map(int, listed))
    except ValueError:
        raise PlanError(f"seeds are whole numbers, such as 7 or 7,8, not {given}") from None


def _listed(given: _One | list[_One] | None) -> tuple[_One, ...]:
    if given is None:
        return ()
    return tuple(given) if isinstance(given, list) else (given,)
