"""The days of a split as tasks of verifiers."""

from __future__ import annotations

from collections.abc import Iterator

from anyio import to_thread
from verifiers import v1 as vf

from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.environment.morning import begun_morning
from trainee_bench.harness.integrations.training.splits import SplitOptions, describe_day
from trainee_bench.harness.integrations.verifiers.toolset import (
    OfficeState,
    OfficeToolset,
    OfficeToolsetConfig,
)
from trainee_bench.meta_tasks.kept_days import composed
from trainee_bench.meta_tasks.scenario import ScenarioDay

__all__ = ["OfficeTask", "OfficeTaskData", "OfficeTaskset", "OfficeTasksetConfig"]


class OfficeTaskData(vf.TaskData):
    """A day. Only ``prompt`` is for the agent; its tasks follow from ``day``."""

    day: str
    """The `ScenarioDay` as JSON."""
    rules: tuple[str, ...]
    families: tuple[str, ...]
    labels: tuple[str, ...]


class OfficeTask(vf.Task[OfficeTaskData, OfficeState]):
    """A day to work; its reward is the day's score."""

    async def setup(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        """Tell the tool server which rollout this is and which day it works."""
        trace.state.rollout = trace.id
        trace.state.day = self.data.day

    async def finalize(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        """Record the reward of each call in the trace, which does not keep the state."""
        state: OfficeState = trace.state
        trace.info["rewards"] = {str(call): reward for call, reward in state.rewards.items()}
        if state.digest:
            trace.info["digest"], trace.info["arrived"] = state.digest, state.arrived

    @vf.stop
    async def day_is_over(self, trace: vf.Trace) -> bool:
        """Return whether the working day has ended."""
        return bool(trace.state.done)

    @vf.reward(weight=1.0)
    async def day_score(self, trace: vf.Trace) -> float:
        """Return the day's score, from 0 to 1: the sum of the rewards of all calls."""
        return float(trace.state.score)

    @vf.metric
    async def success(self, trace: vf.Trace) -> float:
        """Return 1 if every task is complete, else 0."""
        return float(trace.state.success)

    @vf.metric
    async def calls(self, trace: vf.Trace) -> float:
        """Return the number of calls that reached the office, without those that the client
        refused."""
        return float(trace.state.calls)

    async def validate(self, runtime: vf.Runtime) -> bool:
        """Return whether the oracle earns the full score."""
        given = ScenarioDay.model_validate_json(self.data.day)
        composition = await to_thread.run_sync(composed, given.scenario, given.day)
        return (await run_in_process("oracle", composition)).grade.score == 1


class OfficeTasksetConfig(SplitOptions, vf.TasksetConfig):
    """The settings under ``--env.taskset``: the split and the options for drawing its days."""

    tools: OfficeToolsetConfig = OfficeToolsetConfig()
    """The tool server that all rollouts share."""


class OfficeTaskset(vf.Taskset[OfficeTask, OfficeTasksetConfig]):
    """The days of a split; endless if the split is endless. Each day is composed only on request,
    since its prompt names its tasks."""

    def __init__(self, config: OfficeTasksetConfig):
        super().__init__(config)
        self._split = config.open()
        self.INFINITE = self._split.size is None

    def load(self) -> Iterator[OfficeTask]:
        """Yield the days one by one."""
        for index, given in enumerate(self._split):
            card = describe_day(self.config.split, index, given)
            data = OfficeTaskData(
                id=card.id,
                name=card.id,
                prompt=begun_morning(given).start.prompt,
                day=given.model_dump_json(exclude_defaults=True),
                rules=card.rules,
                families=card.families,
                labels=card.labels,
            )
            yield OfficeTask(data, self.config.task)

    @classmethod
    def toolsets(cls, config: OfficeTasksetConfig) -> list[vf.Toolset]:
        """Return one tool server for all rollouts."""
        return [OfficeToolset(config.tools)]
