"""Who works on something that may change looks for news before each longer step, and stops there.

alert = AlertClient(client, news)        news: whether there is some now
if await alert.interrupts(do):           the task was left where it stood
    await do(client)
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta

from pydantic import JsonValue

from trainee_bench.meta_tasks.tool_client import Solver, ToolClient, ToolResponse
from trainee_bench.meta_tasks.worker_clients import (
    MAKING,
    NEWS_POLL_MINUTES,
    ClientWrapper,
    find_message,
    own_task,
    wait_for_message,
)

SETTLED_BEFORE = timedelta(minutes=45)
"""How long before a task is due everything about it is settled."""
_LONG = (
    *MAKING,
    "chat_create_group",
    "chat_send_message",
    "desk_submit",
    "files_read",
    "files_view_image",
    "sheets_read",
)
_FINAL = (*MAKING, "desk_submit")
"""Before these, too, one looks for what nobody tells of: to look may take time itself."""


class _NewsCame(Exception):
    """There is news for the worker with these tools."""

    def __init__(self, worker: AlertClient):
        super().__init__("there is news about the task")
        self.worker = worker


class AlertClient(ClientWrapper):
    """The tools of *client*; none of *before*, which take long, is called once there is *news*, nor
    is anything waited for."""

    def __init__(
        self,
        client: ToolClient,
        news: Callable[[], Awaitable[bool]],
        before: Sequence[str] = _LONG,
    ):
        super().__init__(client)
        self._news = news
        self._before = before

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        """Call a tool, if there is no news."""
        if tool in self._before and await self._news():
            raise _NewsCame(self)
        return await self.client.call(tool, **arguments)

    async def wait_at_least(self, minutes: int) -> None:
        """Come back later, unless news comes before that."""
        now = (await self.client.call("desk_now")).time
        until = now + timedelta(minutes=minutes)
        while now < until:
            if await self._news():
                raise _NewsCame(self)
            left = -(-(until - now) // timedelta(minutes=1))
            await self.client.wait_at_least(min(NEWS_POLL_MINUTES, left))
            now = (await self.client.call("desk_now")).time

    async def give_way(self, until: datetime) -> bool:
        """Let others work, unless there is news."""
        if await self._news():
            raise _NewsCame(self)
        return await self.client.give_way(until)

    async def interrupts(self, do: Solver) -> bool:
        """Do the task with these tools; whether news came before it was done."""
        try:
            await do(self)
        except _NewsCame as came:
            if came.worker is not self:  # that of another complication, around this one
                raise
            return True
        return False


async def do_again_after_message(client: ToolClient, do: Solver, openings: Sequence[str]) -> None:
    """Do the task, and once more if a message about it comes that begins with one of *openings*,
    whose ``{title}`` stands for what people call the task."""

    def wanted(label: str) -> Callable[[str], bool]:
        begins = tuple(opening.format(title=label) for opening in openings)
        return lambda text: text.startswith(begins)

    async def news() -> bool:
        label = (await own_task(client)).label
        return (await find_message(client, wanted(label)))[0] is not None

    if not await AlertClient(client, news).interrupts(do):
        label = (await own_task(client)).label
        if await wait_for_message(client, wanted(label)) is None:
            return
    await do(client)


async def do_again_after_change(
    client: ToolClient, do: Solver, changed: Callable[[], Awaitable[bool]]
) -> None:
    """Do the task, and once more if something has *changed*, of which nobody writes: it is looked
    for until everything is settled."""
    if not await AlertClient(client, changed, _FINAL).interrupts(do):
        while not await changed():
            settled = (await own_task(client)).deadline - SETTLED_BEFORE
            left = settled - (await client.call("desk_now")).time
            if left < timedelta(0):
                return
            minutes = 1 + left // timedelta(minutes=1)
            await client.wait_at_least(min(NEWS_POLL_MINUTES, minutes))
    await do(client)


class GivingWayClient(ClientWrapper):
    """Who finishes nothing that may still change while others have something to do: until
    `SETTLED_BEFORE` the deadline, they go first."""

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        """Call a tool; before a file is made or work handed in, give way."""
        if tool in _FINAL:
            await self._give_way()
        return await self.client.call(tool, **arguments)

    async def _give_way(self) -> None:
        while True:
            settled = (await own_task(self.client)).deadline - SETTLED_BEFORE
            now = (await self.client.call("desk_now")).time
            soon = min(settled, now + timedelta(minutes=NEWS_POLL_MINUTES))
            if now >= settled or await self.client.give_way(soon):
                return
