"""An explained day of honest work: which call served which need, and which calls still wait.

composition ──staged──► the honest worker ──► ExplainedDay, for each day of a week
                         └── stopped at a time, if only the beginning is shown
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time

from pydantic import JsonValue

from trainee_bench.harness.testbench.staged_day import StagedDay, cache_latest, stage_day
from trainee_bench.harness.testbench.work_plan import (
    honest_works,
    make_worker,
    outline_of,
    standing_work,
    without_submitted,
)
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.tool_client import ToolResponse
from trainee_bench.meta_tasks.work.engine import Act, ToolCaller
from trainee_bench.meta_tasks.work.explain import Explanation, explain, failure_in_words
from trainee_bench.meta_tasks.work.planner import Planner
from trainee_bench.meta_tasks.work.sources import TaskRoot
from trainee_bench.world.transaction import WorkingDay

_EXPLAINED: dict[str, tuple[ExplainedDay, ...]] = {}


@dataclass(frozen=True)
class ExplainedDay:
    """An explanation of one day's honest work.

    ``titles`` has the title of each task that is shown, by its id. ``acts`` are the calls that were
    made for each and for standing work, and ``failures`` the reasons why some are not done.
    ``waits`` are the calls that still wait. Work that was stopped went on until ``stopped``.
    """

    window: WorkingDay
    titles: Mapping[str, str]
    explanation: Explanation
    acts: Mapping[str, Sequence[Act]]
    waits: Sequence[Act]
    failures: Mapping[str, str]
    stopped: datetime | None = None

    def as_text(self, *, everything: bool = False) -> str:
        """Return the needs as an indented text, then the tasks that are not done."""
        told = self.explanation.as_text(everything=everything)
        missed = [f"{task}: {error}" for task, error in sorted(self.failures.items())]
        return "\n".join([told, *(["", "Not done:", *missed] if missed else [])])


class _Stopped(Exception):
    """The work has reached the time at which it is shown."""


class _UntilThen:
    """The day's tools, which stop at a time."""

    def __init__(self, day: StagedDay, stop: datetime):
        self._day = day
        self._stop = stop

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        """Call a tool. Raises _Stopped once that time is reached, and ToolFailed as the tool
        does."""
        now = await self._day.world.now()
        if now >= self._stop:
            raise _Stopped
        if tool == "desk_wait":
            until = datetime.combine(now, time.fromisoformat(str(arguments["until"])))
            arguments = {**arguments, "until": f"{min(until, self._stop):%H:%M}"}
        return await self._day.call(tool, arguments)


async def explain_days(composition: ComposedDay) -> tuple[ExplainedDay, ...]:
    """Return the honest work of the day *composition*, or of each day of its week.

    The latest results are cached: working a day takes half a second or more.
    """
    key = composition.scenario_day.model_dump_json()
    if key not in _EXPLAINED:
        staged = await stage_day(composition)
        async with staged.world:
            places = range(len(composition.days))
            worked = [await _next_day(staged, place, None, None) for place in places]
        cache_latest(_EXPLAINED, key, tuple(worked))
    return _EXPLAINED[key]


async def explain_day(
    composition: ComposedDay, place: int, task: str | None, clock: time | None
) -> ExplainedDay:
    """Return the honest work of day number *place* of *composition* (0 is the first).

    It is limited to one *task*, by its id, if given, and ends at *clock* if given.
    """
    staged = await stage_day(composition)
    async with staged.world:
        for earlier in range(place):
            await _next_day(staged, earlier, None, None)
        day = composition.days[place].starts
        stop = datetime.combine(day, clock) if clock is not None else None
        return await _next_day(staged, place, task, stop)


async def _next_day(
    staged: StagedDay, place: int, task: str | None, stop: datetime | None
) -> ExplainedDay:
    """Work day number *place*, after all days before it, and explain it."""
    if place:
        await staged.world.begin_next_day()
    today = staged.composition.on_day(place)
    works = await without_submitted(staged, honest_works(today), today)
    tools: ToolCaller = staged if stop is None else _UntilThen(staged, stop)
    worker = make_worker(tools, staged.costs, works, outline_of(today))
    roots = [*worker.engine.roots]
    try:
        failures, stopped = await worker.run(), None
    except _Stopped:
        failures, stopped = {}, worker.engine.now
    chosen = [root for root in roots if task is None or root.need == TaskRoot(task)]
    titles = {t.id: t.instance.told.title for t in today.tasks if task in (None, t.id)}
    shown = {*titles, *(standing_work(today) if task is None else ())}
    return ExplainedDay(
        today.today,
        titles,
        explain(worker.engine, chosen, _made(worker, task)),
        {name: worker.acts_for(name) for name in shown},
        [act for act in worker.engine.acts if act.tool == "desk_wait"],
        {name: failure_in_words(error) for name, error in failures.items() if name in shown},
        stopped,
    )


def _made(worker: Planner, task: str | None) -> list[Act]:
    """Return the calls that were made for needs: all, or those for one *task*."""
    acts = worker.engine.acts if task is None else worker.acts_for(task)
    return [act for act in acts if act.why]
