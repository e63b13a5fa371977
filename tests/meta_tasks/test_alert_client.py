"""Who works on what may change stops where news comes, and goes on with what is right then."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue

from trainee_bench.meta_tasks.alert_client import (
    AlertClient,
    GivingWayClient,
    do_again_after_message,
)
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolData, ToolResponse

NINE, NOON = datetime(2025, 10, 1, 9), datetime(2025, 10, 1, 12)
OPENING = "One more thing about “{title}”:"


class Office:
    """A desk with one task, and a chat in which somebody writes after so many calls."""

    task = "T1"

    def __init__(self, writes_after: int) -> None:
        self.calls: list[str] = []
        self._left = writes_after

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        if tool not in ("desk_tasks", "chat_read_history"):
            self.calls.append(tool)
            self._left -= 1
        return ToolResponse(text="", time=NOON if self._left < -3 else NINE, data=self._data(tool))

    def _data(self, tool: str) -> ToolData:
        if tool == "desk_tasks":
            task = {"id": "T1", "title": "It", "objective": "", "deadline": NOON.isoformat()}
            return {"tasks": [task]}
        said = {"id": 1, "sender": "ann", "text": "One more thing about “It (T1)”: it is 5."}
        return {"messages": [said] if self._left < 0 else [], "earlier": 0, "later": 0}

    async def wait_until(self, time: datetime) -> None:
        pass

    async def promise(self, time: datetime) -> None:
        pass

    async def wait_at_least(self, minutes: int) -> None:
        self._left -= 1

    async def give_way(self, until: datetime) -> bool:
        return True


async def work(client: ToolClient) -> None:
    """Reads, writes, submits."""
    await client.call("files_read", path="a")
    await client.call("files_write", path="b", text="")
    await client.call("desk_submit", task=client.task)


WORK = ["files_read", "files_write", "desk_submit"]


async def test_who_hears_in_time_writes_and_submits_once() -> None:
    office = Office(writes_after=0)
    await do_again_after_message(office, work, (OPENING,))
    assert office.calls == ["files_read", *WORK]


async def test_who_hears_after_submitting_does_all_of_it_again() -> None:
    office = Office(writes_after=3)
    await do_again_after_message(office, work, (OPENING,))
    assert office.calls == WORK + WORK


async def test_news_of_another_complication_around_it_stops_both() -> None:
    office = Office(writes_after=9)
    heard = list[str]()

    async def inner_news() -> bool:
        return False

    async def outer_news() -> bool:
        return True

    async def inner(client: ToolClient) -> None:
        heard.append(f"inner {await AlertClient(client, inner_news).interrupts(work)}")

    heard.append(f"outer {await AlertClient(office, outer_news).interrupts(inner)}")
    assert heard == ["outer True"]
    assert office.calls == []


async def test_who_gives_way_looks_for_news_and_finishes_nothing_before() -> None:
    office = Office(writes_after=9)

    async def news() -> bool:
        return True

    async def gives_way(client: ToolClient) -> None:
        await work(GivingWayClient(client))

    assert await AlertClient(office, news, before=()).interrupts(gives_way) is True
    assert office.calls == ["files_read", "desk_now"]
