"""The agent that plays a recorded run by rote: the same calls, whatever they show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from pydantic import JsonValue

from trainee_bench.harness.agents.agent import RepeatingAgent
from trainee_bench.harness.agents.repeatable_days import (
    RepeatableDay,
    RepeatableTask,
    TimedCall,
    read_repeatable_days,
)
from trainee_bench.harness.records.recording import Recording
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.mcp_servers.desk import FINISH_DAY_TOOL
from trainee_bench.meta_tasks.composition import ComposedDay, ComposedTask
from trainee_bench.meta_tasks.kept_days import composed


@dataclass(frozen=True)
class DayMatch:
    """A worked day, and the pairs of its tasks with tasks of the new day that have their rules."""

    worked: RepeatableDay
    pairs: tuple[tuple[RepeatableTask, ComposedTask], ...]


class Rote(RepeatingAgent):
    """Agent that repeats the calls of a recorded run on other days of the same rules.

    It reads nothing. For each day it takes the recorded day that has most of the rules, and further
    ones for rules that are left.
    """

    name = "rote"
    steps = 2_000

    def __init__(self, calls: Sequence[TimedCall]):
        self.calls = tuple(calls)

    @classmethod
    async def for_recording(cls, recording: Recording, composition: ComposedDay) -> Self:
        """Return the agent for this day. Raises PlanError as `read_repeatable_days` does."""
        return cls.of_days(await read_repeatable_days(recording), composition)

    @classmethod
    def of_days(cls, worked: Sequence[RepeatableDay], composition: ComposedDay) -> Self:
        """Return the agent for this day, or this day of a week, that knows the days *worked*."""
        told = composition.scenario_day
        whole = composed(told.scenario, told.day, told.variation)
        matches = match_days(worked, whole)
        parts = [cls.prepared(match, whole, composition.place) for match in matches]
        if len(parts) == 1:
            return cls(parts[0])
        calls = (call for part in parts for call in part if call.tool != FINISH_DAY_TOOL)
        return cls(sorted(calls, key=lambda call: call.at.time()))

    @classmethod
    def prepared(cls, match: DayMatch, composition: ComposedDay, place: int) -> Sequence[TimedCall]:
        """Return the calls of day number *place* of *match*, as they are repeated."""
        return match.worked.calls[place] if place < len(match.worked.calls) else ()

    async def work(self, session: AgentSession) -> None:
        """Make the calls in their order."""
        for call in self.calls:
            await self.make(session, call)

    async def make(self, session: AgentSession, call: TimedCall) -> None:
        """Make one of the calls, and do not look at its result."""
        arguments: Mapping[str, JsonValue] = call.arguments
        await session.call(call.tool, **arguments)


def match_days(worked: Sequence[RepeatableDay], composition: ComposedDay) -> Iterator[DayMatch]:
    """Yield the worked days that together have most of the day's rules, the best one first.

    Days are repeated on days, and weeks on weeks.
    """
    told, left = composition.scenario_day, list(composition.tasks)
    week = len(composition.days) > 1
    known = [day for day in worked if (day.length > 1) == week]
    while left and known:
        paired = [DayMatch(day, tuple(_pairs(day, left))) for day in known]
        best = max(
            paired,
            key=lambda match: (
                len(match.pairs),
                (match.worked.scenario, match.worked.number) == (told.scenario.name, told.day),
            ),
        )
        if not best.pairs:
            return
        yield best
        done = {new.id for _, new in best.pairs}
        left = [task for task in left if task.id not in done]
        known.remove(best.worked)


def _pairs(
    worked: RepeatableDay, tasks: Sequence[ComposedTask]
) -> Iterator[tuple[RepeatableTask, ComposedTask]]:
    """Yield each of *tasks* that has the rule of a task of *worked*, with that task."""
    left = list(worked.tasks)
    for task in tasks:
        old = next((old for old in left if old.rule == task.rule), None)
        if old is not None:
            left.remove(old)
            yield old, task
