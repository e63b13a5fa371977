"""Which days an agent may remember in the process that worked them.

A user's own code may keep what it saw in its process, so no process works a day twice with the
same agent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from trainee_bench.harness.agents.runtime.runner import forgets
from trainee_bench.harness.batch.executors.executor import DaySequences
from trainee_bench.harness.records.plan import EpisodeSpec

RememberedDay: TypeAlias = tuple[str, str, int]
"""An agent, a scenario and the number of a day."""


def remembered_days(episodes: Sequence[EpisodeSpec]) -> frozenset[RememberedDay]:
    """What a process may remember of *episodes*, a day sequence; nothing of built-in agents and
    of commands, which run in processes of their own."""
    agent = episodes[0].agent_config
    if agent.command is not None or forgets(agent):
        return frozenset()
    return frozenset((agent.name, one.scenario.name, one.day) for one in episodes)


def repeats_remembered_days(sequences: DaySequences) -> bool:
    """Whether one process cannot work all of *sequences*."""
    seen: set[RememberedDay] = set()
    for episodes in sequences:
        days = remembered_days(episodes)
        if days & seen:
            return True
        seen |= days
    return False
