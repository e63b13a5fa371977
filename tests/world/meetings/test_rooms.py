"""Rooms by size, and the hours of meetings."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from trainee_bench.world.errors import Invalid, NotFound, Refused
from trainee_bench.world.meetings.rooms import ROOMS, check_times, fitting_rooms, room_capacity

NOON = datetime(2025, 10, 1, 12)


def test_there_are_ten_rooms_by_size() -> None:
    assert list(ROOMS) == [f"Room_{number:02}" for number in range(1, 11)]
    assert list(ROOMS.values()) == sorted(ROOMS.values())


def test_those_that_fit_are_offered_smallest_first() -> None:
    assert fitting_rooms(1, ()) == tuple(ROOMS)
    assert fitting_rooms(11, {"Room_08"}) == ("Room_07", "Room_09", "Room_10")
    assert fitting_rooms(10, ())[0] == "Room_06"
    assert fitting_rooms(max(ROOMS.values()) + 1, ()) == ()


def test_an_unknown_room_is_answered_with_those_there_are() -> None:
    assert room_capacity("Room_06") == 10
    with pytest.raises(NotFound, match="the rooms are Room_01, .*Room_10"):
        room_capacity("room_06")


@pytest.mark.parametrize(
    ("starts", "minutes", "error"),
    [
        (NOON, 30, None),
        (NOON.replace(hour=17), 60, None),
        (NOON.replace(day=2, hour=9), 540, None),
        (NOON.replace(hour=17), 61, Invalid),
        (NOON.replace(hour=17, minute=1), 30, Invalid),
        (NOON.replace(day=2, hour=8, minute=59), 30, Invalid),
        (NOON, 0, Invalid),
        (NOON, -30, Invalid),
        (NOON.replace(hour=16), 24 * 60, Invalid),
        (NOON.replace(tzinfo=UTC), 30, Invalid),
        (NOON.replace(microsecond=1), 30, Invalid),
        (NOON - timedelta(minutes=1), 30, Refused),
    ],
)
def test_meetings_are_in_office_hours_and_to_come(
    starts: datetime, minutes: int, error: type[Exception] | None
) -> None:
    ends = starts + timedelta(minutes=minutes)
    if error is None:
        check_times(starts, ends, NOON)
    else:
        with pytest.raises(error):
            check_times(starts, ends, NOON)
