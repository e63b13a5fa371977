"""The meeting rooms, and the hours at which meetings may be held."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from datetime import datetime, time
from functools import lru_cache
from types import MappingProxyType

from trainee_bench.world.errors import Invalid, NotFound, Refused
from trainee_bench.world.transaction import Transaction

ROOMS: Mapping[str, int] = MappingProxyType(
    {
        "Room_01": 4,
        "Room_02": 4,
        "Room_03": 6,
        "Room_04": 6,
        "Room_05": 8,
        "Room_06": 10,
        "Room_07": 12,
        "Room_08": 16,
        "Room_09": 24,
        "Room_10": 60,
    }
)
"""The seats of each room of the built-in company, by name, smallest first."""

ROOMS_OPEN, LAST_MEETING_START, ROOMS_CLOSE = time(9), time(17), time(18)
"""The earliest and latest start of a meeting, and the time by which it must end."""


def check_times(starts: datetime, ends: datetime, now: datetime) -> None:
    """Raise Invalid for times at which no meeting can be held, Refused if they have passed."""
    for moment in (starts, ends):
        if moment.tzinfo is not None or moment.second or moment.microsecond:
            raise Invalid("Give local time in whole minutes, without a zone: 2025-10-01T14:30.")
    if ends <= starts:
        raise Invalid(
            f"A meeting must end after it starts; {starts:%H:%M} to {ends:%H:%M} does not."
        )
    if ends.date() != starts.date():
        raise Invalid("A meeting must end on the day it starts; book another one for the next day.")
    if not ROOMS_OPEN <= starts.time() <= LAST_MEETING_START or ends.time() > ROOMS_CLOSE:
        raise Invalid(
            f"Meetings start between {ROOMS_OPEN:%H:%M} and {LAST_MEETING_START:%H:%M} and end by "
            f"{ROOMS_CLOSE:%H:%M}; {starts:%H:%M}-{ends:%H:%M} is outside."
        )
    if starts < now:
        raise Refused(
            f"{starts:%Y-%m-%d %H:%M} has passed; it is {now:%H:%M}. Choose a later time."
        )


def company_rooms(tx: Transaction) -> Mapping[str, int]:
    """Return the seats of each room of the company, by name, smallest first."""
    try:
        return _rooms(tx.fact("rooms"))
    except KeyError:
        return ROOMS


@lru_cache(maxsize=64)
def _rooms(fact: str) -> Mapping[str, int]:
    return MappingProxyType(json.loads(fact))


def room_capacity(room: str, rooms: Mapping[str, int] = ROOMS) -> int:
    """Return the number of seats of *room*, one of *rooms*. Raises NotFound, naming the rooms."""
    if room not in rooms:
        raise NotFound(f"There is no room {room[:40]!r}; the rooms are {', '.join(rooms)}.")
    return rooms[room]


def fitting_rooms(
    people: int, taken: Collection[str], rooms: Mapping[str, int] = ROOMS
) -> tuple[str, ...]:
    """Return those of *rooms* with seats for *people*, without those *taken*, smallest first."""
    return tuple(room for room, seats in rooms.items() if seats >= people and room not in taken)
