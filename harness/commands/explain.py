"""``trainee-bench explain SCENARIO``: how a day can be worked honestly, need by need.

It lets the honest worker work the day, or begin it, and prints what each task needs, which call
served which need and how long it took, and what is still waited for. Exit code 0, or 2 for wrong
use.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, time
from pathlib import Path
from typing import Annotated

import anyio
import typer
from pydantic import JsonValue

from trainee_bench.harness.batch.benchmarks import load_benchmark
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.support.commands import exit_on_error
from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day, stage_day
from trainee_bench.harness.testbench.work_plan import hire, honest_works, outline_of
from trainee_bench.meta_tasks.benchmark import Benchmark, BenchmarkError, find_scenario
from trainee_bench.meta_tasks.catalog import UnknownRuleError
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.meta_tasks.tool_client import ToolResponse
from trainee_bench.meta_tasks.work.engine import ToolCaller
from trainee_bench.meta_tasks.work.explain import explain
from trainee_bench.meta_tasks.work.sources import TaskRoot


def command(
    scenario: Annotated[
        str, typer.Argument(help="Name of a scenario, or a rule.", metavar="SCENARIO")
    ],
    config: Annotated[
        Path | None,
        typer.Option(help="JSON file or shipped benchmark that has it; all shipped ones if left."),
    ] = None,
    day: Annotated[int, typer.Option(min=1, help="Which day, from 1.")] = 1,
    seed: Annotated[int, typer.Option(help="The seed, if SCENARIO is a rule.")] = 0,
    task: Annotated[str | None, typer.Option(help="Only this task, such as T2.")] = None,
    at: Annotated[
        str | None, typer.Option(help="Stop the work at this time, such as 11:30.", metavar="HH:MM")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also show needs that took no call.")
    ] = False,
) -> None:
    """Show how a day can be worked honestly: what each task needs, and what serves it."""
    with exit_on_error("explain", PlanError, BenchmarkError, CompositionError, UnknownRuleError):
        composition = _composed(scenario, config, day, seed)
        stop = _moment(at, composition)
        known = [composed.id for composed in composition.tasks]
        if task is not None and task not in known:
            raise PlanError(f"this day has no task {task!r}; it has {', '.join(known)}.")
        told = anyio.run(_explain, composition, task, stop, everything)
    typer.echo(told)


def _composed(name: str, config: Path | None, day: int, seed: int) -> ComposedDay:
    """The day that is meant. Raises PlanError, CompositionError or UnknownRuleError."""
    if config is None and "." in name:
        return single_task_day(name, seed)
    found = find_scenario(name, None if config is None else _benchmark(config))
    if not found.week and day > len(found.days):
        raise PlanError(f"{name} has no day {day}; its last is {len(found.days)}.")
    return compose_day(found, 0 if found.week else day - 1)


def _benchmark(config: Path) -> Benchmark:
    """The benchmark *config*. Raises PlanError."""
    loaded = load_benchmark(config, None)
    return Benchmark(name=loaded.name, scenarios=loaded.scenarios)


def _moment(clock: str | None, composition: ComposedDay) -> datetime | None:
    """That time of the day. Raises PlanError if *clock* is none."""
    if clock is None:
        return None
    try:
        return datetime.combine(composition.day.starts, time.fromisoformat(clock))
    except ValueError:
        raise PlanError(f"{clock!r} is no time; write it like 11:30.") from None


class _Stopped(Exception):
    """The work has come to the time at which it is to be shown."""


class _UntilThen:
    """The day's tools, until a time."""

    def __init__(self, day: StagedDay, stop: datetime):
        self._day = day
        self._stop = stop

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        """Call a tool. Raises _Stopped once it is late enough, and ToolFailed as the tool does."""
        now = await self._day.world.now()
        if now >= self._stop:
            raise _Stopped
        if tool == "desk_wait":
            until = datetime.combine(now, time.fromisoformat(str(arguments["until"])))
            arguments = {**arguments, "until": f"{min(until, self._stop):%H:%M}"}
        return await self._day.call(tool, arguments)


async def _explain(
    composition: ComposedDay, task: str | None, stop: datetime | None, everything: bool
) -> str:
    """What there is to say of the day's work, up to *stop*, or of one *task*'s."""
    staged, today = await stage_day(composition), composition.on_day(0)
    async with staged.world:
        tools: ToolCaller = staged if stop is None else _UntilThen(staged, stop)
        worker = hire(tools, staged.costs, honest_works(today), outline_of(today))
        roots = [*worker.engine.roots]
        try:
            failures = await worker.run()
        except _Stopped:
            failures = {}
    chosen = [cell for cell in roots if task is None or cell.need == TaskRoot(task)]
    acts = worker.engine.acts if task is None else worker.acts_for(task)
    made = [act for act in acts if act.why]
    told = explain(worker.engine, chosen, made).as_text(everything=everything)
    missed = [f"{name}: {error}" for name, error in sorted(failures.items())]
    return "\n".join([told, *(["", "Not done:", *missed] if missed else [])])
