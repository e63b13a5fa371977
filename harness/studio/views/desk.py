"""The desk as the page shows it: tasks, clock, notes."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel

from trainee_bench.harness.studio.views.app_view import AppView, Marks, ViewRequest
from trainee_bench.mcp_servers.desk import ClockReading, TaskEntry, desk_tasks, read_clock
from trainee_bench.world.apps.desk import Desk
from trainee_bench.world.desk_records import Note
from trainee_bench.world.transaction import Transaction

NOTE_MARK = "note-"
"""The prefix of a note's id; all other ids are those of tasks."""


class DeskView(BaseModel):
    """The clock, all tasks with their objectives, their submission times, and the notes."""

    clock: ClockReading
    tasks: tuple[TaskEntry, ...]
    submitted_at: dict[str, datetime]
    more_until: datetime | None
    notes: tuple[Note, ...]


def _show(tx: Transaction, request: ViewRequest) -> DeskView:
    desk = Desk(tx)
    tasks = desk.tasks()
    return DeskView(
        clock=read_clock(tx),
        tasks=tuple(desk_tasks(tx, task.id).data.tasks[0] for task in tasks),
        submitted_at={task.id: task.submitted for task in tasks if task.submitted is not None},
        more_until=desk.more_until(),
        notes=desk.notes(),
    )


def _marks(tx: Transaction) -> Marks:
    desk = Desk(tx)
    tasks = {task.id: task.model_dump_json() for task in desk.tasks()}
    return tasks | {f"{NOTE_MARK}{note.id}": "" for note in desk.notes()}


VIEW = AppView("desk", _show, _marks)
