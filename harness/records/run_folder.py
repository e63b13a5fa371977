"""The folder of a run: its files, and how it is created and resumed.

run.json          the plan
results.jsonl     a line per episode
begun.jsonl       every episode that was begun, and how it ended; a chain
report.html       the report; report.md has its tables
days/ID.html      the days of a run that is too large for one page
optimal/DAY.json  the oracle's own day, with which reports compare schedules
worlds/ID.world   each episode's world, with its action log
trajectories/ID.json
trajectories/ID.turns.jsonl  the turns of an unfinished episode
memories/ID.md    what a learning agent remembered after the episode
faults/ID.txt     the traceback of each try that broke
logs/ID.txt       what an external agent printed
fork.world        the world in which the episode of a forked run begins
fork.turns.jsonl  the turns before the fork
merged.json       the runs from which `trainee-bench merge` made this one
verified.json     written when `trainee-bench verify` found the run in order
day_shown         empty; the studio has shown this run's day since the person left it
worth/ID.json     the worth of each step of an episode, from `trainee-bench worth`
flags/ID.json     people's notes on steps of an episode, from the studio
ladder.json       the capacity that a climb found; ladder.html, .md and .svg report it
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import count
from pathlib import Path

from pydantic import ValidationError

from trainee_bench.harness.records.begun_episodes import BEGUN_FILE, BegunEpisodes
from trainee_bench.harness.records.frozen_model import FrozenModel
from trainee_bench.harness.records.plan import EpisodeSpec, PlanError, RunPlan
from trainee_bench.harness.records.plan_file import PLAN_FILE, is_current, read_plan, write_draft
from trainee_bench.harness.records.results import (
    EpisodeResult,
    ResultFile,
    trajectory_name,
    world_name,
)
from trainee_bench.harness.records.side_files import Memories, refuse_links_out
from trainee_bench.harness.records.worth import StoredWorths
from trainee_bench.harness.support.file_lock import lock

_RUN_ENTRIES = (
    "run.json",
    "results.jsonl",
    "begun.jsonl",
    "report.html",
    "report.md",
    "ladder.json",
    "ladder.html",
    "ladder.md",
    "ladder.svg",
    "days",
    "optimal",
    "worlds",
    "trajectories",
    "memories",
    "faults",
    "logs",
    "verified.json",
    "merged.json",
    "worth",
    "flags",
    "fork.world",
    "fork.turns.jsonl",
    "day_shown",
)
_REPLACES_CLOSED_FILES = sys.platform == "win32"
_BY_EPISODE = ("worlds", "trajectories", "memories")
"""Folders whose files begin with their episode's id."""


class VerifiedRun(FrozenModel):
    """The verified state: the hashes of ``run.json`` and ``results.jsonl``."""

    plan: str
    results: str


class RunFolder:
    """The folder of one run. Use `create` or `open` to get one."""

    def __init__(self, path: Path):
        self.path = path
        self.ledger = ResultFile(path / "results.jsonl")
        self.report = path / "report.md"
        self.begun = BegunEpisodes(path)
        self.memories = Memories(path)
        self.worths = StoredWorths(path)
        self.claim: int | None = None
        """The descriptor of the locked file; a process that inherits it holds the lock, too."""

    @classmethod
    def create(cls, path: Path | None, plan: RunPlan) -> RunFolder:
        """Create a run in *path*, or in the next free ``runs/NAME-NUMBER``.

        If a command of *plan* runs as another user, the folder is closed to other users before
        anything is written. Raises PlanError if *path* already holds a run or cannot be written.
        """
        try:
            folder = cls(path or next_run_folder(Path("runs"), plan.benchmark))
            folder.refuse_taken()
            folder.path.mkdir(parents=True, exist_ok=True)
            if any(agent.runs_as_other_user for agent in plan.agents):
                folder.path.chmod(0o700)
            draft = write_draft(folder.path, plan)
            try:
                os.link(draft, folder.path / "run.json")  # fails if another process was quicker
            except FileExistsError:
                folder.refuse_taken()
                raise
            finally:
                draft.unlink()
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "this is not a path"
            raise PlanError(f"--out {path or 'runs'}: {why}; give --out another folder.") from None
        return folder

    def refuse_taken(self) -> None:
        """Raise PlanError if the folder holds a run already."""
        taken = [name for name in _RUN_ENTRIES if (self.path / name).exists()]
        if taken:
            raise PlanError(
                f"{self.path} holds a run already ({', '.join(taken)}). Continue it with "
                f"--resume {shlex.quote(str(self.path))}, or give --out another folder."
            )

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """Open the run in *path*. Raises PlanError if there is none."""
        if not (path / "run.json").is_file():
            raise PlanError(f"There is no run in {path}: it has no run.json.")
        return cls(path)

    def plan(self) -> RunPlan:
        """Read the recorded plan. Raises PlanError if another version made it, ChangedPlan if the
        run began with another plan, LinkOut if it lies elsewhere."""
        return read_plan(self.path)

    def grow(self, before: RunPlan, plan: RunPlan) -> None:
        """Let *plan* take the place of *before*, to which it adds episodes: a climb goes on.

        Raises PlanError if another process works on the run, or has let it grow.
        """
        with self.locked():
            if self.plan().digest() != before.digest():
                raise PlanError(f"Another process has continued the climb in {self.path}.")
            draft = write_draft(self.path, plan)
            if not _REPLACES_CLOSED_FILES:
                draft.replace(self.path / PLAN_FILE)
        if _REPLACES_CLOSED_FILES:
            draft.replace(self.path / PLAN_FILE)

    def record_verified(self, verified: bool) -> None:
        """Record that the run in its present state was *verified*; otherwise remove such a
        record."""
        record = self.path / "verified.json"
        if verified:
            record.write_text(self._fingerprint().model_dump_json(indent=1), encoding="utf-8")
        else:
            record.unlink(missing_ok=True)

    @property
    def verified(self) -> bool:
        """Whether the run was verified here and neither plan nor results have changed since."""
        record = self.path / "verified.json"
        try:
            return VerifiedRun.model_validate_json(record.read_bytes()) == self._fingerprint()
        except (OSError, ValidationError):
            return False

    def _fingerprint(self) -> VerifiedRun:
        return VerifiedRun(
            plan=sha256((self.path / "run.json").read_bytes()).hexdigest(),
            results=sha256(self.ledger.path.read_bytes()).hexdigest(),
        )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the run until the block is left or this process ends.

        Raises PlanError if another process holds the lock, the folder cannot be written, or one of
        its own entries is a link out of it (see `refuse_links_out`).
        """
        try:
            file = (self.path / "run.json").open("rb+")
        except OSError as error:
            raise PlanError(
                f"{self.path} cannot be written: {error.strerror}. Copy the folder to where it can."
            ) from None
        with file:
            if not (lock(file) and is_current(file.fileno(), self.path)):
                raise PlanError(
                    f"Another process works on the run in {self.path}; wait until it is done."
                )
            self._refuse_links_out(below=False)
            self.claim = file.fileno()
            try:
                yield
            finally:
                self.claim = None

    @property
    def is_locked(self) -> bool:
        """Whether the run is locked, by this process or another."""
        try:
            with (self.path / "run.json").open("rb+") as file:
                return not lock(file)
        except OSError:
            return False

    @property
    def day_was_shown(self) -> bool:
        """Whether the day was shown since the person who works it left."""
        return (self.path / "day_shown").exists()

    def note_day_shown(self) -> None:
        """Record that the day was shown since the person who works it left. Raises OSError."""
        (self.path / "day_shown").touch()

    def refuse_links_out(self) -> None:
        """Raise LinkOut if anything in the folder, at any depth, is a link out of it, and PlanError
        if something cannot be read."""
        self._refuse_links_out(below=True)

    def _refuse_links_out(self, *, below: bool) -> None:
        try:
            refuse_links_out(self.path, below=below)
        except OSError as error:
            raise PlanError(
                f"{error.filename} cannot be read: {error.strerror}. Copy the folder of the run to "
                "where it can."
            ) from None

    def incomplete_files(self) -> list[str]:
        """Return the names of the files with an incomplete last line, which readers skip."""
        names = ("results.jsonl", BEGUN_FILE)
        there = [name for name in names if (self.path / name).is_file()]
        return [name for name in there if not _ends_with_a_line(self.path / name)]

    def add_result(self, result: EpisodeResult) -> None:
        """Add the line of *result*, and record that its episode has ended. Raises
        ResultFileError."""
        self.begun.end(result)
        self.ledger.append(result)

    def prepare_results(self, unfinished: Collection[str] = ()) -> list[EpisodeResult]:
        """Prepare a locked run to start or to continue; return the results it keeps.

        An incomplete last line is cut off. Results of broken episodes are removed so that these run
        again. So are results whose memory is missing, and results that build on any of these. Files
        of episodes without a result are removed, except those of *unfinished* episodes, which
        somebody continues. Links among them are removed, not their targets. Raises LinkOut for any
        other link out of the folder.
        """
        self._refuse_links_out(below=False)
        self.create_folders()
        self.ledger.repair()
        results = self.ledger.read()
        finished = [
            result
            for result in results
            if result.error is None
            and (result.memory_digest is None or self.memories.exists(result.episode))
        ]
        while True:
            kept = {result.episode for result in finished}
            sound = [
                result
                for result in finished
                if result.remembers is None or result.remembers in kept
            ]
            if len(sound) == len(finished):
                break
            finished = sound
        if len(finished) < len(results):
            self.ledger.rewrite(finished)
        for name in _BY_EPISODE:
            for file in sorted((self.path / name).iterdir()):
                if _known_prefix(file.name, {*kept, *unfinished}) is None:
                    _remove(file)
        self.refuse_links_out()
        return finished

    def create_folders(self) -> None:
        """Create the folders of worlds, trajectories and memories."""
        for name in _BY_EPISODE:
            (self.path / name).mkdir(exist_ok=True)

    def world(self, spec: EpisodeSpec) -> Path:
        """Return the path of an episode's world file."""
        return self.path / world_name(spec.id)

    @property
    def optimal(self) -> Path:
        """The folder of the oracle's own days."""
        return self.path / "optimal"

    def remove_optimal(self) -> None:
        """Remove the oracle's own days, so that the next report works them again."""
        if self.optimal.exists():
            _remove(self.optimal)

    @property
    def fork_world(self) -> Path:
        """The path of the world in which the episode of a forked run begins."""
        return self.path / "fork.world"

    @property
    def fork_turns(self) -> Path:
        """The path of the turns that precede the episode of a forked run."""
        return self.path / "fork.turns.jsonl"

    def trajectory(self, spec: EpisodeSpec) -> Path:
        """Return the path of an episode's trajectory."""
        return self.path / trajectory_name(spec.id)

    def turns(self, spec: EpisodeSpec) -> Path:
        """Return the path of the turns of an unfinished episode."""
        return self.trajectory(spec).with_suffix(".turns.jsonl")

    def discard(self, spec: EpisodeSpec) -> None:
        """Remove the files that a failed try of an episode left."""
        world = self.world(spec)
        for file in (world, *(world.with_name(world.name + s) for s in ("-wal", "-shm"))):
            file.unlink(missing_ok=True)
        trajectory = self.trajectory(spec)
        for left in (trajectory, trajectory.with_suffix(".draft"), self.turns(spec)):
            left.unlink(missing_ok=True)
        self.memories.discard(spec.id)
        if trajectory.with_suffix(".pictures").exists():
            _remove(trajectory.with_suffix(".pictures"))

    def remove_drafts(self) -> None:
        """Remove the half-written worlds of workers that died; no worker may be running."""
        for left in (self.path / "worlds").glob(".*"):
            _remove(left)

    def write_log(self, spec: EpisodeSpec, text: str | None, *, append: bool = False) -> None:
        """Store what an external agent printed, or *append* it to what is stored; None stores
        nothing."""
        if text is not None:
            (self.path / "logs").mkdir(exist_ok=True)
            path = self.path / "logs" / f"{spec.id}.txt"
            with path.open("a" if append else "w", encoding="utf-8") as file:
                file.write(text)

    def write_traceback(self, spec: EpisodeSpec, text: str) -> None:
        """Append the traceback of a try that broke."""
        (self.path / "faults").mkdir(exist_ok=True)
        file = self.path / "faults" / f"{spec.id}.txt"
        with file.open("a", encoding="utf-8", errors="replace") as faults:
            faults.write(text if text.endswith("\n") else f"{text}\n")


def _known_prefix(name: str, episodes: Collection[str]) -> str | None:
    """Return which of *episodes* begins *name*, followed by a dot; None if none does."""
    parts = name.split(".")
    starts = (".".join(parts[:count]) for count in range(len(parts) - 1, 0, -1))
    return next((start for start in starts if start in episodes), None)


def _ends_with_a_line(file: Path) -> bool:
    """Return whether *file* is empty or ends with a line feed."""
    with file.open("rb") as opened:
        size = opened.seek(0, os.SEEK_END)
        opened.seek(max(0, size - 1))
        return opened.read() in (b"", b"\n")


def next_run_folder(runs: Path, name: str) -> Path:
    """Create ``runs/NAME-001``, or the folder with the first free number, and return its path."""
    runs.mkdir(exist_ok=True)
    for number in count(1):
        path = runs / f"{name}-{number:03}"
        try:
            path.mkdir()
        except FileExistsError:
            continue
        return path
    raise AssertionError("numbers do not end")


def _remove(path: Path) -> None:
    """Remove a file or a link, or a folder with its contents."""
    if path.is_dir() and not path.is_symlink():
        for inner in path.iterdir():
            _remove(inner)
        path.rmdir()
    else:
        path.unlink()
