"""The runs that the studio shows, and the episodes in them, each by a number of the studio's own.

A page names a run or an episode only by these numbers, never by a path. Runs that begin later in a
folder that was given are found when the page asks for the list again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError

from trainee_bench.harness.records.own_files import own_file
from trainee_bench.harness.records.plan import (
    PERSON_ISOLATION,
    EpisodeSpec,
    PlanError,
    RunPlan,
)
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.meta_tasks.scenario import Scenario


class NoSuchEpisode(LookupError):
    """The studio has no run or episode of this number."""


class NoWorldYet(LookupError):
    """The episode has no world that could be shown; says why."""


class EpisodeState(StrEnum):
    """How far an episode is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    BROKEN = "broken"


@dataclass(frozen=True)
class ShownEpisode:
    """An episode of a run, or a world file by itself, which has neither spec nor result.

    ``key`` is its number in the studio, such as "0-12".
    """

    key: str
    run: OpenedRun
    world: Path
    name: str
    spec: EpisodeSpec | None = None
    result: EpisodeResult | None = None

    @property
    def state(self) -> EpisodeState:
        """How far it is: a world without a result is being worked in."""
        if self.result is not None:
            return EpisodeState.BROKEN if self.result.error else EpisodeState.DONE
        return EpisodeState.RUNNING if self.begun else EpisodeState.WAITING

    @property
    def begun(self) -> bool:
        """Whether it has a world, in the folder of its run."""
        if self.world == self.run.path:
            return self.world.is_file()
        return self.run.own_file(f"worlds/{self.world.name}") is not None

    @property
    def taken(self) -> bool:
        """Whether a person works it: nobody is shown more of it than that person is."""
        by_person = self.spec is not None and self.spec.agent_config.isolation == PERSON_ISOLATION
        return by_person and self.result is None

    def check_world(self) -> None:
        """Raise NoWorldYet if there is no world: it has not begun, or broke; and while a person
        works it."""
        if self.taken:
            raise NoWorldYet(f"A person works {self.name}; it is shown once the day is over.")
        if self.begun:
            return
        if self.result is not None and self.result.error:
            raise NoWorldYet(f"{self.name} broke and left no world: {self.result.error}")
        if self.result is not None:
            raise NoWorldYet(f"The world of {self.name} is no longer in the folder of its run.")
        raise NoWorldYet(f"{self.name} has not begun.")

    @property
    def trajectory(self) -> Path | None:
        """What the agent thought, once the episode is over."""
        if self.result is None or self.result.trajectory is None:
            return None
        return self.run.own_file(self.result.trajectory)

    @property
    def turns(self) -> Path | None:
        """The turns so far of an episode that is not over, each as soon as it begins; None before
        the first, and afterwards."""
        return self.run.own_file(f"trajectories/{self.name}.turns.jsonl")

    @property
    def left(self) -> bool:
        """Whether a person has begun it, and whoever goes on with it writes in its run alone."""
        own_world = self.begun or not self.world.exists()
        return self.taken and self.turns is not None and own_world


class OpenedRun:
    """The run in the folder *path*, or the world file *path*; ``error`` says why it cannot be
    shown."""

    def __init__(self, number: int, path: Path):
        self.number = number
        self.path = path
        self.error = ""
        self._file = self._read = 0
        self._results: dict[str, EpisodeResult] = {}

    @property
    def name(self) -> str:
        """What it is called on the page."""
        return self.path.resolve().name

    def own_file(self, name: str) -> Path | None:
        """The file *name* of its folder; None if there is none, or if it leads out of it: what a
        run from elsewhere names or links to outside of its folder is not shown."""
        return own_file(self.path, name)

    @cached_property
    def plan(self) -> RunPlan | None:
        """Its plan; None for a world file, or if it cannot be read (see ``error``)."""
        if self.path.is_file():
            return None
        try:
            return RunFolder.open(self.path).plan()
        except (PlanError, OSError) as error:
            self.error = str(error)
            return None

    @cached_property
    def specs(self) -> tuple[EpisodeSpec, ...]:
        """The specs of all its episodes, always in this order."""
        return tuple(self.plan.episode_specs()) if self.plan is not None else ()

    def results(self) -> dict[str, EpisodeResult]:
        """The results so far, by the episodes' ids. Only lines that are new are read, since a long
        run writes thousands of them."""
        file = self.path / "results.jsonl"
        try:
            found = file.stat()
            if found.st_ino != self._file or found.st_size < self._read:
                # a resumed run writes anew what it keeps
                self._file, self._read, self._results = found.st_ino, 0, {}
            if found.st_size > self._read:
                self._read_further(file)
        except OSError:
            return {}
        return self._results

    def _read_further(self, file: Path) -> None:
        """Read the complete lines that were added."""
        with file.open("rb") as lines:
            lines.seek(self._read)
            added = lines.read()
        whole = added[: added.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines():
            try:
                result = EpisodeResult.model_validate_json(line)
            except ValidationError:
                self.error = f"{file.name} has a line that is no result of this version."
                continue
            self._results.setdefault(result.episode, result)

    def episodes(self) -> tuple[ShownEpisode, ...]:
        """All its episodes as they are now."""
        if self.path.is_file():
            return (ShownEpisode(f"{self.number}-0", self, self.path, self.path.stem),)
        results = self.results()
        return tuple(self._episode(place, results) for place in range(len(self.specs)))

    def episode(self, place: int) -> ShownEpisode:
        """The episode number *place*. Raises NoSuchEpisode."""
        if self.path.is_file() and place == 0:
            return self.episodes()[0]
        if not 0 <= place < len(self.specs):
            raise NoSuchEpisode(f"The run {self.name} has no episode {place}.")
        return self._episode(place, self.results())

    def _episode(self, place: int, results: dict[str, EpisodeResult]) -> ShownEpisode:
        spec = self.specs[place]
        world = self.path / "worlds" / f"{spec.id}.world"
        return ShownEpisode(
            f"{self.number}-{place}", self, world, spec.id, spec, results.get(spec.id)
        )


class ShownRuns:
    """The runs among *paths*: folders of a run, folders of such folders, world files."""

    def __init__(self, paths: Sequence[Path]):
        self._paths = tuple(paths)
        self._runs: list[OpenedRun] = []
        self._days_shown: set[str] = set()
        self.refresh()

    def refresh(self) -> Sequence[OpenedRun]:
        """All runs that are there now; those found before keep their numbers."""
        known = {run.path for run in self._runs}
        for path in self._paths:
            for found in _runs_in(path):
                if found not in known:
                    known.add(found)
                    self._runs.append(OpenedRun(len(self._runs), found))
        return tuple(self._runs)

    def show(self, path: Path) -> OpenedRun:
        """Show the run in the folder *path*, too, if it is not among them already."""
        found = next((run for run in self.refresh() if run.path == path), None)
        if found is None:
            found = OpenedRun(len(self._runs), path)
            self._runs.append(found)
        return found

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

    def note_shown(self, spec: EpisodeSpec) -> None:
        """Note that somebody has been shown the day of *spec*."""
        self._days_shown.add(_day_key(spec.scenario, spec.day))

    def has_shown(self, scenario: Scenario, day: int) -> bool:
        """Whether somebody has been shown day number *day* of *scenario* here."""
        return _day_key(scenario, day) in self._days_shown


def _day_key(scenario: Scenario, day: int) -> str:
    """What tells a day from all others, whatever the conditions under which it is worked."""
    plain = scenario.model_copy(update={"guidance": 0, "tools": None})
    return f"{day} {plain.model_dump_json()}"


def _runs_in(path: Path) -> Iterator[Path]:
    """The runs at *path*, by name."""
    if path.is_file() or (path / "run.json").is_file():
        yield path
    elif path.is_dir():
        for inner in sorted(path.iterdir()):
            if (inner / "run.json").is_file():
                yield inner
