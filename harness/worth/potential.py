"""The value of a day that is being worked in this process, as a potential for shaping rewards.

before = still_reachable(day).grade.score
day.step(calls)
shaped = still_reachable(day).grade.score - before
"""

from __future__ import annotations

from trainee_bench.harness.environment.day import Day
from trainee_bench.harness.testbench.finishing import FinishedDay, finish_day
from trainee_bench.world.inline import complete
from trainee_bench.world.world import World


def still_reachable(day: Day) -> FinishedDay:
    """What comes of *day* if an honest worker goes on from here, in a copy; it takes 0.02 to 0.5 s.

    Its score is one outcome, not the best of all later ones as in `worth`, for these are not known
    yet: where the worker is slower than the agent, it may rise later. Raises DayNotBegun.
    """
    snapshot = day.snapshot()
    world = World.deserialize_inline(snapshot.world)
    try:
        return complete(finish_day(world, day.composition, snapshot.settled))
    finally:
        complete(world.close())
