"""A batch: all episodes of a plan, several at a time, each result written as it comes."""

from __future__ import annotations

from trainee_bench.harness.batch.executors.executor import DaySequences, Executor
from trainee_bench.harness.batch.executors.sequence_runner import leaf_exceptions
from trainee_bench.harness.batch.progress import ProgressListener
from trainee_bench.harness.records.plan import EpisodeSpec, PlanError, RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder


def pending_sequences(plan: RunPlan, finished: set[str]) -> list[tuple[EpisodeSpec, ...]]:
    """The courses still to be run, without the episodes (by id) that are finished."""
    courses = [
        tuple(order for order in course if order.id not in finished)
        for course in plan.day_sequences()
    ]
    return [course for course in courses if course]


async def run_batch(
    courses: DaySequences,
    folder: RunFolder,
    executor: Executor,
    concurrency: int,
    watch: ProgressListener,
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
            for leaf in leaf_exceptions(group, kind):
                raise leaf from None
        raise
