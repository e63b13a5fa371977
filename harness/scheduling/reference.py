"""The days that an agent's schedule is compared with: the oracle's own, worked in this process.

On a day with more work than hours, the oracle works the best plan.
"""

from __future__ import annotations

from dataclasses import dataclass

from trainee_bench.harness.agents.builtin.oracle import OracleFailed
from trainee_bench.harness.agents.runtime.in_process_episode import run_agent_on_day
from trainee_bench.harness.records.schedule_figures import ScheduleFigures
from trainee_bench.harness.scheduling.measure import MeasuredDay, add_values, measure_days
from trainee_bench.harness.testbench.staged_day import cache_latest, stage_day
from trainee_bench.mcp_servers.verifier import grade_world
from trainee_bench.meta_tasks.composed_day import ComposedDay

_REFERENCES: dict[str, tuple[ReferenceDay, ...]] = {}


@dataclass(frozen=True)
class ReferenceDay:
    """A day of the oracle: what a picture shows of it, and its figures with their value."""

    day: MeasuredDay
    figures: ScheduleFigures


async def reference_days(composition: ComposedDay) -> tuple[ReferenceDay, ...]:
    """The oracle's day, or each day of its week. The latest are cached, as several agents share a
    day."""
    return await agent_days("oracle", composition)


async def agent_days(agent: str, composition: ComposedDay) -> tuple[ReferenceDay, ...]:
    """The day, or each day of the week, of a built-in *agent*: worked in this process, measured and
    graded."""
    key = f"{agent} {composition.scenario_day.model_dump_json()}"
    if key not in _REFERENCES:
        staged = await stage_day(composition)
        async with staged.world:
            await run_agent_on_day(agent, staged, OracleFailed)
            measured = await measure_days(staged.world, composition)
            graded = (await grade_world(staged.world)).tasks
        figures = add_values(composition, measured, graded)
        worked = tuple(ReferenceDay(*one) for one in zip(measured, figures, strict=True))
        cache_latest(_REFERENCES, key, worked)
    return _REFERENCES[key]
