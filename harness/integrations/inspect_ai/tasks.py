"""The tasks that Inspect finds: one for each shipped benchmark, and one for any other.

inspect eval trainee_bench/core_50 --model openai/gpt-5 -T rules=kb_fix.* -T guidance=1
inspect eval trainee_bench/from_config -T config=mine.json
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample

from trainee_bench.harness.batch.benchmarks import load_benchmark
from trainee_bench.harness.integrations.inspect_ai.chosen_days import (
    ChosenDay,
    DayChoice,
    choose_days,
)
from trainee_bench.harness.integrations.inspect_ai.other_solvers import each_day, office_react
from trainee_bench.harness.integrations.inspect_ai.own_loop import office_loop
from trainee_bench.harness.integrations.inspect_ai.scoring import day_score
from trainee_bench.harness.integrations.inspect_ai.scripted_model import known_calls
from trainee_bench.harness.integrations.inspect_ai.staging import leave_day, stage_day
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.meta_tasks.benchmark import shipped_benchmark_names
from trainee_bench.meta_tasks.scenario import GENERATOR_VERSION, SCORE_VERSION
from trainee_bench.meta_tasks.task_context import Modality

__all__ = ["SHIPPED", "each_day", "from_config", "known_calls", "office_loop", "office_react"]

MESSAGES_PER_DAY = 1_000
"""More than our own loop needs for its turns. An agent that never ends its day ends here, and is
scored."""
_One = TypeVar("_One")


@task
def from_config(
    config: str,
    rules: str | list[str] | None = None,
    seeds: int | list[int | str] | None = None,
    guidance: int | None = None,
    modality: str | None = None,
) -> Task:
    """The days of *config*: a benchmark file, or the name of a shipped benchmark.

    Only days with a task of a rule that matches *rules*; each with every one of *seeds* in place of
    its own; with *guidance* from 0 to 3; with visual material as *modality*, pictures or tables.
    Raises PlanError.
    """
    benchmark = load_benchmark(Path(config), None)
    choice = DayChoice(_listed(rules), _seeds(seeds), guidance, _modality(modality))
    days = choose_days(benchmark.scenarios, choice)
    longest = max(len(day.scenario.days_in_world(day.number)) for day in days)
    return Task(
        dataset=MemoryDataset([_sample(day) for day in days], name=benchmark.name),
        setup=stage_day(),
        solver=office_loop(),
        cleanup=leave_day,
        scorer=day_score(),
        message_limit=MESSAGES_PER_DAY * longest,
        version=f"{GENERATOR_VERSION}.{SCORE_VERSION}",
        metadata={"generator": GENERATOR_VERSION, "score_version": SCORE_VERSION},
    )


def _shipped(name: str) -> Callable[..., Task]:
    """The task of the shipped benchmark *name*; core-50 is ``core_50``."""

    @task(name=name.replace("-", "_"))
    def shipped(
        rules: str | list[str] | None = None,
        seeds: int | list[int | str] | None = None,
        guidance: int | None = None,
        modality: str | None = None,
    ) -> Task:
        return from_config(name, rules, seeds, guidance, modality)

    return shipped


SHIPPED = {name.replace("-", "_"): _shipped(name) for name in shipped_benchmark_names()}
"""The tasks of the shipped benchmarks, by name."""


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
    """The seeds; the command line gives several as texts."""
    try:
        return tuple(map(int, _listed(given)))
    except ValueError:
        raise PlanError(f"seeds are whole numbers, such as 7 or 7,8, not {given}") from None


def _listed(given: _One | list[_One] | None) -> tuple[_One, ...]:
    if given is None:
        return ()
    return tuple(given) if isinstance(given, list) else (given,)
