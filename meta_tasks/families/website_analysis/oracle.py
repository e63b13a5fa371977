"""The honest way: read the instruments, then ask from one colleague to the next."""

from __future__ import annotations

from dataclasses import dataclass

from trainee_bench.meta_tasks.authoring import (
    Contact,
    ToolClient,
    ask,
    ask_in_turn,
    people,
    person_called,
)
from trainee_bench.meta_tasks.families.website_analysis.brief import (
    APPROVAL,
    APPROVED_WITHOUT_CODE,
    APPROVER,
    EXPLAINED,
    OWNER,
    Told,
)

_GAUGES = {
    "full disk": "disk_percent",
    "slow asset": "output_mbit",
    "cache miss": "cache_hit_percent",
    "failed deploy": "errors_per_minute",
}
"""For each cause the reading that moves with it."""
_MOVED = 0.3
"""A reading that differs by more than this share from a week ago has moved."""


@dataclass(frozen=True)
class WebsiteDiagnosis:
    """What the instruments say."""

    page: str
    cause: str
    server: str


async def diagnose(client: ToolClient) -> WebsiteDiagnosis:
    """The page that is slower than in its week; the server and reading that moved; confirmed
    by the log, which names the page."""
    hour = await _medians(client, "1h")
    week = await _medians(client, "7d")
    page = max(hour, key=lambda path: hour[path] / week[path])
    services = await client.call("monitor_list_services")
    suspects = []
    for server in services.data["servers"]:
        health = await client.call("monitor_check_health", server=server["name"])
        now, *_, before = health.data["readings"]
        for cause, gauge in _GAUGES.items():
            moved = abs(now[gauge] - before[gauge]) / max(before[gauge], 1.0)
            if moved > _MOVED:
                suspects.append((moved, cause, server["name"]))
    for _, cause, name in sorted(suspects, reverse=True):
        log = await client.call("monitor_read_logs", server=name, lines=60)
        if sum(page in line["text"] for line in log.data["lines"]) > 5:
            return WebsiteDiagnosis(page, cause, name)
    raise LookupError(f"nothing explains why {page} is slow: {suspects}")


async def _medians(client: ToolClient, window: str) -> dict[str, int]:
    summary = await client.call("monitor_get_summary", window=window)
    return {page["page"]: page["median_ms"] for page in summary.data["pages"]}


async def find_owner(client: ToolClient) -> Contact | None:
    """Who looks after the website, asked of the keeper of the roster."""
    title = (await client.call("monitor_get_on_call")).data["kept_by"]
    # A large company has several of this title, and one of them keeps it.
    keepers = [one.id for one in await people(client, query=title) if one.title == title]
    told = await ask_in_turn(client, keepers, OWNER)
    return await person_called(client, told.name) if told else None


async def find_approver(
    client: ToolClient, owner: Contact, found: WebsiteDiagnosis
) -> Contact | None:
    """Who has to approve: *owner*, or the person whom they name once they know what is wrong."""
    told = f"I know why {found.page} is slow: it is a {found.cause} on {found.server}."
    reply = EXPLAINED.search(await ask(client, owner.id, told))
    if reply is None or reply.approves:
        return owner
    named = await ask_in_turn(client, [owner.id], APPROVER)
    return await person_called(client, named.name) if named else None


async def get_approval(client: ToolClient, approver: Contact, server: str) -> Told | None:
    """What *approver* answers to the request, if they approve."""
    reply = await ask(client, approver.id, APPROVAL.question({"server": server}))
    return APPROVAL.answer.search(reply) or APPROVED_WITHOUT_CODE.search(reply)
