"""A run from its plan to its results.

RunPlan ──create_run──► Run ──execute──► results.jsonl, worlds, trajectories
folder ──resume_run──┘
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import anyio

from trainee_bench.harness.agents.external.isolation_checks import (
    check_commands_runnable,
    check_run_hidden,
    restrict_run_folder,
)
from trainee_bench.harness.agents.llm.model_selection import resolve_models, resolve_npc_model
from trainee_bench.harness.agents.runtime.validation import check_agents
from trainee_bench.harness.batch.executors.executor import DaySequences
from trainee_bench.harness.batch.executors.factory import check_executor_available, create_executor
from trainee_bench.harness.batch.executors.sequence_runner import leaf_exceptions
from trainee_bench.harness.batch.progress import ProgressListener
from trainee_bench.harness.batch.validation import check_apps_available
from trainee_bench.harness.records.plan import EpisodeSpec, ExecutorName, PlanError, RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder


@dataclass(frozen=True)
class Run:
    """A plan and the folder that records it; ``concurrency`` episodes run at the same time, the
    plan's own number if None."""

    plan: RunPlan
    folder: RunFolder
    concurrency: int | None = None


@dataclass(frozen=True)
class RunOutcome:
    """The results of a run so far, in the order in which the episodes ended."""

    planned: int
    results: tuple[EpisodeResult, ...]

    @property
    def complete(self) -> bool:
        """Whether every planned episode has a result and none broke."""
        return len(self.results) >= self.planned and not any(one.broken for one in self.results)


class OpenProgress(Protocol):
    """Opens a listener for *episodes* to run, beside *finished* ones that are recorded already."""

    def __call__(
        self, episodes: Sequence[EpisodeSpec], finished: int
    ) -> AbstractContextManager[ProgressListener]: ...


def create_run(plan: RunPlan, out: Path | None, concurrency: int | None = None) -> Run:
    """A new run in *out*, or in the next free ``runs/NAME-NUMBER``.

    Raises PlanError if *out* holds a run already, cannot be written, or an external agent could
    read what must be hidden from it.
    """
    check_run_hidden(out or Path("runs"), plan)
    folder = RunFolder.create(out, plan, restrict_run_folder)
    return Run(plan, folder, concurrency)


def resume_run(
    folder: RunFolder,
    executor: ExecutorName | None = None,
    workers: int | None = None,
    concurrency: int | None = None,
) -> Run:
    """The run recorded in *folder*, to be executed by another *executor* if one is named.

    Raises PlanError if something it needs is not available any more, ResultFileError if its
    results cannot be read.
    """
    plan = folder.plan()
    check_apps_available(plan.scenarios)
    check_agents(plan.candidates)
    check_commands_runnable(plan.candidates, plan.backing)
    _check_pending_models(plan, folder)
    plan = with_executor(plan, executor, workers)
    check_run_hidden(folder.path, plan)
    return Run(plan, folder, concurrency)


def _check_pending_models(plan: RunPlan, folder: RunFolder) -> None:
    """Raise PlanError if a model of an episode still to run is undefined or has no key."""
    done = {result.episode for result in folder.ledger.read() if result.error is None}
    pending = [episode for days in pending_sequences(plan, done) for episode in days]
    models = [one.candidate.model for one in pending if one.candidate.model]
    defined_in = Path(plan.backing.api_config) if plan.backing.api_config else None
    resolve_models(models, defined_in)
    if pending:
        resolve_npc_model(plan.backing.npc_model, defined_in)


def with_executor(plan: RunPlan, executor: ExecutorName | None, workers: int | None) -> RunPlan:
    """*plan* with another executor, if one is named. Raises PlanError if it is not available."""
    name = executor or plan.executor
    recorded = plan.workers if name is plan.executor else None
    check_executor_available(name, workers or recorded)
    return plan.model_copy(update={"executor": name, "workers": workers or recorded})


def pending_sequences(plan: RunPlan, finished: set[str]) -> list[tuple[EpisodeSpec, ...]]:
    """The plan's day sequences without the episodes (by id) that are finished."""
    sequences = [
        tuple(episode for episode in sequence if episode.id not in finished)
        for sequence in plan.day_sequences()
    ]
    return [sequence for sequence in sequences if sequence]


def execute(run: Run, open_progress: OpenProgress) -> RunOutcome:
    """Run the episodes that *run* still lacks; each result is recorded as it comes.

    Raises PlanError if another process works on the run or its executor is not available,
    ResultFileError if its result file is damaged.
    """
    executor = create_executor(run.plan.executor, run.plan.workers)
    with run.folder.locked():
        finished = {result.episode for result in run.folder.prepare_results()}
        sequences = pending_sequences(run.plan, finished)
        episodes = [episode for sequence in sequences for episode in sequence]
        concurrency = run.concurrency or run.plan.max_concurrency
        with open_progress(episodes, len(finished)) as listener:

            def record(result: EpisodeResult) -> None:
                run.folder.ledger.append(result)
                listener.done(result)

            async def work(sequences: DaySequences) -> None:
                await executor.run(sequences, run.folder, concurrency, record)

            try:
                anyio.run(work, sequences)
            except BaseExceptionGroup as group:
                for kind in (KeyboardInterrupt, PlanError):  # reported in words, not as our bug
                    for leaf in leaf_exceptions(group, kind):
                        raise leaf from None
                raise
        planned = sum(1 for _ in run.plan.episode_specs())
        return RunOutcome(planned, tuple(run.folder.ledger.read()))
