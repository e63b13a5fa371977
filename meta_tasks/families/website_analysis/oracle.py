"""The honest solver: reads the instruments, asks from one colleague to the next, and acts."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from trainee_bench.meta_tasks.tool_client import ToolClient, ask, wait_for_task

_GAUGES = {
    "full disk": "disk_percent",
    "slow asset": "output_mbit",
    "cache miss": "cache_hit_percent",
    "failed deploy": "errors_per_minute",
}
"""For each cause the reading that moves with it."""
_MOVED = 0.3
"""A reading that differs by more than this share from a week ago has moved."""
_FULL_NAME = r"([A-Z][a-z]+ [A-Z][a-z]+)"


@dataclass(frozen=True)
class WebsiteDiagnosis:
    """What the instruments say."""

    page: str
    cause: str
    server: str


@dataclass(frozen=True)
class ColleagueStatements:
    """What colleagues say; empty where nobody said it."""

    responsible: str = ""
    approved_by: str = ""
    approved: bool = False
    code: str = ""

    def report(self) -> dict[str, str]:
        """The fields of the report that come from colleagues, but for the code."""
        return {"responsible": self.responsible, "approved_by": self.approved_by}


async def repair_website(client: ToolClient) -> None:
    """Find the cause, get the approval, start the maintenance, and report."""
    task = await wait_for_task(client)
    found = await diagnose(client)
    said = await _talk(client, found)
    report = {"page": found.page, "cause": found.cause, "server": found.server, **said.report()}
    if said.approved:
        code = {"code": said.code} if said.code else {}
        await client.call("monitor_start_maintenance", server=found.server, **code)
    if "approval_code" in task["objective"]:
        report["approval_code"] = said.code
    path = re.search(r"workspace:/\S+\.json", task["objective"])
    if path is None:
        raise LookupError("the objective names no report")
    await client.call("files_write", path=path.group(), text=json.dumps(report, indent=2))
    await client.call("desk_submit", task=client.task)


async def _talk(client: ToolClient, found: WebsiteDiagnosis) -> ColleagueStatements:
    """From the keeper of the roster to the approval, as far as colleagues help."""
    owner = await _look_up(client, await _owner_name(client))
    if owner is None:
        return ColleagueStatements()
    told = f"I know why {found.page} is slow: it is a {found.cause} on {found.server}."
    reply = await ask(client, owner["id"], told)
    approver: dict[str, Any] | None = owner
    if "ask me who" in reply:
        reply = await ask(
            client, owner["id"], "Who has to approve maintenance mode for the server?"
        )
        named = re.search(f"{_FULL_NAME} has to approve", reply)
        approver = await _look_up(client, named.group(1) if named else "")
    if approver is None:
        return ColleagueStatements(responsible=owner["name"])
    question = f"Do you approve maintenance mode for {found.server}?"
    reply = await ask(client, approver["id"], question)
    code = re.search(r"\b[A-Z]{4}-[0-9]{4}\b", reply)
    return ColleagueStatements(
        responsible=owner["name"],
        approved_by=approver["name"],
        approved="Approved" in reply,
        code=code.group() if code else "",
    )


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


async def _owner_name(client: ToolClient) -> str:
    """Who looks after the website, from whoever keeps the roster."""
    roster = await client.call("monitor_get_on_call")
    title = roster.data["kept_by"]
    people = await client.call("chat_list_people", query=title)
    # A large company has several of this title, and one of them keeps it.
    for keeper in (person for person in people.data["people"] if person["title"] == title):
        reply = await ask(client, keeper["id"], "Who looks after the website today?")
        named = re.search(f"{_FULL_NAME} looks after the website", reply)
        if named:
            return named.group(1)
    return ""


async def _look_up(client: ToolClient, name: str) -> dict[str, Any] | None:
    """The colleague of this full name, if there is one."""
    if not name:
        return None
    found = await client.call("chat_list_people", query=name)
    people: list[dict[str, Any]] = found.data["people"]
    return next((person for person in people if person["name"] == name), None)
