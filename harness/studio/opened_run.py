"""A run that the studio has opened, and its episodes. The studio numbers both."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from threading import Lock

from pydantic import ValidationError

from trainee_bench.harness.batch.person_run import works_unseen
from trainee_bench.harness.records.plan import PERSON_ISOLATION, EpisodeSpec, PlanError, RunPlan
from trainee_bench.harness.records.plan_file import PLAN_FILE
from trainee_bench.harness.records.results import EpisodeResult, TaskResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.records.side_files import own_file
from trainee_bench.harness.support.interrupts import LongLoad
from trainee_bench.harness.support.text import encodable, one_line
from trainee_bench.mcp_servers.verifier import DayGrade
from trainee_bench.meta_tasks.composition import ComposedDay

_LONGEST_PATH = 4_096


class NoSuchEpisode(LookupError):
    """Raised if the studio has no run or episode with this number."""


class NoWorldYet(LookupError):
    """Raised if the episode has no world to show; the message says why."""


class EpisodeState(StrEnum):
    """The state of an episode."""

    WAITING = "waiting"
    RUNNING = "running"
    LEFT = "left"
    """A person began it and left, and nobody is working on its run now."""
    DONE = "done"
    BROKEN = "broken"


class ScoreMark(StrEnum):
    """A warning beside a score that an agent did not reach alone on a whole day."""

    GUIDED = "guided"
    FORKED = "forked"


@dataclass(frozen=True)
class ShownEpisode:
    """An episode of a run, or a single world file, which has neither spec nor result.

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
        """Its state. A world without a result is being worked in, unless a person left it or the
        studio staged it."""
        if self.result is not None:
            return EpisodeState.BROKEN if self.result.error else EpisodeState.DONE
        if self.run.staged is not None:
            return EpisodeState.DONE
        if self.left and not self.run.is_worked:
            return EpisodeState.LEFT
        return EpisodeState.RUNNING if self.begun else EpisodeState.WAITING

    @property
    def marks(self) -> tuple[ScoreMark, ...]:
        """The marks shown wherever its score is shown."""
        identity = self.result.identity if self.result is not None else None
        guided = identity is not None and bool(identity.guided)
        forked = self.spec is not None and self.spec.forked_from is not None
        pairs = ((ScoreMark.GUIDED, guided), (ScoreMark.FORKED, forked))
        return tuple(mark for mark, holds in pairs if holds)

    @property
    def begun(self) -> bool:
        """Whether its run's folder has its world."""
        if self.world == self.run.path:
            return self.world.is_file()
        return self.run.own_file(f"worlds/{self.world.name}") is not None

    @property
    def taken(self) -> bool:
        """Whether a person is working it. Meanwhile nobody is shown more of it than that person
        sees."""
        by_person = self.spec is not None and self.spec.agent_config.isolation == PERSON_ISOLATION
        return by_person and self.result is None

    def check_world(self) -> None:
        """Raise NoWorldYet if there is no world, because it has not begun or it broke, or if a
        person is working it."""
        if self.state is EpisodeState.LEFT:
            raise NoWorldYet(
                f"A person left {self.name} before its end; continue it on the page Seat."
            )
        if self.taken:
            raise NoWorldYet(
                f"A person is working {self.name}; it can be shown once the day is over."
            )
        if self.begun:
            return
        if self.run.staged is not None:
            raise NoWorldYet("This day is no longer here. Open it again from the page Office.")
        if self.result is not None and self.result.error:
            raise NoWorldYet(f"{self.name} broke and left no world: {self.result.error}")
        if self.result is not None:
            raise NoWorldYet(f"The world of {self.name} is no longer in the folder of its run.")
        raise NoWorldYet(f"{self.name} has not begun.")

    @property
    def trajectory(self) -> Path | None:
        """The file of the agent's thoughts, once the episode is over."""
        if self.result is None or self.result.trajectory is None:
            return None
        return self.run.own_file(self.result.trajectory)

    @property
    def turns(self) -> Path | None:
        """The file of the turns so far, which grows as each turn begins. None before the first turn
        and after the episode is over."""
        return self.run.own_file(f"trajectories/{self.name}.turns.jsonl")

    @property
    def left(self) -> bool:
        """Whether a person has begun it and left, and continuing it would write only in its run."""
        writes_here = self.begun or not self.world.exists()
        return self.taken and self.turns is not None and writes_here


@dataclass(frozen=True)
class OfficeDay:
    """A day in an own office that the studio staged and worked honestly, to show it.

    ``office`` and ``task`` name the page that it belongs to; ``words`` tell it from the other days
    of that task, such as "seed 3", and ``why`` says which claim broke in it. A day without a task
    has no ``grade``.
    """

    office: str
    task: str
    title: str
    words: str
    composition: ComposedDay
    grade: DayGrade | None = None
    tasks: tuple[TaskResult, ...] = ()
    failures: tuple[str, ...] = ()
    why: str = ""


class OpenedRun:
    """The run in the folder *path*, or the world file *path*; ``error`` says why it cannot be
    shown. A world file that the studio made itself has the day that it *staged*."""

    def __init__(self, number: int, path: Path, staged: OfficeDay | None = None):
        self.number = number
        self.path = path
        self.staged = staged
        self.error = ""
        self._file = self._read = 0
        self._plan_file: tuple[int, int, int] | None = None
        self._results: dict[str, EpisodeResult] = {}
        self._reading = Lock()  # several threads make overviews

    @property
    def name(self) -> str:
        """The name that the page shows."""
        if self.staged is not None:
            return self.staged.title
        return shown_path(Path(resolved(self.path).name))

    def own_file(self, name: str) -> Path | None:
        """Return the file *name* of its folder, None if it is missing or outside the folder. Files
        that a foreign run names or links to outside its folder are never shown."""
        return own_file(self.path, name)

    @cached_property
    def plan(self) -> RunPlan | None:
        """Its plan; None for a world file, or if it cannot be read (see ``error``)."""
        if self.path.is_file():
            return None
        try:
            with LongLoad():
                self._plan_file = _file_state(self.path / PLAN_FILE)
                return RunFolder.open(self.path).plan()
        except (PlanError, OSError) as error:
            self.error = encodable(str(error))
            return None

    @cached_property
    def specs(self) -> tuple[EpisodeSpec, ...]:
        """The specs of all its episodes, always in this order."""
        plan = self.plan
        with LongLoad():
            return tuple(plan.episode_specs()) if plan is not None else ()

    def results(self) -> dict[str, EpisodeResult]:
        """Return the results so far, by the episodes' ids. Only new lines are read, since a long
        run writes thousands of them."""
        file = self.own_file("results.jsonl")
        if file is None:
            return {}
        try:
            with self._reading:
                self._read_file(file)
        except OSError:
            return {}
        return self._results

    def _read_file(self, file: Path) -> None:
        """Read the new lines of *file*, or all of them if the file was replaced."""
        found = file.stat()
        if found.st_ino != self._file or found.st_size < self._read:
            # a resumed run rewrites the results that it keeps
            self._file, self._read, self._results = found.st_ino, 0, {}
        if found.st_size > self._read:
            with LongLoad():
                self._read_further(file)

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
                self.error = f"{file.name} has a line that is not a result of this version."
                continue
            self._results.setdefault(result.episode, result)

    def left_unseen(self) -> Iterator[ShownEpisode]:
        """Yield the days that a person left, or is working elsewhere, without having been shown
        them."""
        for place in self._unseen:
            episode = self.episode(place)
            if episode.left:
                yield episode

    @cached_property
    def _unseen(self) -> tuple[int, ...]:
        return tuple(n for n, spec in enumerate(self.specs) if works_unseen(spec))

    @property
    def is_gone(self) -> bool:
        """Whether its folder is gone from where it was read."""
        was_read = vars(self).get("plan") is not None
        return was_read and not os.path.exists(self.path)  # noqa: PTH110 - Path's raises if closed

    @property
    def has_grown(self) -> bool:
        """Whether it is a climb whose plan has more episodes than when it was read."""
        plan = vars(self).get("plan")
        if plan is None or plan.climb is None:
            return False
        return _file_state(self.path / PLAN_FILE) not in (None, self._plan_file)

    @property
    def is_worked(self) -> bool:
        """Whether somebody, in this process or another, is working on it now."""
        return RunFolder(self.path).is_locked

    def note_day_shown(self) -> None:
        """Record in its folder that its day was shown after a person left it."""
        with suppress(OSError):  # in a read-only folder nobody can continue the day
            RunFolder(self.path).note_day_shown()

    def episodes(self) -> tuple[ShownEpisode, ...]:
        """Return all its episodes in their current state."""
        if self.path.is_file():
            name = self.name if self.staged is not None else shown_path(Path(self.path.stem))
            return (ShownEpisode(f"{self.number}-0", self, self.path, name),)
        results = self.results()
        return tuple(self._episode(place, results) for place in range(len(self.specs)))

    def episode(self, place: int) -> ShownEpisode:
        """Return episode number *place*. Raises NoSuchEpisode."""
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


def _file_state(path: Path) -> tuple[int, int, int] | None:
    """Return what tells whether the file at *path* was replaced; None without one."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def resolved(path: Path) -> Path:
    """Return *path* with its links resolved; a link to itself is left."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return path.absolute()


def shown_path(path: Path) -> str:
    """Return *path* as text; unprintable parts, such as bytes that are not text, are escaped."""
    return one_line(str(path), _LONGEST_PATH)
