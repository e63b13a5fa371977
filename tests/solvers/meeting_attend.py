"""Solver of the family meeting_attend: goes to a meeting and does what it is told there."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from tests.solvers.office import Office, Session, asked_fields, find, target_file

REQUEST = re.compile(r"^- (.+?) asks for (\d+) x “(.+)” at EUR ([\d,.]+?) each\.$", re.MULTILINE)
EARLY = timedelta(minutes=3)
"""So long before the start one is on time."""


@dataclass(frozen=True)
class Request:
    """What somebody asks for."""

    name: str
    item: str
    quantity: int
    unit_price: Decimal

    @property
    def total(self) -> Decimal:
        """What all pieces cost together."""
        return self.quantity * self.unit_price


@dataclass(frozen=True)
class Limits:
    """The limits of the procurement rules."""

    pieces: int
    price: Decimal
    per_person: Decimal


def amount(text: str) -> Decimal:
    """An amount such as 1,000.00."""
    return Decimal(text.replace(",", ""))


def read_limits(rules: str) -> Limits:
    """The three limits in the procurement rules."""
    return Limits(
        int(find(r"at most (\d+) pieces", rules)[1]),
        amount(find(r"One piece may cost at most EUR ([\d,]+\.\d\d)", rules)[1]),
        amount(find(r"one person asks for may together cost at most EUR ([\d,]+\.\d\d)", rules)[1]),
    )


def complies(request: Request, requests: list[Request], limits: Limits) -> bool:
    """Whether a request complies with all of the rules."""
    of_person = sum(other.total for other in requests if other.name == request.name)
    return (
        request.quantity <= limits.pieces
        and request.unit_price <= limits.price
        and of_person <= limits.per_person
    )


async def attend(office: Office, objective: str) -> str:
    """Go to the meeting; what is announced there."""
    room, clock, day = find(r"in (Room_\d+), from (\S+) to \S+ on ([\d-]+)", objective).groups()
    starts = datetime.fromisoformat(f"{day}T{clock}")
    (number,) = [
        meeting["id"]
        for meeting in (await office.call("calendar_list", day=day))["meetings"]
        if meeting["room"] == room and datetime.fromisoformat(meeting["starts"]) == starts
    ]
    if office.session.now < starts - EARLY:
        await office.call("desk_wait", until=f"{starts - EARLY:%H:%M}", wake=False)
    attended = await office.call("calendar_attend", meeting=number)
    return "\n".join(attended["announcements"])


async def requests_to_list(office: Office, announced: str) -> list[Request]:
    """The requests that belong on the list."""
    requests = [
        Request(name, item, int(quantity), amount(price))
        for name, quantity, item, price in REQUEST.findall(announced)
    ]
    if "List every request exactly as it was made" in announced:
        return requests
    rules = find(r"procurement rules in (drive:/\S+\.md)\.", announced)[1]
    limits = read_limits(await office.read(rules))
    return [request for request in requests if complies(request, requests, limits)]


def report_of(announced: str, requests: list[Request]) -> str:
    """The list of requests in the form that was announced."""
    columns = re.findall(r"^  - `(\w+)`", announced, re.MULTILINE)
    rows = [
        {
            "name": request.name,
            "item": request.item,
            "quantity": request.quantity,
            "unit_price": float(request.unit_price),
            "total": float(request.total),
        }
        for request in requests
    ]
    total = float(sum(request.total for request in requests))
    known = {
        "requests": [{column: row[column] for column in columns} for row in rows],
        "total_cost": total,
    }
    return json.dumps({name: known[name] for name in asked_fields(announced)})


async def solve(session: Session) -> None:
    """Attend the meeting of every task."""
    office = Office(session)
    for task in await office.tasks():
        announced = await attend(office, task.objective)
        requests = await requests_to_list(office, announced)
        await office.hand_in(task, target_file(announced), report_of(announced, requests))
    await office.finish_day()
