"""Events of tasks: they are published, moved and changed, and their deadlines come."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Self

from pydantic import model_validator

from trainee_bench.world.apps.desk.tasks import Desk
from trainee_bench.world.apps.mail import Mail
from trainee_bench.world.desk_records import format_clock
from trainee_bench.world.transaction import Event, NoticeKind, Transaction

DEADLINE_REMINDER_LEAD = timedelta(minutes=30)
"""How long before a deadline the employee is reminded."""


class TaskPublished(Event):
    """A task is given to the employee by a colleague (``by``, an id), or by nobody in particular.

    With ``mail``, a mail from ``by`` also announces it. ``deliverables`` are the paths of the files
    that it asks for.
    """

    id: str
    title: str
    objective: str
    deadline: datetime
    by: str = ""
    mail: bool = False
    deliverables: tuple[str, ...] = ()
    worth: int = 0

    @model_validator(mode="after")
    def _mail_has_a_sender(self) -> Self:
        if self.mail and not self.by:
            raise ValueError("a task announced by mail needs a sender in 'by'")
        return self

    def fire(self, tx: Transaction) -> None:
        """Put the task on the desk, tell the employee, and enqueue its deadline.

        Nothing happens if the deadline has passed, as for a task that would have followed late
        work.
        """
        if self.deadline <= tx.now:
            return
        tx.run(
            "INSERT INTO task VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            self.id,
            tx.employee,
            self.title,
            self.objective,
            self.deadline.isoformat(),
            self.by,
            tx.now.isoformat(),
            json.dumps(self.deliverables),
            self.worth,
        )
        due = format_clock(tx, self.deadline)
        worth = f", worth {self.worth}" if self.worth else ""
        tx.notify(
            tx.employee,
            NoticeKind.TASK,
            f"New task {self.id}: {self.title} (due {due}{worth}). desk_tasks shows it.",
        )
        if self.mail:
            self._announce(tx, due)
        _enqueue_deadline(tx, self.id, self.deadline)

    def _announce(self, tx: Transaction, due: str) -> None:
        subject = f"{self.id}: {self.title}"
        body = f"I have put a task on your desk: {self.title} ({self.id}), due at {due}."
        Mail(tx).deliver(self.by, (tx.employee,), subject, body)


class DeadlineMoved(Event):
    """The deadline of a published task moves; with ``mail``, its publisher writes so."""

    task: str
    deadline: datetime
    mail: bool = False

    def fire(self, tx: Transaction) -> None:
        """Change the deadline, and tell the employee unless they have submitted the task.

        Nothing happens if the task was never published.
        """
        if Desk(tx).published_at(self.task) is None:
            return
        task = Desk(tx).task(self.task)
        tx.run("UPDATE task SET deadline = ? WHERE id = ?", self.deadline.isoformat(), self.task)
        _enqueue_deadline(tx, self.task, self.deadline)
        if task.submitted is not None:
            return
        due, before = format_clock(tx, self.deadline), format_clock(tx, task.deadline)
        text = f"{task.id} ({task.title}) is now due at {due}, no longer at {before}."
        tx.notify(tx.employee, NoticeKind.TASK, text)
        if self.mail:
            body = f"{text} Please plan the rest of your day accordingly."
            subject = f"{task.id}: new deadline {due}"
            Mail(tx).deliver(task.by, (tx.employee,), subject, body)


CHANGED_SUBJECT = "{task}: changed request"
"""The subject of the mail about a changed request."""


class RequestChanged(Event):
    """The colleague who asked for a published task now wants something else. The desk shows what,
    and their mail contains *message*. The task is open again, and an earlier submission or
    return no longer counts."""

    task: str
    title: str
    objective: str
    by: str
    message: str
    deliverables: tuple[str, ...] = ()

    def fire(self, tx: Transaction) -> None:
        """Change the task on the desk, and tell the employee.

        Nothing happens if the task was never published.
        """
        if Desk(tx).published_at(self.task) is None:
            return
        before = Desk(tx).task(self.task)
        tx.run(
            "UPDATE task SET title = ?, objective = ?, deliverables = ? WHERE id = ?",
            self.title,
            self.objective,
            json.dumps(self.deliverables),
            self.task,
        )
        Desk(tx).returns.forget(self.task)
        tx.run("DELETE FROM submission WHERE task = ?", self.task)
        text = f"{self.task} has changed: {self.title}."
        if self.title == before.title:
            text = f"{self.task} ({self.title}) has changed."
        tx.notify(tx.employee, NoticeKind.TASK, f"{text} desk_tasks shows the new request.")
        body = f"{text} {self.message} desk_tasks shows my new request. It is still due at "
        body += f"{format_clock(tx, before.deadline)}."
        Mail(tx).deliver(self.by, (tx.employee,), CHANGED_SUBJECT.format(task=self.task), body)


class DeadlineNears(Event):
    """A deadline is half an hour away."""

    task: str

    def fire(self, tx: Transaction) -> None:
        """Tell the employee, unless the task is submitted."""
        task = Desk(tx).task(self.task)
        if tx.now != task.deadline - DEADLINE_REMINDER_LEAD:  # it was moved meanwhile
            return
        if task.submitted is None:
            due = format_clock(tx, task.deadline)
            text = f"{task.id} ({task.title}) is due at {due} and not submitted."
            tx.notify(tx.employee, NoticeKind.DEADLINE, text)


class DeadlinePasses(Event):
    """A deadline has come: the task can no longer be submitted."""

    task: str

    def fire(self, tx: Transaction) -> None:
        """Tell the employee, unless the task is submitted."""
        task = Desk(tx).task(self.task)
        if tx.now != task.deadline:  # it was moved meanwhile
            return
        if task.submitted is None:
            text = f"The deadline of {task.id} ({task.title}) has passed; it was not submitted."
            tx.notify(tx.employee, NoticeKind.DEADLINE, text)


def _enqueue_deadline(tx: Transaction, task: str, deadline: datetime) -> None:
    """Enqueue the deadline and its reminder."""
    if tx.now < deadline - DEADLINE_REMINDER_LEAD:
        tx.enqueue(deadline - DEADLINE_REMINDER_LEAD, DeadlineNears(task=task))
    tx.enqueue(deadline, DeadlinePasses(task=task))
