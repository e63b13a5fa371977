"""Slack of the days of a benchmark: the available time over the time that the oracle takes.

The agents ``in_order`` and ``one_by_one`` do one task after the other, in the listed order and by
deadline. They show whether planning matters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import chain
from statistics import median

import anyio
from pydantic import BaseModel

from trainee_bench.harness.agents.builtin.one_by_one import OneByOne
from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.generation.deadlines import measure_slack
from trainee_bench.harness.generation.rehearsal import fails
from trainee_bench.harness.records.plan import WEEK_NAME
from trainee_bench.harness.support.worker_processes import worker_processes
from trainee_bench.meta_tasks.composition import ComposedTask, compose_day
from trainee_bench.meta_tasks.scenario import Arrival, Scenario, TaskSpec

_MINUTE = timedelta(minutes=1)


class DaySlack(BaseModel, frozen=True):
    """The slack of one day.

    ``worked`` are the minutes that the oracle works without waiting, ``available`` those until the
    last deadline. ``slack`` is the available time over the oracle's, on a day with more work than
    hours for the best plan (see `measure_slack`); None if the oracle misses one of these tasks.
    ``worth`` is that of all tasks, ``best_worth`` what the planner reaches and ``bound`` what no
    agent can exceed; all are None on other days. ``in_order_fails`` and ``one_by_one_fails`` say
    whether these agents' days are no success. ``chains`` are the dependencies between tasks,
    ``moved`` the number of moved deadlines.
    """

    scenario: str
    day: str
    arrival: Arrival
    tasks: int
    complications: int
    slack: float | None
    worked: int
    available: int
    oracle_missed: int
    in_order_missed: int
    in_order_fails: bool
    one_by_one_fails: bool
    worth: int | None
    best_worth: int | None
    bound: int | None
    chains: tuple[str, ...]
    moved: int

    @property
    def share(self) -> float:
        """The oracle's working time over the available time."""
        return self.worked / self.available


async def measure_day_slack(scenario: Scenario, day: int) -> DaySlack:
    """Measure the slack of day number *day* (from 0) of *scenario*, or of its week."""
    composition = compose_day(scenario, day)
    best = await run_in_process("oracle", composition)
    plain = await run_in_process("in_order", composition)
    worths = [task.worth for task in composition.tasks if task.worth is not None]
    wanted = {task.id for task in composition.worthwhile_tasks}
    last = max(task.deadline for task in composition.tasks)
    days = [hours for hours in composition.days if hours.starts < last]
    available = sum((min(hours.ends, last) - hours.starts for hours in days), timedelta())
    chains = [
        task_chains(scenario.days[number].tasks, composition.tasks, place)
        for place, number in enumerate(scenario.days_in_world(day))
    ]
    return DaySlack(
        scenario=scenario.name,
        day=WEEK_NAME if scenario.week else scenario.days[day].name,
        arrival=scenario.arrival,
        tasks=len(composition.tasks),
        complications=sum(task.rule.count("+") for task in composition.tasks),
        slack=await measure_slack(composition),
        worked=best.busy // _MINUTE,
        available=available // _MINUTE,
        oracle_missed=sum(
            not grade.success or best.handed_in[grade.task] is None
            for grade in best.grade.tasks
            if grade.task in wanted
        ),
        in_order_missed=sum(not grade.success for grade in plain.grade.tasks),
        in_order_fails=not plain.grade.success,
        one_by_one_fails=await fails(OneByOne, composition),
        worth=sum(worths) if worths else None,
        best_worth=composition.spec.best_worth,
        bound=scenario.days[day].bound,
        chains=tuple(chain.from_iterable(chains)),
        moved=sum(task.deadline_moves_at is not None for task in composition.tasks),
    )


def task_chains(
    specs: Iterable[TaskSpec], tasks: Sequence[ComposedTask], place: int = 0
) -> Iterator[str]:
    """Yield what the tasks of *specs*, those of day number *place*, depend on: ``T1 announces T3``
    or ``T2 feeds T4``. *tasks* are all of their world."""
    ids = {task.rule: task.id for task in tasks if task.published_place == place}
    ids |= {task.name: task.id for task in tasks if task.name}
    for spec in specs:
        own = ids[spec.name or spec.rule]
        if spec.takes_from is not None:
            yield f"{ids[spec.takes_from]} feeds {own}"
        if spec.follows is not None:
            verb = {"announcement": "announces", "submission": "leads to"}[spec.follows.when]
            yield f"{ids[spec.follows.task]} {verb} {own}"


def slack_in_process(scenario: Scenario) -> list[DaySlack]:
    """Measure the slack of all days of one scenario, in a worker process."""

    async def each() -> list[DaySlack]:
        return [await measure_day_slack(scenario, day) for day in scenario.world_days]

    return anyio.run(each)


def benchmark_slack(scenarios: Sequence[Scenario], jobs: int) -> list[DaySlack]:
    """Measure the slack of every day of *scenarios*, in their order."""
    with worker_processes(min(jobs, len(scenarios))) as pool:
        return [day for days in pool.map(slack_in_process, scenarios) for day in days]


def slack_rows(times: Sequence[DaySlack]) -> Iterator[str]:
    """Yield a line for each day, and a summary."""
    for day in times:
        chains = "; ".join(day.chains)
        moved = "; a deadline moves" if day.moved else ""
        if day.best_worth is not None:
            moved += f"; worth {day.best_worth} of {day.worth}"
            moved += "" if day.bound is None else f", bound {day.bound}"
        slack = "slack   – " if day.slack is None else f"slack {day.slack:.2f}"
        yield (
            f"{day.scenario:20} {day.day:6} {day.arrival:9} {pluralize(day.tasks, 'task'):9}"
            f"{day.worked:3} of {day.available:3} min ({day.share:4.0%})  {slack}  in order: "
            f"{day.in_order_missed} missed  {chains}{moved}".rstrip()
        )
    streamed = [day for day in times if day.arrival is Arrival.STREAMED]
    bound = sum(day.in_order_missed > 0 for day in streamed)
    yield (
        f"{pluralize(len(times), 'day')}, {len(streamed)} of them streamed. Streamed days with "
        "a missed "
        f"deadline: {bound} in the listed order, {sum(day.oracle_missed > 0 for day in streamed)} "
        f"by the oracle. Days with dependent tasks: {sum(bool(day.chains) for day in times)}."
    )
    slacks = sorted(day.slack for day in times if day.slack is not None)
    if slacks:
        yield (
            f"Slack: {slacks[0]:.2f} to {slacks[-1]:.2f}, median {median(slacks):.2f}. One task "
            "after the other fails "
            f"{pluralize(sum(day.in_order_fails for day in times), 'day')} in the listed "
            f"order, {sum(day.one_by_one_fails for day in times)} by deadline."
        )
