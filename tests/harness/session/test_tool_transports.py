"""Through either transport an agent gets the same: text, data, time, notices."""

from __future__ import annotations

from datetime import datetime

from mcp import Client

from trainee_bench.harness.session.tool_transports import InProcessToolTransport, McpToolTransport
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.mcp_servers.office import build_office_server
from trainee_bench.world.transaction import NoticeKind

NINE = datetime(2025, 10, 1, 9)


async def test_both_doors_give_the_same_tools_and_the_same_answers() -> None:
    composition = single_task_day("kb_fix.easy", 3)
    left, right = await stage_day(composition), await stage_day(composition)
    async with left.world, right.world, Client(await build_office_server(right.world)) as client:
        seat, remote = InProcessToolTransport(left.seat), McpToolTransport(client)
        assert seat.tools({}) == await remote.tools()
        calls = [("desk_wait", {"until": "09:00", "wake": False}), ("files_read", {"path": "x"})]
        for name, arguments in calls:
            assert await seat.call(name, arguments) == await remote.call(name, arguments)


async def test_an_answer_carries_what_is_new() -> None:
    day = await stage_day(single_task_day("kb_fix.easy", 3))
    async with day.world:
        answer = await InProcessToolTransport(day.seat).call(
            "desk_wait", {"until": "09:00", "wake": False}
        )
    assert (answer.time, answer.failed) == (NINE, False)
    assert [notice.kind for notice in answer.notices] == [NoticeKind.TASK]
    assert answer.notices[0].text in answer.text
    assert answer.data == {"now": NINE.isoformat()}


async def test_a_refusal_is_a_failed_answer_without_data() -> None:
    day = await stage_day(single_task_day("kb_fix.easy", 3))
    async with day.world:
        answer = await InProcessToolTransport(day.seat).call(
            "files_read", {"path": "workspace:/missing.md"}
        )
    assert (answer.failed, answer.data) == (True, None)
    assert "There is no file" in answer.text
