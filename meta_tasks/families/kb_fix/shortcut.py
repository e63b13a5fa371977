"""The cheapest correction: OLD is exchanged for NEW, and the digits stay."""

from __future__ import annotations

from trainee_bench.meta_tasks.authoring import ToolClient, read_brief, read_text
from trainee_bench.meta_tasks.families.kb_fix.brief import OBJECTIVE


async def rename_ids(client: ToolClient) -> None:
    """Hand in copies whose ids only look new."""
    brief = await read_brief(client, OBJECTIVE)
    for one in brief.copies:
        text = await read_text(client, one.article)
        await client.call("files_write", path=one.copy, text=text.replace("/OLD", "/NEW"))
    await client.call("desk_submit", task=client.task)
