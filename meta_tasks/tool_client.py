"""The tools of a script: those of the employee, and time.

A script gets a `ToolClient` and nothing else: no seed, no parameters, no truth. It reads its task
with ``desk_tasks`` as any agent does, in the entry whose id is ``client.task``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol, TypeVar

from pydantic import JsonValue

from trainee_bench.meta_tasks.patience import LOOK_FOR_TASK
from trainee_bench.world.transaction import Notice

T = TypeVar("T")

ToolData = dict[str, Any]
"""The data that a tool returned besides its text: a JSON object in the tool's own shape."""


@dataclass(frozen=True)
class ToolResponse:
    """A tool's answer: the text that a model would read, the data, the time after it, the bytes of
    a picture that it showed, and the notices that came with it."""

    text: str
    data: ToolData
    time: datetime
    picture: bytes | None = None
    notices: tuple[Notice, ...] = ()


class ToolFailed(Exception):
    """A refused tool call: the text is the tool's, ``time`` the time after it, ``notices`` those
    that came with it."""

    def __init__(self, text: str, time: datetime | None = None, notices: tuple[Notice, ...] = ()):
        super().__init__(text)
        self.time = time
        self.notices = notices


def first(found: Iterable[T]) -> T:
    """Return the first of what was *found*. Raises LookupError if nothing was found."""
    for item in found:
        return item
    raise LookupError("nothing was found")


class ToolClient(Protocol):
    """The employee's tools for a script that works one task."""

    @property
    def task(self) -> str:
        """The id of the script's task, as ``desk_tasks`` lists it."""

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        """Call a tool. Raises ToolFailed with the tool's text."""

    async def wait_until(self, time: datetime) -> None:
        """Wait for an appointment: come back exactly at *time*, with no other call running into
        it."""

    async def wait_at_least(self, minutes: int) -> None:
        """Come back in *minutes* or later. Raises ToolFailed if the day ends first."""


async def wait_for_task(client: ToolClient) -> ToolData:
    """Return the script's entry of ``desk_tasks``, as soon as it is published.

    Raises ToolFailed if the day ends first.
    """
    while True:
        listed = await client.call("desk_tasks")
        for task in listed.data["tasks"]:
            if task["id"] == client.task:
                if task["objective"] is None:  # a submitted task has only one line in the list
                    (task,) = (await client.call("desk_tasks", task=client.task)).data["tasks"]
                found: ToolData = task
                return found
        await client.wait_at_least(LOOK_FOR_TASK // timedelta(minutes=1))


async def read_text(client: ToolClient, path: str) -> str:
    """Return the whole text of a file, read page by page. Raises ToolFailed if there is no such
    file."""
    text, offset, column = "", 0, 0
    while True:
        page = await client.call("files_read", path=path, offset=offset, column=column)
        text += str(page.data["text"])
        if page.data["next_offset"] is None:
            return text
        offset, column = page.data["next_offset"], page.data["next_column"]
