"""Checking the apps, tools and variants that a scenario names, as soon as it is read."""

from __future__ import annotations

from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.support.text import suggest_names
from trainee_bench.mcp_servers import discover_toolboxes, known_variants, opt_in_tools
from trainee_bench.meta_tasks.scenario import Scenario


def check_tool_names(scenario: Scenario) -> None:
    """Raise PlanError for an app, a tool or a variant of one that does not exist: without it the
    tasks would differ."""
    toolboxes = discover_toolboxes()
    tools = [tool.name for toolbox in toolboxes.values() for tool in toolbox]
    apps = [*toolboxes, *opt_in_tools()]
    named = (("app", scenario.tools or (), apps), ("tool", scenario.minutes, tools))
    for kind, names, known in named:
        for name in names:
            if name not in known:
                near = suggest_names(name, known, known)
                raise PlanError(f"{scenario.name}: there is no {kind} {name!r}: try {near}.")
    for tool, variant in scenario.variants.items():
        if variant not in known_variants().get(tool, ()):
            raise PlanError(f"{scenario.name}: {_variants_in_words(tool, variant)}")


def _variants_in_words(tool: str, unknown: str) -> str:
    """Say that *tool* has no variant *unknown*, and which tools have which variants."""
    known = (f"{name}: {', '.join(variants)}" for name, variants in known_variants().items())
    return f"the tool {tool!r} has no variant {unknown!r}; there are {'; '.join(known)}."
