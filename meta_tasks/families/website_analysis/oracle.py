"""The honest way: read the instruments, then ask from one colleague to the next."""

from __future__ import annotations

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
    ApprovalStep,
)
from trainee_bench.meta_tasks.families.website_analysis.diagnosis import (
    LOG_LINES,
    WebsiteDiagnosis,
    explains,
    slowest_page,
    suspects,
)
from trainee_bench.meta_tasks.tool_client import ToolData


async def diagnose(client: ToolClient) -> WebsiteDiagnosis:
    """The page that is slower than in its week; the server and reading that moved; confirmed
    by the log, which names the page."""
    hour, week = [
        (await client.call("monitor_get_summary", window=window)).data for window in ("1h", "7d")
    ]
    page, health = slowest_page(hour, week), dict[str, ToolData]()
    for server in (await client.call("monitor_list_services")).data["servers"]:
        name = server["name"]
        health[name] = (await client.call("monitor_check_health", server=name)).data
    for cause, name in suspects(health):
        log = await client.call("monitor_read_logs", server=name, lines=LOG_LINES)
        if explains(log.data, page):
            return WebsiteDiagnosis(page, cause, name)
    raise LookupError(f"nothing explains why {page} is slow")


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


async def get_approval(client: ToolClient, approver: Contact, server: str) -> ApprovalStep | None:
    """What *approver* answers to the request, if they approve."""
    reply = await ask(client, approver.id, APPROVAL.question({"server": server}))
    return APPROVAL.answer.search(reply) or APPROVED_WITHOUT_CODE.search(reply)
