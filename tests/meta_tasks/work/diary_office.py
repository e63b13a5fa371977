"""An office that tells the time, lists tasks, says what happened, and keeps a diary of calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pydantic import JsonValue

from trainee_bench.meta_tasks.tool_client import ToolData, ToolFailed, ToolResponse
from trainee_bench.meta_tasks.work.habits import NO_HABITS
from trainee_bench.meta_tasks.work.need import Achievement, TaskWork, Work
from trainee_bench.meta_tasks.work.outline import NO_PLAN, DayOutline
from trainee_bench.meta_tasks.work.reading import Task
from trainee_bench.meta_tasks.work.worker import employ
from trainee_bench.world.notices import Notice, NoticeKind

MORNING = datetime(2025, 10, 1, 8)
EVENING = MORNING.replace(hour=20)
COSTS = {"quick": 1, "slow": 5, "free": 0, "files_write": 5}
TELLS_ALL = DayOutline(trusts_notices=True)


def at(hour: int, minute: int = 0) -> datetime:
    """Return a time of the day."""
    return MORNING.replace(hour=hour, minute=minute)


@dataclass(frozen=True)
class Happening:
    """An event: at a time somebody is told something, and from then on tasks have other
    deadlines."""

    time: datetime
    kind: NoticeKind = NoticeKind.TASK
    due: Mapping[str, datetime] = field(default_factory=dict)


class Diary:
    """Lists the tasks of *due*, and those that come with *happenings*. Each call of ``broken``
    fails. A wait ends at the first news if it is to."""

    def __init__(
        self, due: Mapping[str, datetime] | None = None, happenings: Sequence[Happening] = ()
    ):
        self.now = MORNING
        self.due = dict(due or {})
        self.to_come = list(happenings)
        self.entries: list[tuple[str, str]] = []
        self.turns: list[int] = []
        self.waits: list[Mapping[str, JsonValue]] = []

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        """Make one call."""
        began = self.now
        if tool == "desk_wait":
            self._wait(arguments)
        elif tool != "desk_now":
            self.now += timedelta(minutes=COSTS.get(tool, 1))
        notices = self._told()
        self.entries.append((f"{began:%H:%M}", f"{tool} {arguments.get('who', '')}".strip()))
        if tool == "broken":
            raise ToolFailed("it does not work", self.now, notices)
        return ToolResponse("", self._data(tool), self.now, notices=notices)

    async def call_many(
        self, calls: Sequence[tuple[str, Mapping[str, JsonValue]]]
    ) -> Sequence[ToolResponse | ToolFailed]:
        """Make several calls in one turn."""
        self.turns.append(len(calls))
        answers: list[ToolResponse | ToolFailed] = []
        for call in calls:
            try:
                answers.append(await self.call(*call))
            except ToolFailed as failed:
                answers.append(failed)
        return answers

    def done(self, tool: str) -> list[str]:
        """Return for whom *tool* was called, in order."""
        words = [what.split() for _, what in self.entries]
        return [word[1] for word in words if word[0] == tool and len(word) > 1]

    def times(self, what: str) -> list[str]:
        """Return when something was done."""
        return [time for time, entry in self.entries if entry == what]

    def _wait(self, arguments: Mapping[str, JsonValue]) -> None:
        self.waits.append(arguments)
        hour, minute = map(int, str(arguments["until"]).split(":"))
        until = at(hour, minute)
        assert self.now < until <= EVENING, f"{self.now} waits until {until}"
        if arguments["wake"] and self.to_come:
            until = min(until, self.to_come[0].time)
        self.now = max(self.now, until)

    def _told(self) -> tuple[Notice, ...]:
        happened = [happening for happening in self.to_come if happening.time <= self.now]
        self.to_come = [happening for happening in self.to_come if happening.time > self.now]
        for happening in happened:
            self.due.update(happening.due)
        return tuple(
            Notice(at=happening.time, kind=happening.kind, text="Something.")
            for happening in happened
        )

    def _data(self, tool: str) -> ToolData:
        listed = [
            {"id": task, "title": task, "objective": f"Do {task}.", "deadline": due.isoformat()}
            for task, due in self.due.items()
        ]
        page: ToolData = {"messages": [], "earlier": None, "later": None}
        mails = {"mails": [], "next_before": None}
        return {"day_ends": EVENING.isoformat(), "tasks": listed, **mails, **page}


@dataclass(frozen=True)
class Step(Achievement[None]):
    """One step of a task."""

    task: str
    number: int
    tool: str = "slow"

    async def satisfy(self, work: Work) -> None:
        """Do it."""
        await work.call(self.tool, who=self.task)


@dataclass(frozen=True)
class Steps:
    """Work on a task as it is listed: one step after the other."""

    number: int = 3
    tool: str = "slow"

    async def __call__(self, work: Work, task: str) -> None:
        """Do them."""
        await work(Task(task))
        for number in range(self.number):
            await work(Step(task, number, self.tool))


STEPS = Steps()


async def worked(
    office: Diary, outline: DayOutline = NO_PLAN, at_once: int = 1, **works: TaskWork
) -> dict[str, Exception]:
    """Return the errors of one worker that does all *works*."""
    return await employ(office, COSTS, works, NO_HABITS, outline, at_once).run()
