"""The days of a split as tasks of verifiers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anyio import to_thread
from pydantic import Field
from verifiers import v1 as vf

from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.environment.morning import begun_morning
from trainee_bench.harness.environment.pool.day_pool import MOST_OPEN
from trainee_bench.harness.integrations.training.splits import (
    DayCard,
    SplitOptions,
    describe_day,
)
from trainee_bench.harness.integrations.verifiers.calls_socket import socket_of
from trainee_bench.harness.integrations.verifiers.seat import OfficeSeat, office_seat
from trainee_bench.harness.integrations.verifiers.toolset import (
    OfficeState,
    OfficeToolset,
    OfficeToolsetConfig,
)
from trainee_bench.meta_tasks.kept_days import composed
from trainee_bench.meta_tasks.scenario import ScenarioDay

__all__ = [
    "OfficeTask",
    "OfficeTaskConfig",
    "OfficeTaskData",
    "OfficeTaskset",
    "OfficeTasksetConfig",
]


class OfficeTaskData(vf.TaskData):
    """A day. Only ``prompt`` is for the agent; its tasks follow from ``day``."""

    day: str
    """The `ScenarioDay` as JSON."""
    split: str
    rules: tuple[str, ...]
    families: tuple[str, ...]
    labels: tuple[str, ...]


class OfficeTaskConfig(vf.TaskConfig):
    """The settings under ``--env.taskset.task``: where the days of all rollouts are worked."""

    processes: int = Field(default=1, ge=1)
    """How many processes stage and step the days, for each process of verifiers."""
    most_open: int = Field(default=MOST_OPEN, ge=1)
    """How many rollouts may have a day at once, at some 0.5 MB each. Further ones wait."""

    def seat(self) -> OfficeSeat:
        """Return the seat of the running event loop with these settings."""
        return office_seat(processes=self.processes, most_open=self.most_open)


class OfficeTask(vf.Task[OfficeTaskData, OfficeState, OfficeTaskConfig]):
    """A day to work; its reward is the day's score."""

    async def setup(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        """Begin the rollout's day, off the event loop."""
        data = self.data
        card = DayCard(
            id=data.id or "",
            split=data.split,
            index=data.idx or 0,
            rules=data.rules,
            families=data.families,
            labels=data.labels,
        )
        given = ScenarioDay.model_validate_json(data.day)
        await self.config.seat().begin(trace, given, card)

    async def finalize(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        """Grade and free the day, and record its result in the trace."""
        standing = await self.config.seat().finish(trace.id)
        trace.info |= {
            "score": standing.score,
            "success": standing.success,
            "done": standing.done,
            "digest": standing.digest,
            "rewards": {str(call): reward for call, reward in standing.rewards.items()},
            "arrived": [[call.name, dict(call.arguments)] for call in standing.calls],
        }

    @vf.stop
    async def day_is_over(self, trace: vf.Trace) -> bool:
        """Return whether the working day has ended."""
        return self.config.seat().is_over(trace.id)

    @vf.reward(weight=1.0)
    async def day_score(self, trace: vf.Trace) -> float:
        """Return the day's score, from 0 to 1: the sum of the rewards of all calls."""
        return float(_result(trace, "score"))

    @vf.metric
    async def success(self, trace: vf.Trace) -> float:
        """Return 1 if every task is complete, else 0."""
        return float(_result(trace, "success"))

    @vf.metric
    async def calls(self, trace: vf.Trace) -> float:
        """Return the number of calls that reached the office, without those that the client
        refused."""
        return float(len(_result(trace, "arrived")))

    async def validate(self, runtime: vf.Runtime) -> bool:
        """Return whether the oracle earns the full score."""
        given = ScenarioDay.model_validate_json(self.data.day)
        composition = await to_thread.run_sync(composed, given.scenario, given.day)
        return (await run_in_process("oracle", composition)).grade.score == 1


class OfficeTasksetConfig(SplitOptions, vf.TasksetConfig):
    """The settings under ``--env.taskset``: the split and the options for drawing its days."""

    task: OfficeTaskConfig = OfficeTaskConfig()
    """The processes and the room of the days."""
    tools: OfficeToolsetConfig = OfficeToolsetConfig()
    """The tool server that all rollouts share, for programs that speak MCP."""


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
                split=card.split,
                rules=card.rules,
                families=card.families,
                labels=card.labels,
            )
            yield OfficeTask(data, self.config.task)

    @classmethod
    def toolsets(cls, config: OfficeTasksetConfig) -> list[vf.Toolset]:
        """Return one tool server for all rollouts, which reaches the seat of this process."""
        path = socket_of(config.task.seat())
        return [OfficeToolset(config.tools.model_copy(update={"seat": path}))]


def _result(trace: vf.Trace, name: str) -> Any:
    """Return a part of what `finalize` recorded. Raises TaskError if it did not end."""
    if name not in trace.info:
        raise vf.TaskError(
            "the day was not graded, because finalize did not end; raise "
            "--env.agent.timeout.finalize"
        )
    return trace.info[name]
