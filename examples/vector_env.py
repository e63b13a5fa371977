"""Several days as one vector environment, which `gymnasium.make_vec` makes if it is installed.

    python examples/vector_env.py

A day that is over begins anew with the next step, as in Gymnasium's mode NEXT_STEP.
"""

import numpy as np

from trainee_bench.harness.environment.pool.day_pool import DayPool
from trainee_bench.harness.integrations.training.splits import SplitOptions
from trainee_bench.harness.session.turns import ToolCall

try:
    import gymnasium
except ModuleNotFoundError:
    gymnasium = None


class OfficeVectorEnv(gymnasium.vector.VectorEnv if gymnasium else object):
    """Days of a split in two processes; `DayPool.on_ray()` would put them on a cluster."""

    def __init__(self, num_envs: int = 2, split: str = "quickstart"):
        self.num_envs, self._split = num_envs, SplitOptions(split=split).open()
        self._pool, self._days = DayPool(2), []

    def reset(self, *, seed: int | None = None, options: object = None) -> tuple[tuple, dict]:
        """Begin the first days; return their prompts, and the tools. Nothing is drawn by *seed*."""
        self._pool.close_many(self._days)
        self._days = self._pool.reset_many(self._split.day(n) for n in range(self.num_envs))
        return tuple(day.start.prompt for day in self._days), {"tools": self._days[0].start.tools}

    def step(self, actions: list[list[ToolCall]]) -> tuple:
        """Make a list of calls on each day; a day that is over begins anew instead."""
        going = [n for n, day in enumerate(self._days) if not day.done]
        turns = self._pool.step_many((self._days[n], actions[n]) for n in going)
        for n in set(range(self.num_envs)).difference(going):
            self._pool.close_many([self._days[n]])
            (self._days[n],) = self._pool.reset_many([self._days[n].given])
        texts, rewards = [day.start.prompt for day in self._days], np.zeros(self.num_envs)
        for n, turn in zip(going, turns, strict=True):
            texts[n], rewards[n] = turn.answers[-1].text, turn.reward
        done = np.array([day.done for day in self._days])
        return tuple(texts), rewards, done, np.zeros(self.num_envs, bool), {}

    def close(self, **_: object) -> None:
        """End the processes."""
        self._pool.close()


if __name__ == "__main__":
    if gymnasium:
        gymnasium.register("TraineeBench-v0", vector_entry_point=OfficeVectorEnv)
    env = gymnasium.make_vec("TraineeBench-v0", 2) if gymnasium else OfficeVectorEnv(2)
    env.reset()
    for tool in ("desk_tasks", "desk_finish_day", "desk_now"):
        texts, rewards, done, *_ = env.step([[ToolCall(tool, {})], [ToolCall("desk_now", {})]])
        print(tool, "->", texts[0].splitlines()[0], rewards, done)
    env.close()
