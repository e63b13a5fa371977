"""``trainee-bench studio [RUN …]``: see runs, days step by step, and what is being worked, start
runs and guide their agents, in a browser on this machine.

A RUN is the folder of a run, a folder of such folders, or a world file; without one it is the
folder ``runs``, which need not be there yet. The printed address holds a token and works on this
machine only. Exit code 130 when it is closed with Ctrl-C, 2 for a RUN that is not there and if the
port is taken.

``trainee-bench studio export RUN FILE`` writes days of a run as one page that can be sent. The page
needs no studio, no server and no network. Exit code 2 for a RUN or an episode that is not there,
for a day that cannot be shown, and if the FILE is there already.
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
"""How many composed days are kept beside those that are shown: others need the memory, too."""


def open_studio(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Folders of runs, folders of such folders, or world files; default: runs.",
            metavar="RUN",
        ),
    ] = None,
    config: Annotated[
        list[Path] | None,
        typer.Option(
            help="Benchmark of your own on whose days people may take a seat. Repeatable."
        ),
    ] = None,
    episode: Annotated[
        str | None,
        typer.Option(help="Open this episode, by the id that reports give.", metavar="ID"),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port on this machine; 0 takes a free one.")
    ] = 0,
    browser: Annotated[bool, typer.Option(help="Open it in the browser.")] = True,
) -> None:
    """Open runs, days step by step, and episodes as they happen; start and guide runs.

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
            f"There is no run in {path}. Make one with trainee-bench run, or name its folder."
        )


def _find_episode(runs: ShownRuns, name: str) -> str:
    """The number of the episode with the id *name*, such as "0-3". Raises PlanError unless one run
    has it."""
    found = [
        episode for run in runs.refresh() for episode in run.episodes() if episode.name == name
    ]
    if not found:
        raise PlanError(f"--episode {name}: no run here has such an episode; see its report.md.")
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
        typer.echo(f"The studio shows {pluralize(count, 'run')}. Open this address; it works on")
        typer.echo("this machine only, and lets in whoever has it. Ctrl-C closes the studio.")
        typer.echo(f"  {studio.address}{place}")
        if browser:
            await run_sync(webbrowser.open, studio.single_use_address + place)
        await run_sync(warm_up)
        await anyio.sleep_forever()


class _StudioCommands(TyperGroup):
    """``export`` if that is the first word; everything else is for the studio itself, whose own
    first word is a RUN."""

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **more: Any) -> Any:
        """The context of the command that *args* are for."""
        if args[:1] == [_EXPORT]:
            return self.commands[_EXPORT].make_context(
                f"{info_name} {_EXPORT}", args[1:], *rest, **more
            )
        return self.commands[_OPEN].make_context(info_name, args, *rest, **more)


_MOST = 12
"""How many days a page has unless somebody has chosen them."""
_NAMED = 10
"""How many episodes a message names."""


def export(
    run: Annotated[Path, typer.Argument(help="Folder of a run, or a world file.", metavar="RUN")],
    file: Annotated[Path, typer.Argument(help="The page to write.", metavar="FILE")],
    episode: Annotated[
        list[str] | None,
        typer.Option(help="Episode to export, by its id; default: all. Repeatable."),
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
    """Says which of *total* days is read: each takes seconds."""

    def __init__(self, total: int):
        self._total = total
        self._begun = 0

    def __call__(self, episode: ShownEpisode) -> None:
        self._begun += 1
        typer.echo(f"[{self._begun}/{self._total}] {episode.name} …", err=True)


@contextmanager
def _new_file(path: Path) -> Iterator[TextIO]:
    """A new file at *path*, which is there before anything is computed for it, and gone again if
    it cannot be written as a whole."""
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


_EXPORT, _OPEN = "export", "open"
command = typer.Typer(
    cls=_StudioCommands,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Open runs, days step by step, and episodes as they happen; start and guide runs.",
)
command.command(_EXPORT)(export)
command.command(_OPEN)(open_studio)
