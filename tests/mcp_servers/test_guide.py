"""The mentor's tools: for the mentor alone, at no cost, heard whatever the scenario hides."""

from __future__ import annotations

import pytest

from trainee_bench.mcp_servers import default_toolboxes, discover_toolboxes
from trainee_bench.mcp_servers.guide import MENTOR
from trainee_bench.mcp_servers.guide import TOOLS as GUIDE
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.mcp_servers.serving.log_replay import replay_log
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.world.transaction import NoticeKind, Verbosity
from trainee_bench.world.world import World


def employees(world: World, person: str) -> ToolDispatcher:
    return ToolDispatcher(world, person, discover_toolboxes().values())


@pytest.mark.parametrize("verbosity", list(Verbosity))
async def test_hints_and_messages_reach_the_next_result_at_no_cost_and_replay(
    verbosity: Verbosity,
) -> None:
    scenario = find_scenario().model_copy(update={"verbosity": verbosity})
    async with await create_world(None, scenario) as world:
        mentor = ToolDispatcher(world, MENTOR, [GUIDE])
        me, before = await world.read(lambda tx: tx.employee), await world.now()
        hint = {"task": "t1", "tier": 2, "text": "Look  at\nthe owners."}
        assert (await mentor.call("guide_hint", hint)).error is None
        assert (await mentor.call("guide_say", {"text": "Well done."})).error is None
        for wrong in (
            {"task": "T99", "tier": 1, "text": "x"},
            {"task": "T1", "tier": 4, "text": "x"},
            {"task": "T1", "tier": 1, "text": " "},
        ):
            assert (await mentor.call("guide_hint", wrong)).error is not None
        assert await world.now() == before
        heard = (await employees(world, me).call("desk_now", {})).notices
        assert [one.text for one in heard if one.kind is NoticeKind.GUIDANCE] == [
            "Hint on T1 (where to look): Look at the owners.",
            "Your mentor says: Well done.",
        ]
        log, digest = await world.log(), await world.digest()
    async with await create_world(None, scenario) as again:
        await replay_log(again, log)
        assert await again.digest() == digest


async def test_nobody_but_the_mentor_can_give_hints() -> None:
    async with await create_world(None, find_scenario()) as world:
        me = await world.read(lambda tx: tx.employee)
        for tool, given in (
            ("guide_say", {"text": "Hello"}),
            ("guide_hint", {"task": "T1", "tier": 1, "text": "Hello"}),
        ):
            refused = await employees(world, me).call(tool, given)
            assert "Only the mentor" in str(refused.error)


def test_no_day_offers_the_guide_unless_it_names_it() -> None:
    assert "guide" in discover_toolboxes()
    assert "guide" not in default_toolboxes()
