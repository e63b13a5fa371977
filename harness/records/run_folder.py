"""A run's folder: what lies where, how a new one is made and an old one taken up again.

run.json          the plan
results.jsonl     a line per episode
report.html       for people; report.md has its tables
days/ID.html      the days of a run that is too large for one page
worlds/ID.world   each episode's world, with its log
trajectories/ID.json
memories/ID.md    what a learner remembered after the episode
faults/ID.txt     the traceback of an episode that broke
logs/ID.txt       what an agent's program printed
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from pydantic import ValidationError

from trainee_bench.harness.records.plan import EpisodeSpec, PlanError, RunPlan
from trainee_bench.harness.records.results import EpisodeResult, ResultFile
from trainee_bench.harness.support.file_lock import lock
from trainee_bench.meta_tasks.scenario import GENERATOR_VERSION, SCORE_VERSION

_RUN_ENTRIES = (
    "run.json",
    "results.jsonl",
    "report.html",
    "report.md",
    "days",
    "worlds",
    "trajectories",
    "memories",
    "faults",
    "logs",
)
_BY_EPISODE = ("worlds", "trajectories", "memories")
"""Folders whose files begin with their episode's id."""


class RunFolder:
    """The folder of one run. Make one with `create` or `open`."""

    def __init__(self, path: Path):
        self.path = path
        self.ledger = ResultFile(path / "results.jsonl")
        self.report = path / "report.md"
        self.claim: int | None = None
        """The open file by which the run is claimed. Whoever inherits it holds the run, too."""

    @classmethod
    def create(
        cls,
        path: Path | None,
        plan: RunPlan,
        protect: Callable[[Path, RunPlan], None] | None = None,
    ) -> RunFolder:
        """A new run in *path*, or in the next free ``runs/NAME-NUMBER``.

        *protect* closes the folder to others before anything is written into it. Raises
        PlanError if *path* holds a run already or cannot be written.
        """
        try:
            folder = cls(path or next_run_folder(Path("runs"), plan.benchmark))
            folder._refuse_taken()
            folder.path.mkdir(parents=True, exist_ok=True)
            if protect is not None:
                protect(folder.path, plan)
            draft = folder.path / f"run.json.{os.getpid()}"
            draft.write_text(plan.model_dump_json(indent=1), encoding="utf-8")
            try:
                os.link(draft, folder.path / "run.json")  # fails if somebody was quicker
            except FileExistsError:
                folder._refuse_taken()
                raise
            finally:
                draft.unlink()
        except OSError as error:
            raise PlanError(
                f"--out {path or 'runs'}: {error.strerror}; give --out another folder."
            ) from None
        return folder

    def _refuse_taken(self) -> None:
        taken = [name for name in _RUN_ENTRIES if (self.path / name).exists()]
        if taken:
            raise PlanError(
                f"{self.path} holds a run already ({', '.join(taken)}). Go on with it by "
                f"--resume {self.path}, or give --out another folder."
            )

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """The run in *path*. Raises PlanError if there is none."""
        if not (path / "run.json").is_file():
            raise PlanError(f"There is no run in {path}: it has no run.json.")
        return cls(path)

    def plan(self) -> RunPlan:
        """The recorded plan. Raises PlanError if another version of this program made it."""
        try:
            plan = RunPlan.model_validate_json((self.path / "run.json").read_bytes())
        except ValidationError as error:
            flaw = error.errors(include_url=False, include_input=False)[0]["msg"]
            raise PlanError(f"{self.path / 'run.json'} is not a plan of ours: {flaw}") from None
        made_by = (plan.generator, plan.score_version)
        if made_by != (GENERATOR_VERSION, SCORE_VERSION):
            raise PlanError(
                f"{self.path} was made by generator {plan.generator} with score version "
                f"{plan.score_version}; here they are {GENERATOR_VERSION} and {SCORE_VERSION}, and "
                "results of different versions do not mix. Begin a new run."
            )
        return plan

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Work on the run alone, until the block is left or this process dies.

        Raises PlanError if somebody else works on it, or it cannot be written.
        """
        try:
            file = (self.path / "run.json").open("rb+")
        except OSError as error:
            raise PlanError(
                f"{self.path} cannot be written: {error.strerror}. Copy the folder to where it can."
            ) from None
        with file:
            if not lock(file):
                raise PlanError(
                    f"Another process works on the run in {self.path}; wait until it is done."
                )
            self.claim = file.fileno()
            try:
                yield
            finally:
                self.claim = None

    def prepare_results(self) -> list[EpisodeResult]:
        """Make a claimed run fit to begin or to go on; the results it keeps.

        A torn last line is cut off. Episodes that broke are forgotten so that they run again, and
        so are those that remember them. What episodes without a result left behind is removed.
        """
        self._create_folders()
        self.ledger.repair()
        results = self.ledger.read()
        finished = [result for result in results if result.error is None]
        while True:
            kept = {result.episode for result in finished}
            sound = [one for one in finished if one.remembers is None or one.remembers in kept]
            if len(sound) == len(finished):
                break
            finished = sound
        if len(finished) < len(results):
            self.ledger.rewrite(finished)
        for name in _BY_EPISODE:
            for file in sorted((self.path / name).iterdir()):
                if not any(file.name.startswith(f"{id}.") for id in kept):
                    _remove(file)
        return finished

    def _create_folders(self) -> None:
        for name in _BY_EPISODE:
            (self.path / name).mkdir(exist_ok=True)

    def world(self, order: EpisodeSpec) -> Path:
        """Where the world of an episode lies."""
        return self.path / "worlds" / f"{order.id}.world"

    def trajectory(self, order: EpisodeSpec) -> Path:
        """Where the trajectory of an episode lies."""
        return self.path / "trajectories" / f"{order.id}.json"

    def discard(self, order: EpisodeSpec) -> None:
        """Remove what a broken try at an episode left behind."""
        world = self.world(order)
        for file in (world, *(world.with_name(world.name + s) for s in ("-wal", "-shm"))):
            file.unlink(missing_ok=True)
        trajectory = self.trajectory(order)
        for left in (trajectory, trajectory.with_suffix(".draft")):
            left.unlink(missing_ok=True)
        self._memory(order.id).unlink(missing_ok=True)
        if trajectory.with_suffix(".pictures").exists():
            _remove(trajectory.with_suffix(".pictures"))

    def remove_drafts(self) -> None:
        """Remove what workers that died were still drafting; nobody may be at work."""
        for left in (self.path / "worlds").glob(".*"):
            _remove(left)

    def memory(self, episode: str) -> str | None:
        """What a learner remembered after the episode of this id, None if nobody knows."""
        file = self._memory(episode)
        return file.read_text(encoding="utf-8") if file.exists() else None

    def write_memory(self, order: EpisodeSpec, text: str) -> None:
        """Keep what a learner remembers after an episode, whole or not at all."""
        file = self._memory(order.id)
        draft = file.with_suffix(".draft")
        draft.write_text(text, encoding="utf-8", errors="replace")
        draft.replace(file)

    def _memory(self, episode: str) -> Path:
        return self.path / "memories" / f"{episode}.md"

    def write_log(self, order: EpisodeSpec, text: str | None) -> None:
        """Keep what an agent's program printed, if it is one."""
        if text is not None:
            (self.path / "logs").mkdir(exist_ok=True)
            (self.path / "logs" / f"{order.id}.txt").write_text(text, encoding="utf-8")

    def write_traceback(self, order: EpisodeSpec, text: str) -> None:
        """Keep the traceback of an episode that broke."""
        (self.path / "faults").mkdir(exist_ok=True)
        (self.path / "faults" / f"{order.id}.txt").write_text(text, encoding="utf-8")


def next_run_folder(runs: Path, name: str) -> Path:
    """``runs/NAME-001`` or the first number nobody has taken; it exists from now on."""
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
    """Remove a file, or a folder with all that is in it."""
    if path.is_dir():
        for inner in path.iterdir():
            _remove(inner)
        path.rmdir()
    else:
        path.unlink()
