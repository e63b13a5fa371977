"""What an oracle keeps from one day to the next: a page of notes in the workspace.

It is called anew each morning and knows nothing else of the days before.
"""

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


async def note(client: ToolClient, **said: JsonValue) -> Notes:
    """Add what was *said* to the notes, in place of what had the same name; all notes."""
    notes = {**await read_notes(client), **said}
    lines = [f"- {name}: {json.dumps(value)}" for name, value in notes.items()]
    await client.call("files_write", path=_path(client), text="\n".join(lines) + "\n")
    return notes


def noted(notes: Notes, name: str) -> JsonValue:
    """What the notes say of *name*. Raises ToolFailed if they say nothing."""
    if name not in notes:
        raise ToolFailed(f"the notes do not say {name}")
    return notes[name]
