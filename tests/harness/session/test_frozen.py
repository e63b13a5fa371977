"""What an agent is shown has a digest each: its world, its tools, its prompts, its pictures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from pydantic import BaseModel

from trainee_bench import mcp_servers
from trainee_bench.harness.environment.day import Day
from trainee_bench.harness.session import frozen, prompt
from trainee_bench.harness.session.frozen import FrozenDigests
from trainee_bench.mcp_servers import default_toolboxes, desk, discover_toolboxes
from trainee_bench.mcp_servers.serving.toolbox import Tool, Toolbox
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.world.pictures import render
from trainee_bench.world.pictures.road_map import RoadMap
from trainee_bench.world.transaction import Result, Transaction

MAPS, TABLES = "event_planning.A4", "sales.top_sales_employee"


def scenario(rule: str = TABLES, **more: object) -> Scenario:
    day = DaySpec(tasks=(TaskSpec(rule=rule),))
    return Scenario.model_validate({"name": "s", "seed": 3, "days": (day,), **more})


def shown(of: Scenario) -> FrozenDigests:
    day = Day(of)
    day.reset()
    try:
        return day.frozen_digests()
    finally:
        day.close()


def differing(one: FrozenDigests, other: FrozenDigests) -> set[str]:
    return {
        name for name in FrozenDigests.model_fields if getattr(one, name) != getattr(other, name)
    }


@pytest.fixture(autouse=True)
def _nothing_kept() -> Iterator[None]:
    yield
    frozen.tools_digest.cache_clear()
    render.renderer_digest.cache_clear()


def test_the_same_day_is_shown_in_the_same_way() -> None:
    assert shown(scenario(MAPS)) == shown(scenario(MAPS))


def test_another_seed_gives_another_world_for_the_same_tools() -> None:
    differ = differing(shown(scenario()), shown(scenario(seed=4)))
    assert "world" in differ
    assert "tools" not in differ


def test_a_day_without_pictures_does_not_depend_on_how_they_are_drawn() -> None:
    assert shown(scenario(TABLES)).pictures is None
    assert shown(scenario(MAPS)).pictures is not None
    assert shown(scenario(MAPS, modality="tables")).pictures is None


def test_another_description_of_a_tool_is_another_digest_of_the_tools(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = shown(scenario())
    tools = desk.TOOLS._tools
    changed = {**tools, "desk_now": _described_anew(tools["desk_now"])}
    monkeypatch.setattr(desk.TOOLS, "_tools", changed)
    frozen.tools_digest.cache_clear()
    assert differing(before, shown(scenario())) == {"tools"}


def _described_anew(tool: Tool) -> Tool:
    return replace(tool, about="Tell the time.")


def test_another_cost_of_a_tool_is_another_digest_of_the_tools() -> None:
    assert "tools" in differing(shown(scenario()), shown(scenario(minutes={"desk_now": 3})))


def test_another_sentence_of_the_prompt_is_another_digest_of_the_prompts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = shown(scenario())
    monkeypatch.setattr(prompt, "_RULES", prompt._RULES + " Good luck.")
    assert differing(before, shown(scenario())) == {"prompts"}


def test_another_way_to_draw_is_another_digest_of_the_pictures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = shown(scenario(MAPS))
    monkeypatch.setattr(RoadMap, "size", (500, 500))
    render.renderer_digest.cache_clear()
    assert differing(before, shown(scenario(MAPS))) == {"pictures"}


class Gone(BaseModel):
    """Nothing."""


def _newer_tool(tx: Transaction) -> Result[Gone]:
    """Give a task back."""
    return Result("Given back.", Gone())


@pytest.fixture
def newer(monkeypatch: pytest.MonkeyPatch) -> Toolbox:
    """The desk with a tool that is newer than the frozen benchmarks."""
    _newer_tool.__name__ = "desk_newer"
    monkeypatch.setattr(desk.TOOLS, "_tools", dict(desk.TOOLS._tools))
    desk.TOOLS.tool(opt_in=True)(_newer_tool)
    mcp_servers.discover_tools.cache_clear()
    frozen.tools_digest.cache_clear()
    return discover_toolboxes()["desk"]


def test_a_newer_tool_is_offered_where_a_scenario_names_it_and_nowhere_else(
    newer: Toolbox,
) -> None:
    apps = tuple(default_toolboxes())
    usual, named = Day(scenario()), Day(scenario(tools=(*apps, "desk_newer")))
    assert "desk_newer" not in {tool.name for tool in usual.reset().tools}
    assert "desk_newer" in {tool.name for tool in named.reset().tools}
    assert "desk_newer" not in {tool.name for tool in default_toolboxes()["desk"]}


def test_a_newer_tool_changes_nothing_of_a_day_that_does_not_name_it(
    newer: Toolbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    after = shown(scenario())
    monkeypatch.undo()
    frozen.tools_digest.cache_clear()
    assert shown(scenario()) == after
