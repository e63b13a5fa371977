"""The day that an agent's schedule is compared with: the oracle's own, worked in this process.

On a day with more work than hours, the oracle works the best plan.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from trainee_bench.harness.agents.builtin.oracle import OracleFailed
from trainee_bench.harness.agents.runtime.in_process_episode import run_agent_on_day
from trainee_bench.harness.records.schedule_figures import ScheduleFigures
from trainee_bench.harness.scheduling.measure import MeasuredDay, measure_day
from trainee_bench.harness.testbench.staged_day import cache_latest, stage_day
from trainee_bench.mcp_servers.verifier import grade_world
from trainee_bench.meta_tasks.composed_day import ComposedDay

_REFERENCES: dict[str, ReferenceDay] = {}


@dataclass(frozen=True)
class ReferenceDay:
    """The oracle's day: what a picture shows of it, and its figures with their value."""

    day: MeasuredDay
    figures: ScheduleFigures


async def reference_day(composition: ComposedDay) -> ReferenceDay:
    """The oracle's day of *composition*. The latest are cached, as several agents share a day."""
    return await agent_day("oracle", composition)


async def agent_day(agent: str, composition: ComposedDay) -> ReferenceDay:
    """The day of a built-in *agent*, worked in this process, measured and graded."""
    key = f"{agent} {composition.scenario_day.model_dump_json()}"
    if key not in _REFERENCES:
        staged = await stage_day(composition)
        async with staged.world:
            with contextlib.suppress(OracleFailed):
                await run_agent_on_day(agent, staged)
            measured = await measure_day(staged.world, composition)
            graded = (await grade_world(staged.world)).tasks
        figures = measured.with_grades(graded, composition.spec.best_worth)
        cache_latest(_REFERENCES, key, ReferenceDay(measured, figures))
    return _REFERENCES[key]
