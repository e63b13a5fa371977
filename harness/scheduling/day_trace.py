"""Read the records of a worked day from which its schedule is measured.

world, composition, window ──► DayTrace: calls, messages, disclosures, meetings, publications
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from trainee_bench.harness.scheduling.spans import Span, overlap, total_minutes
from trainee_bench.mcp_servers.desk import FINISH_DAY_TOOL
from trainee_bench.meta_tasks.composed_day import ComposedDay, ComposedTask
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.apps.calendar import Calendar
from trainee_bench.world.apps.chat import Chat, ChatMessage
from trainee_bench.world.apps.desk import Desk
from trainee_bench.world.colleagues.knowledge import Disclosure, Knowledge
from trainee_bench.world.meetings.meeting import Meeting
from trainee_bench.world.transaction import Transaction, WorkingDay
from trainee_bench.world.world import World

WAIT_TOOL, SUBMIT_TOOL = "desk_wait", "desk_submit"
ATTEND_TOOL, BOOK_TOOL = "calendar_attend", "calendar_book"


@dataclass(frozen=True)
class DayTrace:
    """A worked day or week, of which only ``window`` is measured.

    ``whole_log`` has all calls of the employee. ``published`` is by task id, ``met`` by the id of a
    clue or expectation (when it was told or met). A task that was to come after the end of the work
    counts as published, too, unless it follows another task.
    """

    composition: ComposedDay
    window: WorkingDay
    whole_log: tuple[LogEntry, ...]
    messages: tuple[ChatMessage, ...]
    disclosures: tuple[Disclosure, ...]
    met: Mapping[str, datetime]
    published: Mapping[str, datetime]
    meetings: Mapping[int, Meeting]

    @property
    def employee(self) -> str:
        """The id of the employee who worked it."""
        return self.composition.company.trainee.id

    @property
    def span(self) -> Span:
        """The window as a span."""
        return Span(self.window.starts, self.window.ends)

    @cached_property
    def log(self) -> tuple[LogEntry, ...]:
        """The calls that began in the window."""
        return tuple(entry for entry in self.whole_log if self.span.holds(entry.at))

    @cached_property
    def tasks(self) -> tuple[ComposedTask, ...]:
        """The tasks that can be worked on in the window."""
        starts, ends = self.window.starts, self.window.ends
        tasks = self.composition.tasks
        return tuple(task for task in tasks if task.arrives < ends and task.deadline > starts)

    def tasks_on(self, moment: datetime) -> tuple[ComposedTask, ...]:
        """Return the tasks that exist on the day of *moment*."""
        days = self.composition.days
        place = sum(day.starts.date() < moment.date() for day in days)
        tasks = self.composition.tasks
        return tuple(t for t in tasks if t.published_place <= place <= t.due_place)

    def working_minutes(self, earlier: datetime, later: datetime) -> int:
        """Return the working minutes from *earlier* to *later*; 0 if *later* comes first."""
        days = (Span(day.starts, day.ends) for day in self.composition.days)
        return total_minutes(overlap(days, Span(earlier, later)))

    @property
    def stopped(self) -> datetime:
        """When the work ended: the agent finished the day, or its last call ended."""
        finished = [
            entry.at
            for entry in self.log
            if entry.tool == FINISH_DAY_TOOL and entry.ok and entry.until >= self.window.ends
        ]
        last = [entry.until for entry in self.log[-1:]] or [self.window.starts]
        return min(finished[0] if finished else last[0], self.window.ends)

    def submissions(self, task: str) -> tuple[LogEntry, ...]:
        """Return all attempts to submit *task*, also refused ones and those outside the window."""
        return tuple(self._submissions[task.casefold()])

    def question_of(self, told: Disclosure) -> ChatMessage | None:
        """Return the message of the employee whose answer disclosed *told*; None if none did."""
        return self._questions.get((told.holder, told.at)) if told.how == "chat" else None

    @cached_property
    def _submissions(self) -> defaultdict[str, list[LogEntry]]:
        """All attempts to submit a task, by its id in lower case."""
        found = defaultdict[str, list[LogEntry]](list)
        for entry in self.whole_log:
            if task := submitted_task(entry):
                found[task].append(entry)
        return found

    @cached_property
    def _questions(self) -> Mapping[tuple[str, datetime], ChatMessage | None]:
        """The message that was answered first, by who answered and when."""
        numbers = {message.id: message for message in self.messages}
        found = dict[tuple[str, datetime], ChatMessage | None]()
        for answer in self.messages:
            if answer.answers and not answer.automatic:
                found.setdefault((answer.sender, answer.at), numbers.get(answer.answers))
        return found


def submitted_task(entry: LogEntry) -> str:
    """Return the id of the task that *entry* tries to submit, in lower case; "" for other calls."""
    if entry.tool != SUBMIT_TOOL:
        return ""
    return str(entry.arguments.get("task", "")).strip().casefold()


async def read_day_trace(
    world: World, composition: ComposedDay, window: WorkingDay | None = None
) -> DayTrace:
    """Read the day or week worked in *world*, which was staged from *composition*.

    *window* is the part to measure, by default the whole first day.
    """
    seen = window or composition.day
    employee = composition.company.trainee.id
    log = [entry for entry in await world.log() if entry.actor == employee]
    return await world.read(lambda tx: _read(tx, composition, seen, log))


def _read(
    tx: Transaction, composition: ComposedDay, window: WorkingDay, log: Sequence[LogEntry]
) -> DayTrace:
    knowledge, desk, calendar = Knowledge(tx), Desk(tx), Calendar(tx)
    disclosures = knowledge.disclosures_to(tx.employee)
    met = {disclosure.clue: disclosure.at for disclosure in disclosures}
    clues = [clue for task in composition.tasks for clue in task.instance.hidden.clues]
    for id in {id for clue in clues for id in clue.after}:
        if (heard := knowledge.heard_at(id, tx.employee)) is not None:
            met[id] = heard
    published = {
        task.id: desk.published_at(task.id) or (None if task.trigger else task.arrives)
        for task in composition.tasks
    }
    first, last = composition.day.starts.date(), composition.ends.date()
    return DayTrace(
        composition=composition,
        window=window,
        whole_log=tuple(log),
        messages=Chat(tx).history(),
        disclosures=disclosures,
        met=met,
        published={task: at for task, at in published.items() if at is not None},
        meetings={
            meeting.id: meeting for meeting in calendar.meetings_of(tx.employee, first, last)
        },
    )
