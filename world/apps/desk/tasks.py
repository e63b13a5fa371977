"""The desk's verbs: read and submit tasks, write notes, let time pass."""

from __future__ import annotations

import json
from collections import defaultdict
from datetime import datetime

from trainee_bench.world.apps.chat import MessageArrives
from trainee_bench.world.apps.files import Files
from trainee_bench.world.apps.returned_tasks import ReturnedTasks
from trainee_bench.world.desk_records import DeskTask, Note, format_clock
from trainee_bench.world.errors import Invalid, NotFound, Refused, WorldError
from trainee_bench.world.transaction import NoticeKind, Transaction, add_minutes
from trainee_bench.world.triggers import fire_triggers, submitted_trigger

SCHEMA = """
CREATE TABLE task (
    id TEXT PRIMARY KEY, person TEXT NOT NULL, title TEXT NOT NULL, objective TEXT NOT NULL,
    deadline TEXT NOT NULL, publisher TEXT NOT NULL, published TEXT NOT NULL,
    deliverables TEXT NOT NULL, worth INTEGER NOT NULL
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

_A_DAY = 24 * 60
_THANKS = 5
"""Minutes until the requester answers a return."""
_CONFIDENCE = "sure of {task}"
"""The name of the fact that holds how sure the employee is of a task, in percent.

A fact rather than a column, so that worlds in which nobody is asked are as before.
"""


class Desk:
    """The desk within one transaction."""

    def __init__(self, tx: Transaction):
        self._tx = tx
        self.returns = ReturnedTasks(tx)

    # tasks ----------------------------------------------------------------------------

    def tasks(self) -> tuple[DeskTask, ...]:
        """Return all tasks published so far, by time of publication; the employee sets
        priorities."""
        rows = self._tx.rows("SELECT * FROM task ORDER BY published, length(id), id")
        submitted, assigned = self._submissions(), self._assignments()
        returned = self.returns.all_standing()
        return tuple(
            DeskTask(
                id=row["id"],
                title=row["title"],
                objective=row["objective"],
                deadline=row["deadline"],
                by=row["publisher"],
                assignments=tuple(assigned[row["id"], row["person"]]),
                submitted=submitted.get(row["id"]),
                returned=row["id"] in returned,
                worth=row["worth"],
            )
            for row in rows
        )

    def task(self, id: str) -> DeskTask:
        """Return the published task with this id. Raises NotFound, naming all tasks."""
        published = self.tasks()
        for task in published:
            if task.id.casefold() == id.strip().casefold():
                return task
        known = ", ".join(task.id for task in published) or "none yet"
        raise NotFound(f"There is no task {id[:40]!r}. Your tasks: {known}; desk_tasks lists them.")

    def assign(self, task: str, text: str) -> None:
        """Record that the actor was given *text* to do for *task*; repeats are ignored."""
        self._tx.run(
            "INSERT OR IGNORE INTO assignment (task, person, text, at) VALUES (?, ?, ?, ?)",
            task,
            self._tx.actor or self._tx.employee,
            text,
            self._tx.now.isoformat(),
        )

    def submit(self, id: str, note: str = "") -> DeskTask:
        """Submit the task; repeats are allowed. Raises Refused from the deadline on.

        Events that follow the task wait for a submission with content: if the task asks for files,
        at least one of them must exist and not be empty.
        """
        task = self._open(id)
        self._record(task.id, note)
        if not self._is_empty(task.id):
            fire_triggers(self._tx, submitted_trigger(task.id))
        return self.task(id)

    def give_back(self, id: str, missing: str, asked: tuple[str, ...]) -> DeskTask:
        """Give the task back, since what is *missing* does not exist: the people (ids) who were
        *asked* do not have it. Raises Refused from the deadline on, Invalid if nothing is missing.

        It replaces an earlier submission with how sure the employee was of it, and a later
        submission replaces it. Events that follow the task do not wait any longer. The requester
        writes that the task has come back.
        """
        task = self._open(id)
        if not missing.strip():
            raise Invalid("Say in missing what the task needs and nobody has.")
        self.returns.add(self._record(task.id, ""), missing, asked)
        self.state_confidence(task.id, None)
        fire_triggers(self._tx, submitted_trigger(task.id))
        self._enqueue_thanks(task)
        return self.task(id)

    def _enqueue_thanks(self, task: DeskTask) -> None:
        """Let the requester write, in a few minutes, that the task has come back."""
        if task.by:
            text = f"I have “{task.title} ({task.id})” back, thank you."
            thanks = MessageArrives(sender=task.by, to=self._tx.employee, text=text)
            self._tx.enqueue(add_minutes(self._tx.now, _THANKS), thanks)

    def _open(self, id: str) -> DeskTask:
        """Return the task with this id. Raises NotFound, and Refused from its deadline on."""
        task = self.task(id)
        if self._tx.now >= task.deadline:
            raise Refused(
                f"The deadline of {task.id} was {format_clock(self._tx, task.deadline)}; "
                "the task is closed. desk_tasks shows the open tasks."
            )
        return task

    def _record(self, task: str, note: str) -> int:
        """Record a submission now, and return its number."""
        return self._tx.run(
            "INSERT INTO submission (task, at, note) VALUES (?, ?, ?)",
            task,
            self._tx.now.isoformat(),
            note,
        )

    def _is_empty(self, task: str) -> bool:
        """Whether *task* asks for files and all of them are missing or empty."""
        row = self._tx.row("SELECT deliverables FROM task WHERE id = ?", task)
        paths: list[str] = json.loads(row["deliverables"]) if row is not None else []
        files = Files(self._tx)
        there = [files.content(path) for path in paths if files.exists(path)]
        return bool(paths) and not any(content.data.strip() for content in there)

    def submitted_at(self, task: str) -> datetime | None:
        """Return when *task* was last submitted, if ever."""
        row = self._tx.row(
            "SELECT at FROM submission WHERE task = ? ORDER BY seq DESC LIMIT 1", task
        )
        return datetime.fromisoformat(row["at"]) if row is not None else None

    def state_confidence(self, task: str, sure: int | None) -> None:
        """Record with the latest submission of *task* how sure the employee is that it is right, in
        percent; None if they did not say."""
        name = _CONFIDENCE.format(task=task)
        if sure is None:
            self._tx.remove_fact(name)
        else:
            self._tx.set_fact(name, str(sure))

    def stated_confidence(self, task: str) -> int | None:
        """Return how sure the employee said to be of the latest submission of *task*, in percent.

        None if they did not say, or if there is no submission: a changed request removes it.
        """
        if self.submitted_at(task) is None:
            return None
        try:
            return int(self._tx.fact(_CONFIDENCE.format(task=task)))
        except KeyError:
            return None

    def submission_note(self, task: str) -> str:
        """Return the note of the latest submission of *task*, "" if there is none."""
        row = self._tx.row(
            "SELECT note FROM submission WHERE task = ? ORDER BY seq DESC LIMIT 1", task
        )
        return str(row["note"]) if row is not None else ""

    def published_at(self, task: str) -> datetime | None:
        """Return when *task* was published, None if it has not been."""
        row = self._tx.row("SELECT published FROM task WHERE id = ?", task)
        return datetime.fromisoformat(row["published"]) if row is not None else None

    def _submissions(self) -> dict[str, datetime]:
        """Return when each task was last submitted, by its id."""
        rows = self._tx.rows("SELECT task, at FROM submission ORDER BY seq")
        return {row["task"]: datetime.fromisoformat(row["at"]) for row in rows}

    def _assignments(self) -> defaultdict[tuple[str, str], list[str]]:
        """Return what was given for each task to each person, in order."""
        given = defaultdict[tuple[str, str], list[str]](list)
        for row in self._tx.rows("SELECT task, person, text FROM assignment ORDER BY seq"):
            given[row["task"], row["person"]].append(row["text"])
        return given

    # time -----------------------------------------------------------------------------

    def wait(self, *, minutes: int | None, until: str | None, wake: bool) -> datetime:
        """Let *minutes* pass, or the time until "HH:MM" today, and return the time afterwards.

        With *wake*, the first notice to the actor ends the wait. Raises as *end_of_wait* does.
        """
        end = self.end_of_wait(minutes=minutes, until=until)
        if wake:
            self._tx.wait_until(end)
        else:
            self._tx.extend_until(end)
        self._pass()
        return self._tx.now

    def end_of_wait(self, *, minutes: int | None, until: str | None) -> datetime:
        """Return when a wait of *minutes*, or until "HH:MM" today, ends without news.

        Raises Invalid unless exactly one of the two is given and well formed. Raises Refused for
        the past and for times after the day's end.
        """
        tx = self._tx
        if (minutes is None) == (until is None):
            raise Invalid("Give either minutes (e.g. 30) or until (e.g. '14:30').")
        if minutes is not None:
            if minutes < 1:
                raise Invalid("Time does not go back: minutes must be at least 1.")
            end = add_minutes(tx.now, min(minutes, _A_DAY))
        else:
            end = self._time(until or "")
            if end <= tx.now:
                raise Refused(
                    f"It is already {tx.now:%H:%M}; give a later time, or continue without waiting."
                )
        if end > tx.day.ends:
            raise Refused(
                f"The day ends at {tx.day.ends:%H:%M}, and it is {tx.now:%H:%M} now. Wait until "
                f"{tx.day.ends:%H:%M} at the latest, or end the day with desk_finish_day."
            )
        return end

    def has_untold_small_talk(self) -> bool:
        """Whether small talk came before this minute that no result has told the actor."""
        return (
            self._tx.row(
                "SELECT 1 FROM notice WHERE person = ? AND told = 0 AND kind = ? AND at < ?",
                self._tx.actor,
                NoticeKind.CHATTER,
                self._tx.now.isoformat(),
            )
            is not None
        )

    def more_until(self) -> datetime | None:
        """Return until when further tasks may come, None if no more come."""
        until = self._tx.tasks_until
        return until if until is not None and self._tx.now < until else None

    def warn_of_more(self) -> datetime | None:
        """Return until when further tasks may come, if the actor should be warned before leaving.

        The actor is warned once after each new task. None means that nothing keeps them.
        """
        until, published = self.more_until(), str(len(self.tasks()))
        if until is None or self._tx.actor != self._tx.employee:
            return None
        try:
            warned = self._tx.fact("warned_of_more")
        except KeyError:
            warned = ""
        if warned == published:
            return None
        self._tx.set_fact("warned_of_more", published)
        return until

    def finish_day(self) -> datetime:
        """Let the rest of the day pass, and return the time of its end."""
        self._tx.extend_until(self._tx.day.ends)
        self._pass()
        return self._tx.now

    def _time(self, until: str) -> datetime:
        """Parse *until* ("HH:MM") as a time today. Raises Invalid."""
        try:
            at = datetime.strptime(until.strip(), "%H:%M").time()
        except ValueError:
            raise Invalid(
                f"until must be a time today such as '14:30', not {until[:20]!r}."
            ) from None
        return datetime.combine(self._tx.now.date(), at)

    def _pass(self) -> None:
        """Advance the clock now, so that the result can show the new time."""
        try:
            self._tx.advance(self._tx.until)
        except WorldError as error:  # an event that refuses is a bug
            raise RuntimeError("an event refused to happen") from error
        self._tx.extend_until(self._tx.now)

    # the notebook ---------------------------------------------------------------------

    def write_note(self, text: str) -> Note:
        """Add *text* to the actor's notebook. Raises Invalid if it is empty."""
        if not text.strip():
            raise Invalid("The note is empty; write what you want to remember.")
        now = self._tx.now
        id = self._tx.run(
            "INSERT INTO note (person, at, text) VALUES (?, ?, ?)",
            self._tx.actor,
            now.isoformat(),
            text,
        )
        return Note(id=id, at=now, text=text)

    def notes(self, after: int = 0) -> tuple[Note, ...]:
        """Return the actor's notes with a number higher than *after*, oldest first."""
        rows = self._tx.rows(
            "SELECT id, at, text FROM note WHERE person = ? AND id > ? ORDER BY id",
            self._tx.actor,
            after,
        )
        return tuple(Note(id=row["id"], at=row["at"], text=row["text"]) for row in rows)


def further_tasks_sentence(tx: Transaction) -> str:
    """Say in one sentence until when new tasks may come today, or that none will."""
    until = Desk(tx).more_until()
    if until is None:
        return "No new tasks will come today."
    return f"New tasks may come until {format_clock(tx, until)}."


def may_change_sentence(tx: Transaction) -> str:
    """Say in one sentence that tasks may change; "" if no deadline can still come today."""
    desk = Desk(tx)
    if desk.more_until() is None and all(task.deadline <= tx.now for task in desk.tasks()):
        return ""
    return (
        "Until its deadline, a task may still change: someone may correct a fact, a file or a rule,"
        " not always with a message to you."
    )
