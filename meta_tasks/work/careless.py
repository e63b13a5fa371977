"""The habits of careless workers, who ignore a complication: nobody should have them.

A worker who reads texts as something else does so with all tools: `BelievingTools`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import JsonValue

from trainee_bench.meta_tasks.patience import IMPATIENCE
from trainee_bench.meta_tasks.tool_client import ToolFailed, ToolResponse
from trainee_bench.meta_tasks.work.asking import Answered, Holders, Told
from trainee_bench.meta_tasks.work.engine import ToolCaller
from trainee_bench.meta_tasks.work.habits import Habit, Inner, around
from trainee_bench.meta_tasks.work.need import Need, Work
from trainee_bench.meta_tasks.work.sources import After, Inbox, ReadMessage


@dataclass(frozen=True)
class GivenUp(Need[bool]):
    """Whether this worker has given up on somebody: known without looking."""

    person: str

    async def satisfy(self, work: Work) -> bool:
        """Return False: not yet."""
        return False


class GivesUpSoon(Habit):
    """A bad habit: gives up for good on somebody for whom only an automatic reply has come after
    half an hour."""

    name = "gives up soon"

    @around(Answered)
    async def _answered(self, work: Work, need: Answered, inner: Inner[ReadMessage]) -> ReadMessage:
        if await work(After(need.sent.at + IMPATIENCE)):
            messages = await work(Inbox())
            said = [message for message in messages if message.sender == need.person]
            answered = any(message.answers and not message.automatic for message in said)
            if not answered and any(message.automatic for message in said):
                work.note(GivenUp(need.person), True)
        return await inner()

    @around(Told)
    async def _told(
        self, work: Work, need: Told[Any], inner: Inner[Mapping[str, object]]
    ) -> Mapping[str, object]:
        for person in await work(Holders(need.task, need.person)):
            if await work(GivenUp(person)):
                raise ToolFailed(f"only automatic replies have come for {person}")
        return await inner()


class BelievingTools:
    """The tools of a worker who reads the texts that are keys of *believed* as their values."""

    def __init__(self, tools: ToolCaller, believed: Mapping[str, str]):
        self._tools = tools
        self._believed = believed

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        """Call a tool, and exchange what it shows for what is believed."""
        done = await self._tools.call(tool, arguments)
        return as_believed(done, self._believed)


def as_believed(done: ToolResponse, believed: Mapping[str, str]) -> ToolResponse:
    """Return what a tool has shown, with each key of *believed* exchanged for its value in all
    texts."""
    return replace(done, text=_exchanged(done.text, believed), data=_exchanged(done.data, believed))


def _exchanged(shown: Any, believed: Mapping[str, str]) -> Any:
    if isinstance(shown, str):
        for text, instead in believed.items():
            shown = shown.replace(text, instead)
        return shown
    if isinstance(shown, list):
        return [_exchanged(part, believed) for part in shown]
    if isinstance(shown, dict):
        return {name: _exchanged(part, believed) for name, part in shown.items()}
    return shown
