"""Rooms by what stands in them: the list on the drive, and which of them fits."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from trainee_bench.meta_tasks.task_context import TaskContext
from trainee_bench.world.meetings.rooms import ROOMS, fitting_rooms

ROOM_LIST_PATH = "drive:/handbook/meeting_rooms.csv"
EQUIPMENT: Mapping[str, tuple[str, ...]] = {
    "Room_01": ("whiteboard wall",),
    "Room_02": ("video system",),
    "Room_03": ("whiteboard wall", "document camera"),
    "Room_04": ("video system", "hearing loop"),
    "Room_05": ("video system", "document camera"),
    "Room_06": ("video system", "whiteboard wall", "document camera"),
    "Room_07": ("video system", "whiteboard wall", "hearing loop", "sound system"),
    "Room_08": ("whiteboard wall", "hearing loop", "document camera", "sound system"),
    "Room_09": ("video system", "hearing loop", "document camera", "sound system"),
    "Room_10": (
        "video system",
        "whiteboard wall",
        "hearing loop",
        "document camera",
        "sound system",
    ),
}
"""What each room has; the largest has everything."""
NEEDS = EQUIPMENT["Room_10"]
OFTEN_TAKEN = ("Room_06", "Room_07", "Room_08")
"""One of these somebody else has at the hour, so that only the calendar says which are free."""


def room_list() -> str:
    """The list as it stands on the drive."""
    lines = ["room,equipment"]
    lines += [f"{room},{'; '.join(things)}" for room, things in EQUIPMENT.items()]
    return "\n".join(lines) + "\n"


def smallest_rooms(seats: int, needs: Collection[str], taken: Collection[str]) -> tuple[str, ...]:
    """The smallest free rooms with so many *seats* and all *needs*; they have equally many."""
    rooms = [room for room in fitting_rooms(seats, taken) if set(needs) <= set(EQUIPMENT[room])]
    return tuple(room for room in rooms if ROOMS[room] == ROOMS[rooms[0]])


def room_list_path(context: TaskContext) -> str | None:
    """Where the list is to be put, None where another task of the day has put it already."""
    mine = context.reservations.files.setdefault(ROOM_LIST_PATH, context.task) == context.task
    return ROOM_LIST_PATH if mine else None
