"""The least that an agent must do to succeed on each task of a day.

Only certain requirements count; everything else is free. Reading takes no time, one message asks a
colleague for everything, and groups already exist. So this holds for every agent but a lucky one
that guesses what to write or whom to ask. Times are minutes since the day began.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from trainee_bench.mcp_servers import discover_tools, select_toolboxes
from trainee_bench.mcp_servers.chat import GROUP_COST_FACTOR
from trainee_bench.mcp_servers.serving.toolbox import FileUse, Tool
from trainee_bench.meta_tasks.complicated_task import ComplicatedTask, ComplicatedTruth
from trainee_bench.meta_tasks.complication_scene import FIRST
from trainee_bench.meta_tasks.composition import ComposedDay, ComposedTask
from trainee_bench.world.apps.chat import ClueHandedOver, ClueRevised
from trainee_bench.world.apps.desk import RequestChanged
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.colleagues.availability import AbsenceBegins, SlowAnswersBegin
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.colleagues.reviews import ReviewAdded
from trainee_bench.world.company.people import Person
from trainee_bench.world.transaction import Event
from trainee_bench.world.triggers import TriggeredEvent, heard_trigger


@dataclass(frozen=True)
class LeastCall:
    """A call that takes *minutes* and begins between *opens* and *closes*."""

    minutes: int
    opens: int
    closes: int


@dataclass(frozen=True)
class Message:
    """A message to a *person*, sent at *opens* at the earliest.

    The person begins to read at *reads* at the earliest, and answers *delay* minutes later but not
    after *leaves*. The content of the answer is not valid before *holds*. If the message *feeds*
    the task, the result needs the answer; otherwise the message only has to be heard before the
    task is due.
    """

    person: str
    opens: int
    reads: int
    delay: int
    leaves: int
    holds: int
    feeds: bool


@dataclass(frozen=True)
class LeastTask:
    """A task, its *worth*, its deadline, and the calls and messages that it takes.

    The *acts* come in any order. The *results* are the calls that write files; the last of them
    needs the answers to the *messages*.
    """

    id: str
    worth: int
    due: int
    acts: tuple[LeastCall, ...]
    results: tuple[LeastCall, ...]
    messages: tuple[Message, ...]


@dataclass(frozen=True)
class LeastDay:
    """The tasks of a day, its end, and the minutes for a *message* to one person and to a
    *group*."""

    tasks: tuple[LeastTask, ...]
    ends: int
    message: int
    group: int


def least_day(day: ComposedDay, decisive: AbstractSet[str]) -> LeastDay:
    """Return the least that the tasks of *day* take.

    *decisive* has the ids of the clues without which the right result cannot be known.
    """
    reader = _Reader(day)
    message = reader.minutes["chat_send_message"]
    return LeastDay(
        tuple(reader.task(task, decisive) for task in day.tasks),
        reader.clock(day.day.ends),
        message,
        GROUP_COST_FACTOR * message,
    )


def last_form(clue: Clue, task: ComposedTask) -> tuple[Clue, datetime | None, datetime | None]:
    """Return the final form of *clue*, since when its holder can be asked, and since when it is
    final.

    None means: since the task arrives.
    """
    asked = holds = None
    for event, due in sorted(_due_events(task), key=lambda found: found[1]):
        if isinstance(event, ClueRevised | ClueHandedOver) and event.clue == clue.id:
            clue, holds = clue.model_copy(update={"payload": event.payload}), due
            if isinstance(event, ClueHandedOver):
                clue, asked = clue.model_copy(update={"holder": event.holder}), due
    return clue, asked, holds


def own_clues(task: ComposedTask) -> list[Clue]:
    """Return the clues of *task* that colleagues disclose when asked and that still matter."""
    instance = task.instance
    return [
        clue
        for clue in instance.hidden.clues
        if clue.holder and clue.asks and clue.id not in instance.hidden.superseded
    ]


def _due_events(task: ComposedTask) -> Iterator[tuple[Event, datetime]]:
    """Yield the events of *task* that happen at a known time or not before it."""
    for planned in task.instance.hidden.events:
        if planned.due is not None and not isinstance(planned.event, TriggeredEvent):
            yield planned.event, planned.due


class _Reader:
    """Reads the least that tasks take from the composition of their day."""

    def __init__(self, day: ComposedDay):
        scenario = day.scenario_day.scenario
        boxes = select_toolboxes(scenario.tools).values()
        self.minutes = {n: tool.minutes for n, tool in discover_tools().items()} | scenario.minutes
        self._writing = self._least_writing([tool for box in boxes for tool in box])
        self._day, self._starts = day, day.day.starts
        self._tasks = {task.id: task for task in day.tasks}
        events = [planned.event for task in day.tasks for planned in task.instance.hidden.events]
        self._away = _only_once(event for event in events if isinstance(event, AbsenceBegins))
        self._slow = _only_once(event for event in events if isinstance(event, SlowAnswersBegin))

    def clock(self, moment: datetime | None) -> int:
        """Return the minute of the day at *moment*, clamped to the day; None is its start."""
        inside = min(max(moment or self._starts, self._starts), self._day.day.ends)
        return (inside - self._starts) // timedelta(minutes=1)

    def task(self, task: ComposedTask, decisive: AbstractSet[str]) -> LeastTask:
        """Return the least that *task* takes."""
        opens, due = self._opens(task), self.clock(task.deadline)
        impossible = task.instance.graded.missing is not None
        handing_in = "desk_return" if impossible else "desk_submit"
        submitted = LeastCall(self.minutes[handing_in], opens, due - 1)
        return LeastTask(
            task.id,
            task.worth or 0,
            due,
            (submitted, *self._own_acts(task)),
            () if impossible else self._results(task, opens, due),
            (
                *self._questions(task, opens, decisive),
                *(() if impossible else self._reports(task, opens)),
            ),
        )

    def _least_writing(self, offered: Iterable[Tool]) -> int:
        """Return the least minutes for writing a file with the *offered* tools."""
        writing = [tool for tool in offered if tool.writes_content]
        if any(tool.files is FileUse.RUNS for tool in writing):
            return 0  # one command may write all files
        return min((self.minutes[tool.name] for tool in writing), default=0)

    def _opens(self, task: ComposedTask) -> int:
        """Return when the final request can be known."""
        first = task
        while first.cause:
            first = self._tasks[first.cause]
        changed = [due for event, due in _due_events(task) if isinstance(event, RequestChanged)]
        return self.clock(max([first.arrives, *changed]))

    def _own_acts(self, task: ComposedTask) -> Iterator[LeastCall]:
        """Yield the calls that the complications of *task* require."""
        made, truth = task.meta_task, task.instance.graded.truth
        if not isinstance(made, ComplicatedTask) or not isinstance(truth, ComplicatedTruth):
            return
        due = self.clock(task.deadline)
        for own in made.complications:
            for act in own.least_acts(task.instance, truth.facts[own.name]):
                closes = due if act.closes is None else self.clock(act.closes)
                lasts = self.minutes[act.tool]
                if act.ends is not None:
                    lasts = max(0, self.clock(act.ends) - closes)
                yield LeastCall(lasts, self.clock(act.opens), min(closes, due))

    def _results(self, task: ComposedTask, opens: int, due: int) -> tuple[LeastCall, ...]:
        """Return a call for each required file. The last one follows the last change of the
        records."""
        records = {record.path for record in task.instance.hidden.records}
        exchanged = [
            self.clock(at)
            for event, at in _due_events(task)
            if isinstance(event, FileAppears) and event.path in records
        ]
        count = len(task.instance.told.deliverable_paths)
        last = max([opens, *exchanged])
        starts = [*[opens] * (count - 1), last] if count else []
        return tuple(LeastCall(self._writing, start, due) for start in starts)

    def _questions(
        self, task: ComposedTask, opens: int, decisive: AbstractSet[str]
    ) -> Iterator[Message]:
        """Yield the questions for the *decisive* clues, and the requests for reviews."""
        for clue in own_clues(task):
            if clue.id in decisive:
                final, asked, holds = last_form(clue, task)
                came = max(opens, self.clock(asked), self.clock(clue.since))
                yield self._message(task, final.holder, came, holds=self.clock(holds))
        for planned in task.instance.hidden.events:
            if isinstance(planned.event, ReviewAdded) and planned.event.review.revisions:
                yield self._message(task, planned.event.review.reviewer, opens)

    def _reports(self, task: ComposedTask, opens: int) -> Iterator[Message]:
        """Yield the messages that colleagues wait for. The result needs those that bring
        records."""
        causes = {
            planned.event.trigger
            for planned in task.instance.hidden.events
            if isinstance(planned.event, TriggeredEvent)
        }
        for expected in task.instance.hidden.expectations:
            if expected.id.startswith(f"{task.id}/{FIRST}/"):
                continue  # the request was replaced
            since = self.clock(expected.since)
            feeds = heard_trigger(expected.id) in causes
            came = max(opens if feeds else self._comes(task), since)
            yield self._message(task, expected.holder, came, feeds=feeds, awaited=True)

    def _comes(self, task: ComposedTask) -> int:
        return self.clock(task.arrives) if not task.cause else 0

    def _message(
        self,
        task: ComposedTask,
        person: str,
        opens: int,
        *,
        holds: int = 0,
        feeds: bool = True,
        awaited: bool = False,
    ) -> Message:
        known = self._day.company.person(person)
        events = [planned.event for planned in task.instance.hidden.events]
        away, slow = self._away.get(person), self._slow.get(person)
        reads = self._at(known, known.hours.starts)
        if isinstance(away, AbsenceBegins) and away in events and not away.deputy:
            reads = max(reads, self.clock(away.until))
        delay = known.delay
        if isinstance(slow, SlowAnswersBegin) and slow in events and not awaited:
            delay = max(delay, slow.minutes)
        leaves = self._at(known, known.hours.ends)
        return Message(person, opens, reads, delay, leaves, holds, feeds)

    def _at(self, person: Person, clock: Any) -> int:
        return self.clock(datetime.combine(self._starts, clock))


def _only_once(events: Iterator[Any]) -> Mapping[str, Event]:
    """Return the *events* by person, without people who have several: the last one applies to
    them."""
    found: dict[str, list[Event]] = {}
    for event in events:
        found.setdefault(event.person, []).append(event)
    return {person: several[0] for person, several in found.items() if len(several) == 1}
