"""A generated benchmark, and the text of its file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import time
from functools import partial
from pathlib import Path

import anyio
from pydantic import BaseModel, ValidationError

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.generation.scenarios import make_scenario
from trainee_bench.harness.generation.spec import GenerationSpec, InvalidGenerationSpec
from trainee_bench.harness.support.worker_processes import worker_processes
from trainee_bench.meta_tasks.benchmark import Benchmark
from trainee_bench.meta_tasks.complications import discover_complications
from trainee_bench.meta_tasks.scenario import Scenario


class _Line(BaseModel):
    number: int
    scenario: Scenario


class FinishedScenarios:
    """The finished scenarios of *spec*, by number from 1, in a file next to *out*.

    Removing a line from the file makes its scenario be drawn again.
    """

    def __init__(self, out: Path, spec: GenerationSpec):
        self.path = out.with_name(f"{out.name}.part")
        self._first = f"{spec.model_dump_json()}\n"

    def read(self) -> Mapping[int, Scenario]:
        """Return the stored scenarios by number; none if they belong to another specification."""
        if not self.path.is_file():
            return {}
        first, *lines = self.path.read_text(encoding="utf-8").splitlines(keepends=True)
        if first != self._first:
            return {}
        found = dict[int, Scenario]()
        for text in lines:
            try:
                line = _Line.model_validate_json(text)
            except ValidationError:  # the last line was cut short
                break
            found[line.number] = line.scenario
        return found

    def begin(self, scenarios: Mapping[int, Scenario]) -> None:
        """Start the file again with *scenarios*."""
        self.path.write_text(self._first, encoding="utf-8")
        for number, scenario in sorted(scenarios.items()):
            self.add(number, scenario)

    def add(self, number: int, scenario: Scenario) -> None:
        """Add the scenario with *number*."""
        line = _Line(number=number, scenario=scenario).model_dump_json(exclude_defaults=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")

    def remove(self) -> None:
        """Delete the file, once the benchmark is written."""
        self.path.unlink(missing_ok=True)


def generate_scenarios(
    spec: GenerationSpec, jobs: int, finished: FinishedScenarios | None = None
) -> Iterator[Scenario]:
    """Yield the scenarios of *spec* in order, made by at most *jobs* worker processes.

    Scenarios in *finished* are not made again, and new ones are added to it. Raises
    ScenarioGenerationFailed and InvalidGenerationSpec.
    """
    known = finished.read() if finished is not None else {}
    if finished is not None:
        finished.begin(known)
    numbers = range(1, spec.scenarios + 1)
    left = [number for number in numbers if number not in known]
    if not left:
        yield from (known[number] for number in numbers)
        return
    with worker_processes(min(jobs, len(left))) as pool:
        made = iter(pool.map(partial(_make_in_process, spec), left))
        for number in numbers:
            if number in known:
                yield known[number]
                continue
            scenario = next(made)
            if finished is not None:
                finished.add(number, scenario)
            yield scenario


def _make_in_process(spec: GenerationSpec, number: int) -> Scenario:
    return anyio.run(make_scenario, spec, number)


def describe_spec(spec: GenerationSpec) -> str:
    """Describe a benchmark of *spec* in one sentence."""
    days = "one day" if spec.days == 1 else pluralize(spec.days, "day")
    rules = f"{spec.draw}"
    if spec.hardest < 1:
        rules += (
            f", from the {spec.hardest:.0%} of each family's hard rules that are most demanding"
        )
    return (
        f"{pluralize(spec.scenarios, 'scenario')} of {days} with {_range(spec.fewest, spec.most)} "
        f"{'task' if spec.most == 1 else 'tasks'}"
        f"{''.join(_hardships(spec))}, drawn over {rules} (seed {spec.seed}"
        f"{', salted' if spec.salt else ''}, {spec.split}), arriving {spec.flow}."
    )


def describe_shortfalls(spec: GenerationSpec, scenarios: Sequence[Scenario]) -> Iterator[str]:
    """Yield sentences on how many tasks lack something that *spec* requests where it fits."""
    known = discover_complications()
    tasks = [
        task.rule.split("+")[1:]
        for scenario in scenarios
        for day in scenario.days
        for task in day.tasks
    ]
    loud = sum(
        sum(not known[name].announced for name in names) < spec.unannounced for names in tasks
    )
    if loud:
        yield (
            f"{loud} of {pluralize(len(tasks), 'task')} have fewer than {spec.unannounced} "
            "unannounced complications, because no more fit"
        )
    for name in spec.preferred:
        if without := sum(name not in names for names in tasks):
            whole = pluralize(len(tasks), "task")
            yield f"{without} of {whole} do not have {name}, because it does not fit"


def _hardships(spec: GenerationSpec) -> Iterator[str]:
    """Yield the properties that make the days of *spec* harder than others."""
    if spec.most_complications:
        count = _range(spec.fewest_complications, spec.most_complications)
        yield f" of {count} complications each"
        if spec.unannounced:
            yield f", {spec.unannounced} of them unannounced"
        if spec.preferred:
            yield f", {' and '.join(spec.preferred)} where it fits"
    if spec.slack:
        yield f" and {spec.slack[0]}-{spec.slack[1]} times the oracle's time"
    if spec.effort:
        yield ", with calls charged by their effort"
    if spec.demanding:
        yield ", which cannot be done one task after the other"
    if spec.overload_every:
        yield f", one in {spec.overload_every} with more work than hours"


def _range(fewest: int, most: int) -> str:
    return f"{fewest}" if fewest == most else f"{fewest}-{most}"


def parse_range(text: str, option: str) -> tuple[int, int]:
    """Read the fewest and the most from the *text* of an *option*, such as 2-6 or 4.

    Raises InvalidGenerationSpec.
    """
    match = re.fullmatch(r"(\d{1,2})(?:-(\d{1,2}))?", text.strip())
    if not match:
        raise InvalidGenerationSpec(f"{option} {text}: write a number or a range, such as 4 or 2-6")
    return int(match[1]), int(match[2] or match[1])


def parse_slack(text: str) -> tuple[float, float] | None:
    """Read the least and the most slack from a text such as 1.05-1.35; None for an empty text.

    Raises InvalidGenerationSpec.
    """
    if not text:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)", text.strip())
    if not match:
        raise InvalidGenerationSpec(f"--slack {text}: write a range, such as 1.05-1.35")
    return float(match[1]), float(match[2])


def parse_hours(text: str) -> tuple[time, time]:
    """Read the hours of a working day from a text such as 8-18. Raises InvalidGenerationSpec."""
    starts, ends = parse_range(text, "--hours")
    if not starts < ends < 24:
        raise InvalidGenerationSpec(f"--hours {text}: write two full hours of a day, such as 8-18")
    return time(starts), time(ends)


def render_benchmark(benchmark: Benchmark) -> str:
    """Return the text of the file of *benchmark*: one line for each task, without default
    values."""
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
