"""The calendar as the page shows it."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel

from trainee_bench.harness.studio.views.app_view import AppView, Marks, ViewRequest
from trainee_bench.mcp_servers.calendar import (
    MeetingDetails,
    MeetingLine,
    calendar_list,
    calendar_read_meeting,
)
from trainee_bench.world.apps.calendar import Calendar
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.errors import NotFound
from trainee_bench.world.transaction import Transaction


class CalendarView(BaseModel):
    """The meetings from today on, by start, and the opened one."""

    now: datetime
    day_starts: datetime
    day_ends: datetime
    meetings: tuple[MeetingLine, ...]
    meeting: MeetingDetails | None
    names: dict[str, str]
    """The names of the people of the opened meeting, by id."""


def _show(tx: Transaction, request: ViewRequest) -> CalendarView:
    page = calendar_list(tx).data
    meetings = list(page.meetings)
    while len(meetings) < page.total:
        meetings += calendar_list(tx, offset=len(meetings)).data.meetings
    opened = None
    if request.item.isdecimal():
        try:
            opened = calendar_read_meeting(tx, int(request.item)).data
        except NotFound:  # not booked yet
            opened = None
    people = {opened.meeting.organizer, *opened.answers} if opened else set[str]()
    return CalendarView(
        now=tx.now,
        day_starts=tx.day.starts,
        day_ends=tx.day.ends,
        meetings=tuple(meetings),
        meeting=opened,
        names={id: Directory(tx).person(id).name for id in sorted(people)},
    )


def _marks(tx: Transaction) -> Marks:
    meetings = Calendar(tx).meetings_of(tx.employee, tx.day.starts.date())
    return {str(meeting.id): meeting.model_dump_json() for meeting in meetings}


VIEW = AppView("calendar", _show, _marks)
