"""The desk's tools: tasks, time, submitting, notes, the end of the day."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field

from mcp_servers.serving.toolbox import Toolbox
from world.apps.desk import Desk, Note, Task, clock
from world.errors import Refused
from world.turn import Result, Turn

TOOLS = Toolbox("desk", "Your tasks and their deadlines, the clock, submitting, your notes.")

FINISH = "desk_finish_day"
"""The tool that ends the day."""
LONGEST = 12_000
"""Characters (about 3,500 tokens) of a text; what is longer is told in parts."""


class Now(BaseModel):
    """The time, and the working day's bounds."""

    now: datetime
    day_starts: datetime
    day_ends: datetime


class Waited(BaseModel):
    """The time after a wait."""

    now: datetime


class TaskEntry(BaseModel):
    """A task on the desk. ``assignments`` were heard in meetings."""

    id: str
    title: str
    objective: str
    deadline: datetime
    assignments: list[str]
    submitted: bool


class TaskList(BaseModel):
    """The tasks published so far, the earliest deadline first."""

    tasks: list[TaskEntry]


class Submitted(BaseModel):
    """A submission was received."""

    task: str
    at: datetime


class Notes(BaseModel):
    """Notes, oldest first; ``more`` if later ones were left out."""

    notes: list[Note]
    more: bool


@TOOLS.tool(read_only=True)
def desk_now(turn: Turn) -> Result[Now]:
    """What time it is and when the day ends. Every result shows the time, too."""
    now = Now(now=turn.now, day_starts=turn.day.starts, day_ends=turn.day.ends)
    text = f"{turn.now:%A, %Y-%m-%d %H:%M}. The day runs {turn.day.starts:%H:%M}"
    return Result(f"{text}-{turn.day.ends:%H:%M}.", now)


@TOOLS.tool(minutes=0)
def desk_wait(
    turn: Turn,
    minutes: Annotated[int | None, Field(description="how long")] = None,
    until: Annotated[str | None, Field(description="or a time today, HH:MM")] = None,
    wake: Annotated[bool, Field(description="stop at the first notice")] = True,
) -> Result[Waited]:
    """Let time pass, e.g. for an answer or a meeting. Costs exactly the time waited."""
    began = turn.now
    now = Desk(turn).wait(minutes=minutes, until=until, wake=wake)
    waited = int((now - began).total_seconds()) // 60
    return Result(f"Waited {waited} min; it is {now:%H:%M}.", Waited(now=now))


@TOOLS.tool(read_only=True)
def desk_tasks(
    turn: Turn, task: Annotated[str | None, Field(description="only this id")] = None
) -> Result[TaskList]:
    """Your tasks: objective, deadline, assignments heard in meetings. Begin the day with it."""
    desk = Desk(turn)
    if turn.actor != turn.employee:
        return Result("You have no tasks today.", TaskList(tasks=[]))
    tasks = (desk.task(task),) if task else desk.tasks()
    data = TaskList(tasks=[_entry(one) for one in tasks])
    if not tasks:
        return Result("No task has been published yet; desk_wait ends when one is.", data)
    text = "\n\n".join(f"{_title(turn, one)}\n{_body(one)}" for one in tasks)
    if len(tasks) > 1 and len(text) > LONGEST:
        titles = [_title(turn, one) for one in tasks]
        text = "\n".join(["Too long for one page; read each with task=ID:", *titles])
    return Result(text, data)


@TOOLS.tool()
def desk_submit(
    turn: Turn,
    task: Annotated[str, Field(description="its id")],
    note: Annotated[str, Field(description="what you want to say", max_length=2000)] = "",
) -> Result[Submitted]:
    """Say that a task is done. Again is allowed until its deadline; never tells if it is right."""
    if turn.actor != turn.employee:
        raise Refused("You have no tasks today, so there is nothing to submit.")
    done = Desk(turn).submit(task, note)
    text = f"{done.id} received at {turn.now:%H:%M}. You may still change your work and submit "
    text += f"again until {clock(turn, done.deadline)}."
    return Result(text, Submitted(task=done.id, at=turn.now))


@TOOLS.tool()
def desk_write_note(
    turn: Turn, text: Annotated[str, Field(description="anything", max_length=4000)]
) -> Result[Note]:
    """Add to your notebook of the day. Only you read it."""
    note = Desk(turn).write_note(text)
    return Result(f"Note {note.id} written.", note)


@TOOLS.tool(read_only=True)
def desk_read_notes(
    turn: Turn,
    after: Annotated[int, Field(description="only notes after this number", ge=0, le=10**9)] = 0,
) -> Result[Notes]:
    """Read your notebook, oldest first."""
    notes = Desk(turn).notes(after)
    shown: list[Note] = []
    lines: list[str] = []
    for note in notes:
        lines.append(f"{note.id} ({note.at:%H:%M}) {note.text}")
        if shown and sum(map(len, lines)) > LONGEST:
            lines[-1] = f"More: desk_read_notes(after={shown[-1].id})."
            break
        shown.append(note)
    text = "\n".join(lines) or "No notes."
    return Result(text, Notes(notes=shown, more=len(shown) < len(notes)))


@TOOLS.tool(minutes=0, destructive=True)
def desk_finish_day(turn: Turn) -> Result[Waited]:
    """End your working day: the clock goes to its end and nothing more can be done. Only when
    all tasks are submitted."""
    now = Desk(turn).finish_day()
    return Result(f"The day is over; it is {now:%H:%M}.", Waited(now=now))


def _entry(task: Task) -> TaskEntry:
    return TaskEntry(
        id=task.id,
        title=task.title,
        objective=task.objective,
        deadline=task.deadline,
        assignments=list(task.assignments),
        submitted=task.submitted is not None,
    )


def _title(turn: Turn, task: Task) -> str:
    state = f"submitted {clock(turn, task.submitted)}" if task.submitted else "open"
    return f"{task.id} · {task.title} · due {clock(turn, task.deadline)} · {state}"


def _body(task: Task) -> str:
    heard = [f"Assignment heard in a meeting: {text}" for text in task.assignments]
    return "\n".join([task.objective, *heard])
