"""The desk server: tasks, time, submissions, notes, the end of the day."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated

from pydantic import BaseModel, Field

from trainee_bench.mcp_servers.serving.toolbox import Toolbox
from trainee_bench.world.apps.desk import Desk, further_tasks_sentence, may_change_sentence
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.desk_records import DeskTask, Note, format_clock, worth_sentence
from trainee_bench.world.errors import Invalid, Refused
from trainee_bench.world.transaction import Result, Transaction
from trainee_bench.world.week import next_morning_sentence

TOOLS = Toolbox(
    "desk",
    "Your tasks and deadlines, the clock, submissions, your notes.",
    opt_in=False,
    examples=(
        ("desk_write_note", {"text": "a note"}),
        ("desk_return", {"task": "T1", "missing": "the rate", "asked": ["{colleague}"]}),
    ),
)

_LOOKING = 1
"""Minutes that a look at the clock takes."""
RETURN_TOOL = "desk_return"
"""The tool that gives a task back; only scenarios that name it offer it."""
FINISH_DAY_TOOL = "desk_finish_day"
"""The tool that ends the day."""
MOST_ASKED = 5
"""The most colleagues that a return may name."""
SUBMIT_TOOL = "desk_submit"
"""The tool that submits a task."""
ASKING_CONFIDENCE: Mapping[str, str] = {SUBMIT_TOOL: "sure"}
"""The variant of the submission that also asks how sure the employee is, by tool."""
MAX_PAGE_CHARACTERS = 12_000
"""Maximum characters of a text, about 3,500 tokens; longer texts come in parts."""


class ClockReading(BaseModel):
    """The time, and when the working day starts and ends."""

    now: datetime
    day_starts: datetime
    day_ends: datetime


class WaitResult(BaseModel):
    """The time after a wait."""

    now: datetime


class DayEnd(BaseModel):
    """The result of ending the day: the time, and whether the day is over."""

    now: datetime
    over: bool


class TaskEntry(BaseModel):
    """A task on the desk. ``assignments`` were given in meetings. For a submitted task in a list,
    ``objective`` is None and ``assignments`` is empty."""

    id: str
    title: str
    objective: str | None
    deadline: datetime
    assignments: list[str]
    submitted: bool
    worth: int | None = Field(default=None, exclude_if=lambda worth: worth is None)
    """How much the task counts on a day with more work than hours."""


class TaskList(BaseModel):
    """The tasks published so far, in order. More may come until ``more_until``."""

    tasks: list[TaskEntry]
    more_until: datetime | None


class SubmissionReceipt(BaseModel):
    """Confirmation of a submission."""

    task: str
    at: datetime


class ReturnReceipt(BaseModel):
    """Confirmation that a task was given back, with the ids of the people who were asked."""

    task: str
    at: datetime
    asked: list[str]


class NotePage(BaseModel):
    """Notes, oldest first; ``more`` says whether later ones were left out."""

    notes: list[Note]
    more: bool


def read_clock(tx: Transaction, minutes: int = 0) -> ClockReading:
    """Return the time so many *minutes* from now, and the hours of the day."""
    now = tx.now + timedelta(minutes=minutes)
    return ClockReading(now=now, day_starts=tx.day.starts, day_ends=tx.day.ends)


@TOOLS.tool(read_only=True, minutes=_LOOKING)
def desk_now(tx: Transaction) -> Result[ClockReading]:
    """Show the time and when the day ends. Every result shows the time, too."""
    clock = read_clock(tx, _LOOKING)  # as the result is dated
    text = f"{clock.now:%A, %Y-%m-%d %H:%M}. The day runs {clock.day_starts:%H:%M}"
    return Result(f"{text}-{clock.day_ends:%H:%M}.", clock)


@TOOLS.tool(minutes=0, lasts="as long as you wait")
def desk_wait(
    tx: Transaction,
    minutes: Annotated[int | None, Field(description="Minutes to wait")] = None,
    until: Annotated[str | None, Field(description="Or until this time today, HH:MM")] = None,
    wake: Annotated[
        bool,
        Field(
            description="Stop early for news: tasks, meetings, mails, messages (except small talk)"
        ),
    ] = True,
) -> Result[WaitResult]:
    """Let time pass, e.g. to wait for an answer, a meeting or a task. Give either minutes or
    until."""
    desk, began = Desk(tx), tx.now
    end = desk.end_of_wait(minutes=minutes, until=until)
    now = desk.wait(minutes=minutes, until=until, wake=wake)
    waited = int((now - began).total_seconds()) // 60
    text = f"Waited {waited} min"
    text += f", until news came at {now:%H:%M}." if now < end else f"; it is {now:%H:%M}."
    if wake and desk.has_untold_small_talk():
        text += f" The messages before {now:%H:%M} are small talk, which did not end the wait."
    return Result(text, WaitResult(now=now))


@TOOLS.tool(read_only=True)
def desk_tasks(
    tx: Transaction, task: Annotated[str | None, Field(description="Only this id")] = None
) -> Result[TaskList]:
    """List your tasks: what to do, the deadline, and what meetings have added. A submitted task
    takes one line. The last lines say whether new tasks may come. Begin the day with this tool."""
    desk = Desk(tx)
    if tx.actor != tx.employee:
        return Result("You have no tasks today.", TaskList(tasks=[], more_until=None))
    until = desk.more_until()
    if task:
        chosen = desk.task(task)
        listed = TaskList(tasks=[_entry(chosen)], more_until=until)
        return Result(_full(tx, chosen), listed)
    tasks = desk.tasks()
    data = TaskList(tasks=[_summary(given) for given in tasks], more_until=until)
    if not tasks:
        if until is None:
            return Result("You have no tasks today.", data)
        text = f"You have no tasks yet. Tasks may come until {format_clock(tx, until)}. "
        return Result(f"{text}desk_wait ends when a task comes.", data)
    shown = [_title(tx, given) if given.submitted else _full(tx, given) for given in tasks]
    sentences = [worth_sentence(tx), further_tasks_sentence(tx), may_change_sentence(tx)]
    further = " ".join(filter(None, sentences))
    text = "\n\n".join([*shown, further])
    if len(tasks) > 1 and len(text) > MAX_PAGE_CHARACTERS:
        titles = [_title(tx, given) for given in tasks]
        start = "This list is too long for one page; read each task with task=ID:"
        text = "\n".join([start, *titles, further])
        data.tasks[:] = map(_titled, tasks)
    return Result(text, data)


@TOOLS.tool(effort=5)
def desk_submit(
    tx: Transaction,
    task: Annotated[str, Field(description="Task id")],
    note: Annotated[str, Field(description="Anything you want to say", max_length=2000)] = "",
) -> Result[SubmissionReceipt]:
    """Submit a task as done. The submission counts from the moment you call this. You may submit
    again until the deadline. The result never says whether your work is right."""
    return _receipt(tx, _submitted(tx, task, note))


@TOOLS.variant(SUBMIT_TOOL, ASKING_CONFIDENCE[SUBMIT_TOOL])
def desk_submit_with_confidence(
    tx: Transaction,
    task: Annotated[str, Field(description="Task id")],
    note: Annotated[str, Field(description="Anything you want to say", max_length=2000)] = "",
    sure: Annotated[
        int | None,
        Field(
            ge=0, le=100, description="How likely your work is completely right, in percent (0-100)"
        ),
    ] = None,
) -> Result[SubmissionReceipt]:
    """Submit a task as done. The submission counts from the moment you call this. You may submit
    again until the deadline. The result never says whether your work is right. With sure, say
    how likely it is that your work is completely right. This changes no score. Only the
    value of your last submission counts."""
    done = _submitted(tx, task, note)
    Desk(tx).state_confidence(done.id, sure)
    said = "" if sure is None else f"You are {sure} % sure that it is right. "
    return _receipt(tx, done, said)


@TOOLS.tool(effort=5, opt_in=True)
def desk_return(
    tx: Transaction,
    task: Annotated[str, Field(description="Task id")],
    missing: Annotated[
        str, Field(description="The fact that the task needs and nobody has", max_length=500)
    ],
    asked: Annotated[
        list[str],
        Field(
            description="Colleagues whom you asked for it (ids or names)",
            min_length=1,
            max_length=MOST_ASKED,
        ),
    ],
) -> Result[ReturnReceipt]:
    """Give a task back that cannot be done, because something that it needs does not exist and
    nobody has it. It replaces an earlier submission. You may submit the task after all until the
    deadline. The result never says whether you are right."""
    if tx.actor != tx.employee:
        raise Refused("You have no tasks today, so there is nothing to give back.")
    people = tuple(dict.fromkeys(Directory(tx).find(who).id for who in asked))
    if tx.actor in people:
        raise Invalid("You cannot have asked yourself: name the colleagues whom you asked.")
    done = Desk(tx).give_back(task, missing, people)
    named = ", ".join(people)
    text = f"{done.id} given back at {tx.now:%H:%M}; you asked {named}. You may still "
    text += f"submit it until {format_clock(tx, done.deadline)}."
    return Result(text, ReturnReceipt(task=done.id, at=tx.now, asked=list(people)))


@TOOLS.tool()
def desk_write_note(
    tx: Transaction, text: Annotated[str, Field(description="Any text", max_length=4000)]
) -> Result[Note]:
    """Add a note to your notebook of the day. Only you can read it."""
    note = Desk(tx).write_note(text)
    return Result(f"Note {note.id} written.", note)


@TOOLS.tool(read_only=True)
def desk_read_notes(
    tx: Transaction,
    after: Annotated[int, Field(description="Only notes after this number", ge=0, le=10**9)] = 0,
) -> Result[NotePage]:
    """Read your notebook, oldest note first. Long notebooks come in pages; the last line of the
    result says how to continue."""
    notes = Desk(tx).notes(after)
    shown: list[Note] = []
    lines: list[str] = []
    for note in notes:
        lines.append(f"{note.id} ({format_clock(tx, note.at)}) {note.text}")
        if shown and sum(map(len, lines)) > MAX_PAGE_CHARACTERS:
            lines[-1] = f"(there are more; continue with after={shown[-1].id})"
            break
        shown.append(note)
    text = "\n".join(lines) or "No notes."
    return Result(text, NotePage(notes=shown, more=len(shown) < len(notes)))


@TOOLS.tool(minutes=0, destructive=True, after_hours=True, lasts="until the day ends")
def desk_finish_day(tx: Transaction) -> Result[DayEnd]:
    """End your working day. You can do nothing more today, and you miss what changes later: a task
    may change until its deadline. While new tasks may come, the first call only warns you and takes
    no time."""
    desk = Desk(tx)
    until = desk.warn_of_more()
    if until is not None:
        text = f"The day goes on: new tasks may come until {format_clock(tx, until)}. "
        text += (
            f"desk_wait(until='{until:%H:%M}') ends when a task comes. {may_change_sentence(tx)} "
        )
        text += f"To end the day anyway, call {FINISH_DAY_TOOL} again."
        return Result(text, DayEnd(now=tx.now, over=False))
    now = desk.finish_day()
    ended = " ".join(
        filter(None, [f"The day is over; it is {now:%H:%M}.", next_morning_sentence(tx)])
    )
    return Result(ended, DayEnd(now=now, over=True))


def _submitted(tx: Transaction, task: str, note: str) -> DeskTask:
    """Submit *task*. Raises Refused for colleagues, who have no tasks, and from the deadline on."""
    if tx.actor != tx.employee:
        raise Refused("You have no tasks today, so there is nothing to submit.")
    return Desk(tx).submit(task, note)


def _receipt(tx: Transaction, done: DeskTask, said: str = "") -> Result[SubmissionReceipt]:
    """Return the confirmation of a submission, which repeats what was *said* with it."""
    text = f"{done.id} received at {tx.now:%H:%M}. {said}You may still change your work and submit "
    text += f"again until {format_clock(tx, done.deadline)}."
    return Result(text, SubmissionReceipt(task=done.id, at=tx.now))


def _summary(task: DeskTask) -> TaskEntry:
    """Return the entry of *task* in a list."""
    return _entry(task) if task.submitted is None else _titled(task)


def _titled(task: DeskTask) -> TaskEntry:
    """Return the entry of *task* with no more than its title line says."""
    return _entry(task).model_copy(update={"objective": None, "assignments": []})


def _entry(task: DeskTask) -> TaskEntry:
    return TaskEntry(
        id=task.id,
        title=task.title,
        objective=task.objective,
        deadline=task.deadline,
        assignments=list(task.assignments),
        submitted=task.submitted is not None,
        worth=task.worth or None,
    )


def _title(tx: Transaction, task: DeskTask) -> str:
    state = f"submitted {format_clock(tx, task.submitted)}" if task.submitted else "open"
    state += " (given back)" if task.returned else ""
    worth = f" · worth {task.worth}" if task.worth else ""
    return f"{task.id} · {task.title} · due {format_clock(tx, task.deadline)}{worth} · {state}"


def _full(tx: Transaction, task: DeskTask) -> str:
    return f"{_title(tx, task)}\n{_body(task)}"


def _body(task: DeskTask) -> str:
    heard = [f"Assignment heard in a meeting: {text}" for text in task.assignments]
    return "\n".join([task.objective, *heard])
