"""The honest way through a meeting: come on time, listen, read the rules, write it down."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from decimal import Decimal

from pydantic import JsonValue

from trainee_bench.meta_tasks.tool_client import (
    ToolClient,
    ToolFailed,
    ToolResponse,
    first_match,
    wait_for_task,
)

_WHERE = re.compile(r"in (Room_\d+), from (\d\d:\d\d) to \d\d:\d\d on (\d{4}-\d\d-\d\d)")
_WISH = re.compile(r"^- (.+) asks for (\d+) x (.+) at EUR ([\d.]+) each\.$", re.MULTILINE)
_DECISION = re.compile(
    r"^- (.+): (.+) takes care of it until (\S+), with a budget of EUR (\d+)\.$", re.MULTILINE
)
_PATH = re.compile(r"Hand it in as (\S+),")
_RULES = re.compile(r"drive:/\S+\.md")
_EARLY = timedelta(minutes=2)


async def attend_and_write(client: ToolClient) -> None:
    """Attend the meeting the task names and do what is handed out there."""
    task = await wait_for_task(client)
    heard = await _attend(client, str(task["objective"]))
    said = "\n".join(str(text) for text in heard.data["announcements"])
    path = first_match(_PATH, said).group(1)
    work = await _wishes(client, said) if "`requirement`" in said else _decisions(said)
    await client.call("files_write", path=path, text=json.dumps(work, indent=2))
    await client.call("desk_submit", task=client.task)


async def _attend(client: ToolClient, objective: str) -> ToolResponse:
    room, clock, day = first_match(_WHERE, objective).groups()
    starts = datetime.fromisoformat(f"{day}T{clock}")
    meeting = await _invitation(client, day, room, starts)
    await client.wait_until(starts - _EARLY)
    return await client.call("calendar_attend", meeting=meeting)


async def _invitation(client: ToolClient, day: str, room: str, starts: datetime) -> int:
    """The id of the day's meeting in *room* at *starts*; ToolFailed if there is none."""
    seen = 0
    while True:
        page = (await client.call("calendar_list", day=day, offset=seen)).data
        for meeting in page["meetings"]:
            if meeting["room"] == room and datetime.fromisoformat(meeting["starts"]) == starts:
                return int(meeting["id"])
        seen += len(page["meetings"])
        if not page["meetings"] or seen >= page["total"]:
            raise ToolFailed(f"the calendar has no meeting in {room} at {starts:%H:%M}")


async def _wishes(client: ToolClient, said: str) -> dict[str, JsonValue]:
    """The list that is asked for: checked against the rules, with totals, as it says."""
    wishes = [
        (name, item, int(count), Decimal(price)) for name, count, item, price in _WISH.findall(said)
    ]
    rules = _RULES.search(said)
    if rules:
        pieces, price, total = await _limits(client, rules.group())
        wishes = [w for w in wishes if w[2] <= pieces and w[3] <= price and w[2] * w[3] <= total]
    costed = "`total`" in said
    rows: list[JsonValue] = []
    for name, item, quantity, unit_price in wishes:
        row: dict[str, JsonValue] = {
            "name": name,
            "item": item,
            "quantity": quantity,
            "unit_price": float(unit_price),
        }
        rows.append(row | {"total": float(quantity * unit_price)} if costed else row)
    work: dict[str, JsonValue] = {"requirement": rows}
    if "`statistics`" in said:
        work["statistics"] = float(sum(w[2] * w[3] for w in wishes))
    return work


async def _limits(client: ToolClient, path: str) -> tuple[int, Decimal, Decimal]:
    """Most pieces, dearest piece, most in all, as the rules on the drive have them."""
    text = (await client.call("files_read", path=path)).data["text"]
    pieces = first_match(re.compile(r"at most (\d+) pieces", re.IGNORECASE), text).group(1)
    price = first_match(re.compile(r"single item[^.]*?EUR ([\d,]+\.\d\d)", re.IGNORECASE), text)
    total = first_match(re.compile(r"one person asks[^.]*?EUR ([\d,]+\.\d\d)", re.IGNORECASE), text)
    amounts = [Decimal(found.group(1).replace(",", "")) for found in (price, total)]
    return int(pieces), amounts[0], amounts[1]


def _decisions(said: str) -> dict[str, JsonValue]:
    return {
        "decisions": [
            {"topic": topic, "owner": owner, "due": due, "budget": int(budget)}
            for topic, owner, due, budget in _DECISION.findall(said)
        ]
    }
