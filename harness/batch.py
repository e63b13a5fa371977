"""A batch: all episodes of a plan, several at a time, each result written as it comes."""

from __future__ import annotations

from harness.execution.course import leaves
from harness.execution.executor import Courses, Executor
from harness.plan import Order, Plan, PlanError
from harness.progress import Watch
from harness.results import EpisodeResult
from harness.run_folder import RunFolder


def pending(plan: Plan, finished: set[str]) -> list[tuple[Order, ...]]:
    """The courses still to be run, without the episodes (by id) that are finished."""
    courses = [
        tuple(order for order in course if order.id not in finished) for course in plan.courses()
    ]
    return [course for course in courses if course]


async def run_batch(
    courses: Courses, folder: RunFolder, executor: Executor, concurrency: int, watch: Watch
) -> None:
    """Let *executor* run *courses*, at most *concurrency* at a time; each episode stands in the
    ledger once, before *watch* hears of it.

    Raises PlanError for what is lacking where they are worked; a bug raises as it comes.
    """

    def record(result: EpisodeResult) -> None:
        folder.ledger.append(result)
        watch.done(result)

    try:
        await executor.run(courses, folder, concurrency, record)
    except BaseExceptionGroup as group:
        for kind in (KeyboardInterrupt, PlanError):  # said in words, not as a bug of ours
            for leaf in leaves(group, kind):
                raise leaf from None
        raise
