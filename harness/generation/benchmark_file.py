"""A generated benchmark, and the text of its file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial

import anyio

from trainee_bench.harness.generation.scenarios import make_scenario
from trainee_bench.harness.generation.spec import GenerationSpec, InvalidGenerationSpec
from trainee_bench.harness.support.worker_processes import worker_processes
from trainee_bench.meta_tasks.benchmark import Benchmark
from trainee_bench.meta_tasks.scenario import Scenario


def generate_scenarios(spec: GenerationSpec, jobs: int) -> Iterator[Scenario]:
    """The scenarios of *spec* in order, made by at most *jobs* worker processes.

    Raises ScenarioGenerationFailed, InvalidGenerationSpec.
    """
    with worker_processes(min(jobs, spec.scenarios)) as pool:
        yield from pool.map(partial(_make_in_process, spec), range(1, spec.scenarios + 1))


def _make_in_process(spec: GenerationSpec, number: int) -> Scenario:
    return anyio.run(make_scenario, spec, number)


def describe_spec(spec: GenerationSpec) -> str:
    """What a benchmark of *spec* holds, in one sentence."""
    days = "one day" if spec.days == 1 else f"{spec.days} days"
    return (
        f"{spec.scenarios} scenarios of {days} with {spec.fewest}-{spec.most} tasks, drawn over "
        f"{spec.draw} (seed {spec.seed}{', salted' if spec.salt else ''}, {spec.split}), arriving "
        f"{spec.flow}."
    )


def parse_task_range(text: str) -> tuple[int, int]:
    """The fewest and the most tasks in a text such as 2-6 or 4. Raises InvalidGenerationSpec."""
    match = re.fullmatch(r"(\d{1,2})(?:-(\d{1,2}))?", text.strip())
    if not match:
        raise InvalidGenerationSpec(f"--tasks {text}: write a number or a range, such as 4 or 2-6")
    return int(match[1]), int(match[2] or match[1])


def render_benchmark(benchmark: Benchmark) -> str:
    """*benchmark* as the text of its file: one line for each task, without default values."""
    data = benchmark.model_dump(mode="json", exclude_defaults=True)
    lines: dict[str, str] = {}
    for scenario in data["scenarios"]:
        for day in scenario["days"]:
            for place, task in enumerate(day["tasks"]):
                mark = f"task {len(lines)}"
                lines[json.dumps(mark)] = json.dumps(task, ensure_ascii=False)
                day["tasks"][place] = mark
    text = json.dumps(data, indent=1, ensure_ascii=False)
    return re.sub(r'"task \d+"', lambda match: lines[match[0]], text) + "\n"
