"""Server-sent events: what a page is told while it listens.

Whoever writes a stream looks every `POLL_SECONDS` for news, and sends `STILL_HERE` after
`ALIVE_SECONDS` without any, so that a browser that is gone is noticed.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress

from pydantic import BaseModel
from starlette.responses import Response, StreamingResponse

POLL_SECONDS = 0.05
ALIVE_SECONDS = 15.0
STILL_HERE = ": still here\n\n"


def event(name: str, data: BaseModel | None, id: int | None = None) -> str:
    """An event of this name. JSON has no line ends, so the data are one line."""
    lines = [f"event: {name}", f"data: {data.model_dump_json() if data is not None else '{}'}"]
    if id is not None:
        lines.insert(0, f"id: {id}")
    return "\n".join(lines) + "\n\n"


def event_stream(events: AsyncIterator[str]) -> Response:
    """The answer that sends *events*."""
    return StreamingResponse(_until_interrupted(events), media_type="text/event-stream")


async def _until_interrupted(events: AsyncIterator[str]) -> AsyncIterator[str]:
    """*events*, until an interrupt comes in a long load; the main task knows of it."""
    with suppress(KeyboardInterrupt):
        async for one in events:
            yield one
