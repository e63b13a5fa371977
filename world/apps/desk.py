"""The desk: the tasks of the day, the clock an employee can read, and a notebook.

What is published here is the one place where tasks stand: announcing mails are made from
the same row. An assignment heard in a meeting appears beside its task.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator

from world.apps.mail import Mail
from world.consequence import meet, submitted
from world.errors import Invalid, NotFound, Refused, WorldError
from world.event import Event
from world.turn import NoticeKind, Turn, after

SCHEMA = """
CREATE TABLE task (
    id TEXT PRIMARY KEY, person TEXT NOT NULL, title TEXT NOT NULL, objective TEXT NOT NULL,
    deadline TEXT NOT NULL, publisher TEXT NOT NULL, published TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE assignment (
    seq INTEGER PRIMARY KEY, task TEXT NOT NULL, person TEXT NOT NULL, text TEXT NOT NULL,
    at TEXT NOT NULL, UNIQUE (task, person, text)
) STRICT;
CREATE TABLE submission (
    seq INTEGER PRIMARY KEY, task TEXT NOT NULL, at TEXT NOT NULL, note TEXT NOT NULL
) STRICT;
CREATE TABLE note (
    id INTEGER PRIMARY KEY, person TEXT NOT NULL, at TEXT NOT NULL, text TEXT NOT NULL
) STRICT;
"""

WARNING = timedelta(minutes=30)
"""How long before a deadline it is called to mind."""
_A_DAY = 24 * 60


class Task(BaseModel):
    """A published task as its employee sees it; ``submitted`` is the latest submission."""

    model_config = ConfigDict(frozen=True)

    id: str
    title: str
    objective: str
    deadline: datetime
    by: str
    assignments: tuple[str, ...] = ()
    submitted: datetime | None = None


class Note(BaseModel):
    """An entry in an employee's notebook."""

    model_config = ConfigDict(frozen=True)

    id: int
    at: datetime
    text: str


class Desk:
    """The desk within one turn."""

    def __init__(self, turn: Turn):
        self._turn = turn

    # tasks ----------------------------------------------------------------------------

    def tasks(self) -> tuple[Task, ...]:
        """All tasks published so far, in the order in which they came: what is urgent is for the
        employee to see."""
        rows = self._turn.rows("SELECT * FROM task ORDER BY published, length(id), id")
        return tuple(
            Task(
                id=row["id"],
                title=row["title"],
                objective=row["objective"],
                deadline=row["deadline"],
                by=row["publisher"],
                assignments=self._assignments(row["id"], row["person"]),
                submitted=self.submitted(row["id"]),
            )
            for row in rows
        )

    def task(self, id: str) -> Task:
        """The published task of this id; NotFound, naming those there are."""
        published = self.tasks()
        for task in published:
            if task.id.casefold() == id.strip().casefold():
                return task
        known = ", ".join(task.id for task in published) or "none yet"
        raise NotFound(f"There is no task {id[:40]!r}. Your tasks: {known}; desk_tasks lists them.")

    def assign(self, task: str, text: str) -> None:
        """Write down that the actor was given *text* to do for *task*; twice is once."""
        self._turn.run(
            "INSERT OR IGNORE INTO assignment (task, person, text, at) VALUES (?, ?, ?, ?)",
            task,
            self._turn.actor or self._turn.employee,
            text,
            self._turn.now.isoformat(),
        )

    def submit(self, id: str, note: str = "") -> Task:
        """Hand in the task as done; again is allowed. Raises Refused from the deadline on."""
        task = self.task(id)
        if self._turn.now >= task.deadline:
            raise Refused(
                f"The deadline of {task.id} was {clock(self._turn, task.deadline)}; it is closed. "
                "desk_tasks shows what is still open."
            )
        self._turn.run(
            "INSERT INTO submission (task, at, note) VALUES (?, ?, ?)",
            task.id,
            self._turn.now.isoformat(),
            note,
        )
        meet(self._turn, submitted(task.id))
        return self.task(id)

    def submitted(self, task: str) -> datetime | None:
        """When *task* was last handed in, if ever."""
        row = self._turn.row(
            "SELECT at FROM submission WHERE task = ? ORDER BY seq DESC LIMIT 1", task
        )
        return datetime.fromisoformat(row["at"]) if row is not None else None

    def published(self, task: str) -> datetime | None:
        """When *task* was given out, None if it has not been yet."""
        row = self._turn.row("SELECT published FROM task WHERE id = ?", task)
        return datetime.fromisoformat(row["published"]) if row is not None else None

    def _assignments(self, task: str, person: str) -> tuple[str, ...]:
        rows = self._turn.rows(
            "SELECT text FROM assignment WHERE task = ? AND person = ? ORDER BY seq", task, person
        )
        return tuple(row["text"] for row in rows)

    # time -----------------------------------------------------------------------------

    def wait(self, *, minutes: int | None, until: str | None, wake: bool) -> datetime:
        """Let *minutes* pass, or the time until "HH:MM" today; the time afterwards.

        With *wake* the first notice to the actor ends it. Raises Invalid unless exactly one
        of the two is given and well formed, Refused for the past and beyond the day's end.
        """
        turn = self._turn
        if (minutes is None) == (until is None):
            raise Invalid("Give either minutes (say 30) or until (say '14:30'), not both.")
        if minutes is not None:
            if minutes < 1:
                raise Invalid("Time does not go back: minutes is at least 1.")
            end = after(turn.now, min(minutes, _A_DAY))
        else:
            end = self._time(until or "")
            if end <= turn.now:
                raise Refused(f"It is {turn.now:%H:%M} already; name a later time, or go on.")
        if end > turn.day.ends:
            raise Refused(
                f"The day ends at {turn.day.ends:%H:%M}, it is {turn.now:%H:%M} now; wait until "
                f"{turn.day.ends:%H:%M} at the latest, or end the day with desk_finish_day."
            )
        if wake:
            turn.wait_until(end)
        else:
            turn.take_until(end)
        self._pass()
        return turn.now

    def finish_day(self) -> datetime:
        """Let the rest of the day pass; the time of its end."""
        self._turn.take_until(self._turn.day.ends)
        self._pass()
        return self._turn.now

    def _time(self, until: str) -> datetime:
        """*until* ("HH:MM") today. Raises Invalid."""
        try:
            at = datetime.strptime(until.strip(), "%H:%M").time()
        except ValueError:
            raise Invalid(
                f"until is a time of today such as '14:30', not {until[:20]!r}."
            ) from None
        return datetime.combine(self._turn.now.date(), at)

    def _pass(self) -> None:
        """Let the time pass now, so that the answer can say how late it has become."""
        try:
            self._turn.advance(self._turn.until)
        except WorldError as error:  # no event may refuse: that is a bug, not an answer
            raise RuntimeError("an event refused to happen") from error
        self._turn.take_until(self._turn.now)

    # the notebook ---------------------------------------------------------------------

    def write_note(self, text: str) -> Note:
        """Add *text* to the actor's notebook. Raises Invalid if it is empty."""
        if not text.strip():
            raise Invalid("The note is empty; say what you want to remember.")
        now = self._turn.now
        id = self._turn.run(
            "INSERT INTO note (person, at, text) VALUES (?, ?, ?)",
            self._turn.actor,
            now.isoformat(),
            text,
        )
        return Note(id=id, at=now, text=text)

    def notes(self, after: int = 0) -> tuple[Note, ...]:
        """The actor's notes with a number higher than *after*, oldest first."""
        rows = self._turn.rows(
            "SELECT id, at, text FROM note WHERE person = ? AND id > ? ORDER BY id",
            self._turn.actor,
            after,
        )
        return tuple(Note(id=row["id"], at=row["at"], text=row["text"]) for row in rows)


def clock(turn: Turn, time: datetime) -> str:
    """*time* as one says it today: "17:00", with the date if it is another day's."""
    return f"{time:%H:%M}" if time.date() == turn.now.date() else f"{time:%Y-%m-%d %H:%M}"


class TaskPublished(Event):
    """A task is given to the employee, by a colleague (``by``, an id) or nobody in particular.

    ``mail`` also sends it as a mail from ``by``.
    """

    id: str
    title: str
    objective: str
    deadline: datetime
    by: str = ""
    mail: bool = False

    @model_validator(mode="after")
    def _mail_has_a_sender(self) -> Self:
        if self.mail and not self.by:
            raise ValueError("a task that is announced by mail says by whom")
        return self

    def happen(self, turn: Turn) -> None:
        """Put it on the desk, tell the employee, and let its deadline come."""
        turn.run(
            "INSERT INTO task VALUES (?, ?, ?, ?, ?, ?, ?)",
            self.id,
            turn.employee,
            self.title,
            self.objective,
            self.deadline.isoformat(),
            self.by,
            turn.now.isoformat(),
        )
        due = clock(turn, self.deadline)
        closed = ", closed already" if self.deadline <= turn.now else ""
        turn.notify(
            turn.employee,
            NoticeKind.TASK,
            f"New task {self.id}: {self.title} (due {due}{closed}). desk_tasks shows it.",
        )
        if self.mail:
            self._announce(turn, due)
        if not closed:
            _watch(turn, self.id, self.deadline)

    def _announce(self, turn: Turn, due: str) -> None:
        subject = f"{self.id}: {self.title}"
        body = f"{self.objective}\n\nDeadline: {due}. The task is on your desk as {self.id}."
        Mail(turn).deliver(self.by, (turn.employee,), subject, body)


class DeadlineMoved(Event):
    """A published task is due earlier or later than was said; its publisher writes so."""

    task: str
    deadline: datetime
    mail: bool = False

    def happen(self, turn: Turn) -> None:
        """Change it on the desk and tell the employee."""
        task = Desk(turn).task(self.task)
        turn.run("UPDATE task SET deadline = ? WHERE id = ?", self.deadline.isoformat(), self.task)
        due, before = clock(turn, self.deadline), clock(turn, task.deadline)
        text = f"{task.id} ({task.title}) is due at {due} now, no longer at {before}."
        turn.notify(turn.employee, NoticeKind.TASK, text)
        if self.mail:
            body = f"{text} Please arrange the rest of your day accordingly."
            subject = f"{task.id}: new deadline {due}"
            Mail(turn).deliver(task.by, (turn.employee,), subject, body)
        _watch(turn, self.task, self.deadline)


class DeadlineNears(Event):
    """Half an hour is left."""

    task: str

    def happen(self, turn: Turn) -> None:
        """Tell the employee, and whether the task was submitted."""
        task = Desk(turn).task(self.task)
        if turn.now != task.deadline - WARNING:  # it was moved meanwhile
            return
        state = _state(turn, task)
        text = f"{task.id} ({task.title}) is due at {clock(turn, task.deadline)}; {state}."
        turn.notify(turn.employee, NoticeKind.DEADLINE, text)


class DeadlinePasses(Event):
    """The deadline is here: nothing can be submitted for this task any more."""

    task: str

    def happen(self, turn: Turn) -> None:
        """Tell the employee, and whether the task was submitted."""
        task = Desk(turn).task(self.task)
        if turn.now != task.deadline:  # it was moved meanwhile
            return
        text = f"The deadline of {task.id} ({task.title}) is now; {_state(turn, task)}."
        turn.notify(turn.employee, NoticeKind.DEADLINE, text)


def _watch(turn: Turn, task: str, deadline: datetime) -> None:
    """Let the deadline come, and be called to mind before."""
    if turn.now < deadline - WARNING:
        turn.schedule(deadline - WARNING, DeadlineNears(task=task))
    turn.schedule(deadline, DeadlinePasses(task=task))


def _state(turn: Turn, task: Task) -> str:
    return f"submitted {clock(turn, task.submitted)}" if task.submitted else "not submitted"
