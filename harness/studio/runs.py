"""The runs that the studio shows, each by a number of the studio's own.

A page names a run or an episode only by these numbers, never by a path. Runs that begin later in a
folder that was given are found when the page asks for the list again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from trainee_bench.harness.studio.opened_run import (
    EpisodeState,
    NoSuchEpisode,
    NoWorldYet,
    OpenedRun,
    ShownEpisode,
    resolved,
)
from trainee_bench.harness.studio.shown_days import ShownDays, WorldDays, day_key
from trainee_bench.world.errors import WorldFileError

_CLOSED = (
    "A person works this day now, without having seen it; what others did is shown once that "
    "person's day is over."
)
_NOT_SHOWN = -1
"""The number of runs that are not shown: only world files in their folders are."""


class CannotOpen(LookupError):
    """A folder cannot be opened; says why."""


class ShownRuns:
    """The runs among *paths*: folders of a run, folders of such folders or of experiments, world
    files. Use them on one event loop. ``days`` are those that people have been shown."""

    def __init__(self, paths: Sequence[Path]):
        self._paths = tuple(paths)
        self._runs: list[OpenedRun] = []
        self._numbers: dict[Path, int] = {}
        """The number of each run by every path at which it was found, links among them."""
        self._owners: dict[Path, OpenedRun] = {}
        self.days = ShownDays()
        self._world_days = WorldDays()
        self.refresh()

    def refresh(self) -> Sequence[OpenedRun]:
        """All runs that are there now; those found before keep their numbers, and say so once they
        are gone."""
        for place, run in enumerate(self._runs):
            if run.is_gone:
                self._runs[place] = OpenedRun(run.number, run.path)
        for path in self._paths:
            with suppress(OSError):  # a folder that nobody can read any more
                for found in _runs_in(path):
                    if found not in self._numbers:
                        self.show(found)
        return tuple(self._runs)

    def open_folder(self, path: Path) -> Sequence[OpenedRun]:
        """Show the runs in the folder *path*, too, and those that begin later in it; the runs that
        are in it now. Raises CannotOpen if there is none."""
        found = _find_runs(path)
        if resolved(path) not in map(resolved, self._paths):
            self._paths = (*self._paths, path)
        self.refresh()
        return [self.show(run) for run in found]

    def rescan(self) -> int:
        """Look for runs in all folders, and read those anew that could not be shown, and those
        that are gone or there again; how many are new."""
        before = len(self._runs)
        for place, run in enumerate(self._runs):
            if run.error or run.is_gone:
                self._runs[place] = OpenedRun(run.number, run.path)
        return len(self.refresh()) - before

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders and files that were given, here or on the command line."""
        return self._paths

    def show(self, path: Path) -> OpenedRun:
        """Show the run in the folder *path*, too, if it is not among them already."""
        number = self._numbers.setdefault(resolved(path), len(self._runs))
        self._numbers[path] = number
        if number == len(self._runs):
            self._runs.append(OpenedRun(number, path))
        return self._runs[number]

    @property
    def home(self) -> Path:
        """Where new runs go: the first folder of runs that was given, else ``runs`` here."""
        given = (path for path in self._paths if path.is_dir())
        return next((path for path in given if not (path / "run.json").is_file()), Path("runs"))

    def run(self, number: int) -> OpenedRun:
        """The run of this number. Raises NoSuchEpisode."""
        if not 0 <= number < len(self._runs):
            raise NoSuchEpisode(f"There is no run {number} here.")
        return self._runs[number]

    def episode(self, key: str) -> ShownEpisode:
        """The episode with this key, such as "0-12". Raises NoSuchEpisode."""
        run, _, place = key.partition("-")
        if not (run.isdecimal() and place.isdecimal() and len(key) < 20):
            raise NoSuchEpisode("There is no such episode here.")
        return self.run(int(run)).episode(int(place))

    def running(self) -> tuple[ShownEpisode, ...]:
        """The episodes that are being worked now, world files by themselves included."""
        return tuple(
            episode
            for run in self.refresh()
            for episode in run.episodes()
            if episode.state is EpisodeState.RUNNING and not episode.taken
        )

    async def look_into(self, episode: ShownEpisode) -> None:
        """Note that somebody is shown the steps of *episode*. Raises NoWorldYet if it has no world,
        while a person works it, and as `show_day` does."""
        episode.check_world()
        await self.show_day(episode)

    async def show_day(self, episode: ShownEpisode) -> None:
        """Note that somebody is shown the day of *episode*, also in the folders of the runs in
        which a person left that day. Raises NoWorldYet while a person works the day who has not
        been shown it, WorldFileError for a world file whose day cannot be read."""
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

    async def are_of_one_day(self, a: ShownEpisode, b: ShownEpisode) -> bool:
        """Whether the days of *a* and *b* have the same people, tasks and answers. Raises
        WorldFileError as `show_day` does."""
        return not (await self._day_keys(a)).isdisjoint(await self._day_keys(b))

    async def _day_keys(self, episode: ShownEpisode) -> set[str]:
        """The day that *episode* has, by its plan and by its world; a run from elsewhere may have
        them differ."""
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
        """The run in whose folder the world file *episode* lies, if it does and is not among them.
        Raises NoWorldYet while a person works in that very file."""
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
    """The runs at *path*, by name, those of an experiment in it included."""
    if path.is_file() or _has(path, "run.json"):
        yield path
    elif path.is_dir():
        for inner in sorted(path.iterdir()):
            if _has(inner, "run.json"):
                yield inner
            elif _has(inner, "experiment.json"):
                with suppress(OSError):  # those beside it can be read all the same
                    yield from (run for run in sorted(inner.iterdir()) if _has(run, "run.json"))


def _has(folder: Path, name: str) -> bool:
    """Whether *folder* can be read and has the file *name*."""
    try:
        return (folder / name).is_file()
    except OSError:
        return False


def _find_runs(path: Path) -> list[Path]:
    """The runs in the folder *path*, at least one. Raises CannotOpen."""
    try:
        if not path.exists():
            raise CannotOpen(f"There is no folder {path} on this machine.")
        if not path.is_dir():
            raise CannotOpen(f"{path} is a file. Name the folder of a run, or one with runs.")
        found = list(_runs_in(path))
    except OSError as error:
        raise CannotOpen(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError:  # it has a character that no path has
        raise CannotOpen("This is no path.") from None
    if not found:
        raise CannotOpen(
            f"There is no run in {path}: neither it nor a folder in it has a run.json."
        )
    return found
