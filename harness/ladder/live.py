"""The live view of a climb: a line for each world, with the capacity so far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console

from trainee_bench.harness.analysis.statistics.capacity import fit_capacity
from trainee_bench.harness.batch.pipeline import ProgressListener
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.ladder.state import ClimbState, WorkedWorld
from trainee_bench.harness.records.plan import EpisodeSpec, RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder


@contextmanager
def show_climb(
    plan: RunPlan, folder: RunFolder, console: Console, specs: Sequence[EpisodeSpec], finished: int
) -> Iterator[ProgressListener]:
    """Show a round of the climb with this *plan* on *console*: *specs* are still to be worked."""
    if specs and plan.climb is not None:
        sizes = [len(spec.tasks) for spec in specs]
        show_round(console, len(plan.climb.rounds), "working on", sizes)
    yield _WorldLines(plan, folder.ledger.read(), console)


def show_round(console: Console, number: int, doing: str, sizes: Sequence[int]) -> None:
    """Print what is done now with the worlds of round *number*, which have these *sizes*."""
    listed = ", ".join(map(str, sizes))
    _print(console, f"Round {number}: {doing} {pluralize(len(sizes), 'world')}, tasks: {listed}")


class _WorldLines:
    """A line for each world that was worked."""

    def __init__(self, plan: RunPlan, results: Sequence[EpisodeResult], console: Console):
        self._plan = plan
        self._results = list(results)
        self._console = console

    def done(self, result: EpisodeResult) -> None:
        """See `ProgressListener.done`."""
        self._results.append(result)
        state = ClimbState.of(self._plan, self._results)
        world = next(w for w in state.worlds if w.spec.id == result.episode)
        line = f"[{len(self._results)}] {describe_world(world)}"
        if world.outcome is not None:
            line += f" · capacity {fit_capacity(state.outcomes)}"
        _print(self._console, line)


def describe_world(world: WorkedWorld) -> str:
    """Return the size and the outcome of a *world* in a few words."""
    size = pluralize(world.tasks, "task")
    result = world.result
    if result is None:
        return f"{size}: not worked"
    if world.outcome is None:
        return f"{size}: broken ({result.error})"
    if world.outcome.complete:
        return f"{size}: complete"
    done = sum(task.success for task in result.tasks)
    return f"{size}: {done} of {len(result.tasks)} right"


def _print(console: Console, line: str) -> None:
    console.print(line, markup=False, highlight=False, soft_wrap=True)
