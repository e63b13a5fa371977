"""Days with the oracle's calls, as messages for the OpenEnv server, and the digest after each call.

The calls are the mix of `benchmarks/load.py` and `benchmarks/faults.py`. The digests come from the
same calls on a `Day` in process that nothing interrupts.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import anyio
from pydantic import BaseModel

from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.environment.day import Day
from trainee_bench.harness.integrations.training.splits import SplitOptions
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.meta_tasks.kept_days import composed
from trainee_bench.meta_tasks.scenario import ScenarioDay

SPLIT = "core-50"
DAYS = 8
"""How many days the sessions work; session n begins with day n modulo this number."""


class Comparison(NamedTuple):
    """How many answered steps a server does not have, and whether its world is the right one."""

    lost: int
    equal: bool


class ScriptedDay(BaseModel):
    """Day *index* of SPLIT: its calls as messages, and the world's digest after so many of them.

    ``digests`` has one entry more than ``messages``: the first is that of the morning.
    """

    index: int
    messages: list[str]
    digests: list[str]

    def compare(self, answered: int, steps: int, digest: str) -> Comparison:
        """Compare a server's number of *steps* and *digest* with the steps that it *answered*."""
        equal = steps < len(self.digests) and self.digests[steps] == digest
        return Comparison(max(0, answered - steps), equal)


def scripted_days(count: int = DAYS) -> tuple[list[ScriptedDay], dict[str, int]]:
    """Return the first *count* days of SPLIT, and how often they call each tool."""
    split = SplitOptions(split=SPLIT).open()
    days, tools = list[ScriptedDay](), Counter[str]()
    for index in range(count):
        given = split.day(index)
        composition = composed(given.scenario, given.day)
        log = anyio.run(run_in_process, "oracle", composition).log
        calls = [ToolCall(entry.tool, entry.arguments) for entry in log if entry.actor]
        days.append(_scripted(index, given, calls))
        tools.update(call.name for call in calls)
    return days, dict(tools.most_common())


def _scripted(index: int, given: ScenarioDay, calls: Sequence[ToolCall]) -> ScriptedDay:
    day = Day(given.scenario, given.day)
    day.reset()
    try:
        digests = [day.digest()]
        for call in calls:
            day.step([call])
            digests.append(day.digest())
    finally:
        day.close()
    return ScriptedDay(index=index, messages=[_message(call) for call in calls], digests=digests)


def _message(call: ToolCall) -> str:
    action = {"type": "call_tool", "tool_name": call.name, "arguments": dict(call.arguments)}
    return json.dumps({"type": "step", "data": action})
