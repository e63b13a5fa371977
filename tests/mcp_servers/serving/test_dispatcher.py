"""A seat calls tools through a gate: each call is an action, and what is refused never happens."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping

import pytest
from pydantic import BaseModel, JsonValue

from tests.mcp_servers import toy
from tests.mcp_servers.toy import ASKED, TOOLS, a_world, seat_in
from tests.world.toy import MORNING, ROBIN, at
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import GateVerdict, ToolDispatcher
from trainee_bench.mcp_servers.serving.log_replay import replay_log
from trainee_bench.mcp_servers.serving.toolbox import Tool
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.world.errors import Invalid, NotFound, Refused
from trainee_bench.world.world import World


@pytest.fixture
async def seat() -> AsyncIterator[ToolDispatcher]:
    async with await a_world() as world:
        yield seat_in(world)


async def test_a_call_is_an_action_of_the_seats_person(seat: ToolDispatcher) -> None:
    done = await seat.call("shelf_put", {"thing": "cup"})
    assert done.result is not None and done.result.text == "cup is on the left."
    assert (done.at, done.now) == (MORNING, at(8, 5))
    (entry,) = await seat.world.log()
    assert (entry.actor, entry.tool, entry.arguments) == (ROBIN, "shelf_put", {"thing": "cup"})


@pytest.mark.parametrize(
    "name, arguments, kind",
    [
        ("shelf_put", {}, Invalid),
        ("shelf_put", {"thing": "\0"}, Invalid),
        ("shelf_clear", {}, Refused),
        ("shelf_burn", {"why": "cold"}, NotFound),
        ("\ud800" * 100, {"a": float("nan")}, NotFound),
    ],
)
async def test_a_refused_call_is_an_action_of_one_minute(
    seat: ToolDispatcher, name: str, arguments: dict[str, object], kind: type[Exception]
) -> None:
    done = await seat.call(name, arguments)  # type: ignore[arg-type]
    assert isinstance(done.error, kind) and done.result is None
    assert (done.at, done.now) == (MORNING, at(8, 1))
    (entry,) = await seat.world.log()
    assert not entry.ok and entry.text == str(done.error)
    assert len(entry.tool) <= 64 and entry.tool.encode()


async def test_arguments_that_cannot_be_kept_leave_no_trace_but_are_refused_again(
    seat: ToolDispatcher,
) -> None:
    done = await seat.call("shelf_put", {"thing": "x" * 3_000_000, "where": "\ud800"})
    (entry,) = await seat.world.log()
    assert len(str(entry.arguments)) < 100
    again = await seat.call(entry.tool, entry.arguments, entry.effects)
    assert str(again.error) == str(done.error)


async def test_a_bug_in_a_verb_is_raised_and_leaves_nothing(seat: ToolDispatcher) -> None:
    before = await seat.world.digest()
    with pytest.raises(ZeroDivisionError):
        await seat.call("shelf_break", {})
    assert await seat.world.digest() == before and await seat.world.log() == []


async def test_a_side_effect_runs_once_is_recorded_and_never_runs_again(
    seat: ToolDispatcher,
) -> None:
    ASKED.clear()
    done = await seat.call("shelf_ask", {"question": "how high?"})
    assert done.result is not None and done.result.text == "answer 1"
    (entry,) = await seat.world.log()
    assert entry.effects == {"reply": "answer 1"} and [f"{ROBIN}: how high?"] == ASKED
    again = await seat.call(entry.tool, entry.arguments, entry.effects)
    assert again.result is not None and again.result.text == "answer 1"
    assert len(ASKED) == 1


async def test_nobody_outside_is_asked_with_wrong_arguments(seat: ToolDispatcher) -> None:
    ASKED.clear()
    await seat.call("shelf_ask", {"query": "how high?"})
    assert ASKED == []


async def test_a_tool_that_was_not_listed_is_refused_in_a_replay_with_more_tools() -> None:
    async with await a_world() as world:
        done = await ToolDispatcher(world, ROBIN, []).call("shelf_put", {"thing": "cup"})
        (entry,) = await world.log()
        again = await seat_in(world).call(entry.tool, entry.arguments, entry.effects)
        assert str(again.error) == str(done.error) and again.result is None


async def test_two_tools_of_one_name_are_a_bug() -> None:
    async with await a_world() as world:
        with pytest.raises(TypeError, match="two tools are called shelf_list"):
            ToolDispatcher(world, ROBIN, [TOOLS, toy.TOOLS])


async def test_a_refusal_of_a_side_effect_has_the_same_words_when_replayed(
    seat: ToolDispatcher,
) -> None:
    ASKED.clear()
    done = await seat.call("shelf_ask", {"question": "forbidden?"})
    assert isinstance(done.error, Refused)
    assert done.now == at(8, 1)
    (entry,) = await seat.world.log()
    again = await seat.call(entry.tool, entry.arguments, entry.effects)
    assert str(again.error) == str(done.error)
    assert len(ASKED) == 1


class Watchman:
    """Refuses one tool, and notes who passes."""

    def __init__(self, refused: str):
        self._refused = refused
        self.arrived: list[str] = []

    async def arrive(self, name: str) -> None:
        self.arrived.append(name)

    async def judge(self, world: World, tool: Tool, arguments: BaseModel) -> GateVerdict:
        effects = {"seen_by": "watchman"}
        return GateVerdict("Not approved: no." if tool.name == self._refused else "", effects)


async def test_a_refused_call_has_no_side_effect_is_logged_and_replays() -> None:
    ran: list[str] = []

    async def outside(world: World, actor: str, arguments: BaseModel) -> Mapping[str, JsonValue]:
        ran.append(actor)
        return {}

    gate, effects = Watchman("desk_tasks"), {"desk_tasks": outside, "desk_now": outside}
    async with await create_world(None, find_scenario()) as world:
        me = await world.read(lambda tx: tx.employee)
        seat = ToolDispatcher(world, me, discover_toolboxes().values(), effects, gate)
        refused = await seat.call("desk_tasks", {})
        assert str(refused.error) == "Not approved: no."
        assert (refused.now - refused.at).total_seconds() == 60
        assert ran == []
        assert (await seat.call("desk_now", {})).error is None
        assert ran == [me]
        await seat.call("no_such_tool", {})
        assert gate.arrived == ["desk_tasks", "desk_now", "no_such_tool"]
        log, digest = await world.log(), await world.digest()
        assert [entry.effects.get("seen_by") for entry in log] == ["watchman", "watchman", None]
    async with await create_world(None, find_scenario()) as again:
        await replay_log(again, log)
        assert await again.digest() == digest
