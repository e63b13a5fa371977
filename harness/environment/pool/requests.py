"""The requests of a pool to its workers, and their answers.

Each travels as bytes of its own, so that one that cannot be read harms no other.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from trainee_bench.harness.environment.day import Start
from trainee_bench.harness.environment.pool.errors import NotTransferable
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.meta_tasks.scenario import ScenarioDay


@dataclass(frozen=True)
class BeginDay:
    """Begin *given*, or go on where *snapshot* was taken, and then repeat *calls*.

    *offices* are the folders of the own offices that are open where the day was asked for. The
    answer is a `BegunDay`.
    """

    day: int
    given: ScenarioDay
    rewards: bool
    snapshot: bytes | None = None
    calls: tuple[tuple[ToolCall, ...], ...] = ()
    offices: tuple[str, ...] = ()


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


PackedRequest = tuple[int, bytes]
"""The number of a request, and the request as bytes."""
PackedAnswer = tuple[int, bytes]
"""The number of a request, and its `DayAnswer` as bytes."""


def pack_request(request: Request) -> bytes:
    """Return *request* as bytes. Raises NotTransferable."""
    try:
        return pickle.dumps(request, pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise NotTransferable(
            f"this {type(request).__name__} cannot be sent to a worker: {_told(error)}"
        ) from error


def unpack_request(packed: bytes) -> Request:
    """Return the request of *packed*. Raises NotTransferable."""
    try:
        request: Request = _read(packed)
    except Exception as error:
        raise NotTransferable(f"a worker cannot read this request: {_told(error)}") from error
    return request


def own_calls(calls: Iterable[ToolCall]) -> tuple[ToolCall, ...]:
    """Return a copy of *calls*, which no later change of their arguments reaches.

    Raises NotTransferable for arguments that are no JSON.
    """
    own = []
    for call in calls:
        try:
            arguments = deepcopy(dict(call.arguments))
            json.dumps(arguments)
        except Exception as error:
            raise NotTransferable(
                f"the arguments of {call.name} are no JSON, so no worker can get them: "
                f"{_told(error)}"
            ) from error
        own.append(ToolCall(call.name, arguments))
    return tuple(own)


def pack_answer(answer: DayAnswer) -> PackedAnswer:
    """Return *answer* as bytes; one that cannot be sent becomes a NotTransferable."""
    try:
        packed = pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)
        if answer.error is not None:
            _read(packed)  # many an error is written, but cannot be read again
    except Exception as error:  # noqa: BLE001 - it is told to whoever asked
        kept = f"it raised {_told(answer.error)}, but " if answer.error is not None else ""
        lost = NotTransferable(f"{kept}the worker cannot send the answer: {_told(error)}")
        packed = pickle.dumps(DayAnswer(answer.number, error=lost), pickle.HIGHEST_PROTOCOL)
    return answer.number, packed


def unpack_answer(answer: PackedAnswer) -> DayAnswer:
    """Return the answer; one that cannot be read becomes a NotTransferable."""
    number, packed = answer
    try:
        read: DayAnswer = _read(packed)
    except Exception as error:  # noqa: BLE001 - it is told to whoever asked
        lost = NotTransferable(f"the worker's answer cannot be read: {_told(error)}")
        return DayAnswer(number, error=lost)
    return read


def _read(packed: bytes) -> Any:
    return pickle.loads(packed)  # noqa: S301 - it comes from the processes of this pool alone


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
