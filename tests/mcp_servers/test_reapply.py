"""The past stays reachable: a log applied again gives the same world, or says where it differs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from harness.in_process import stage_day
from mcp_servers import discover
from mcp_servers.serving import reapply as module
from mcp_servers.serving.reapply import Diverged, reapply
from mcp_servers.serving.seat import Seat
from meta_tasks.benchmark import find_scenario, shipped_benchmark
from meta_tasks.composition import compose, stage_world
from meta_tasks.scenario import Scenario
from tests.mcp_servers import toy as tools
from tests.mcp_servers.toy import ASKED, a_world, seat_in
from world.log import Entry


@pytest.fixture
def toy_apps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "discover", lambda: {"shelf": tools.TOOLS})


@pytest.mark.parametrize("scenario", shipped_benchmark().scenarios, ids=lambda one: one.name)
async def test_a_day_of_work_applied_again_gives_the_same_world(scenario: Scenario) -> None:
    day = await stage_day(compose(scenario))
    async with day.world:
        assert await day.run_oracles() == {}
        log, digest = await day.world.log(), await day.world.digest()
    async with await stage_world(None, scenario) as again:
        await reapply(again, log)
        assert await again.digest() == digest
        assert await again.log() == log


async def test_any_earlier_moment_can_be_reached_and_gone_on_from() -> None:
    scenario = find_scenario()
    async with await stage_world(None, scenario) as world:
        seat = Seat(world, await world.look(lambda turn: turn.employee), discover().values())
        digests = [await world.digest()]
        for minutes in (5, 50, 500):
            await seat.call("desk_wait", {"minutes": minutes})
            await seat.call("desk_write_note", {"text": f"after {minutes}"})
            digests.append(await world.digest())
        log = await world.log()
    for count, digest in enumerate(digests):
        async with await stage_world(None, scenario) as past:
            await reapply(past, log[: 2 * count])
            assert await past.digest() == digest
            done = await Seat(past, seat.person, discover().values()).call("desk_now", {})
            assert done.error is None


async def test_refused_and_unlisted_calls_are_refused_again() -> None:
    scenario = find_scenario()
    async with await stage_world(None, scenario) as world:
        me = await world.look(lambda turn: turn.employee)
        seat = Seat(world, me, [discover()["mail"]])
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
    async with await stage_world(None, scenario) as again:
        await reapply(again, log)
        assert await again.digest() == digest


@pytest.mark.usefixtures("toy_apps")
async def test_what_came_from_outside_is_not_asked_again() -> None:
    async with await a_world() as world:
        await seat_in(world).call("shelf_ask", {"question": "how high?"})
        log = await world.log()
    ASKED.clear()
    async with await a_world() as again:
        await reapply(again, log)
        assert await again.log() == log
    assert ASKED == []


CHANGES: list[tuple[str, Callable[[Entry], dict[str, Any]]]] = [
    ("it began at", lambda entry: {"at": entry.at - timedelta(minutes=1)}),
    ("it ended at", lambda entry: {"until": entry.until + timedelta(minutes=1)}),
    ("its text", lambda entry: {"text": entry.text + "!"}),
    ("its data", lambda entry: {"data": {"things": []}}),
    ("its notices", lambda entry: {"notices": log_notices(entry)}),
]


def log_notices(entry: Entry) -> tuple[Any, ...]:
    return ({"at": entry.at, "kind": "mail", "text": "never told"},)


@pytest.mark.usefixtures("toy_apps")
@pytest.mark.parametrize("what, change", CHANGES, ids=[what for what, _ in CHANGES])
async def test_the_first_action_that_comes_out_otherwise_is_named(
    what: str, change: Callable[[Entry], dict[str, Any]]
) -> None:
    async with await a_world() as world:
        for thing in ("cup", "saucer", "spoon"):
            await seat_in(world).call("shelf_put", {"thing": thing})
        log = await world.log()
    changed = Entry.model_validate(log[1].model_dump() | change(log[1]))
    async with await a_world() as again:
        with pytest.raises(Diverged, match=f"action 2 came out otherwise: shelf_put: {what}") as e:
            await reapply(again, [log[0], changed, log[2]])
        assert e.value.seq == 2
        assert len(await again.log()) == 2


@pytest.mark.usefixtures("toy_apps")
async def test_an_action_that_now_succeeds_has_come_out_otherwise() -> None:
    async with await a_world() as world:
        await seat_in(world).call("shelf_clear", {})
        (entry,) = await world.log()
    easy = entry.model_copy(update={"tool": "shelf_list"})
    async with await a_world() as again:
        with pytest.raises(Diverged, match="action 1"):
            await reapply(again, [easy])
