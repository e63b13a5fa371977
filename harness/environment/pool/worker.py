"""The form of a pool's workers, of their start, and of their death."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from trainee_bench.harness.environment.pool.requests import PackedAnswer, PackedRequest


class PoolWorker(Protocol):
    """A process with days, on this machine or a node of a cluster."""

    @property
    def started(self) -> bool:
        """Whether it works requests at once. Otherwise they wait until it does."""

    def send(self, requests: Sequence[PackedRequest]) -> None:
        """Hand *requests* over."""

    def close(self) -> None:
        """End it with its days."""


@dataclass(frozen=True)
class Death:
    """The loss of a worker that died by itself, and the reason, if it is known.

    ``lost`` is the worker alone, or something that it shared with others, such as the id of its
    node: their deaths then count as one.
    """

    lost: object
    reason: str = ""


class Died(Protocol):
    """Called with a worker that has died; without a *death*, the worker alone is lost."""

    def __call__(self, worker: Any, death: Death | None = None, /) -> None:
        """Begin the days of *worker* in other workers."""


class StartWorker(Protocol):
    """Starts a worker at once, given what gets its answers and what is called when it has died."""

    def __call__(
        self, answered: Callable[[Sequence[PackedAnswer]], None], died: Died, /
    ) -> PoolWorker:
        """Return the worker, which may still be starting."""
