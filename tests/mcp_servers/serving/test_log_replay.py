"""The past stays reachable: a log applied again gives the same world, or says where it differs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.mcp_servers import toy as tools
from tests.mcp_servers.toy import ASKED, a_world, seat_in
from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.serving import log_replay as module
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.mcp_servers.serving.log_replay import ReplayDiverged, replay_log
from trainee_bench.meta_tasks.benchmark import find_scenario, load_shipped_benchmark
from trainee_bench.meta_tasks.composition import compose_day, create_world
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.errors import Invalid
from trainee_bench.world.workbook import engine


@pytest.fixture
def toy_apps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "discover_toolboxes", lambda: {"shelf": tools.TOOLS})


@pytest.mark.parametrize("scenario", load_shipped_benchmark().scenarios, ids=lambda one: one.name)
async def test_a_day_of_work_applied_again_gives_the_same_world(scenario: Scenario) -> None:
    day = await stage_day(compose_day(scenario))
    async with day.world:
        assert await day.work() == {}
        log, digest = await day.world.log(), await day.world.digest()
    async with await create_world(None, scenario) as again:
        await replay_log(again, log)
        assert await again.digest() == digest
        assert await again.log() == log


async def test_any_earlier_moment_can_be_reached_and_gone_on_from() -> None:
    scenario = find_scenario()
    async with await create_world(None, scenario) as world:
        seat = ToolDispatcher(
            world, await world.read(lambda tx: tx.employee), discover_toolboxes().values()
        )
        digests = [await world.digest()]
        for minutes in (5, 50, 500):
            await seat.call("desk_wait", {"minutes": minutes})
            await seat.call("desk_write_note", {"text": f"after {minutes}"})
            digests.append(await world.digest())
        log = await world.log()
    for count, digest in enumerate(digests):
        async with await create_world(None, scenario) as past:
            await replay_log(past, log[: 2 * count])
            assert await past.digest() == digest
            done = await ToolDispatcher(past, seat.person, discover_toolboxes().values()).call(
                "desk_now", {}
            )
            assert done.error is None


async def test_refused_and_unlisted_calls_are_refused_again() -> None:
    scenario = find_scenario()
    async with await create_world(None, scenario) as world:
        me = await world.read(lambda tx: tx.employee)
        seat = ToolDispatcher(world, me, [discover_toolboxes()["mail"]])
        for name, arguments in (
            ("desk_now", {}),
            ("mail_read", {"mail": 10**30}),
            ("mail_read", {"mail": "\ud800"}),
            ("mail_send", {"x" * 3_000_000: 1}),
            ("\ud800\0", {"a": float("nan")}),
        ):
            await seat.call(name, arguments)
        log, digest = await world.log(), await world.digest()
    assert not any(entry.ok for entry in log)
    async with await create_world(None, scenario) as again:
        await replay_log(again, log)
        assert await again.digest() == digest


@pytest.mark.usefixtures("toy_apps")
async def test_a_side_effect_does_not_run_again() -> None:
    async with await a_world() as world:
        await seat_in(world).call("shelf_ask", {"question": "how high?"})
        log = await world.log()
    ASKED.clear()
    async with await a_world() as again:
        await replay_log(again, log)
        assert await again.log() == log
    assert ASKED == []


CHANGES: list[tuple[str, Callable[[LogEntry], dict[str, Any]]]] = [
    ("it began at", lambda entry: {"at": entry.at - timedelta(minutes=1)}),
    ("it ended at", lambda entry: {"until": entry.until + timedelta(minutes=1)}),
    ("its text", lambda entry: {"text": entry.text + "!"}),
    ("its data", lambda entry: {"data": {"things": []}}),
    ("its notices", lambda entry: {"notices": log_notices(entry)}),
]


def log_notices(entry: LogEntry) -> tuple[Any, ...]:
    return ({"at": entry.at, "kind": "mail", "text": "never told"},)


@pytest.mark.usefixtures("toy_apps")
@pytest.mark.parametrize("what, change", CHANGES, ids=[what for what, _ in CHANGES])
async def test_the_first_action_that_comes_out_otherwise_is_named(
    what: str, change: Callable[[LogEntry], dict[str, Any]]
) -> None:
    async with await a_world() as world:
        for thing in ("cup", "saucer", "spoon"):
            await seat_in(world).call("shelf_put", {"thing": thing})
        log = await world.log()
    changed = LogEntry.model_validate(log[1].model_dump() | change(log[1]))
    async with await a_world() as again:
        with pytest.raises(
            ReplayDiverged, match=f"action 2 differs from its record: shelf_put: {what}"
        ) as e:
            await replay_log(again, [log[0], changed, log[2]])
        assert e.value.seq == 2
        assert len(await again.log()) == 2


@pytest.mark.usefixtures("toy_apps")
async def test_an_action_that_now_succeeds_has_come_out_otherwise() -> None:
    async with await a_world() as world:
        await seat_in(world).call("shelf_clear", {})
        (entry,) = await world.log()
    easy = entry.model_copy(update={"tool": "shelf_list"})
    async with await a_world() as again:
        with pytest.raises(ReplayDiverged, match="action 1"):
            await replay_log(again, [easy])


async def test_whether_the_spreadsheet_engine_gave_up_is_taken_from_the_record(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scenario = find_scenario()
    call = ("sheets_calculate", {"expression": "SUM(SEQUENCE(2000))"})

    def gives_up(request: object) -> None:
        raise Invalid(engine.GAVE_UP)

    async with await create_world(None, scenario) as world:
        seat = ToolDispatcher(
            world, await world.read(lambda tx: tx.employee), discover_toolboxes().values()
        )
        with monkeypatch.context() as slow:
            slow.setattr(engine._ENGINE, "ask", gives_up)
            assert str((await seat.call(*call)).error) == engine.GAVE_UP
        assert (await seat.call(*call)).error is None
        log, digest = await world.log(), await world.digest()
    async with await create_world(None, scenario) as again:
        await replay_log(again, log)
        assert await again.digest() == digest


@pytest.mark.sweep
async def test_a_record_repeats_on_a_machine_that_is_too_slow_for_an_agent() -> None:
    call = ("sheets_calculate", {"expression": _LONG})
    scenario = find_scenario()
    async with await create_world(None, scenario) as world:
        seat = ToolDispatcher(
            world, await world.read(lambda tx: tx.employee), discover_toolboxes().values()
        )
        assert str((await seat.call(*call)).error) == engine.GAVE_UP
        with engine.patient():  # a machine five times as fast
            assert (await seat.call(*call)).error is None
        log = await world.log()
    engine._ENGINE.close()
    async with await create_world(None, scenario) as again:
        await replay_log(again, log)


_LONG = "SUM(BYROW(SEQUENCE(6000),LAMBDA(row,SUM(SEQUENCE(6000)*row))))"
