"""What each step of an episode was worth, as it is stored beside a run; `harness/worth` computes
it, docs/how_it_works/worth.md defines each figure."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from itertools import pairwise
from pathlib import Path

from pydantic import ValidationError

from trainee_bench.harness.records.frozen_model import FrozenModel
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.side_files import own_file, refuse_link_out


class UnusableWorth(ValueError):
    """What is stored of an episode's steps cannot be used; says why."""


class LossOrigin(StrEnum):
    """What a task's points were lost to."""

    NEVER_BEGUN = "never begun"
    IDLE = "deadline passed while idle"
    BUSY = "deadline passed while busy"
    MISSED = "appointment missed"
    STOPPED = "work ended early"
    NEVER_ASKED = "clue never asked for"
    WRONG = "wrong value handed in"
    HARM = "harm"


class WorthPoint(FrozenModel):
    """What could still be reached after a step.

    ``step`` is the number of the action in the world's log, 0 before the first; ``did`` says in
    words what it was, ``at`` is the time after it. ``value`` is the best score that is known to
    have been possible from here; nobody could have exceeded ``at_most``, so that it is the best
    possible where the two are equal. ``tasks`` are the scores of the tasks on that way,
    ``successes`` the tasks that succeed, and ``harm`` what could no longer be undone, by task.
    """

    step: int
    did: str
    at: datetime
    value: float
    at_most: float
    tasks: dict[str, float]
    successes: tuple[str, ...]
    harm: dict[str, tuple[str, ...]]

    @property
    def is_exact(self) -> bool:
        """Whether the value is certainly the best possible."""
        return self.value >= self.at_most - 1e-9


class TaskLoss(FrozenModel):
    """What a step cost on one task: how much of the task's own score (less than 0 if another way
    was the best one from here, on which this task gains), the ``share`` that this is of the day's
    score, the sentences of the checkpoints that could no longer be met, whether its success was
    lost, and to what."""

    task: str
    lost: float
    share: float
    checkpoints: tuple[str, ...]
    success_lost: bool
    origin: LossOrigin


class StepLoss(FrozenModel):
    """A step that cost something.

    ``step`` is its number in the world's log, None for the end of the work; ``did`` says in words
    what it was, ``lost`` how much of the day's score it cost.
    """

    step: int | None
    at: datetime
    did: str
    lost: float
    tasks: tuple[TaskLoss, ...]
    harm: tuple[str, ...]


class DecisionKind(StrEnum):
    """How a checkpoint was decided that is missed."""

    DONE = "done"
    """A step did something, mostly a write, and nothing has corrected it since."""
    HANDED_IN = "handed in"
    """The task was handed in without it."""
    LOST = "lost"
    """It was met until time passed or the company did something."""


APPOINTMENT_CHECKS = frozenset({"punctual", "present", "heard", "kept"})
"""The names of checkpoints of having been somewhere at an hour."""


class CheckpointDecision(FrozenModel):
    """The decision on a missed checkpoint: its verdict did not change after ``step``.

    ``did`` describes the step in words. ``handed_in`` is the last submission that was accepted, if
    it is this step or a later one.
    """

    task: str
    checkpoint: str
    kind: DecisionKind
    step: int
    at: datetime
    did: str
    handed_in: int | None


class EpisodeWorth(FrozenModel):
    """The value after each step of an episode, and the steps that cost something, in order.

    ``digest`` is that of the world it was computed from. ``points`` has one for each action and
    one before the first; ``end`` is what the day came to. ``decisions`` say where missed
    checkpoints were decided. ``cautions`` are why values may be too low on this day; ``forks`` is
    how many copies were finished.
    """

    episode: str
    scenario: str
    day: str
    agent: str
    digest: str
    points: tuple[WorthPoint, ...]
    end: WorthPoint
    losses: tuple[StepLoss, ...]
    decisions: tuple[CheckpointDecision, ...]
    cautions: tuple[str, ...]
    forks: int

    def is_certain(self, loss: StepLoss) -> bool:
        """Whether a loss is certainly right: the values before and after it are exact."""
        if loss.step is None:
            return self.points[-1].is_exact
        return self.points[loss.step - 1].is_exact and self.points[loss.step].is_exact

    def rewards(self) -> list[float]:
        """How much each action changed the value; their sum and what the end costs is the final
        score less the value at the start."""
        values = [point.value for point in self.points]
        return [after - before for before, after in pairwise(values)]


class StoredWorths:
    """The worths in the folder *run* of a run."""

    def __init__(self, run: Path):
        self._run = run

    def write(self, worth: EpisodeWorth) -> None:
        """Store what each step of an episode was worth, whole or not at all.

        Raises LinkOut if that would be outside of the run's folder.
        """
        file = self._file(worth.episode)
        draft = file.with_suffix(".draft")
        refuse_link_out(self._run, draft)
        file.parent.mkdir(exist_ok=True)
        draft.write_text(worth.model_dump_json(indent=1) + "\n", encoding="utf-8")
        draft.replace(file)

    def read(self, result: EpisodeResult) -> EpisodeWorth | None:
        """What was stored of the steps of the episode of *result*; None if nothing was, or if it
        cannot be used."""
        try:
            return self.check(result)
        except UnusableWorth:
            return None

    def check(self, result: EpisodeResult) -> EpisodeWorth | None:
        """What was stored of the steps of the episode of *result*, None if nothing was.

        Raises UnusableWorth for a file that cannot be read, of another world, or of another folder.
        """
        file = self._file(result.episode)
        name = f"{file.parent.name}/{file.name}"
        if file.is_file() and own_file(self._run, name) is None:
            raise UnusableWorth(f"{name} is not in the folder of the run, but a link out of it.")
        try:
            worth = EpisodeWorth.model_validate_json(file.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UnusableWorth(f"{name} cannot be read: {error.strerror}.") from None
        except ValidationError:
            raise UnusableWorth(f"{name} is damaged or of another version.") from None
        if worth.digest != result.digest:
            raise UnusableWorth(f"{name} is of another world: the episode was run again since.")
        return worth

    def _file(self, episode: str) -> Path:
        return self._run / "worth" / f"{episode}.json"
