"""The requests of a pool to its workers, and their answers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from trainee_bench.harness.environment.day import Start
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.meta_tasks.scenario import ScenarioDay


@dataclass(frozen=True)
class BeginDay:
    """Begin *given*, or go on where *snapshot* was taken, and then repeat *calls*.

    The answer is a `BegunDay`.
    """

    day: int
    given: ScenarioDay
    rewards: bool
    snapshot: bytes | None = None
    calls: tuple[tuple[ToolCall, ...], ...] = ()


@dataclass(frozen=True)
class BegunDay:
    """A day as it stands when it has begun: what an agent is told, the simulated time, whether the
    working day is over, and the score, 0.0 without rewards."""

    start: Start
    now: datetime
    done: bool
    score: float


@dataclass(frozen=True)
class StepDay:
    """Make *calls*. The answer is a `Turn`."""

    day: int
    calls: tuple[ToolCall, ...]


@dataclass(frozen=True)
class GradeDay:
    """Grade the day as it stands. The answer is a `DayGrade`."""

    day: int


@dataclass(frozen=True)
class ReviewDay:
    """Grade the day as it stands, and hash its world. The answer is a `DayGrade` and a digest."""

    day: int


@dataclass(frozen=True)
class SnapshotDay:
    """Save the day as it stands. The answer is the bytes of `Day.snapshot`."""

    day: int


@dataclass(frozen=True)
class DigestDay:
    """Hash the world's state. The answer is a digest."""

    day: int


@dataclass(frozen=True)
class CloseDay:
    """Free the day. The answer is None."""

    day: int


Request = BeginDay | StepDay | GradeDay | ReviewDay | SnapshotDay | DigestDay | CloseDay


@dataclass(frozen=True)
class DayAnswer:
    """The answer to the request *number*: a value, or what was raised."""

    number: int
    value: object = None
    error: BaseException | None = None
