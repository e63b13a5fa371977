"""The monitor's tools as an agent calls them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime, timedelta

import pytest
from pydantic import JsonValue

from tests.mcp_servers.seats import data, refused, said
from trainee_bench.mcp_servers.monitor import TOOLS
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.world.apps.monitor import IncidentBegins
from trainee_bench.world.monitoring.website import PAGE_PATHS, SERVER_NAMES, IncidentCause
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World, WorldConfig

START = datetime(2025, 10, 1, 9)
OPENING = WorldConfig(employee="robin.hale", starts=START, ends=datetime(2025, 10, 1, 18))
CODE = "KQTR-4821"
Call = tuple[str, dict[str, JsonValue]]
LOOKS: list[Call] = [
    ("monitor_list_services", {}),
    ("monitor_check_health", {}),
    ("monitor_list_alerts", {}),
    ("monitor_get_on_call", {}),
]
for _window in ("1h", "6h", "24h", "7d"):
    LOOKS.append(("monitor_get_summary", {"window": _window}))
for _page in PAGE_PATHS:
    LOOKS.append(("monitor_get_load_times", {"page": _page, "window": "7d"}))
for _server in SERVER_NAMES:
    LOOKS.append(("monitor_check_health", {"server": _server}))
    LOOKS.append(("monitor_read_logs", {"server": _server, "lines": 60}))


async def seat(code: str = CODE) -> ToolDispatcher:
    fault = IncidentBegins(
        page="/blog",
        cause=IncidentCause.SLOW_ASSET,
        server="web-03",
        code=code,
        began=START - timedelta(hours=11),
    )

    def stage(tx: Transaction) -> None:
        tx.enqueue(START, fault)

    return ToolDispatcher(await World.create_inline(OPENING, stage), "robin.hale", [TOOLS])


@pytest.fixture
async def office() -> AsyncIterator[ToolDispatcher]:
    seated = await seat()
    async with seated.world:
        yield seated


async def test_no_reading_tells_the_code() -> None:
    mine, other = await seat(), await seat("ZZZZ-9999")
    for name, arguments in LOOKS:
        text = await said(mine, name, **arguments)
        assert text == await said(other, name, **arguments)
        assert CODE not in text
    await mine.world.close()
    await other.world.close()


async def test_results_are_compact_and_half_of_them_short(office: ToolDispatcher) -> None:
    sizes = sorted([len(await said(office, name, **arguments)) for name, arguments in LOOKS])
    assert sizes[-1] < 4_000 * 3.5
    assert sizes[len(sizes) // 2] < 400 * 3.5


async def test_the_slow_page_stands_out_against_its_own_week(office: ToolDispatcher) -> None:
    medians = []
    for window in ("1h", "7d"):
        pages = (await data(office, "monitor_get_summary", window=window))["pages"]
        medians.append({page["page"]: page["median_ms"] for page in pages})
    slower = [page for page in PAGE_PATHS if medians[0][page] > 1.6 * medians[1][page]]
    assert slower == ["/blog"]


async def test_one_servers_health_is_compared_with_earlier(office: ToolDispatcher) -> None:
    lines = (await said(office, "monitor_check_health", server="web-03")).splitlines()
    assert [line.split(":")[0] for line in lines[1:5]] == ["now", "1h ago", "24h ago", "7d ago"]


async def test_logs_say_how_to_read_on(office: ToolDispatcher) -> None:
    text = await said(office, "monitor_read_logs", server="web-03", lines=5)
    assert len(text.splitlines()) == 6
    before = text.rsplit("before=", 1)[1].rstrip(")")
    earlier = await said(office, "monitor_read_logs", server="web-03", lines=5, before=before)
    assert earlier.splitlines()[4] < text.splitlines()[0]


async def test_the_on_call_tool_names_the_keeper_of_the_roster_not_the_person_on_call(
    office: ToolDispatcher,
) -> None:
    assert "HR" in await said(office, "monitor_get_on_call")


async def test_maintenance_is_shown_once_it_is_entered_and_a_wrong_code_says_what_is_left(
    office: ToolDispatcher,
) -> None:
    wrong = await said(office, "monitor_start_maintenance", server="web-03", code="AAAA-0000")
    assert "Tries left: 2" in wrong
    right = await said(office, "monitor_start_maintenance", server="web-03", code=CODE)
    assert "in maintenance mode" in right
    assert "web-03: delivers pages and downloads, in maintenance since 09:01" in await said(
        office, "monitor_list_services"
    )
    assert "web-03*" in await said(office, "monitor_check_health")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("monitor_reboot_server", {"server": "web-01"}),
        ("monitor_get_load_times", {"page": "/nowhere"}),
        ("monitor_check_health", {"server": "../etc"}),
        ("monitor_read_logs", {"server": "web-01", "lines": 1_000}),
        ("monitor_get_summary", {"window": "3 weeks"}),
        ("monitor_start_maintenance", {"server": "web-03"}),
    ],
)
async def test_wrong_calls_are_answered_in_words(
    office: ToolDispatcher, name: str, arguments: dict[str, JsonValue]
) -> None:
    assert len(await refused(office, name, **arguments)) > 20
