"""A gate before every call: what it refuses never happens, also outside the world."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, JsonValue

from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import GateVerdict, ToolDispatcher
from trainee_bench.mcp_servers.serving.log_replay import replay_log
from trainee_bench.mcp_servers.serving.toolbox import Tool
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.world.world import World


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
