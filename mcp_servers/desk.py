"""The desk's tools: tasks, time, submitting, notes, the end of the day."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field

from trainee_bench.mcp_servers.serving.toolbox import Toolbox
from trainee_bench.world.apps.desk import Desk, DeskTask, Note, format_clock
from trainee_bench.world.errors import Refused
from trainee_bench.world.transaction import Result, Transaction

TOOLS = Toolbox(
    "desk",
    "Your tasks and their deadlines, the clock, submitting, your notes.",
    opt_in=False,
    examples=(("desk_write_note", {"text": "a note"}),),
)

FINISH_DAY_TOOL = "desk_finish_day"
"""The tool that ends the day."""
MAX_PAGE_CHARACTERS = 12_000
"""Characters (about 3,500 tokens) of a text; what is longer is told in parts."""


class ClockReading(BaseModel):
    """The time, and the working day's bounds."""

    now: datetime
    day_starts: datetime
    day_ends: datetime


class WaitResult(BaseModel):
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


class SubmissionReceipt(BaseModel):
    """A submission was received."""

    task: str
    at: datetime


class NotePage(BaseModel):
    """Notes, oldest first; ``more`` if later ones were left out."""

    notes: list[Note]
    more: bool


@TOOLS.tool(read_only=True)
def desk_now(tx: Transaction) -> Result[ClockReading]:
    """What time it is and when the day ends. Every result shows the time, too."""
    now = ClockReading(now=tx.now, day_starts=tx.day.starts, day_ends=tx.day.ends)
    text = f"{tx.now:%A, %Y-%m-%d %H:%M}. The day runs {tx.day.starts:%H:%M}"
    return Result(f"{text}-{tx.day.ends:%H:%M}.", now)


@TOOLS.tool(minutes=0)
def desk_wait(
    tx: Transaction,
    minutes: Annotated[int | None, Field(description="how long")] = None,
    until: Annotated[str | None, Field(description="or a time today, HH:MM")] = None,
    wake: Annotated[bool, Field(description="stop at the first notice")] = True,
) -> Result[WaitResult]:
    """Let time pass, e.g. for an answer or a meeting. Costs exactly the time waited."""
    began = tx.now
    now = Desk(tx).wait(minutes=minutes, until=until, wake=wake)
    waited = int((now - began).total_seconds()) // 60
    return Result(f"Waited {waited} min; it is {now:%H:%M}.", WaitResult(now=now))


@TOOLS.tool(read_only=True)
def desk_tasks(
    tx: Transaction, task: Annotated[str | None, Field(description="only this id")] = None
) -> Result[TaskList]:
    """Your tasks: objective, deadline, assignments heard in meetings. Begin the day with it."""
    desk = Desk(tx)
    if tx.actor != tx.employee:
        return Result("You have no tasks today.", TaskList(tasks=[]))
    tasks = (desk.task(task),) if task else desk.tasks()
    data = TaskList(tasks=[_entry(one) for one in tasks])
    if not tasks:
        return Result("No task has been published yet; desk_wait ends when one is.", data)
    text = "\n\n".join(f"{_title(tx, one)}\n{_body(one)}" for one in tasks)
    if len(tasks) > 1 and len(text) > MAX_PAGE_CHARACTERS:
        titles = [_title(tx, one) for one in tasks]
        text = "\n".join(["Too long for one page; read each with task=ID:", *titles])
    return Result(text, data)


@TOOLS.tool()
def desk_submit(
    tx: Transaction,
    task: Annotated[str, Field(description="its id")],
    note: Annotated[str, Field(description="what you want to say", max_length=2000)] = "",
) -> Result[SubmissionReceipt]:
    """Say that a task is done. Again is allowed until its deadline; never tells if it is right."""
    if tx.actor != tx.employee:
        raise Refused("You have no tasks today, so there is nothing to submit.")
    done = Desk(tx).submit(task, note)
    text = f"{done.id} received at {tx.now:%H:%M}. You may still change your work and submit "
    text += f"again until {format_clock(tx, done.deadline)}."
    return Result(text, SubmissionReceipt(task=done.id, at=tx.now))


@TOOLS.tool()
def desk_write_note(
    tx: Transaction, text: Annotated[str, Field(description="anything", max_length=4000)]
) -> Result[Note]:
    """Add to your notebook of the day. Only you read it."""
    note = Desk(tx).write_note(text)
    return Result(f"Note {note.id} written.", note)


@TOOLS.tool(read_only=True)
def desk_read_notes(
    tx: Transaction,
    after: Annotated[int, Field(description="only notes after this number", ge=0, le=10**9)] = 0,
) -> Result[NotePage]:
    """Read your notebook, oldest first."""
    notes = Desk(tx).notes(after)
    shown: list[Note] = []
    lines: list[str] = []
    for note in notes:
        lines.append(f"{note.id} ({note.at:%H:%M}) {note.text}")
        if shown and sum(map(len, lines)) > MAX_PAGE_CHARACTERS:
            lines[-1] = f"More: desk_read_notes(after={shown[-1].id})."
            break
        shown.append(note)
    text = "\n".join(lines) or "No notes."
    return Result(text, NotePage(notes=shown, more=len(shown) < len(notes)))


@TOOLS.tool(minutes=0, destructive=True)
def desk_finish_day(tx: Transaction) -> Result[WaitResult]:
    """End your working day: the clock goes to its end and nothing more can be done. Only when
    all tasks are submitted."""
    now = Desk(tx).finish_day()
    return Result(f"The day is over; it is {now:%H:%M}.", WaitResult(now=now))


def _entry(task: DeskTask) -> TaskEntry:
    return TaskEntry(
        id=task.id,
        title=task.title,
        objective=task.objective,
        deadline=task.deadline,
        assignments=list(task.assignments),
        submitted=task.submitted is not None,
    )


def _title(tx: Transaction, task: DeskTask) -> str:
    state = f"submitted {format_clock(tx, task.submitted)}" if task.submitted else "open"
    return f"{task.id} · {task.title} · due {format_clock(tx, task.deadline)} · {state}"


def _body(task: DeskTask) -> str:
    heard = [f"Assignment heard in a meeting: {text}" for text in task.assignments]
    return "\n".join([task.objective, *heard])
