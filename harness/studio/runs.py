"""The runs that the studio shows, numbered by the studio.

A page names a run or an episode only by these numbers, never by a path. New runs in an opened
folder are found when the page asks for the list again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from trainee_bench.harness.studio.opened_run import (
    EpisodeState,
    NoSuchEpisode,
    NoWorldYet,
    OfficeDay,
    OpenedRun,
    ShownEpisode,
    resolved,
)
from trainee_bench.harness.studio.shown_days import ShownDays, WorldDays, day_key
from trainee_bench.world.errors import WorldFileError

_CLOSED = (
    "A person who has not seen this day is working it now. The work of others on it can be shown "
    "once that person's day is over."
)
_CLOSED_OFFICE = (
    "A person who has not seen this office's tasks is working a day in it now. The page can be "
    "shown once that person's day is over."
)
_NOT_SHOWN = -1
"""The number given to a run that is not shown, although a world file in its folder is."""


class CannotOpen(LookupError):
    """Raised if a folder cannot be opened; the message says why."""


class ShownRuns:
    """The runs among *paths*: folders of a run, folders of such folders or of experiments, world
    files. Use it on one event loop. ``days`` are those that people have been shown."""

    def __init__(self, paths: Sequence[Path]):
        self._paths = tuple(paths)
        self._runs: list[OpenedRun] = []
        self._numbers: dict[Path, int] = {}
        """The number of each run by every path at which it was found, including links."""
        self._owners: dict[Path, OpenedRun] = {}
        self.days = ShownDays()
        self._world_days = WorldDays()
        self.refresh()

    def refresh(self) -> Sequence[OpenedRun]:
        """Return all current runs, without the days that the studio staged. Known runs keep their
        numbers, report an error once they are gone, and are read again if their plan has grown."""
        for place, run in enumerate(self._runs):
            if run.is_gone or run.has_grown:
                self._runs[place] = OpenedRun(run.number, run.path)
        for path in self._paths:
            with suppress(OSError):  # a folder that has become unreadable
                for found in _runs_in(path):
                    if found not in self._numbers:
                        self.show(found)
        return self._listed

    def open_folder(self, path: Path) -> Sequence[OpenedRun]:
        """Also show the runs in the folder *path*, now and later; return its current runs. Raises
        CannotOpen if there is none."""
        found = _find_runs(path)
        if resolved(path) not in map(resolved, self._paths):
            self._paths = (*self._paths, path)
        self.refresh()
        return [self.show(run) for run in found]

    def rescan(self) -> int:
        """Look for runs in all folders. Also read the failed runs again, and those that are gone or
        back. Return the number of new runs."""
        before = len(self._listed)
        for place, run in enumerate(self._runs):
            if run.error or run.is_gone:
                self._runs[place] = OpenedRun(run.number, run.path)
        return len(self.refresh()) - before

    @property
    def _listed(self) -> tuple[OpenedRun, ...]:
        return tuple(run for run in self._runs if run.staged is None)

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders and files that were opened here or given on the command line."""
        return self._paths

    def show(self, path: Path) -> OpenedRun:
        """Show the run in the folder *path* and return it; a run that is shown already keeps its
        number."""
        number = self._numbers.setdefault(resolved(path), len(self._runs))
        self._numbers[path] = number
        if number == len(self._runs):
            self._runs.append(OpenedRun(number, path))
        return self._runs[number]

    def stage(self, path: Path, staged: OfficeDay) -> ShownEpisode:
        """Show the world file at *path*, which the studio staged itself; no list has it."""
        run = OpenedRun(len(self._runs), path, staged)
        self._runs.append(run)
        return run.episode(0)

    @property
    def home(self) -> Path:
        """The folder for new runs: the first opened folder of runs, else ``runs`` here."""
        given = (path for path in self._paths if path.is_dir())
        return next((path for path in given if not (path / "run.json").is_file()), Path("runs"))

    def run(self, number: int) -> OpenedRun:
        """Return the run with this number. Raises NoSuchEpisode."""
        if not 0 <= number < len(self._runs):
            raise NoSuchEpisode(f"There is no run {number} here.")
        return self._runs[number]

    def episode(self, key: str) -> ShownEpisode:
        """Return the episode with this key, such as "0-12". Raises NoSuchEpisode."""
        run, _, place = key.partition("-")
        if not (run.isdecimal() and place.isdecimal() and len(key) < 20):
            raise NoSuchEpisode("There is no such episode here.")
        return self.run(int(run)).episode(int(place))

    def running(self) -> tuple[ShownEpisode, ...]:
        """Return the episodes that are being worked now, including single world files."""
        return tuple(
            episode
            for run in self.refresh()
            for episode in run.episodes()
            if episode.state is EpisodeState.RUNNING and not episode.taken
        )

    async def look_into(self, episode: ShownEpisode) -> None:
        """Record that the steps of *episode* are being shown. Raises NoWorldYet if it has no world
        or a person is working it, and the errors of `show_day`."""
        episode.check_world()
        await self.show_day(episode)

    async def show_day(self, episode: ShownEpisode) -> None:
        """Record that the day of *episode* is being shown, also in the folders of runs in which a
        person left that day. Raises NoWorldYet if a person who has not been shown the day is
        working it, and WorldFileError if the day of a world file cannot be read."""
        keys = await self._day_keys(episode)
        owner = self._owner(episode)
        if self.days.are_closed(keys):
            raise NoWorldYet(_CLOSED)
        for run in (*self._runs, *owner):
            for left in run.left_unseen():
                assert left.spec is not None
                same = day_key(left.spec.scenario, left.spec.day) in keys
                if left.key != episode.key and same:
                    if run.is_worked:
                        raise NoWorldYet(_CLOSED)
                    run.note_day_shown()
        self.days.note(keys)

    def show_office(self, name: str) -> None:
        """Record that the tasks and answers of an own office are being shown, also in the folders
        of runs in which a person left a day in it. Raises NoWorldYet if a person who has not been
        shown such a day is working it."""
        if self.days.office_is_closed(name):
            raise NoWorldYet(_CLOSED_OFFICE)
        for run in self._runs:
            for left in run.left_unseen():
                assert left.spec is not None
                if left.spec.scenario.office.partition("@")[0] == name:
                    if run.is_worked:
                        raise NoWorldYet(_CLOSED_OFFICE)
                    run.note_day_shown()
        self.days.note_office(name)

    async def are_of_one_day(self, a: ShownEpisode, b: ShownEpisode) -> bool:
        """Return whether the days of *a* and *b* have the same people, tasks and answers. Raises
        WorldFileError as `show_day` does."""
        return not (await self._day_keys(a)).isdisjoint(await self._day_keys(b))

    async def _day_keys(self, episode: ShownEpisode) -> set[str]:
        """Return the day of *episode* by its plan and by its world; in a foreign run they may
        differ."""
        keys = set[str]()
        if episode.spec is not None:
            keys.add(day_key(episode.spec.scenario, episode.spec.day))
        if episode.begun and not episode.taken:
            try:
                keys.add(await self._world_days.key(episode.world))
            except WorldFileError:
                if not keys:
                    raise
        return keys

    def _owner(self, episode: ShownEpisode) -> tuple[OpenedRun, ...]:
        """Return the run whose folder contains the world file *episode*, if that run is not shown
        itself. Raises NoWorldYet while a person is working in that file."""
        file = resolved(episode.world)
        folder = file.parent.parent
        if episode.spec is not None or not (folder / "run.json").is_file():
            return ()
        if folder not in self._owners:
            self._owners[folder] = OpenedRun(_NOT_SHOWN, folder)
        run = self._owners[folder]
        for place, spec in enumerate(run.specs):
            if spec.id == file.stem:
                run.episode(place).check_world()
        return () if any(resolved(shown.path) == folder for shown in self._runs) else (run,)


def _runs_in(path: Path) -> Iterator[Path]:
    """Yield the runs at *path*, by name, including those of an experiment in it."""
    if path.is_file() or _has(path, "run.json"):
        yield path
    elif path.is_dir():
        for inner in sorted(path.iterdir()):
            if _has(inner, "run.json"):
                yield inner
            elif _has(inner, "experiment.json"):
                with suppress(OSError):  # its siblings may still be readable
                    yield from (run for run in sorted(inner.iterdir()) if _has(run, "run.json"))


def _has(folder: Path, name: str) -> bool:
    """Return whether *folder* is readable and has the file *name*."""
    try:
        return (folder / name).is_file()
    except OSError:
        return False


def _find_runs(path: Path) -> list[Path]:
    """Return the runs in the folder *path*, at least one. Raises CannotOpen."""
    try:
        if not path.exists():
            raise CannotOpen(f"There is no folder {path} on this machine.")
        if not path.is_dir():
            raise CannotOpen(f"{path} is a file. Name the folder of a run, or one with runs.")
        found = list(_runs_in(path))
    except OSError as error:
        raise CannotOpen(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError:  # it has a character that paths cannot have
        raise CannotOpen("This is not a path.") from None
    if not found:
        raise CannotOpen(
            f"There is no run in {path}: neither it nor a folder in it has a run.json."
        )
    return found
