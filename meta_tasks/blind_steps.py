"""Steps of workers that look at nothing but their task, for certificates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from trainee_bench.meta_tasks.meta_task import NOTES_HEADING
from trainee_bench.meta_tasks.tool_client import ToolClient, wait_for_task


@dataclass(frozen=True)
class OwnTask:
    """The worker's task as the desk shows it."""

    label: str
    """Its name among colleagues: its title and its id."""
    objective: str
    notes: str
    deadline: datetime


async def own_task(client: ToolClient) -> OwnTask:
    """Return the worker's task, as soon as it is published. Raises ToolFailed if the day ends
    first."""
    listed = await wait_for_task(client)
    objective, _, notes = str(listed["objective"]).partition(NOTES_HEADING)
    return OwnTask(
        f"{listed['title']} ({client.task})",
        objective,
        notes,
        datetime.fromisoformat(listed["deadline"]),
    )


async def wait_for_half_the_time(client: ToolClient) -> None:
    """Wait for half of the time that is left for the task. Most events have come by then."""
    left = (await own_task(client)).deadline - (await client.call("desk_now")).time
    if left > timedelta(0):
        await client.wait_at_least(left // timedelta(minutes=2))


async def complain(client: ToolClient, authors: Mapping[str, str]) -> None:
    """Tell the author of each file, without reading it, that records are missing. *authors* has a
    full name for each path."""
    for path, author in authors.items():
        file = path.rpartition("/")[2]
        text = f"Records are missing in {file}. Please send the rest of it."
        await client.call("chat_send_message", to=author, text=text)
