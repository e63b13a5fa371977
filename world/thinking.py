"""The time that the employee's thinking takes, as an action of the world itself.

A run may let thinking take time. Then the world lets minutes pass before the calls of a turn, and
events that are due meanwhile happen. The log has the minutes, so a replay needs neither the model
nor the settings of the run.
"""

from __future__ import annotations

from functools import partial

from pydantic import BaseModel, ConfigDict, Field

from trainee_bench.world.transaction import Result, Transaction, add_minutes
from trainee_bench.world.world import ActionResult, World

THINK = "world_think"
"""The name of this action in the log; no agent is offered it."""
MOST_MINUTES = 24 * 60
"""More than any working day has."""


class ThinkingTime(BaseModel):
    """The minutes that a thought takes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    minutes: int = Field(ge=1, le=MOST_MINUTES, strict=True)


async def think(world: World, time: ThinkingTime) -> ActionResult[ThinkingTime]:
    """Let *time* pass, but at most until the working day ends.

    *world* itself acts, and logs it. The employee gets the notices of these minutes with the next
    result.
    """
    verb = partial(_think, time=time)
    return await world.execute("", THINK, time.model_dump(), verb, minutes=0)


def _think(tx: Transaction, time: ThinkingTime) -> Result[ThinkingTime]:
    tx.extend_until(min(add_minutes(tx.now, time.minutes), tx.day.ends))
    return Result(f"{time.minutes} min of thinking.", time)
