"""The worth of each step of an episode, as stored with a run.

`harness/worth` computes it, and docs/how_it_works/worth.md defines each figure.
"""

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
    """The stored worth of an episode cannot be used; the message says why."""


class LossOrigin(StrEnum):
    """The causes of lost points."""

    NEVER_BEGUN = "never begun"
    IDLE = "deadline passed while idle"
    BUSY = "deadline passed while busy"
    THINKING = "deadline passed while thinking"
    MISSED = "appointment missed"
    STOPPED = "work ended early"
    NEVER_ASKED = "clue never asked for"
    WRONG = "wrong value handed in"
    HARM = "harm"


class WorthPoint(FrozenModel):
    """The score still possible after a step.

    ``step`` is the number of the action in the world's log, 0 before the first. ``did`` describes
    it, and ``at`` is the time after it. ``value`` is the best score known to have been possible
    from here. No agent could have exceeded ``at_most``, so the value is exact if the two are equal.
    ``tasks`` has the scores of the tasks in that outcome, ``successes`` the tasks that succeed, and
    ``harm`` what could no longer be undone, by task.
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
    """The cost of a step on one task.

    ``lost`` is a part of the task's own score; it is negative if the task gains in the outcome that
    was best from here. ``share`` is the same as a part of the day's score. ``checkpoints`` has the
    sentences of the checkpoints that could no longer be met. ``origin`` is the cause.
    """

    task: str
    lost: float
    share: float
    checkpoints: tuple[str, ...]
    success_lost: bool
    origin: LossOrigin


class StepLoss(FrozenModel):
    """A step that cost something.

    ``step`` is its number in the world's log, None for the end of the work. ``did`` describes it,
    and ``lost`` is how much of the day's score it cost.
    """

    step: int | None
    at: datetime
    did: str
    lost: float
    tasks: tuple[TaskLoss, ...]
    harm: tuple[str, ...]


class DecisionKind(StrEnum):
    """How a missed checkpoint was decided."""

    DONE = "done"
    """A step did something, mostly a write, and nothing has corrected it since."""
    HANDED_IN = "handed in"
    """The task was handed in without it."""
    LOST = "lost"
    """It was met until time passed or the company did something."""


APPOINTMENT_CHECKS = frozenset({"punctual", "present", "heard", "kept"})
"""Checkpoints that require being somewhere at a certain time."""


class CheckpointDecision(FrozenModel):
    """The decision on a missed checkpoint: its verdict did not change after ``step``.

    ``did`` describes the step in words. ``handed_in`` is the last accepted submission, if it is
    this step or a later one.
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

    ``digest`` is that of the world from which it was computed. ``points`` has one point before the
    first action and one after each; ``end`` is the outcome of the day. ``decisions`` tell where
    missed checkpoints were decided. ``cautions`` are reasons why values may be too low on this day.
    ``forks`` is the number of copies that were finished.
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
        """Return whether a loss is certainly right: the values before and after it are exact."""
        if loss.step is None:
            return self.points[-1].is_exact
        return self.points[loss.step - 1].is_exact and self.points[loss.step].is_exact

    def rewards(self) -> list[float]:
        """Return how much each action changed the value.

        The sum of these and the loss at the end is the final score less the value at the start.
        """
        values = [point.value for point in self.points]
        return [after - before for before, after in pairwise(values)]


class StoredWorths:
    """The worths stored in the folder *run*."""

    def __init__(self, run: Path):
        self._run = run

    def write(self, worth: EpisodeWorth) -> None:
        """Store the worth of the steps of an episode, whole or not at all.

        Raises LinkOut if the file would be outside of the run's folder.
        """
        file = self._file(worth.episode)
        draft = file.with_suffix(".draft")
        refuse_link_out(self._run, draft)
        file.parent.mkdir(exist_ok=True)
        draft.write_text(worth.model_dump_json(indent=1) + "\n", encoding="utf-8")
        draft.replace(file)

    def read(self, result: EpisodeResult) -> EpisodeWorth | None:
        """Return the stored worth of the episode of *result*; None if there is none or it is
        unusable."""
        try:
            return self.check(result)
        except UnusableWorth:
            return None

    def check(self, result: EpisodeResult) -> EpisodeWorth | None:
        """Return the stored worth of the episode of *result*; None if there is none.

        Raises UnusableWorth for a file that cannot be read, is of another world, or is in another
        folder.
        """
        file = self._file(result.episode)
        name = f"{file.parent.name}/{file.name}"
        if file.is_file() and own_file(self._run, name) is None:
            raise UnusableWorth(f"{name} is not in the folder of the run: it is a link out of it.")
        try:
            worth = EpisodeWorth.model_validate_json(file.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UnusableWorth(f"{name} cannot be read: {error.strerror}.") from None
        except ValidationError:
            raise UnusableWorth(f"{name} is damaged or of another version.") from None
        if worth.digest != result.digest:
            raise UnusableWorth(
                f"{name} belongs to another world: the episode was run again since."
            )
        return worth

    def _file(self, episode: str) -> Path:
        return self._run / "worth" / f"{episode}.json"
