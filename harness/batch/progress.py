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
    """Is told of episodes as they finish."""

    def done(self, result: EpisodeResult) -> None:
        """An episode has finished and its line is written."""


@contextmanager
def show_progress(
    console: Console, episodes: Iterable[EpisodeSpec], finished: int
) -> Iterator[ProgressListener]:
    """A listener that shows on *console* how many *episodes* are done; *finished* were before."""
    pending = list(episodes)
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
            f"[{self._count}/{self._total}] {_told(result)}", markup=False, highlight=False,
            soft_wrap=True,
        )  # fmt: skip


class _BarProgress:
    """A bar per agent."""

    def __init__(self, progress: Progress, orders: list[EpisodeSpec]):
        self._progress = progress
        agents = dict.fromkeys(order.agent for order in orders)
        self._bars = {
            agent: progress.add_task(
                agent, total=sum(order.agent == agent for order in orders), news=""
            )
            for agent in agents
        }

    def done(self, result: EpisodeResult) -> None:
        self._progress.update(self._bars[result.agent], advance=1, news=_told(result))


def _told(result: EpisodeResult) -> str:
    """One episode in a few words."""
    who = f"{result.agent} · {result.scenario} · {result.day}"
    if result.attempt > 1:
        who += f" · attempt {result.attempt}"
    if result.score is None:
        return f"{who}: broke ({result.error})"
    return f"{who}: {result.score:.2f}" + (" (complete)" if result.success else "")
