"""How much slack the days of a benchmark have: the oracle's working time over the time available.

Beside it, how the same tasks end if they are worked one after the other, as listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import timedelta

import anyio
from pydantic import BaseModel

from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.meta_tasks.composition import ComposedTask, compose_day
from trainee_bench.meta_tasks.scenario import Arrival, Scenario, TaskSpec

_MINUTE = timedelta(minutes=1)


class DaySlack(BaseModel, frozen=True):
    """One day.

    ``worked`` is the minutes the oracle works, without waiting, and ``available`` those from the
    start of the day to the last deadline. ``oracle_missed`` and ``in_order_missed`` count the
    tasks that these agents miss, ``chains`` are the links between tasks, and ``moved`` counts
    the deadlines that move.
    """

    scenario: str
    day: str
    arrival: Arrival
    tasks: int
    worked: int
    available: int
    oracle_missed: int
    in_order_missed: int
    chains: tuple[str, ...]
    moved: int

    @property
    def share(self) -> float:
        """``worked`` over ``available``."""
        return self.worked / self.available


async def measure_day_slack(scenario: Scenario, day: int) -> DaySlack:
    """The slack of day number *day* (from 0) of *scenario*."""
    composition = compose_day(scenario, day)
    best = await run_in_process("oracle", composition)
    plain = await run_in_process("in_order", composition)
    last = max(task.deadline for task in composition.tasks)
    return DaySlack(
        scenario=scenario.name,
        day=scenario.days[day].name,
        arrival=scenario.arrival,
        tasks=len(composition.tasks),
        worked=best.busy // _MINUTE,
        available=(last - composition.day.starts) // _MINUTE,
        oracle_missed=sum(
            not grade.success or best.handed_in[grade.task] is None for grade in best.grade.tasks
        ),
        in_order_missed=sum(not grade.success for grade in plain.grade.tasks),
        chains=tuple(task_chains(scenario.days[day].tasks, composition.tasks)),
        moved=sum(task.deadline_moves_at is not None for task in composition.tasks),
    )


def task_chains(specs: Iterable[TaskSpec], tasks: Sequence[ComposedTask]) -> Iterator[str]:
    """The links between tasks, such as ``T1 announces T3`` or ``T2 feeds T4``."""
    ids = {task.rule: task.id for task in tasks}
    for spec in specs:
        if spec.takes_from is not None:
            yield f"{ids[spec.takes_from]} feeds {ids[spec.rule]}"
        if spec.follows is not None:
            verb = {"announcement": "announces", "submission": "leads to"}[spec.follows.when]
            yield f"{ids[spec.follows.task]} {verb} {ids[spec.rule]}"


def slack_in_process(scenario: Scenario) -> list[DaySlack]:
    """All days of one scenario; a worker process runs this."""

    async def each() -> list[DaySlack]:
        return [await measure_day_slack(scenario, day) for day in range(len(scenario.days))]

    return anyio.run(each)


def benchmark_slack(scenarios: Sequence[Scenario], jobs: int) -> list[DaySlack]:
    """The slack of every day of *scenarios*, in order."""
    with ProcessPoolExecutor(max_workers=min(jobs, len(scenarios))) as pool:
        return [times for found in pool.map(slack_in_process, scenarios) for times in found]


def slack_rows(times: Sequence[DaySlack]) -> Iterator[str]:
    """A line for each day, and a summary."""
    for one in times:
        chains = "; ".join(one.chains)
        moved = "; a deadline moves" if one.moved else ""
        yield (
            f"{one.scenario:20} {one.day:6} {one.arrival:9} {one.tasks} tasks  "
            f"{one.worked:3} of {one.available:3} min ({one.share:4.0%})  in order: "
            f"{one.in_order_missed} missed  {chains}{moved}".rstrip()
        )
    streamed = [one for one in times if one.arrival is Arrival.STREAMED]
    bound = sum(one.in_order_missed > 0 for one in streamed)
    yield (
        f"{len(times)} days, {len(streamed)} streamed; worked in the listed order {bound} of these "
        f"miss a deadline, by the oracle {sum(one.oracle_missed > 0 for one in streamed)}; "
        f"{sum(bool(one.chains) for one in times)} have chains"
    )
