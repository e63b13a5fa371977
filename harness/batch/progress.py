"""The progress of a run: bars on a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import EpisodeResult


class ProgressListener(Protocol):
    """Hears of each episode as it finishes."""

    def done(self, result: EpisodeResult) -> None:
        """An episode has finished, and its result is in the result file."""


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
    """A line per episode."""

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
    """A bar per agent."""

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
    """An episode's result in a few words."""
    who = f"{result.agent} · {result.scenario} · {result.day}"
    if result.attempt > 1:
        who += f" · attempt {result.attempt}"
    if result.score is None:
        return f"{who}: broken ({result.error})"
    return f"{who}: {result.score:.2f}" + (" (complete)" if result.success else "")
