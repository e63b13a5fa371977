"""The events of a worked day, read from its world, without anything secret.

    worlds/ID.world ──queries, log──► DayRecord ◄── ComposedDay: what was planned, and when

A record has times and titles. It has no clue's content, no call's arguments, no right answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from trainee_bench.harness.scheduling.spans import Span
from trainee_bench.mcp_servers.desk import FINISH_DAY_TOOL, RETURN_TOOL, SUBMIT_TOOL
from trainee_bench.meta_tasks.composition import ComposedDay, ComposedTask
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.apps.calendar import Calendar
from trainee_bench.world.apps.desk import Desk
from trainee_bench.world.colleagues.knowledge import Disclosure, Knowledge
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.errors import NotFound
from trainee_bench.world.thinking import THINK
from trainee_bench.world.transaction import Notice, Transaction, WorkingDay
from trainee_bench.world.world import World

WAIT_TOOL, _HANDING_IN = "desk_wait", (SUBMIT_TOOL, RETURN_TOOL)


@dataclass(frozen=True)
class DisclosedClue:
    """A clue that was told: when, its name, and who told it ("" if it was heard in a meeting)."""

    at: datetime
    name: str
    source: str


@dataclass(frozen=True)
class TaskRecord:
    """A task on a day.

    ``given`` is None if the agent never got it. ``deadline`` is the one that counted,
    ``first_deadline`` the original one, and ``moved_at`` the time of the change. ``submitted`` and
    ``too_late`` are the times of that day's submissions.
    """

    id: str
    title: str
    given: datetime | None
    first_deadline: datetime
    deadline: datetime
    moved_at: datetime | None
    submitted: tuple[datetime, ...]
    too_late: tuple[datetime, ...]
    clues: tuple[DisclosedClue, ...]


@dataclass(frozen=True)
class MeetingRecord:
    """A meeting to which the agent was invited; ``arrived`` is None if it did not come."""

    title: str
    starts: datetime
    ends: datetime
    arrived: datetime | None
    cancelled: bool


@dataclass(frozen=True)
class CallRecord:
    """A tool call: its app, its beginning and end in simulated time, and whether it succeeded."""

    app: str
    at: datetime
    until: datetime
    ok: bool
    waiting: bool


@dataclass(frozen=True)
class DayRecord:
    """A day to be drawn. ``stopped`` is when the agent ended its work."""

    day: WorkingDay
    tasks: tuple[TaskRecord, ...]
    meetings: tuple[MeetingRecord, ...]
    calls: tuple[CallRecord, ...]
    notices: tuple[Notice, ...]
    stopped: datetime
    thinking: tuple[Span, ...] = ()
    """When the agent was thinking, if that takes time."""


async def read_day(world: World, composition: ComposedDay) -> DayRecord:
    """Read the day worked in *world*, which was staged from *composition*.

    For a week, read the day that `ComposedDay.on_day` named.
    """
    today, me = composition.today.starts.date(), composition.company.trainee.id
    everything = [entry for entry in await world.log() if entry.at.date() == today]
    log = [entry for entry in everything if entry.actor == me]
    thoughts = [entry for entry in everything if entry.tool == THINK]
    return await world.read(lambda tx: _record(tx, composition, log, thoughts))


def _record(
    tx: Transaction,
    composition: ComposedDay,
    log: Sequence[LogEntry],
    thoughts: Sequence[LogEntry],
) -> DayRecord:
    finished = [
        entry.at
        for entry in log
        if entry.tool == FINISH_DAY_TOOL and entry.ok and entry.until >= composition.today.ends
    ]
    done = [entry.until for entry in (*log[-1:], *thoughts[-1:])]
    stopped = finished[0] if finished else max(done, default=composition.today.starts)
    today = composition.today.starts.date()
    told = Knowledge(tx).disclosures_to(tx.employee)
    disclosures = [disclosed for disclosed in told if disclosed.at.date() == today]
    return DayRecord(
        day=composition.today,
        tasks=tuple(_task(tx, task, log, disclosures) for task in composition.tasks),
        meetings=_meetings(tx, today),
        calls=tuple(
            CallRecord(
                app=entry.tool.partition("_")[0],
                at=entry.at,
                until=entry.until,
                ok=entry.ok,
                waiting=entry.tool == WAIT_TOOL,
            )
            for entry in log
            if entry.tool != FINISH_DAY_TOOL
        ),
        notices=tuple(notice for entry in log for notice in entry.notices if notice.at <= stopped),
        stopped=stopped,
        thinking=tuple(Span(entry.at, entry.until) for entry in thoughts),
    )


def _task(
    tx: Transaction, task: ComposedTask, log: Sequence[LogEntry], disclosures: Sequence[Disclosure]
) -> TaskRecord:
    submissions = [
        entry
        for entry in log
        if entry.tool in _HANDING_IN
        and str(entry.arguments.get("task", "")).strip().casefold() == task.id.casefold()
    ]
    refused = (entry.at for entry in submissions if not entry.ok and entry.at >= task.deadline)
    return TaskRecord(
        id=task.id,
        title=task.instance.told.title,
        given=Desk(tx).published_at(task.id),
        first_deadline=task.first_deadline,
        deadline=task.deadline,
        moved_at=task.deadline_moves_at,
        submitted=tuple(entry.at for entry in submissions if entry.ok),
        too_late=tuple(refused),
        clues=tuple(
            DisclosedClue(disclosure.at, disclosure.clue.partition("/")[2], _source(tx, disclosure))
            for disclosure in disclosures
            if disclosure.clue.partition("/")[0] == task.id
        ),
    )


def _source(tx: Transaction, disclosure: Disclosure) -> str:
    """Return the name of the person who told it, "" if it was heard in a meeting."""
    if disclosure.how == "meeting" or not disclosure.holder:
        return ""
    try:
        return Directory(tx).person(disclosure.holder).name
    except NotFound:
        return disclosure.holder


def _meetings(tx: Transaction, today: date) -> tuple[MeetingRecord, ...]:
    calendar = Calendar(tx)
    meetings = []
    for meeting in calendar.meetings_of(tx.employee, today, today):
        attended = calendar.attendance(tx.employee, meeting.id)
        meetings.append(
            MeetingRecord(
                title=meeting.title,
                starts=meeting.starts,
                ends=meeting.ends,
                arrived=attended.arrived if attended else None,
                cancelled=meeting.cancelled,
            )
        )
    return tuple(meetings)
