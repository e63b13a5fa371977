"""The costs of a world of many working days, by its number of tasks.

    python -m benchmarks.many_days [--tasks 8,32,128] [--people N] [--profile PART]

Each world has eight tasks a day of rules that may repeat. The times are CPU seconds of this
process: composing the world, staging it, honest work over all its days, grading it, and measuring
its schedule. The last column is the time for each task over that of the smallest world. It stays
near 1 if nothing grows faster than the number of tasks.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time
from contextlib import AbstractContextManager

import anyio

from trainee_bench.harness.scheduling.measure import measure_days
from trainee_bench.harness.testbench.staged_day import open_staged_day
from trainee_bench.mcp_servers.verifier import grade_staged
from trainee_bench.meta_tasks.catalog import all_rules
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import Arrival, DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.world import World

A_DAY = 8
RULES = (
    "sales.top_sales_employee", "sales.cross_depts_extreme_employee", "kb_fix.easy",
    "attendance.top_percent_employees.L2", "transactions.amount_differs.s1",
    "data_completion.sales.qoq_rate.easy", "meeting_attend.sum.u1", "sales.per_dept_top_n",
)  # fmt: skip
PARTS = ("compose", "stage", "work", "grade", "schedule")


def scenario(tasks: int, people: int, seed: int) -> Scenario:
    """A world of so many tasks, eight a day; of one day if there are no more."""
    rules = [RULES[number % len(RULES)] for number in range(tasks)]
    days = tuple(
        DaySpec(
            name=f"day_{at}", tasks=tuple(TaskSpec(rule=rule) for rule in rules[at : at + A_DAY])
        )
        for at in range(0, tasks, A_DAY)
    )
    return Scenario(
        name="many", seed=seed, days=days, week=len(days) > 1, company_size=people,
        arrival=Arrival.STREAMED,
    )  # fmt: skip


def first_fitting(tasks: int, people: int) -> Scenario:
    """The first such world whose tasks go together."""
    for seed in range(200):
        made = scenario(tasks, people, seed)
        try:
            compose_day(made)
        except CompositionError:
            continue
        return made
    raise SystemExit(f"no seed of 200 makes a world of {tasks} tasks")


class Costs:
    """CPU seconds by part; one part may be profiled."""

    def __init__(self, profiled: str):
        self._profiled = profiled
        self.seconds: dict[str, float] = {}

    def of(self, part: str) -> AbstractContextManager[object]:
        """Measure a part."""
        return _Timed(self, part, part == self._profiled)


class _Timed(AbstractContextManager[None]):
    def __init__(self, costs: Costs, part: str, profiled: bool):
        self._costs, self._part = costs, part
        self._profile = cProfile.Profile() if profiled else None

    def __enter__(self) -> None:
        if self._profile is not None:
            self._profile.enable()
        self._began = time.process_time()

    def __exit__(self, *error: object) -> None:
        self._costs.seconds[self._part] = time.process_time() - self._began
        if self._profile is not None:
            self._profile.disable()
            pstats.Stats(self._profile).sort_stats("cumulative").print_stats(45)


async def measure(tasks: int, people: int, profiled: str) -> dict[str, float]:
    """CPU seconds of each part, for a world of so many tasks."""
    made, costs = first_fitting(tasks, people), Costs(profiled)
    with costs.of("compose"):
        composition = compose_day(made)
    with costs.of("stage"):
        world = await World.create_inline(composition.world_config(), composition.populate)
    async with world:
        with costs.of("work"):
            errors = await open_staged_day(composition, world).work()
        with costs.of("grade"):
            grade = await grade_staged(world, composition)
        with costs.of("schedule"):
            await measure_days(world, composition)
        calls = len(await world.log())
    print(f"{tasks} tasks: score {grade.score}, errors {errors}, {calls} calls")
    for task in grade.tasks:
        if not task.success:
            print(
                f"  {task.task} {task.rule} {task.score:.2f} {task.harm} "
                f"{[(c.name, c.seen) for c in task.checkpoints if not c.passed]}"
            )
    return costs.seconds


def numbers(text: str) -> list[int]:
    """Return numbers of tasks, as in "8,32". Raises ValueError if one is no number above 0."""
    found = [int(part) for part in text.split(",")]
    if min(found) < 1:
        raise ValueError(text)
    return found


def main() -> None:
    """Print a line for each number of tasks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=numbers, default=[8, 32, 128])
    parser.add_argument("--people", type=int, default=400)
    parser.add_argument("--profile", default="", choices=("", *PARTS))
    options = parser.parse_args()
    all_rules()  # imports the families
    anyio.run(measure, A_DAY, options.people, "")  # fills caches that every process fills once
    first: float | None = None
    for tasks in options.tasks:
        seconds = anyio.run(measure, tasks, options.people, options.profile)
        each = sum(seconds.values()) / tasks
        first = first or each
        parts = "  ".join(f"{part} {seconds[part]:6.2f}" for part in PARTS)
        print(f"{tasks:4} tasks  {parts}  per task {each / first:4.2f}")


if __name__ == "__main__":
    main()
