"""A benchmark as an Inspect task: a sample for each day, staged when it begins."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, solver

from trainee_bench.harness.batch.benchmarks import load_benchmark
from trainee_bench.harness.integrations.inspect_ai.chosen_days import (
    ChosenDay,
    DayChoice,
    choose_days,
)
from trainee_bench.harness.integrations.inspect_ai.native_tools import native_tools
from trainee_bench.harness.integrations.inspect_ai.scoring import day_score
from trainee_bench.harness.integrations.inspect_ai.staged_days import SampleDay, close_day, keep_day
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.meta_tasks.scenario import GENERATOR_VERSION, SCORE_VERSION, Scenario
from trainee_bench.meta_tasks.task_context import Modality


@solver
def stage_day() -> Solver:
    """Stage the sample's day, offer its tools, and give its morning prompt."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        scenario = Scenario.model_validate(state.metadata["scenario"])
        day = SampleDay(scenario, int(state.metadata["day"]))
        keep_day(state, day)
        state.messages = [ChatMessageUser(content=day.day.start().prompt)]
        state.tools = native_tools(day)
        return state

    return solve


async def leave_day(state: TaskState) -> None:
    """Free the world of a sample that has been scored or has failed."""
    close_day(state)


MESSAGES_PER_DAY = 1_000
"""More than our own loop needs for its turns. An agent that never ends its day is stopped and
scored at this number."""
_Item = TypeVar("_Item")


def build_task(config: str, choice: DayChoice, solver: Solver) -> Task:
    """Return the days of *config* (a file, or the name of a shipped benchmark) that *choice*
    selects, worked by *solver*. Raises PlanError."""
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
    """Return the choice of days given by a task's arguments. The command line gives several seeds
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
        raise PlanError(f"modality must be {' or '.join(Modality)}, not {named}") from None


def _seeds(given: int | list[int | str] | None) -> tuple[int, ...]:
    listed = given if isinstance(given, list) else _listed(given)
    try:
        return tuple(map(int, listed))
    except ValueError:
        raise PlanError(f"seeds must be whole numbers, such as 7 or 7,8, not {given}") from None


def _listed(given: _Item | list[_Item] | None) -> tuple[_Item, ...]:
    if given is None:
        return ()
    return tuple(given) if isinstance(given, list) else (given,)
