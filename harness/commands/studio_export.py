"""``trainee-bench studio export RUN FILE``: write days of a run as one page that can be sent.

The page works without the studio and without a network. Exit code 2 if a RUN or an episode does not
exist, if a day cannot be shown, or if the FILE is there already.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TextIO

import anyio
import typer

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.studio.exported_page import export_page
from trainee_bench.harness.studio.opened_run import NoWorldYet, OpenedRun, ShownEpisode
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.harness.support.commands import exit_on_error
from trainee_bench.world.errors import WorldFileError

_MOST = 12
"""The most days that a page has without --episode."""
_NAMED = 10
"""The most episodes that a message lists."""


def export(
    run: Annotated[Path, typer.Argument(help="Folder of a run, or a world file.", metavar="RUN")],
    file: Annotated[Path, typer.Argument(help="The page to write.", metavar="FILE")],
    episode: Annotated[
        list[str] | None,
        typer.Option(help="Export only the episode with this id. Repeatable."),
    ] = None,
) -> None:
    """Write days of a run as one page that can be sent: it needs no studio and no network."""
    with exit_on_error(
        "studio export", PlanError, NoWorldYet, WorldFileError, interrupted="No page was written."
    ):
        if os.path.lexists(file):
            raise PlanError(f"{file} is there already. Remove it, or name another file.")
        runs, opened = _open(run)
        chosen = _choose(opened, episode or ())
        with _new_file(file) as written:
            page = anyio.run(export_page, runs, opened.name, chosen, _Progress(len(chosen)))
            written.write(page)
        size = len(page.encode()) / 1_000_000
        typer.echo(f"{file} shows {pluralize(len(chosen), 'day')} and has {size:.1f} MB.")


class _Progress:
    """Prints which of *total* days is read, since each takes seconds."""

    def __init__(self, total: int):
        self._total = total
        self._begun = 0

    def __call__(self, episode: ShownEpisode) -> None:
        self._begun += 1
        typer.echo(f"[{self._begun}/{self._total}] {episode.name} …", err=True)


@contextmanager
def _new_file(path: Path) -> Iterator[TextIO]:
    """Create a new file at *path* before anything is computed for it, and remove it again if it
    cannot be written completely."""
    try:
        with path.open("x", encoding="utf-8") as file:
            try:
                yield file
                file.flush()
            except BaseException:
                path.unlink(missing_ok=True)
                raise
    except OSError as error:  # a full disk names no file
        error.filename = error.filename or str(path)
        raise


def _open(path: Path) -> tuple[ShownRuns, OpenedRun]:
    """The run at *path*. Raises PlanError."""
    runs = ShownRuns([path])
    found = [run for run in runs.refresh() if run.path == path]
    if not found:
        raise PlanError(
            f"There is no run in {path}. Make one with trainee-bench run, or name its folder."
        )
    found[0].episodes()
    if found[0].error:
        raise PlanError(found[0].error)
    return runs, found[0]


def _choose(run: OpenedRun, names: Sequence[str]) -> list[ShownEpisode]:
    """The episodes of *run* with these *names*; without names, all that have a world. Raises
    PlanError."""
    there = {episode.name: episode for episode in run.episodes()}
    unknown = [name for name in names if name not in there]
    listed = ", ".join(list(there)[:_NAMED]) + (", …" if len(there) > _NAMED else "")
    if unknown:
        raise PlanError(f"{run.name} has no episode {unknown[0]}. It has: {listed}.")
    chosen = [there[name] for name in dict.fromkeys(names)] or [
        episode for episode in there.values() if episode.begun and not episode.taken
    ]
    if not chosen:
        raise PlanError(f"No day of {run.name} has a world that can be shown.")
    if not names and len(chosen) > _MOST:
        raise PlanError(
            f"{run.name} has {pluralize(len(chosen), 'day')}, too many for one page. Choose some "
            f"with --episode: {listed}."
        )
    return chosen
