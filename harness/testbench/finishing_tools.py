"""The tools of a worker who goes on where somebody else has left the day.

They build on what is done (`WorkDone`) and clear away what is in the worker's way.
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
    """The *tools*, for somebody who goes on at *now* where *done* was done.

    *results* are the paths of all files that the day's tasks hand in. *people* are the ids of all
    people by each way to name them.
    """

    def __init__(
        self,
        tools: ToolCaller,
        done: WorkDone,
        now: datetime,
        results: Collection[str],
        people: Mapping[str, str],
    ):
        self._tools = tools
        self._done = done
        self._now = now
        self._results = results
        self._people = people
        self._bookings = list(done.bookings)
        self._repeated: set[tuple[str, str]] = set()

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        """Call a tool, unless what it would do is done; where something is in its way that the
        employee may remove, remove it and call again. Raises ToolFailed."""
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
        """What a question or a group has come to before; a question that is put a second time is
        meant."""
        done = self._done
        if tool == "chat_create_group":
            members = arguments["members"]
            wanted = frozenset(map(str, members)) if isinstance(members, list) else frozenset()
            same = (
                made
                for ids, made in done.groups.items()
                if wanted <= ids and len(ids - wanted) == 1  # who made it
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
        """The time of *text*, today if it names no day."""
        day = "" if "T" in text else f"{self._now:%Y-%m-%d}T"
        return datetime.fromisoformat(f"{day}{text}")

    async def _find_rooms(self, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        """The free rooms, and those that are taken by bookings which would be cancelled for another
        one; these alone where it is too late to book any."""
        starts, ends = (self._moment(str(arguments[name])) for name in ("starts", "ends"))
        people = int(str(arguments.get("people", 1)))
        own = [one for one in self._bookings_on(starts) if one.starts < ends and starts < one.ends]
        try:
            found = await self._make_call("calendar_find_rooms", arguments)
        except ToolFailed as error:
            if not own:
                raise
            found = ToolResponse(str(error), {"rooms": {}}, self._now)
        mine = {one.room for one in own}
        rooms = {
            room: seats
            for room, seats in ROOMS.items()
            if room in found.data["rooms"] or (room in mine and seats >= people)
        }
        return replace(found, data={**found.data, "rooms": rooms})

    def _booked_so(self, arguments: Mapping[str, JsonValue]) -> ToolResponse | None:
        """What booking this very meeting has shown, if it is booked; one of another day with the
        same title, too, by which it will be found then."""
        invited = arguments["attendees"]
        names = [str(name) for name in invited] if isinstance(invited, list) else []
        ids = {self._people.get(name, name) for name in names}
        starts, ends = (self._moment(str(arguments[name])) for name in ("starts", "ends"))
        for one in self._bookings_on(starts):
            same = (one.room, one.starts, one.ends) == (arguments["room"], starts, ends)
            later = starts.date() != self._now.date()
            if (
                same
                and set(one.attendees) == ids
                and not (later and one.title != arguments["title"])
            ):
                self._bookings.remove(one)
                return self._done.booked.get(one.id)
        return None

    def _bookings_on(self, moment: datetime) -> list[Meeting]:
        """What was booked today for the day of *moment*."""
        today = self._now.date()
        return [
            one
            for one in self._bookings
            if one.booked_at.date() == today and one.starts.date() == moment.date()
        ]

    async def _clear_bookings(self, starts: str) -> None:
        """Cancel what was booked today for the day on which a meeting is booked now."""
        for meeting in self._bookings_on(self._moment(starts)):
            self._bookings.remove(meeting)
            with suppress(ToolFailed):
                await self._make_call("calendar_cancel", {"meeting": meeting.id})

    async def _recover(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse | None:
        """After a refused call: what it came to when it was made before, or what it comes to once
        a file of the same name is gone; None if there is nothing to do."""
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
    """The path that a call writes to."""
    return str(arguments["target" if "target" in arguments else "path"])
