"""``trainee-bench stage CONFIG SCENARIO WORLD``: stage a day or a week as a world file.

Work it with `trainee-bench work` or `trainee-bench serve --world`, and grade it with `trainee-bench
grade`. Exit code 0, or 2 for a usage error.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import anyio
import typer

from trainee_bench.harness.batch.benchmarks import load_benchmark
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.support.commands import exit_on_error
from trainee_bench.harness.support.text import suggest_names
from trainee_bench.meta_tasks.catalog import UnknownRuleError
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.errors import WorldFileError


def command(
    config: Annotated[
        Path, typer.Argument(help="JSON file or shipped benchmark.", metavar="CONFIG")
    ],
    scenario: Annotated[str, typer.Argument(help="Name of a scenario.", metavar="SCENARIO")],
    world: Annotated[Path, typer.Argument(help="World file to create.", metavar="WORLD")],
    day: Annotated[
        int, typer.Option(min=1, help="Number of the day, from 1. A week is staged as a whole.")
    ] = 1,
) -> None:
    """Stage a day or a week of a benchmark as a world file."""
    errors = (PlanError, CompositionError, UnknownRuleError, WorldFileError)
    with exit_on_error("stage", *errors):
        found = _find(load_benchmark(config, None).scenarios, scenario, day)
        anyio.run(_stage, found, day - 1, world)
    typer.echo(f"Created the world {world}")


def _find(scenarios: tuple[Scenario, ...], name: str, day: int) -> Scenario:
    """Return the scenario called *name*, if it has that *day* (from 1). Raises PlanError."""
    named = {scenario.name: scenario for scenario in scenarios}
    if name not in named:
        near = suggest_names(name, named, sorted(named)[:5])
        raise PlanError(f"there is no scenario {name!r}; try {near}.")
    found = named[name]
    if found.week and day > 1:
        raise PlanError(f"{name} is a week, which is staged as a whole; leave out --day.")
    if day > len(found.days):
        last = len(found.days)
        raise PlanError(f"{name} has no day {day}; its last is {last}, so write --day {last}.")
    return found


async def _stage(scenario: Scenario, day: int, path: Path) -> None:
    await (await create_world(path, scenario, day)).close()
