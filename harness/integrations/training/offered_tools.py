"""The tools that the days of a split offer, for trainers that show them before a day begins."""

from __future__ import annotations

from collections.abc import Collection

from trainee_bench.harness.environment.morning import begun_morning
from trainee_bench.harness.integrations.training.episode import UnknownTrainingApp
from trainee_bench.harness.integrations.training.splits import SplitOptions
from trainee_bench.harness.session.turns import ToolInfo
from trainee_bench.meta_tasks.scenario import ScenarioDay

__all__ = ["DaysOfferOtherTools", "app_of", "split_tools"]


class DaysOfferOtherTools(ValueError):
    """Raised if days offer other tools than were shown, or describe them otherwise; says which."""


def app_of(tool: str) -> str:
    """Return the app of a tool, by its name."""
    return tool.partition("_")[0]


def split_tools(options: SplitOptions, apps: Collection[str] | None = None) -> tuple[ToolInfo, ...]:
    """Return the tools of *apps*, or of all apps, that every day of a split offers.

    Only the first of generated days is made. Raises DaysOfferOtherTools if days differ,
    UnknownTrainingApp, and what `SplitOptions.open` raises.
    """
    split = options.open()
    days = [split.day(0)] if split.generated else list(split)
    first = days[0]
    other = next((day for day in days if _offer(day) != _offer(first)), None)
    if other is not None:
        raise DaysOfferOtherTools(
            f"{first.scenario.name} and {other.scenario.name} of {options.split} differ in tools, "
            "variants, minutes or office: put days that differ into benchmark files of their own."
        )
    offered = begun_morning(first).start.tools
    known = dict.fromkeys(app_of(tool.name) for tool in offered)
    for app in apps or ():
        if app not in known:
            raise UnknownTrainingApp(f"There is no app {app!r}; use {', '.join(known)}.")
    return tuple(tool for tool in offered if apps is None or app_of(tool.name) in apps)


def _offer(day: ScenarioDay) -> tuple[object, ...]:
    scenario = day.scenario
    return scenario.tools, scenario.variants, scenario.minutes, scenario.office
