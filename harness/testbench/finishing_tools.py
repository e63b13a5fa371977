"""Tools of a worker who continues a day that somebody else has begun.

They build on finished work (`WorkDone`) and remove what is in the worker's way.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from pydantic import JsonValue

from trainee_bench.harness.testbench.work_done import (
    WorkDone,
    is_done_once,
    looked_at,
    named_by,
)
from trainee_bench.mcp_servers import discover_tools
from trainee_bench.mcp_servers.serving.toolbox import FileUse
from trainee_bench.meta_tasks.tool_client import ToolFailed, ToolResponse
from trainee_bench.meta_tasks.work.engine import ToolCaller
from trainee_bench.world.meetings.meeting import Meeting
from trainee_bench.world.meetings.rooms import ROOMS

_WORKSPACE = "workspace:/"
_MAKING = (FileUse.WRITES, FileUse.MAKES)


class FinishingTools:
    """The *tools* for a worker who continues at *now*, after *done*.

    *results* are the paths of all files that the day's tasks hand in. *people* are the ids of all
    people by each of their names, *rooms* the company's rooms with their seats.
    """

    def __init__(
        self,
        tools: ToolCaller,
        done: WorkDone,
        now: datetime,
        results: Collection[str],
        people: Mapping[str, str],
        rooms: Mapping[str, int] = ROOMS,
    ):
        self._tools = tools
        self._company_rooms = rooms
        self._done = done
        self._now = now
        self._results = results
        self._people = people
        self._bookings = list(done.bookings)
        self._repeated: set[tuple[str, str]] = set()

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        """Call a tool, unless its effect exists already.

        If something is in the way that the employee may remove, remove it and call again. Raises
        ToolFailed.
        """
        if (known := self._known(tool, arguments)) is not None:
            return replace(known, time=self._now, notices=())
        if (shown := self._done.readings.get(looked_at(tool, arguments))) is not None:
            return replace(shown, time=self._now)
        if tool == "calendar_find_rooms":
            return await self._find_rooms(arguments)
        if tool == "calendar_book":
            if (booked := self._booked_so(arguments)) is not None:
                return replace(booked, time=self._now, notices=())
            await self._clear_bookings(str(arguments["starts"]))
        try:
            done = await self._make_call(tool, arguments)
        except ToolFailed:
            again = await self._recover(tool, arguments)
            if again is None:
                raise
            done = again
        if tool == "calendar_cancel":
            self._bookings[:] = [
                meeting for meeting in self._bookings if meeting.id != arguments["meeting"]
            ]
        return done

    async def _make_call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        try:
            done = await self._tools.call(tool, arguments)
        except ToolFailed as error:
            self._now = error.time or self._now
            raise
        self._now = done.time
        return done

    def _known(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse | None:
        """Return the earlier result of a question or of creating a group, if there is one.

        A question that is asked a second time is meant and is not answered from here.
        """
        done = self._done
        if tool == "chat_create_group":
            members = arguments["members"]
            wanted = frozenset(map(str, members)) if isinstance(members, list) else frozenset()
            same = (
                made
                for ids, made in done.groups.items()
                if wanted <= ids and len(ids - wanted) == 1  # its creator
            )
            return next(same, None)
        if tool != "chat_send_message":
            return None
        question = str(arguments["to"]), str(arguments["text"])
        if question in self._repeated:
            return None
        self._repeated.add(question)
        return done.questions.get(question)

    def _moment(self, text: str) -> datetime:
        """Return the time of *text*, today if it names no day."""
        day = "" if "T" in text else f"{self._now:%Y-%m-%d}T"
        return datetime.fromisoformat(f"{day}{text}")

    async def _find_rooms(self, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        """Return the free rooms, and rooms taken by bookings that would be cancelled for a new one.

        If it is too late to book any room, only the latter are returned.
        """
        starts, ends = (self._moment(str(arguments[name])) for name in ("starts", "ends"))
        people = int(str(arguments.get("people", 1)))
        own = [m for m in self._bookings_on(starts) if m.starts < ends and starts < m.ends]
        try:
            found = await self._make_call("calendar_find_rooms", arguments)
        except ToolFailed as error:
            if not own:
                raise
            found = ToolResponse(str(error), {"rooms": {}}, self._now)
        mine = {meeting.room for meeting in own}
        rooms = {
            room: seats
            for room, seats in self._company_rooms.items()
            if room in found.data["rooms"] or (room in mine and seats >= people)
        }
        return replace(found, data={**found.data, "rooms": rooms})

    def _booked_so(self, arguments: Mapping[str, JsonValue]) -> ToolResponse | None:
        """Return the result of booking this very meeting, if it is booked already.

        A meeting on another day must have the same title, too, because it is found by its title
        then.
        """
        invited = arguments["attendees"]
        names = [str(name) for name in invited] if isinstance(invited, list) else []
        ids = {self._people.get(name, name) for name in names}
        starts, ends = (self._moment(str(arguments[name])) for name in ("starts", "ends"))
        for meeting in self._bookings_on(starts):
            same = (meeting.room, meeting.starts, meeting.ends) == (arguments["room"], starts, ends)
            later = starts.date() != self._now.date()
            if (
                same
                and set(meeting.attendees) == ids
                and not (later and meeting.title != arguments["title"])
            ):
                self._bookings.remove(meeting)
                return self._done.booked.get(meeting.id)
        return None

    def _bookings_on(self, moment: datetime) -> list[Meeting]:
        """Return the meetings that were booked today for the day of *moment*."""
        today = self._now.date()
        return [
            meeting
            for meeting in self._bookings
            if meeting.booked_at.date() == today and meeting.starts.date() == moment.date()
        ]

    async def _clear_bookings(self, starts: str) -> None:
        """Cancel the meetings that were booked today for the day of a new booking."""
        for meeting in self._bookings_on(self._moment(starts)):
            self._bookings.remove(meeting)
            with suppress(ToolFailed):
                await self._make_call("calendar_cancel", {"meeting": meeting.id})

    async def _recover(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse | None:
        """Recover from a refused call; None if there is nothing to do.

        Returns the result of the same call made before, or of calling again after removing a file
        of the same name.
        """
        if is_done_once(tool):
            done = self._done.acts.get(named_by(tool, arguments))
            return replace(done, time=self._now) if done is not None else None
        known = discover_tools().get(tool)
        if known is None or known.files not in _MAKING:
            return None
        target = _target(arguments)
        if not (target.startswith(_WORKSPACE) or target in self._results):
            return None
        try:
            await self._make_call("files_delete", {"path": target})
            return await self._make_call(tool, arguments)
        except ToolFailed:
            return None


def _target(arguments: Mapping[str, JsonValue]) -> str:
    """Return the path that a call writes to."""
    return str(arguments["target" if "target" in arguments else "path"])
