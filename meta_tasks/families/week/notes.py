"""The notes that somebody keeps from one day of a duty to the next, as a script reads them."""

from __future__ import annotations

import json

from pydantic import JsonValue

from trainee_bench.meta_tasks.authoring import ToolClient, ToolFailed, read_text
from trainee_bench.world.notes import NOTES_FOLDER

Notes = dict[str, JsonValue]


def _path(client: ToolClient) -> str:
    return f"{NOTES_FOLDER}/{client.task}.md"


async def read_notes(client: ToolClient) -> Notes:
    """What was noted for this task on the days before; nothing without a page."""
    try:
        text = await read_text(client, _path(client))
    except ToolFailed:
        return {}
    lines = (line.partition(": ") for line in text.splitlines() if line.strip())
    return {name.removeprefix("- "): json.loads(value) for name, _, value in lines}


def noted(notes: Notes, name: str) -> JsonValue:
    """What the notes say of *name*. Raises ToolFailed if they say nothing."""
    if name not in notes:
        raise ToolFailed(f"the notes do not say {name}")
    return notes[name]
