"""Whether the scenarios of a plan can be run on this machine, checked before anything is staged."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from trainee_bench.harness.records.plan import PlanError
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.meta_tasks.catalog import UnknownRuleError, make_meta_task
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.meta_tasks.task_context import CompositionError


def check_scenarios(scenarios: Sequence[Scenario], *, composable: bool) -> None:
    """Raise PlanError for unknown rules, apps or tools and for apps that this machine lacks.

    *composable* asks for every day to be composed, too: 30 ms a day.
    """
    for scenario in scenarios:
        _check_rules(scenario)
        _check_tools(scenario)
    check_apps_available(scenarios)
    if composable:
        _check_composable(scenarios)


def check_apps_available(scenarios: Sequence[Scenario]) -> None:
    """Raise PlanError if this machine lacks what an app that a scenario names needs."""
    apps = discover_toolboxes()
    for scenario in scenarios:
        for name in scenario.tools or ():
            if missing := apps[name].missing_requirement():
                raise PlanError(f"{scenario.name}: {missing}")


def _check_rules(scenario: Scenario) -> None:
    for day in scenario.days:
        for task in day.tasks:
            try:
                make_meta_task(task.rule, task.parameters)
            except UnknownRuleError as error:
                raise PlanError(f"{scenario.name}, {day.name}: {error}") from None


def _check_tools(scenario: Scenario) -> None:
    """Raise PlanError for an unknown app or tool: leaving it out would make another task."""
    apps = discover_toolboxes()
    tools = [tool.name for app in apps.values() for tool in app]
    named = (("app", scenario.tools or (), list(apps)), ("tool", scenario.minutes, tools))
    for kind, names, known in named:
        for name in names:
            if name not in known:
                raise PlanError(
                    f"{scenario.name}: there is no {kind} {name!r}: try {similar(name, known)}."
                )


def _check_composable(scenarios: Sequence[Scenario]) -> None:
    """Raise PlanError for a day whose tasks conflict."""
    for scenario in scenarios:
        for number, day in enumerate(scenario.days):
            if not day.tasks:
                continue
            try:
                compose_day(scenario, number)
            except CompositionError as error:
                raise PlanError(f"{scenario.name}, {day.name}: {error}") from None
            except Exception:  # noqa: BLE001, S112 - a bug of a family breaks its own episodes
                continue


def similar(name: str, known: Sequence[str]) -> str:
    """The names most like *name*, for an error message."""
    return " or ".join(difflib.get_close_matches(name, known, n=3, cutoff=0.4) or known[:10])
