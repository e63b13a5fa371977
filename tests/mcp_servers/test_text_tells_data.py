"""What honest work reads in a result's data, an agent reads in its text.

`test_every_tool.py` holds every tool to it; here whole days are.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, get_args

import pytest
from pydantic import BaseModel, JsonValue

from tests.mcp_servers.told import INSTEAD, UNREAD, UNTOLD, WORDS, Told, names_of_people, untold
from trainee_bench.harness.testbench.staged_day import (
    PASSING_DAYS,
    StagedDay,
    single_task_day,
    stage_day,
)
from trainee_bench.harness.testbench.work_plan import work_tasks
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.desk import MAX_PAGE_CHARACTERS
from trainee_bench.mcp_servers.desk import TOOLS as DESK
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.meta_tasks import catalog
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.tool_client import ToolResponse
from trainee_bench.meta_tasks.work.need import Work
from trainee_bench.meta_tasks.work.outline import NO_PLAN
from trainee_bench.meta_tasks.work.sources import DeskListing
from trainee_bench.world.apps.desk import TaskPublished
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World, WorldConfig

TOOLS = {tool.name: tool for box in discover_toolboxes().values() for tool in box}
NOW = datetime(2025, 10, 1, 9)
HARD_DAYS = 3
"""Days of many hard tasks that are worked: each with complications that no earlier one has."""


class Line(BaseModel):
    at: datetime = NOW
    sender: str = "anna.ek"
    size: int = 1_200
    share: float = 0.5
    seats: dict[str, int] = {"Room_01": 4}
    late: bool = True


def found(text: str, **data: Any) -> list[str]:
    told = Told(text, NOW, {"anna.ek": ("Anna Ek",)})
    return [path for path, _ in untold("toy_list", {}, Line(**data), told)]


def test_a_value_is_told_in_any_usual_spelling_and_nothing_else_passes_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "09:00 Anna Ek, 1,200 B, 50%, Room_01 (4 seats), late"
    assert found(text) == ["late"]  # no word is agreed for it
    monkeypatch.setattr("tests.mcp_servers.told.WORDS", {("toy_list", "late"): "late"})
    assert found(text) == []
    assert found(text, late=False, size=0, seats={}, sender="") == []
    assert found(text, at=NOW + timedelta(days=1)) == ["at"]  # the day is not told
    assert found(f"Thu {text}", at=NOW + timedelta(days=1)) == []
    assert found(text, size=200, share=0.4) == ["size", "share"]
    assert found(text, seats={"Room_02": 4}) == ["seats"]
    assert found(text.removesuffix(", late")) == ["late"]


@pytest.mark.every_app
def test_every_exception_names_a_field_that_a_tool_has() -> None:
    for tool, path in [*WORDS, *INSTEAD, *UNTOLD]:
        assert path in set(fields(TOOLS[tool].data)), (tool, path)
    for (tool, path), why in UNTOLD.items():
        assert why and (tool, path) not in WORDS


def fields(given: Any, path: str = "") -> Iterator[str]:
    """The path of every value that data of the type *given* may have, as `leaves` names it."""
    if isinstance(given, type) and issubclass(given, BaseModel):
        for name, field in given.model_fields.items():
            yield from fields(field.annotation, f"{path}.{name}".lstrip("."))
    elif isinstance(given, types.GenericAlias | types.UnionType) or get_args(given):
        for inner in get_args(given):
            yield from fields(inner, path)
    else:
        yield path


# whole days ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NarrowDay(StagedDay):
    """A staged day whose results lack the fields that honest work is said not to read."""

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        """Call a tool; see `StagedDay`."""
        answer = await super().call(tool, arguments)
        for other, path in UNTOLD:
            if other == tool and UNTOLD[other, path].startswith(UNREAD):
                remove(answer.data, path.split("."))
        return answer


def remove(data: Any, path: list[str]) -> None:
    """Remove the field at *path* from *data*, which came from JSON, in each item of a list."""
    for item in data if isinstance(data, list) else [data]:
        if len(path) == 1:
            item.pop(path[0], None)
        else:
            remove(item[path[0]], path[1:])


async def check_day(composition: ComposedDay) -> None:
    """Honest work does without what is said to be unread, and reads nothing that is not told."""
    plain = await stage_day(composition)
    day = NarrowDay(plain.composition, plain.world, plain.seat)
    async with day.world:
        assert await day.work() == {}
        people = await day.world.read(names_of_people)
        for entry in await day.world.log():
            if not entry.ok or entry.tool in PASSING_DAYS:
                continue
            data = TOOLS[entry.tool].data.model_validate(entry.data)
            told = Told(entry.text, entry.until, people)
            assert untold(entry.tool, entry.arguments, data, told) == [], (entry.tool, entry.text)


@pytest.mark.every_family
@pytest.mark.parametrize("rule", {id.partition(".")[0]: id for id in catalog.all_rules()}.values())
async def test_honest_work_reads_nothing_that_no_agent_is_told(rule: str) -> None:
    await check_day(single_task_day(rule, 3))


def hard_days() -> list[ComposedDay]:
    """The first days of many hard tasks, each with a complication that no earlier one has."""
    chosen: list[ComposedDay] = []
    known: set[str] = set()
    for scenario in load_shipped_benchmark("expert-50").scenarios:
        rules = {task.rule for day in scenario.days for task in day.tasks}
        own = {name for rule in rules for name in rule.split("+")[1:]}
        if own - known and len(chosen) < HARD_DAYS:
            known |= own
            chosen.append(compose_day(scenario))
    return chosen


@pytest.mark.parametrize("number", range(HARD_DAYS))
async def test_nor_does_it_on_a_day_of_many_hard_tasks(number: int) -> None:
    await check_day(hard_days()[number])


async def test_nor_does_it_in_a_week() -> None:
    await check_day(compose_day(load_shipped_benchmark("week-10").scenarios[0]))


async def test_a_task_that_a_list_has_only_the_title_of_is_read_alone() -> None:
    text = "Count all the chairs of the house. " * (MAX_PAGE_CHARACTERS // 60)
    opening = WorldConfig(employee="robin.hale", starts=NOW, ends=NOW + timedelta(hours=8))
    deadline = NOW + timedelta(hours=3)

    def stage(tx: Transaction) -> None:
        for id in ("T1", "T2"):
            event = TaskPublished(id=id, title="Chairs", objective=id + text, deadline=deadline)
            tx.enqueue(NOW, event)

    read: list[str] = []

    async def work(work: Work, task: str) -> None:
        read.append((await work(DeskListing()))[task].objective)

    world = await World.create_inline(opening, stage)
    composition = single_task_day("kb_fix.easy", 0)
    day = StagedDay(composition, world, ToolDispatcher(world, "robin.hale", [DESK]))
    async with world:
        listed = await day.call("desk_tasks", {})
        assert [task["objective"] for task in listed.data["tasks"]] == [None, None]
        assert text[:20] not in listed.text
        assert await work_tasks(day, {}, {"T1": work, "T2": work}, NO_PLAN, []) == {}
    assert read == [f"T1{text}", f"T2{text}"]
