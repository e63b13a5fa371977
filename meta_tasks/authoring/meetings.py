"""Meetings that a task is about: an hour for them, and attending them on time.

room, starts, ends = reserve_hours(context, [60, 90], lambda minutes: […])   in `generate`
heard = await attend(client, await find_invitation(client, room, starts), starts)   in a script
@punctuality(weight=0.5)
def punctual(self, grading): return was_on_time(grading, meeting)
@presence(weight=0.5)
def present(self, grading): return was_present(grading, meeting)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from trainee_bench.meta_tasks.checkpoints import CheckFunction, GradingContext, Verdict, checkpoint
from trainee_bench.meta_tasks.task_context import CompositionError, TaskContext
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed, ToolResponse
from trainee_bench.world.apps.calendar import Calendar
from trainee_bench.world.meetings.meeting import Meeting

USUAL_EARLINESS = timedelta(minutes=2)
MIN_PRESENCE_SHARE = 0.5
"""The least share of a meeting that counts as having been there."""


def reserve_hours(
    context: TaskContext,
    lengths: Iterable[int],
    starts: Callable[[int], Sequence[datetime]],
    rooms: Sequence[str] | None = None,
) -> tuple[str, datetime, datetime]:
    """Return a room, start and end for the first of *lengths* (minutes) for which one of its
    *starts* is free.

    Raises CompositionError if other tasks have left no such hour before the deadline.
    """
    for minutes in lengths:
        try:
            return context.reserve_meeting_slot(starts(minutes), minutes, rooms)
        except CompositionError:
            continue
    raise CompositionError(
        f"{context.task} finds no hour for its meeting before {context.deadline:%H:%M} that other "
        "tasks have left; fix other times or put them on different days"
    )


async def find_invitation(client: ToolClient, room: str, starts: datetime) -> int:
    """Return the id of the meeting in *room* that *starts* then, from one's own calendar.

    Raises ToolFailed if there is none.
    """
    seen = 0
    while True:
        page = (await client.call("calendar_list", day=f"{starts:%Y-%m-%d}", offset=seen)).data
        for meeting in page["meetings"]:
            if meeting["room"] == room and datetime.fromisoformat(meeting["starts"]) == starts:
                return int(meeting["id"])
        seen += len(page["meetings"])
        if not page["meetings"] or seen >= page["total"]:
            raise ToolFailed(f"the calendar has no meeting in {room} at {starts:%H:%M}")


async def attend(
    client: ToolClient, meeting: int, starts: datetime, early: timedelta = USUAL_EARLINESS
) -> ToolResponse:
    """Attend the meeting of this id, arriving *early* before it *starts*. Return what is heard in
    it."""
    await client.wait_until(starts - early)
    return await client.call("calendar_attend", meeting=meeting)


def was_on_time(grading: GradingContext[Any], meeting: Meeting) -> Verdict:
    """Return a verdict by the calendar's record: on time is within five minutes of the start on
    both sides."""
    came = Calendar(grading.tx).attendance(grading.employee, meeting.id)
    if came is None:
        return Verdict(False, "you were not in the meeting")
    return Verdict(
        came.on_time, f"you came at {came.arrived:%H:%M}; it began at {meeting.starts:%H:%M}"
    )


def punctuality(weight: float = 1) -> Callable[[CheckFunction], CheckFunction]:
    """Declare a method as the checkpoint that the employee was in the meeting on time."""
    return checkpoint(
        "You were in the meeting on time",
        weight=weight,
        where="In the calendar: when the meeting began, and when you came.",
        how="Wait until just before the start (desk_wait), then call calendar_attend. More than "
        "five minutes early is refused, and more than five minutes late is too late.",
    )


def was_present(grading: GradingContext[Any], meeting: Meeting) -> Verdict:
    """Return a verdict by the calendar's record. Everybody stays to the end, so the arrival is
    enough."""
    came = Calendar(grading.tx).attendance(grading.employee, meeting.id)
    if came is None:
        return Verdict(False, "you were not in the meeting")
    minutes = int((meeting.ends - meeting.starts).total_seconds()) // 60
    there = minutes - came.missed_minutes
    return Verdict(
        there >= MIN_PRESENCE_SHARE * minutes, f"you were there for {there} of {minutes} minutes"
    )


def presence(weight: float = 1) -> Callable[[CheckFunction], CheckFunction]:
    """Declare a method as the checkpoint that the employee was there for most of the meeting.
    Outcomes that depend on what the meeting tells should need it (``needs``)."""
    return checkpoint(
        "You were in the meeting for at least half of it",
        weight=weight,
        where="In the calendar: when the meeting began and ended, and when you came.",
        how="Call calendar_attend at the start of the meeting; you then stay to the end.",
    )
