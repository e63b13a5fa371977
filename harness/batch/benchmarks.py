"""Reading the benchmark of a run: a shipped one, a file of ours, or one from the paper's authors.

    {"scenarios": [{"name", "days": [{"name", "tasks": [{"name", "arguments", "deadline"}]}]}]}

Each family translates its own entries. Tasks whose family does not exist are kept by name, so that
reports list them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from trainee_bench.harness.batch.tool_names import check_tool_names
from trainee_bench.harness.records.plan import PlanError, RefusedScenario, UnsupportedTask
from trainee_bench.meta_tasks.benchmark import (
    BenchmarkError,
    load_shipped_benchmark,
    parse_benchmark,
    shipped_benchmark_names,
)
from trainee_bench.meta_tasks.catalog import all_rules
from trainee_bench.meta_tasks.families import discover_families
from trainee_bench.meta_tasks.meta_task import MetaTask
from trainee_bench.meta_tasks.offices.office import Office
from trainee_bench.meta_tasks.offices.opened import open_offices, resolve_office
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.errors import first_flaw


class _PublishedFileModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PublishedTask(_PublishedFileModel):
    """A task: its family's published name, and that family's settings."""

    name: str
    arguments: dict[str, JsonValue] | None = None
    deadline: datetime | None = None


class PublishedDay(_PublishedFileModel):
    """A day and its tasks."""

    name: str
    tasks: tuple[PublishedTask, ...]


class PublishedScenario(_PublishedFileModel):
    """A scenario and its days."""

    name: str
    days: tuple[PublishedDay, ...]


class PublishedFile(_PublishedFileModel):
    """A whole file; version and date are not used."""

    scenarios: tuple[PublishedScenario, ...]
    version: str | None = None
    datetime: str | None = None


def is_published_benchmark(document: JsonValue) -> bool:
    """Whether *document* has the published form: its tasks have names instead of rules."""
    nodes: list[JsonValue] = [document]
    for key in ("scenarios", "days", "tasks"):
        lists = [node.get(key) for node in nodes if isinstance(node, dict)]
        nodes = [item for inner in lists if isinstance(inner, list) for item in inner]
    return any(isinstance(task, dict) and "name" in task and "rule" not in task for task in nodes)


@dataclass(frozen=True)
class PublishedBenchmark:
    """A published file as read.

    It has the scenarios with tasks that can be staged, the tasks whose family does not exist, and
    the scenarios that cannot be staged.
    """

    scenarios: tuple[Scenario, ...]
    unsupported: tuple[UnsupportedTask, ...]
    refused: tuple[RefusedScenario, ...]


def load_published_benchmark(document: JsonValue, seed: int) -> PublishedBenchmark:
    """Return the published file in *document*. Raises PlanError for another layout."""
    try:
        published = PublishedFile.model_validate(document)
    except ValidationError as error:
        raise PlanError(_describe(error)) from None
    scenarios, unsupported, refused = [], [], []
    for given in published.scenarios:
        try:
            scenario, without_family = _scenario(given, seed)
        except (PlanError, ValidationError) as error:
            reason = _describe(error) if isinstance(error, ValidationError) else str(error)
            refused.append(RefusedScenario(name=given.name, reason=reason))
            continue
        scenarios.append(scenario)
        unsupported += without_family
    return PublishedBenchmark(tuple(scenarios), tuple(unsupported), tuple(refused))


def _describe(error: ValidationError) -> str:
    where, flaw = first_flaw(error)
    return f"{error.title}: {where}: {flaw}"


def _scenario(given: PublishedScenario, seed: int) -> tuple[Scenario, list[UnsupportedTask]]:
    """Return the scenario in *given*, and its tasks whose family does not exist.

    Raises PlanError or ValidationError for settings that are not accepted.
    """
    families = {
        family.published_name: family
        for family in discover_families().values()
        if family.published_name
    }
    days, unsupported = [], []
    for number, day in enumerate(given.days):
        specs = []
        for task in day.tasks:
            if task.name in families:
                specs.append(_spec(task, families[task.name], f"{given.name}, {day.name}"))
            else:
                unsupported.append(UnsupportedTask(scenario=given.name, day=number, name=task.name))
        days.append(DaySpec(name=day.name, tasks=tuple(specs)))
    return Scenario(name=given.name, seed=seed, days=tuple(days)), unsupported


def _spec(task: PublishedTask, family: type[MetaTask[Any]], where: str) -> TaskSpec:
    """Return the rule and parameters of a published task."""
    arguments: Mapping[str, JsonValue] = task.arguments or {}
    try:
        meta_task = family.from_published(arguments)
    except ValueError as error:
        raise PlanError(f"{where}: {task.name}: {error}") from None
    if meta_task.rule_id not in all_rules():
        raise PlanError(f"{where}: {task.name}: its arguments make no rule ({meta_task.rule_id})")
    defaults = all_rules()[meta_task.rule_id].meta_task.plain.model_dump(mode="json")
    fixed = {
        name: value
        for name, value in meta_task.plain.model_dump(mode="json").items()
        if value != defaults[name]
    }
    return TaskSpec(
        rule=meta_task.rule_id,
        parameters=fixed,
        deadline=task.deadline.time() if task.deadline else None,
    )


@dataclass(frozen=True)
class LoadedBenchmark:
    """A benchmark as read: name, scenarios, and what cannot be run.

    That is tasks whose family does not exist, and scenarios that cannot be staged.
    """

    name: str
    scenarios: tuple[Scenario, ...]
    unsupported: tuple[UnsupportedTask, ...] = ()
    refused: tuple[RefusedScenario, ...] = ()


def load_benchmark(config: Path | None, seed: int | None) -> LoadedBenchmark:
    """Return the benchmark in the file *config*, or the shipped one of that name.

    Without one, it is the tasks of the office that is open, each on a day of its own, or else
    quickstart. *seed* replaces the scenarios' seeds.

    Raises PlanError for a file that cannot be read, and for a name that is neither a file nor a
    shipped benchmark. It does so, too, for an app, a tool or a variant that does not exist, for an
    office that is not open, and for several open offices without a file.
    """
    try:
        if config is None:
            offices = open_offices()
            if len(offices) > 1:
                raise PlanError(
                    f"{len(offices)} offices are open ({', '.join(offices)}): name a benchmark "
                    "file with --config, or open one office"
                )
            for office in offices.values():
                return office_benchmark(office, seed or 0)
            return _parse(load_shipped_benchmark().model_dump_json(), seed)
        if not config.is_file():
            return _load_shipped(config, seed)
        text = config.read_text(encoding="utf-8")
        document: JsonValue = json.loads(text)
        if is_published_benchmark(document):
            read = load_published_benchmark(document, seed or 0)
            return LoadedBenchmark(
                _slug(config.stem), read.scenarios, read.unsupported, read.refused
            )
        return _parse(text, seed)
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise PlanError(f"{config} cannot be read as JSON: {error}") from None
    except BenchmarkError as error:
        raise PlanError(f"{config}: {error}") from None


def _load_shipped(config: Path, seed: int | None) -> LoadedBenchmark:
    if str(config) not in shipped_benchmark_names():
        raise PlanError(
            f"{config}: there is no such file. Shipped benchmarks: "
            f"{', '.join(shipped_benchmark_names())}."
        )
    return _parse(load_shipped_benchmark(str(config)).model_dump_json(), seed)


def _parse(text: str, seed: int | None) -> LoadedBenchmark:
    benchmark = parse_benchmark(text)
    scenarios = benchmark.scenarios
    for scenario in scenarios:
        check_tool_names(scenario)
    if seed is not None:
        scenarios = tuple(s.without_bounds().model_copy(update={"seed": seed}) for s in scenarios)
    try:
        return LoadedBenchmark(benchmark.name, tuple(map(resolve_office, scenarios)))
    except CompositionError as error:
        raise PlanError(str(error)) from None


def office_benchmark(office: Office, seed: int = 0) -> LoadedBenchmark:
    """Return a benchmark with each task of *office* on a day of its own."""
    scenarios = tuple(
        Scenario(
            name=rule.partition(".")[2],
            seed=seed,
            office=office.reference,
            days=(DaySpec(tasks=(TaskSpec(rule=rule),)),),
        )
        for rule in office.rules
    )
    return LoadedBenchmark(office.name, scenarios)


def _slug(text: str) -> str:
    """Return *text* as a name for a benchmark and the folder of its run."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-.") or "benchmark"
