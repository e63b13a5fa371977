"""``trainee-bench studio [RUN …]``: a page in the browser on this machine for runs.

It shows runs, recorded days and running episodes. It also starts runs and guides their agents.

A RUN is the folder of a run, a folder of such folders, or a world file. The default is the folder
``runs``, which need not exist yet. The printed address contains a token and works on this machine
only. Exit code 130 after Ctrl-C, 2 if a RUN does not exist or the port is taken.

``trainee-bench studio export RUN FILE`` writes days of a run as one page that can be sent. The page
works without the studio and without a network. Exit code 2 if a RUN or an episode does not exist,
if a day cannot be shown, or if the FILE exists already.
"""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TextIO

import anyio
import typer
from anyio.to_thread import run_sync
from typer.core import TyperGroup

from trainee_bench.harness.batch.benchmarks import LoadedBenchmark, load_benchmark
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.studio.application import StudioServer
from trainee_bench.harness.studio.exported_page import export_page
from trainee_bench.harness.studio.history import warm_up
from trainee_bench.harness.studio.opened_run import NoWorldYet, OpenedRun, ShownEpisode
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.harness.support.commands import exit_on_error
from trainee_bench.harness.support.interrupts import interrupted_once
from trainee_bench.meta_tasks.kept_days import keep_days
from trainee_bench.world.errors import WorldFileError

_USUAL = Path("runs")
_KEPT_DAYS = 8
"""Composed days that stay in memory besides the shown ones; other programs need memory, too."""


def open_studio(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Folders of runs, folders of such folders, or world files (default: runs).",
            metavar="RUN",
        ),
    ] = None,
    config: Annotated[
        list[Path] | None,
        typer.Option(
            help="Your own benchmark file whose days people may work in the studio. Repeatable."
        ),
    ] = None,
    episode: Annotated[
        str | None,
        typer.Option(help="Open the episode with this id, as in reports.", metavar="ID"),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port on this machine (0: any free port).")
    ] = 0,
    browser: Annotated[bool, typer.Option(help="Open it in the browser.")] = True,
) -> None:
    """Show runs, recorded days step by step, and running episodes; start and guide runs.

    ``trainee-bench studio export RUN FILE`` writes days as one page that can be sent.
    """
    with exit_on_error("studio", PlanError, interrupted="The studio is closed."):
        for path in runs or ():
            _check_exists(path)
        own = [load_benchmark(file, None) for file in config or ()]
        shown = ShownRuns(runs or [_USUAL])
        place = f"#/episode/{_find_episode(shown, episode)}" if episode is not None else ""
        keep_days(_KEPT_DAYS)
        anyio.run(_serve, shown, port, browser, own, place)


def _check_exists(path: Path) -> None:
    """Raise PlanError if nothing is at *path*."""
    if not path.exists():
        raise PlanError(
            f"There is no run in {path}. Create one with trainee-bench run, or name its folder."
        )


def _find_episode(runs: ShownRuns, name: str) -> str:
    """Return the key, such as "0-3", of the episode with the id *name*.

    Raises PlanError unless exactly one run has it.
    """
    found = [
        episode for run in runs.refresh() for episode in run.episodes() if episode.name == name
    ]
    if not found:
        raise PlanError(
            f"--episode {name}: no run here has such an episode; a run's report.md lists the ids."
        )
    if len(found) > 1:
        paths = ", ".join(str(episode.run.path) for episode in found)
        raise PlanError(f"--episode {name}: several runs have it ({paths}); give one as RUN.")
    return found[0].key


async def _serve(
    runs: ShownRuns, port: int, browser: bool, own: Sequence[LoadedBenchmark], place: str
) -> None:
    with interrupted_once():
        await _serve_until_closed(runs, port, browser, own, place)


async def _serve_until_closed(
    runs: ShownRuns, port: int, browser: bool, own: Sequence[LoadedBenchmark], place: str
) -> None:
    async with StudioServer(runs, port, own) as studio:
        count = len(runs.refresh())
        typer.echo(f"The studio shows {pluralize(count, 'run')}. Open this address. It works on")
        typer.echo("this machine only, for anybody who has it. Ctrl-C closes the studio.")
        typer.echo(f"  {studio.address}{place}")
        if browser:
            await run_sync(webbrowser.open, studio.single_use_address + place)
        await run_sync(warm_up)
        await anyio.sleep_forever()


class _StudioCommands(TyperGroup):
    """Command group that runs ``export`` if that is the first word, and otherwise opens a RUN."""

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **more: Any) -> Any:
        """Return the context of the command that *args* are for."""
        if args[:1] == [_EXPORT]:
            return self.commands[_EXPORT].make_context(
                f"{info_name} {_EXPORT}", args[1:], *rest, **more
            )
        return self.commands[_OPEN].make_context(info_name, args, *rest, **more)


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
            raise PlanError(f"{file} exists already. Remove it, or name another file.")
        runs, opened = _open(run)
        chosen = _choose(opened, episode or ())
        with _new_file(file) as written:
            page = anyio.run(export_page, runs, opened.name, chosen, _Progress(len(chosen)))
            written.write(page)
        size = len(page.encode()) / 1_000_000
        typer.echo(f"{file} shows {pluralize(len(chosen), 'day')} and has {size:.1f} MB.")


class _Progress:
    """Printer of which of *total* days is read, since each takes seconds."""

    def __init__(self, total: int):
        self._total = total
        self._begun = 0

    def __call__(self, episode: ShownEpisode) -> None:
        self._begun += 1
        typer.echo(f"[{self._begun}/{self._total}] {episode.name} …", err=True)


@contextmanager
def _new_file(path: Path) -> Iterator[TextIO]:
    """Create a new file at *path* before anything is computed for it.

    It is removed again if it cannot be written completely.
    """
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
    """Return the run at *path*. Raises PlanError."""
    runs = ShownRuns([path])
    found = [run for run in runs.refresh() if run.path == path]
    if not found:
        raise PlanError(
            f"There is no run in {path}. Create one with trainee-bench run, or name its folder."
        )
    found[0].episodes()
    if found[0].error:
        raise PlanError(found[0].error)
    return runs, found[0]


def _choose(run: OpenedRun, names: Sequence[str]) -> list[ShownEpisode]:
    """Return the episodes of *run* with these *names*; without names, all that have a world.

    Raises PlanError.
    """
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


_EXPORT, _OPEN = "export", "open"
command = typer.Typer(
    cls=_StudioCommands,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Show runs, recorded days step by step, and running episodes; start and guide runs.",
)
command.command(_EXPORT)(export)
command.command(_OPEN)(open_studio)
