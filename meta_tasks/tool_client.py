"""What whoever works has to work with: the employee's tools, and time.

A script gets a `ToolClient` and nothing else: no seed, no parameters, no truth. It reads its
task with ``desk_tasks`` as any agent does, in the entry whose id is ``client.task``.
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
"""What a tool returned beside its text: a JSON object whose shape is the tool's own."""


@dataclass(frozen=True)
class ToolResponse:
    """What a tool answered: the text a model would read, the data, the time after it, the bytes of
    the picture it showed, if any, and the notices that came with it."""

    text: str
    data: ToolData
    time: datetime
    picture: bytes | None = None
    notices: tuple[Notice, ...] = ()


class ToolFailed(Exception):
    """A tool refused a call: its text is the tool's, ``time`` the time after it, ``notices`` those
    that came with it."""

    def __init__(self, text: str, time: datetime | None = None, notices: tuple[Notice, ...] = ()):
        super().__init__(text)
        self.time = time
        self.notices = notices


def first(found: Iterable[T]) -> T:
    """Return the first of what a look has *found*. Raises LookupError if it has found nothing."""
    for item in found:
        return item
    raise LookupError("nothing of the kind was found")


class ToolClient(Protocol):
    """The employee's tools as a script uses them that works one task."""

    @property
    def task(self) -> str:
        """The id of the task that is worked on, as ``desk_tasks`` lists it."""

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        """Call a tool. Raises ToolFailed with the tool's own words."""

    async def wait_until(self, time: datetime) -> None:
        """An appointment: come back exactly at *time*, no other call running into it."""

    async def wait_at_least(self, minutes: int) -> None:
        """Come back in *minutes* or later. Raises ToolFailed where the day ends before."""


async def wait_for_task(client: ToolClient) -> ToolData:
    """The entry of ``desk_tasks`` that is worked on, as soon as it is published.

    Raises ToolFailed if the day ends before.
    """
    while True:
        listed = await client.call("desk_tasks")
        for task in listed.data["tasks"]:
            if task["id"] == client.task:
                if task["objective"] is None:  # it is handed in: one line among the others
                    (task,) = (await client.call("desk_tasks", task=client.task)).data["tasks"]
                found: ToolData = task
                return found
        await client.wait_at_least(LOOK_FOR_TASK // timedelta(minutes=1))


async def read_text(client: ToolClient, path: str) -> str:
    """The whole text of a file, page by page. Raises ToolFailed if there is none."""
    text, offset, column = "", 0, 0
    while True:
        page = await client.call("files_read", path=path, offset=offset, column=column)
        text += str(page.data["text"])
        if page.data["next_offset"] is None:
            return text
        offset, column = page.data["next_offset"], page.data["next_column"]
