"""Feedback teaches, and learning it by heart gains nothing."""

from __future__ import annotations

import pytest

from tests import quick_round
from trainee_bench.harness.agents.cheats.memoriser import OBSERVED_AGENTS, Memoriser
from trainee_bench.harness.agents.runtime.in_process_episode import cached_grade
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.harness.session.prompt import build_prompt
from trainee_bench.harness.session.tool_transports import InProcessToolTransport
from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.mcp_servers.verifier import grade_world
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.grade import feedback
from trainee_bench.meta_tasks.scenario import Scenario

TWO_DAYS = load_shipped_benchmark("continual-50").scenarios[:6]


async def score_with(memory: str, composition: ComposedDay) -> float | None:
    day = await stage_day(composition)
    async with day.world:
        limits = EpisodeLimits(steps=200)
        said = await day.world.read(lambda tx: build_prompt(tx, limits))
        transport = InProcessToolTransport(day.seat)
        session = AgentSession(transport, transport.tools({}), said, composition.day, limits)
        await Memoriser(memory).work(session)
        return (await grade_world(day.world)).score


@pytest.mark.parametrize(
    "scenario", quick_round.quick_first(TWO_DAYS, 3), ids=lambda scenario: scenario.name
)
async def test_who_learns_the_first_days_feedback_by_heart_gains_nothing_on_the_second(
    scenario: Scenario,
) -> None:
    first, second = compose_day(scenario, 0), compose_day(scenario, 1)
    said = [
        feedback(grade, tier=3)
        for agent in OBSERVED_AGENTS
        for grade in (await cached_grade(agent, first)).tasks
    ]
    assert await score_with("\n".join(said), second) == 0
