"""A run from its plan to its results, and its progress on a terminal.

RunPlan ──create_run / resume_run──► Run ──execute──► RunOutcome
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

import anyio
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from trainee_bench.harness.agents.external.isolation_checks import check_run_hidden
from trainee_bench.harness.agents.external.user_lock import locked_users
from trainee_bench.harness.batch.executors.executor import (
    BatchWork,
    DaySequences,
    Executor,
    leaf_exceptions,
)
from trainee_bench.harness.batch.executors.factory import create_executor
from trainee_bench.harness.batch.executors.sequence_runner import repeats_remembered_days
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.thinking import thinking_in_words
from trainee_bench.harness.batch.validation import check_users_apart, validate_plan
from trainee_bench.harness.records.plan import (
    ChangedPlan,
    EpisodeSpec,
    ExecutorName,
    PlanError,
    RunPlan,
)
from trainee_bench.harness.records.results import EpisodeResult, ResultFileError
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.support.interrupts import interrupted, watched_interrupts


class RunAborted(Exception):
    """An agent's code has ended a run; its finished episodes are kept."""

    exit_code = 1


@dataclass(frozen=True)
class Run:
    """A plan in its folder, and how many episodes run at the same time."""

    plan: RunPlan
    folder: RunFolder
    concurrency: int


@dataclass(frozen=True)
class RunOutcome:
    """All results of a run so far, and how many episodes its plan has."""

    results: tuple[EpisodeResult, ...]
    planned: int
    refused: int = 0
    """The number of the benchmark's scenarios that could not be composed."""

    @property
    def complete(self) -> bool:
        """Whether every episode has a result, none broke, and no scenario was left out."""
        broken = any(result.broken for result in self.results)
        return len(self.results) >= self.planned and not broken and not self.refused


def create_run(plan: RunPlan, out: Path | None = None) -> Run:
    """Create a run in the folder *out*, by default ``runs/NAME-NUMBER``.

    Raises PlanError if the folder is taken, cannot be written, or is visible to an agent's command
    that must not see it. Raises it as well if this process would work a day twice with an agent
    that may remember it.
    """
    check_run_hidden(out or Path("runs"), plan)
    _check_memory_apart(plan)
    return Run(plan, RunFolder.create(out, plan), plan.max_concurrency)


def open_run(path: Path) -> Run:
    """Return the recorded run in the folder *path*. Raises PlanError if there is none."""
    folder = RunFolder.open(path)
    plan = folder.plan()
    return Run(plan, folder, plan.max_concurrency)


def resume_run(path: Path, options: RunOptions) -> Run:
    """Return the run in the folder *path*, with the executor, workers and concurrency of *options*.

    Raises PlanError if this machine lacks something that the run needs. Raises ResultFileError for
    a damaged result file or a changed memory. Raises ChangedPlan if results were made under another
    plan.
    """
    run = open_run(path)
    plan, folder = with_execution(run.plan, options), run.folder
    results = folder.ledger.read()
    check_spec_digests(plan, results, path)
    folder.memories.check(results)
    done = {result.episode for result in results if result.error is None}
    pending = [spec for sequence in pending_sequences(plan, done) for spec in sequence]
    validate_plan(plan, pending=pending)
    check_run_hidden(folder.path, plan)
    concurrency = options.max_concurrency or run.concurrency
    check_users_apart(plan, concurrency)
    _check_memory_apart(plan, done)
    return Run(plan, folder, concurrency)


def _check_memory_apart(plan: RunPlan, finished: Set[str] = frozenset()) -> None:
    """Raise PlanError if agents that may remember a day would work it again in this process."""
    pending = pending_sequences(plan, finished)
    if plan.executor is ExecutorName.ASYNC and repeats_remembered_days(pending):
        raise PlanError(
            "--executor async: an agent of your own would work a day more than once in this "
            "process, and may remember it. Leave --executor out, or use --executor processes."
        )


def check_spec_digests(plan: RunPlan, results: Sequence[EpisodeResult], path: Path) -> None:
    """Raise ChangedPlan if *results* were made under another plan than *plan*."""
    digests = {spec.id: spec.digest for spec in plan.episode_specs()}
    for result in results:
        if result.spec_digest not in (None, digests.get(result.episode)):
            raise ChangedPlan(
                f"{path}: the result of {result.episode} was made under another plan than run.json "
                "has now. Restore the plan that the run began with, or begin a new run."
            )


def with_execution(plan: RunPlan, options: RunOptions) -> RunPlan:
    """Return *plan* with the executor and workers of *options*; workers belong to their
    executor."""
    executor = options.executor or plan.executor
    kept = plan.workers if executor is plan.executor else None
    return plan.model_copy(update={"executor": executor, "workers": options.workers or kept})


Progressing: TypeAlias = Callable[
    [Console, Sequence[EpisodeSpec], int], AbstractContextManager["ProgressListener"]
]
"""Shows the progress of episodes on a console; the number counts those that were done before."""


def execute(run: Run, console: Console, progressing: Progressing | None = None) -> RunOutcome:
    """Run the episodes without a result, with progress on *console*; return all results.

    *progressing* shows the progress, by default `show_progress`.

    Raises PlanError if another process works on the run, another run uses the user who runs its
    commands, or the executor is not available. Raises ResultFileError if the result file is
    damaged, and RunAborted if an agent has ended the event loop.
    """
    plan, folder = run.plan, run.folder
    if told := thinking_in_words(plan):
        console.print(f"Thinking takes time: {told}.", markup=False, soft_wrap=True)
    executor = create_executor(plan.executor, plan.workers)
    with folder.locked(), locked_users(plan.agents):
        done = folder.prepare_results()
        sequences = pending_sequences(plan, {result.episode for result in done})
        specs = [spec for sequence in sequences for spec in sequence]
        with (progressing or show_progress)(console, specs, len(done)) as listener:
            _run_loop(_Execution(sequences, run, executor, listener))
        results = tuple(folder.ledger.read())
    return RunOutcome(
        results, planned=sum(1 for _ in plan.episode_specs()), refused=len(plan.refused)
    )


def _run_loop(execution: _Execution) -> None:
    """Carry out *execution*. Raises RunAborted if an agent, and not an interrupt, ends the loop."""
    try:
        anyio.run(execution.run)
    except (asyncio.CancelledError, KeyboardInterrupt, SystemExit, RuntimeError) as end:
        if isinstance(end, RuntimeError) and not str(end).startswith("Event loop stopped"):
            raise
        if interrupted() or not execution.in_progress:
            raise KeyboardInterrupt from None
        raise RunAborted(
            f"An agent has ended the event loop of this process ({type(end).__name__}), and the "
            "run with it. Continue with --resume and the run's folder; --executor processes keeps "
            "agents apart."
        ) from end


def pending_sequences(plan: RunPlan, finished: Set[str]) -> DaySequences:
    """Return the day sequences of *plan* without the episodes whose ids are in *finished*."""
    sequences = [
        tuple(spec for spec in sequence if spec.id not in finished)
        for sequence in plan.day_sequences()
    ]
    return [sequence for sequence in sequences if sequence]


class _Execution:
    """Execution of *sequences*; each result is in the file before *listener* is notified."""

    def __init__(
        self, sequences: DaySequences, run: Run, executor: Executor, listener: ProgressListener
    ):
        self.in_progress = False
        self._work = BatchWork(sequences, run.folder, run.concurrency, self._on_result)
        self._executor = executor
        self._folder = run.folder
        self._listener = listener

    async def run(self) -> None:
        """Execute the sequences. Errors that end a run without being our bug are raised by
        themselves."""
        try:
            with watched_interrupts():
                self.in_progress = True
                await self._executor.run(self._work)
                self.in_progress = False
        except BaseExceptionGroup as group:
            for kind in (KeyboardInterrupt, PlanError, ResultFileError):
                for leaf in leaf_exceptions(group, kind):
                    raise leaf from None
            raise

    def _on_result(self, result: EpisodeResult) -> None:
        self._folder.add_result(result)
        self._listener.done(result)


class ProgressListener(Protocol):
    """Listener that is notified when an episode finishes."""

    def done(self, result: EpisodeResult) -> None:
        """Handle a finished episode, whose result is in the result file."""


@contextmanager
def show_progress(
    console: Console, specs: Iterable[EpisodeSpec], finished: int
) -> Iterator[ProgressListener]:
    """Show the progress of *specs* on *console*; *finished* episodes were done before."""
    pending = list(specs)
    if not console.is_terminal:
        yield _LineProgress(console, finished, finished + len(pending))
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[news]}"),
    )
    with Progress(*columns, console=console) as progress:
        yield _BarProgress(progress, pending)


class _LineProgress:
    """Progress with one line per episode."""

    def __init__(self, console: Console, finished: int, total: int):
        self._console = console
        self._count = finished
        self._total = total

    def done(self, result: EpisodeResult) -> None:
        self._count += 1
        self._console.print(
            f"[{self._count}/{self._total}] {_describe(result)}", markup=False, highlight=False,
            soft_wrap=True,
        )  # fmt: skip


class _BarProgress:
    """Progress with one bar per agent."""

    def __init__(self, progress: Progress, specs: list[EpisodeSpec]):
        self._progress = progress
        agents = dict.fromkeys(spec.agent for spec in specs)
        self._bars = {
            agent: progress.add_task(
                agent, total=sum(spec.agent == agent for spec in specs), news=""
            )
            for agent in agents
        }

    def done(self, result: EpisodeResult) -> None:
        self._progress.update(self._bars[result.agent], advance=1, news=_describe(result))


def _describe(result: EpisodeResult) -> str:
    """Return an episode's result in a few words."""
    who = f"{result.agent} · {result.scenario} · {result.day}"
    if result.attempt > 1:
        who += f" · attempt {result.attempt}"
    if result.score is None:
        return f"{who}: broken ({result.error})"
    return f"{who}: {result.score:.2f}" + (" (complete)" if result.success else "")
