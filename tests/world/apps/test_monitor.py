"""The monitor's verbs: limits, alerts, maintenance mode and its codes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from operator import methodcaller

import pytest
from pydantic import BaseModel

from trainee_bench.world.apps.monitor import (
    MAX_CODE_ATTEMPTS,
    IncidentBegins,
    IncidentEnds,
    Monitor,
)
from trainee_bench.world.errors import Invalid, NotFound, Refused
from trainee_bench.world.monitoring.website import (
    PAGE_PATHS,
    SERVER_NAMES,
    IncidentCause,
    TimeWindow,
)
from trainee_bench.world.transaction import Result, Transaction
from trainee_bench.world.world import ActionResult, World, WorldConfig

START = datetime(2025, 10, 1, 9)
OPENING = WorldConfig(employee="robin.hale", starts=START, ends=datetime(2025, 10, 1, 18))
BLOG = IncidentBegins(
    page="/blog",
    cause=IncidentCause.FULL_DISK,
    server="web-02",
    code="KQTR-4821",
    began=START - timedelta(hours=9),
)


class Nothing(BaseModel):
    """No data."""


async def world_with(*incidents: IncidentBegins) -> World:
    def stage(tx: Transaction) -> None:
        for incident in incidents:
            tx.enqueue(START, incident)

    return await World.create_inline(OPENING, stage)


async def act(
    world: World, verb: Callable[[Monitor], object], minutes: int = 1
) -> ActionResult[Nothing]:
    def run(tx: Transaction) -> Result[Nothing]:
        return Result(str(verb(Monitor(tx))), Nothing())

    return await world.execute("robin.hale", "monitor_test", {}, run, minutes=minutes)


async def load_of(world: World, page: str) -> int:
    return await world.read(lambda tx: Monitor(tx).load_ms(page))


async def test_the_right_code_puts_the_server_into_maintenance_and_the_page_recovers() -> None:
    async with await world_with(BLOG) as w:
        slow = await load_of(w, "/blog")
        await act(w, lambda m: m.start_maintenance(" WEB-02", "kqtr4821"), minutes=5)
        assert await w.read(lambda tx: Monitor(tx).maintenance()) == {"web-02": START}
        again = await act(w, lambda m: m.start_maintenance("web-02", "KQTR-4821"))
        assert "nothing more is needed" in str(again.error)
        assert await load_of(w, "/blog") < 0.9 * slow
        await act(w, lambda m: "", minutes=15)
        assert await load_of(w, "/blog") < slow / 2


@pytest.mark.parametrize("server", ["web-01", "web-02"])
async def test_wrong_codes_lock_the_server_for_the_day_even_against_the_right_one(
    server: str,
) -> None:
    async with await world_with(BLOG) as w:
        for number in range(MAX_CODE_ATTEMPTS):
            done = await act(w, lambda m, n=number: m.start_maintenance(server, f"KQTR-000{n}"))  # type: ignore[misc]
            assert done.result is not None
            assert f"entered=False tries_left={MAX_CODE_ATTEMPTS - 1 - number}" in done.result.text
        done = await act(w, lambda m: m.start_maintenance(server, "KQTR-4821"))
        assert isinstance(done.error, Refused) and "go on with your other" in str(done.error)
        assert await w.read(lambda tx: Monitor(tx).maintenance()) == {}


async def test_a_lock_holds_for_its_server_only() -> None:
    async with await world_with(BLOG) as w:
        for _ in range(MAX_CODE_ATTEMPTS):
            await act(w, lambda m: m.start_maintenance("web-01", "AAAA-1111"))
        await act(w, lambda m: m.start_maintenance("web-02", "KQTR-4821"))
        assert "web-02" in await w.read(lambda tx: Monitor(tx).maintenance())


async def test_the_code_of_one_server_opens_no_other() -> None:
    async with await world_with(BLOG) as w:
        done = await act(w, lambda m: m.start_maintenance("web-01", "KQTR-4821"))
        assert done.result is not None and "entered=False" in done.result.text


@pytest.mark.parametrize(
    ("server", "code", "error"),
    [
        ("web-02", None, Invalid),
        ("web-02", "1234", Invalid),
        ("web-02", "KQTR-48210", Invalid),
        ("web-99", "KQTR-4821", NotFound),
    ],
)
async def test_a_malformed_or_unknown_argument_is_an_error_and_costs_no_try(
    server: str, code: str | None, error: type[Exception]
) -> None:
    async with await world_with(BLOG) as w:
        for _ in range(MAX_CODE_ATTEMPTS + 1):
            assert type((await act(w, lambda m: m.start_maintenance(server, code))).error) is error
        await act(w, lambda m: m.start_maintenance("web-02", "KQTR-4821"))
        assert "web-02" in await w.read(lambda tx: Monitor(tx).maintenance())


async def test_a_server_in_maintenance_cannot_be_put_there_again() -> None:
    async with await world_with(BLOG) as w:
        await act(w, lambda m: m.start_maintenance("web-02", "KQTR-4821"))
        done = await act(w, lambda m: m.start_maintenance("web-02", "KQTR-4821"))
        assert isinstance(done.error, Refused)


async def test_an_incident_without_a_code_needs_none() -> None:
    async with await world_with(BLOG.model_copy(update={"code": None})) as w:
        await act(w, lambda m: m.start_maintenance("web-02", None))
        assert "web-02" in await w.read(lambda tx: Monitor(tx).maintenance())


async def test_a_night_undoes_what_was_done_to_servers_by_mistake_and_no_other_maintenance() -> (
    None
):
    shop = BLOG.model_copy(update={"page": "/products", "server": "web-01", "code": None})

    def stage(tx: Transaction) -> None:
        tx.enqueue(START, BLOG)
        tx.enqueue(START, shop)
        tx.enqueue(START + timedelta(hours=4), IncidentEnds(server="web-02"))

    async with await World.create_inline(OPENING, stage) as w:
        for server in ("web-01", "web-03"):
            done = await act(w, methodcaller("start_maintenance", server, None))
            assert done.error is None
        for number in range(MAX_CODE_ATTEMPTS):
            await act(w, methodcaller("start_maintenance", "web-02", f"ABCD-100{number}"))
        await act(w, lambda m: "", minutes=300)
        assert set(await w.read(lambda tx: Monitor(tx).maintenance())) == {"web-01"}
        await act(w, lambda m: m.start_maintenance("web-02", None))
        assert "web-02" in await w.read(lambda tx: Monitor(tx).maintenance())


async def test_reboots_are_always_refused() -> None:
    async with await world_with(BLOG) as w:
        for server in SERVER_NAMES:
            assert isinstance((await act(w, lambda m, s=server: m.reboot(s))).error, Refused)  # type: ignore[misc]


async def test_an_incident_that_begins_during_the_day_leaves_the_past_as_it_was() -> None:
    noon, tomorrow = START.replace(hour=12), START + timedelta(days=1)
    soon, late = (
        BLOG.model_copy(update={"began": began, "cause": IncidentCause.CACHE_MISS})
        for began in (noon, tomorrow)
    )
    async with await world_with(soon) as w, await world_with(late) as quiet:
        for world in (w, quiet):
            await act(world, lambda m: "", minutes=180 + 45)
        with_it, without = [
            await world.read(lambda tx: Monitor(tx).load_times("/blog", TimeWindow.SIX_HOURS))
            for world in (w, quiet)
        ]
        assert with_it[:8] == without[:8]
        assert with_it[-1].load_ms > 2 * without[-1].load_ms


async def test_alerts_name_the_slow_page_and_harmless_readings_alike() -> None:
    async with await world_with(BLOG) as w:
        alerts = await w.read(lambda tx: Monitor(tx).alerts())
        assert {"/blog", "web-02"} <= {alert.about for alert in alerts}
        assert len({alert.about for alert in alerts if alert.about in PAGE_PATHS}) == 2
        assert len({alert.about for alert in alerts if alert.about in SERVER_NAMES}) >= 4


async def test_logs_are_read_from_the_newest_backwards_without_gap() -> None:
    async with await world_with(BLOG) as w:
        whole, more = await w.read(lambda tx: Monitor(tx).logs("web-02", 10_000))
        assert not more
        newest, more = await w.read(lambda tx: Monitor(tx).logs("web-02", 10))
        assert more and newest == whole[-10:]
        earlier, _ = await w.read(lambda tx: Monitor(tx).logs("web-02", 5, newest[0].at))
        assert earlier == tuple(line for line in whole if line.at < newest[0].at)[-5:]


async def test_unknown_pages_and_servers_are_answered_with_those_there_are() -> None:
    async with await world_with() as w:
        page = (await act(w, lambda m: m.load_times("/shop", TimeWindow.DAY))).error
        server = (await act(w, lambda m: m.health("web-77"))).error
        assert isinstance(page, NotFound) and all(path in str(page) for path in PAGE_PATHS)
        assert isinstance(server, NotFound) and all(name in str(server) for name in SERVER_NAMES)
