"""The part of a plan that makes its run a climb: how worlds are chosen, and when it ends.

The plan of a climb grows by a round of worlds at a time. The sizes of a round follow from the
results of the rounds before it, so anybody can check them.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from trainee_bench.harness.records.frozen_model import FrozenModel
from trainee_bench.meta_tasks.task_context import Modality

WORLDS_PER_SEED = 1_000
"""The number of worlds that a climb can have: none is shared with a climb of another seed."""
SEEDS_PER_WORLD = 3
"""How many seeds are tried for a world, since a few seeds give none."""
_APART = 10**9


class ClimbLimits(FrozenModel):
    """The limits that end a climb; None means no limit. They may be changed between rounds.

    ``tokens`` and ``cost_usd`` are totals over all episodes. ``factor`` is how many times the lower
    bound of the capacity the upper one may be.
    """

    episodes: int = Field(default=40, ge=1, lt=WORLDS_PER_SEED)
    tokens: int | None = Field(default=None, ge=1)
    cost_usd: float | None = Field(default=None, gt=0)
    factor: float = Field(default=3.0, gt=1)


class Climb(FrozenModel):
    """The settings of a climb, and the number of worlds in each of its ``rounds`` so far.

    ``benchmark`` names the benchmark whose worlds it takes; "" means worlds generated from ``seed``
    and ``salt``. ``batch`` is the number of worlds in a round.
    """

    seed: int = Field(default=0, ge=0, lt=_APART // WORLDS_PER_SEED - 1)
    salt: str = Field(default="", pattern=r"^([0-9a-f]{32})?$")
    benchmark: str = ""
    modality: Modality | None = None
    batch: int = Field(default=4, ge=1)
    limits: ClimbLimits = ClimbLimits()
    rounds: tuple[Annotated[int, Field(ge=1)], ...] = ()

    @property
    def worlds(self) -> int:
        """The number of worlds so far."""
        return sum(self.rounds)

    def world_seed(self, number: int, attempt: int = 0) -> int:
        """Return the seed of world *number*, from 0; *attempt* counts the seeds that gave none.

        The first thousand seeds are those of no climb: `ladder-core` has the worlds of some.
        """
        return WORLDS_PER_SEED * (self.seed + 1) + number + _APART * attempt
