"""The tools of an oracle that goes on where somebody else has left the day.

It builds on what is done (`WorkDone`), clears away what is in its way, and does not take another
task's unfinished work for its result.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime

from pydantic import JsonValue

from trainee_bench.harness.testbench.office_memory import READING_FILES
from trainee_bench.harness.testbench.work_done import ONCE, WorkDone, looked_at, named_by
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed, ToolResponse
from trainee_bench.meta_tasks.worker_clients import MAKING, ClientWrapper
from trainee_bench.world.meetings.meeting import Meeting
from trainee_bench.world.meetings.rooms import ROOMS

_WORKSPACE = "workspace:/"


@dataclass
class SharedDesk:
    """What the oracles of a day that go on have in common.

    ``results`` are the tasks by the path of each file they hand in; ``unfinished`` those paths
    whose content is not to be trusted yet. ``bookings`` are meetings that may be in the way.
    ``people`` are their ids by any way to name them.
    """

    done: WorkDone
    now: datetime
    results: Mapping[str, str]
    unfinished: set[str]
    people: Mapping[str, str]
    bookings: list[Meeting] = field(default_factory=list)

    def release(self, task: str) -> None:
        """Nothing more comes of *task*: what there is of it is its result."""
        self.unfinished -= {path for path, owner in self.results.items() if owner == task}


class FinishingClient(ClientWrapper):
    """The tools of *client*, for the oracle of a task that somebody else may have begun."""

    def __init__(self, client: ToolClient, desk: SharedDesk):
        super().__init__(client)
        self._desk = desk
        self._repeated: set[tuple[str, str]] = set()

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        """Call a tool, unless what it would do is done; where something is in its way that the
        employee may remove, remove it and call again. Raises ToolFailed."""
        if tool in READING_FILES:
            self._check_finished(str(arguments["path"]))
        elif (known := self._known(tool, arguments)) is not None:
            return replace(known, time=self._desk.now, notices=())
        elif (shown := self._desk.done.readings.get(looked_at(tool, arguments))) is not None:
            return replace(shown, time=self._desk.now)
        elif tool == "calendar_find_rooms":
            return await self._find_rooms(arguments)
        elif tool == "calendar_book":
            if (booked := self._booked_so(arguments)) is not None:
                return replace(booked, time=self._desk.now, notices=())
            await self._clear_bookings(str(arguments["starts"]))
        try:
            done = await self._make_call(tool, arguments)
        except ToolFailed:
            again = await self._recover(tool, arguments)
            if again is None:
                raise
            done = again
        if tool in MAKING:
            self._desk.unfinished.discard(_target(tool, arguments))
        elif tool == "calendar_cancel":
            self._desk.bookings[:] = [
                one for one in self._desk.bookings if one.id != arguments["meeting"]
            ]
        return done

    async def _make_call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        try:
            done = await self.client.call(tool, **arguments)
        except ToolFailed as error:
            self._desk.now = error.time or self._desk.now
            raise
        self._desk.now = done.time
        return done

    def _check_finished(self, path: str) -> None:
        """Raise ToolFailed for the file of another task whose oracle has not written it yet."""
        owner = self._desk.results.get(path)
        if owner not in (None, self.task) and path in self._desk.unfinished:
            raise ToolFailed(f"{path} is not finished yet", self._desk.now)

    def _known(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse | None:
        """What a question or a group has come to before; a question that is put a second time is
        meant."""
        done = self._desk.done
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
        day = "" if "T" in text else f"{self._desk.now:%Y-%m-%d}T"
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
            found = ToolResponse(str(error), {"rooms": {}}, self._desk.now)
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
        ids = {self._desk.people.get(name, name) for name in names}
        starts, ends = (self._moment(str(arguments[name])) for name in ("starts", "ends"))
        for one in self._bookings_on(starts):
            same = (one.room, one.starts, one.ends) == (arguments["room"], starts, ends)
            later = starts.date() != self._desk.now.date()
            if (
                same
                and set(one.attendees) == ids
                and not (later and one.title != arguments["title"])
            ):
                self._desk.bookings.remove(one)
                return self._desk.done.booked.get(one.id)
        return None

    def _bookings_on(self, moment: datetime) -> list[Meeting]:
        """What was booked today for the day of *moment*."""
        today = self._desk.now.date()
        return [
            one
            for one in self._desk.bookings
            if one.booked_at.date() == today and one.starts.date() == moment.date()
        ]

    async def _clear_bookings(self, starts: str) -> None:
        """Cancel what was booked today for the day on which a meeting is booked now."""
        for meeting in self._bookings_on(self._moment(starts)):
            self._desk.bookings.remove(meeting)
            with suppress(ToolFailed):
                await self._make_call("calendar_cancel", {"meeting": meeting.id})

    async def _recover(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse | None:
        """After a refused call: what it came to when it was made before, or what it comes to once
        a file of the same name is gone; None if there is nothing to do."""
        if tool in ONCE:
            done = self._desk.done.acts.get(named_by(tool, arguments))
            return replace(done, time=self._desk.now) if done is not None else None
        if tool not in MAKING:
            return None
        target = _target(tool, arguments)
        if not (target.startswith(_WORKSPACE) or self._desk.results.get(target) == self.task):
            return None
        try:
            await self._make_call("files_delete", {"path": target})
            return await self._make_call(tool, arguments)
        except ToolFailed:
            return None


def _target(tool: str, arguments: Mapping[str, JsonValue]) -> str:
    """The path that a call of a tool of `MAKING` writes to."""
    return str(arguments["target" if tool == "files_copy" else "path"])
