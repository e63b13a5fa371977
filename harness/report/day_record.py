"""A worked day as it can be drawn: read from its world, without anything that is secret.

    worlds/ID.world ──look, log──► DayRecord ◄── the composition: what was to come, and when

A record tells when things happened and how they are called. What a clue says, what a call was
given and what is right stays in the world.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from mcp_servers.desk import FINISH
from meta_tasks.composition import ComposedTask, Composition
from world.apps.calendar import Calendar
from world.apps.desk import Desk
from world.directory import Directory
from world.errors import NotFound
from world.log import Entry
from world.npc import Disclosure, Knowledge
from world.turn import Day, Notice, Turn
from world.world import World

WAIT, SUBMIT = "desk_wait", "desk_submit"


@dataclass(frozen=True)
class Found:
    """A clue that was told: when, what it is called, and by whom, or "" in a meeting."""

    at: datetime
    name: str
    source: str


@dataclass(frozen=True)
class TaskDay:
    """A task on its day. ``given`` is None if the agent never got it.

    ``deadline`` is the one that counted, ``first_deadline`` the one it was given with.
    """

    id: str
    title: str
    given: datetime | None
    first_deadline: datetime
    deadline: datetime
    moved_at: datetime | None
    handed_in: tuple[datetime, ...]
    too_late: tuple[datetime, ...]
    found: tuple[Found, ...]


@dataclass(frozen=True)
class Visit:
    """A meeting the agent was to be at, and when it came, None if it did not."""

    title: str
    starts: datetime
    ends: datetime
    arrived: datetime | None
    cancelled: bool


@dataclass(frozen=True)
class Use:
    """A call: which app, when, how long it took in simulated time, whether it worked."""

    app: str
    at: datetime
    until: datetime
    ok: bool
    waiting: bool


@dataclass(frozen=True)
class DayRecord:
    """All of a day that can be drawn. ``stopped`` is when the agent did its last work."""

    day: Day
    tasks: tuple[TaskDay, ...]
    visits: tuple[Visit, ...]
    uses: tuple[Use, ...]
    notices: tuple[Notice, ...]
    stopped: datetime


async def read_day(world: World, composition: Composition) -> DayRecord:
    """The day that was worked in *world*, which was staged from *composition*."""
    log = [entry for entry in await world.log() if entry.actor == composition.company.trainee.id]
    return await world.look(lambda turn: _record(turn, composition, log))


def _record(turn: Turn, composition: Composition, log: Sequence[Entry]) -> DayRecord:
    finished = [entry.at for entry in log if entry.tool == FINISH and entry.ok]
    stopped = (finished or [entry.until for entry in log[-1:]] or [composition.day.starts])[0]
    disclosures = Knowledge(turn).disclosures_to(turn.employee)
    return DayRecord(
        day=composition.day,
        tasks=tuple(_task(turn, task, log, disclosures) for task in composition.tasks),
        visits=_visits(turn),
        uses=tuple(
            Use(
                app=entry.tool.partition("_")[0],
                at=entry.at,
                until=entry.until,
                ok=entry.ok,
                waiting=entry.tool == WAIT,
            )
            for entry in log
            if entry.tool != FINISH
        ),
        notices=tuple(notice for entry in log for notice in entry.notices if notice.at <= stopped),
        stopped=stopped,
    )


def _task(
    turn: Turn, task: ComposedTask, log: Sequence[Entry], disclosures: Sequence[Disclosure]
) -> TaskDay:
    submissions = [
        entry
        for entry in log
        if entry.tool == SUBMIT
        and str(entry.arguments.get("task", "")).strip().casefold() == task.id.casefold()
    ]
    refused = (entry.at for entry in submissions if not entry.ok and entry.at >= task.deadline)
    return TaskDay(
        id=task.id,
        title=task.scene.title,
        given=Desk(turn).published(task.id),
        first_deadline=task.first_deadline,
        deadline=task.deadline,
        moved_at=task.moved_at,
        handed_in=tuple(entry.at for entry in submissions if entry.ok),
        too_late=tuple(refused),
        found=tuple(
            Found(one.at, one.clue.partition("/")[2], _source(turn, one))
            for one in disclosures
            if one.clue.partition("/")[0] == task.id
        ),
    )


def _source(turn: Turn, disclosure: Disclosure) -> str:
    """The name of who told it, "" if it was heard in a meeting."""
    if disclosure.how == "meeting" or not disclosure.holder:
        return ""
    try:
        return Directory(turn).person(disclosure.holder).name
    except NotFound:
        return disclosure.holder


def _visits(turn: Turn) -> tuple[Visit, ...]:
    today = turn.day.starts.date()
    calendar = Calendar(turn)
    visits = []
    for meeting in calendar.meetings_of(turn.employee, today, today):
        attended = calendar.attendance(turn.employee, meeting.id)
        visits.append(
            Visit(
                title=meeting.title,
                starts=meeting.starts,
                ends=meeting.ends,
                arrived=attended.arrived if attended else None,
                cancelled=meeting.cancelled,
            )
        )
    return tuple(visits)
