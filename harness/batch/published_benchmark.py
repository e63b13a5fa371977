"""Loading the configuration files that the paper's authors published.

    {"scenarios": [{"name", "days": [{"name", "tasks": [{"name", "arguments", "deadline"}]}]}]}

Each family translates its own entries. Tasks whose family does not exist are kept by name, so
that reports list them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from trainee_bench.harness.records.plan import PlanError, UnsupportedTask
from trainee_bench.meta_tasks.catalog import all_rules
from trainee_bench.meta_tasks.families import discover_families
from trainee_bench.meta_tasks.meta_task import MetaTask
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec


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


def load_published_benchmark(
    document: JsonValue, seed: int
) -> tuple[tuple[Scenario, ...], tuple[UnsupportedTask, ...]]:
    """The file's scenarios with the tasks that can be staged, and the tasks that cannot.

    Raises PlanError for another layout, and for settings that a family does not accept.
    """
    try:
        return _scenarios(PublishedFile.model_validate(document), seed)
    except ValidationError as error:
        flaw = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, flaw["loc"]))
        raise PlanError(f"{error.title}: {where}: {flaw['msg']}") from None


def _scenarios(
    published: PublishedFile, seed: int
) -> tuple[tuple[Scenario, ...], tuple[UnsupportedTask, ...]]:
    families = {
        family.published_name: family
        for family in discover_families().values()
        if family.published_name
    }
    scenarios, unsupported = [], []
    for given in published.scenarios:
        days = []
        for number, day in enumerate(given.days):
            specs = []
            for task in day.tasks:
                if task.name in families:
                    specs.append(_spec(task, families[task.name], f"{given.name}, {day.name}"))
                else:
                    unsupported.append(
                        UnsupportedTask(scenario=given.name, day=number, name=task.name)
                    )
            days.append(DaySpec(name=day.name, tasks=tuple(specs)))
        scenarios.append(Scenario(name=given.name, seed=seed, days=tuple(days)))
    return tuple(scenarios), tuple(unsupported)


def _spec(task: PublishedTask, family: type[MetaTask[Any]], where: str) -> TaskSpec:
    """The rule and parameters of a published task."""
    arguments: Mapping[str, JsonValue] = task.arguments or {}
    try:
        meta_task = family.from_published(arguments)
    except ValueError as error:
        raise PlanError(f"{where}: {task.name}: {error}") from None
    if meta_task.rule_id not in all_rules():
        raise PlanError(f"{where}: {task.name}: its arguments make no rule ({meta_task.rule_id})")
    defaults = all_rules()[meta_task.rule_id].meta_task.model_dump(mode="json")
    fixed = {
        name: value
        for name, value in meta_task.model_dump(mode="json").items()
        if value != defaults[name]
    }
    return TaskSpec(
        rule=meta_task.rule_id,
        parameters=fixed,
        deadline=task.deadline.time() if task.deadline else None,
    )
