"""Solver of the family website_analysis: finds out why a page is slow and has it repaired."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

from tests.solvers.office import Office, Person, Session, asked_fields, find, target_file

CODE = re.compile(r"\b[A-Z]{4}-\d{4}\b")
APPROVED = re.compile(r"\b(Approved|I approve|I agree|Go ahead)\b")
MAX_APPROVERS = 6


def named_in(text: str, people: list[Person], but: Collection[str] = ()) -> list[Person]:
    """The colleagues whose full names occur in a text."""
    return [person for person in people if person.name in text and person.name not in but]


async def slow_page(office: Office) -> str:
    """The page whose load time has grown most compared with the week before."""
    hour = (await office.call("monitor_get_summary", window="1h"))["pages"]
    week = (await office.call("monitor_get_summary", window="7d"))["pages"]
    usual = {page["page"]: page["median_ms"] for page in week}
    slowest = max(hour, key=lambda page: page["median_ms"] / usual[page["page"]])
    return str(slowest["page"])


def cause_of(now: dict[str, Any], before: dict[str, Any]) -> str:
    """Return the cause whose reading has changed since a day ago, or ""."""
    if now["disk_percent"] > 90 and now["disk_percent"] - before["disk_percent"] > 15:
        return "full disk"
    if before["cache_hit_percent"] - now["cache_hit_percent"] > 25:
        return "cache miss"
    if now["output_mbit"] > 2 * before["output_mbit"] + 30:
        return "slow asset"
    if now["release"] != before["release"]:
        return "failed deploy"
    if now["errors_per_minute"] > 3 * before["errors_per_minute"] + 3:
        return "failed deploy"
    return ""


async def find_fault(office: Office, page: str) -> tuple[str, str]:
    """Server and cause: of the servers on which something changed, the one whose log names the
    page most often."""
    found: list[tuple[int, str, str]] = []
    services = await office.call("monitor_list_services")
    for server in (item["name"] for item in services["servers"]):
        health = await office.call("monitor_check_health", server=server)
        readings = sorted(health["readings"], key=lambda reading: reading["at"])
        cause = cause_of(readings[-1], readings[1])
        if cause:
            log = await office.session.call("monitor_read_logs", server=server, lines=60)
            found.append((log.text.count(f" {page}: "), server, cause))
    _, server, cause = max(found)
    return server, cause


async def approval(
    office: Office, people: list[Person], responsible: Person, server: str, told: str
) -> tuple[Person, str]:
    """Ask one colleague after the other for approval; return the approver and the code."""
    person = responsible
    seen = {person.name}
    for _ in range(MAX_APPROVERS):
        if "I can approve that myself" not in told and "cannot approve" in told:
            told = await office.ask(person.id, f"Who has to approve the maintenance of {server}?")
            if others := named_in(told, people, seen):
                person = others[0]
                seen.add(person.name)
        told = await office.ask(person.id, f"Do you approve the maintenance of {server}?")
        code = CODE.search(told)
        if code or APPROVED.search(told):
            return person, code[0] if code else ""
        if others := named_in(told, people, seen):
            person = others[0]
            seen.add(person.name)
    raise ValueError(f"nobody approves the maintenance of {server}")


async def repair(office: Office, people: list[Person]) -> dict[str, str]:
    """Have the slow page repaired, and return the fields of the report."""
    page = await slow_page(office)
    server, cause = await find_fault(office, page)
    on_call = await office.session.call("monitor_get_on_call")
    title = find(r"Ask the (.+?), who keeps the roster", on_call.text)[1]
    keeper = next(person for person in people if person.title == title)
    answer = await office.ask(keeper.id, "Who is on call for the website today?")
    responsible = named_in(answer, people)[0]
    told = await office.ask(
        responsible.id, f"{page} is slow since last night. The cause is: {cause}, on {server}."
    )
    approver, code = await approval(office, people, responsible, server, told)
    await office.call(
        "monitor_start_maintenance", server=server, **({"code": code} if code else {})
    )
    return {
        "page": page,
        "cause": cause,
        "server": server,
        "responsible": responsible.name,
        "approved_by": approver.name,
        "approval_code": code,
    }


async def solve(session: Session) -> None:
    """Do every task."""
    office = Office(session)
    tasks = await office.tasks()
    people = await office.people()
    for task in tasks:
        facts = await repair(office, people)
        report = {field: facts[field] for field in asked_fields(task.objective)}
        await office.hand_in(task, target_file(task.objective), json.dumps(report))
    await office.finish_day()
