"""``python -m harness.generate``: endless scenarios, each proved workable before it is given out.

    python -m harness.generate --scenarios 50 --days 1 --tasks 2-6 --seed 1 --out mine.json

The same arguments give the same file. Exit 0 when it is written, 2 on wrong use.
"""

from __future__ import annotations

import json
import os
import re
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Annotated, NoReturn

import anyio
import typer
from pydantic import ValidationError
from rich.progress import track

from trainee_bench.harness.generation.scenarios import ScenarioGenerationFailed, make_scenario
from trainee_bench.harness.generation.spec import (
    ArrivalPattern,
    DrawMode,
    GenerationSpec,
    InvalidGenerationSpec,
    SeedSplit,
)
from trainee_bench.harness.support.console import output_console
from trainee_bench.meta_tasks.benchmark import Benchmark
from trainee_bench.meta_tasks.scenario import Scenario

_OPTIONS = {"fewest": "tasks", "most": "tasks"}
"""The options that fields of an order come from, where they are called otherwise."""


def make_in_process(order: GenerationSpec, number: int) -> Scenario:
    """One scenario; a worker process runs this. Raises ScenarioGenerationFailed."""
    return anyio.run(make_scenario, order, number)


def command(
    scenarios: Annotated[int, typer.Option(min=1, help="How many.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write.")],
    days: Annotated[int, typer.Option(min=1, help="Days of each: same rules, new values.")] = 1,
    tasks: Annotated[str, typer.Option(help="Tasks a day, fewest-most.")] = "2-6",
    seed: Annotated[int, typer.Option(min=0, help="Another seed, other scenarios.")] = 0,
    rules: Annotated[
        list[str] | None, typer.Option(help="Only rules that match, * allowed. Repeatable.")
    ] = None,
    draw: Annotated[
        DrawMode, typer.Option(help="Draw families and a rule of each, or rules outright.")
    ] = DrawMode.FAMILIES,
    arrival: Annotated[
        ArrivalPattern, typer.Option(help="How tasks come in.")
    ] = ArrivalPattern.MIXED,
    split: Annotated[
        SeedSplit, typer.Option(help="Whose seeds: those of one split never occur in another.")
    ] = SeedSplit.TRAIN,
    name: Annotated[
        str | None, typer.Option(help="The benchmark's name; the file's if not given.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Worker processes.")] = os.cpu_count() or 1,
) -> None:
    """Make a benchmark of scenarios that the oracle has worked to full score."""
    try:
        fewest, most = _span(tasks)
        order = GenerationSpec(
            name=name or out.stem, scenarios=scenarios, days=days, fewest=fewest, most=most,
            seed=seed, globs=tuple(rules or ("*",)), draw=draw, flow=arrival, split=split,
        )  # fmt: skip
    except ValidationError as error:
        flaw = error.errors(include_url=False, include_input=False)[0]
        option = _OPTIONS.get(str(flaw["loc"][0]), str(flaw["loc"][0])) if flaw["loc"] else "tasks"
        _refuse(f"--{option}: {flaw['msg'].removeprefix('Value error, ')}")
    except InvalidGenerationSpec as error:
        _refuse(str(error))
    try:
        if not out.parent.is_dir() or out.is_dir():
            raise InvalidGenerationSpec(f"{out} is not a file in a folder that exists")
        order.rules()
        benchmark = generate(order, jobs)
    except (InvalidGenerationSpec, ScenarioGenerationFailed) as error:
        _refuse(str(error))
    out.write_text(render_benchmark(benchmark), encoding="utf-8")
    typer.echo(f"{out}: {scenarios} scenarios, each worked to full score by the oracle")


def _refuse(why: str) -> NoReturn:
    typer.echo(f"trainee-bench generate: {why}", err=True)
    raise typer.Exit(2)


def generate(order: GenerationSpec, jobs: int) -> Benchmark:
    """The benchmark that *order* means. Raises ScenarioGenerationFailed, InvalidGenerationSpec."""
    numbers = range(1, order.scenarios + 1)
    with ProcessPoolExecutor(max_workers=min(jobs, order.scenarios)) as pool:
        made = pool.map(partial(make_in_process, order), numbers)
        console = output_console()
        shown = track(made, "Working", total=order.scenarios, console=console, transient=True)
        return Benchmark(name=order.name, about=_about(order), scenarios=tuple(shown))


def render_benchmark(benchmark: Benchmark) -> str:
    """*benchmark* as the text of its file: one line for each task, nothing that is as usual."""
    data = benchmark.model_dump(mode="json", exclude_defaults=True)
    lines: dict[str, str] = {}
    for scenario in data["scenarios"]:
        for day in scenario["days"]:
            for place, task in enumerate(day["tasks"]):
                mark = f"task {len(lines)}"
                lines[json.dumps(mark)] = json.dumps(task, ensure_ascii=False)
                day["tasks"][place] = mark
    text = json.dumps(data, indent=1, ensure_ascii=False)
    return re.sub(r'"task \d+"', lambda found: lines[found[0]], text) + "\n"


def _span(text: str) -> tuple[int, int]:
    """Text such as 2-6 or 4 as fewest and most. Raises InvalidGenerationSpec."""
    found = re.fullmatch(r"(\d{1,2})(?:-(\d{1,2}))?", text.strip())
    if not found:
        raise InvalidGenerationSpec(f"--tasks {text}: write a number or a span, such as 4 or 2-6")
    return int(found[1]), int(found[2] or found[1])


def _about(order: GenerationSpec) -> str:
    days = "one day" if order.days == 1 else f"{order.days} days"
    return (
        f"{order.scenarios} scenarios of {days} with {order.fewest}-{order.most} tasks, drawn over "
        f"{order.draw} (seed {order.seed}, {order.split}), arriving {order.flow}."
    )


if __name__ == "__main__":
    typer.run(command)
