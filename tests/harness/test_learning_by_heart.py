"""Feedback and hints teach, and give no answer away."""

from __future__ import annotations

import pytest

from harness.agents.memoriser import OBSERVED, Memoriser
from harness.certificate.discretion import certify_discretion
from harness.doors import SeatDoor
from harness.in_process import stage_day
from harness.prompt import prompt
from harness.rehearsal import grade_of
from harness.workplace import Limits, Workplace
from mcp_servers.verifier import grade_world
from meta_tasks.benchmark import shipped_benchmark
from meta_tasks.composition import Composition, compose
from meta_tasks.families import discover
from meta_tasks.grade import feedback
from meta_tasks.scenario import Scenario

ONE_OF_EACH = [family.rules()[-1].id for family in discover().values()]
TWO_DAYS = shipped_benchmark("continual-50").scenarios[:6]


@pytest.mark.parametrize("rule", ONE_OF_EACH)
async def test_the_first_two_tiers_of_hints_and_feedback_do_not_contain_the_answer(
    rule: str,
) -> None:
    claim = await certify_discretion(rule, range(3))
    assert claim.holds, claim.broken


async def score_with(memory: str, composition: Composition) -> float | None:
    day = await stage_day(composition)
    async with day.world:
        limits = Limits(steps=200)
        said = await day.world.look(lambda turn: prompt(turn, limits))
        door = SeatDoor(day.seat)
        office = Workplace(door, door.tools({}), said, composition.day, limits)
        await Memoriser(memory).work(office)
        return (await grade_world(day.world)).score


@pytest.mark.parametrize("scenario", TWO_DAYS, ids=lambda scenario: scenario.name)
async def test_who_learns_the_first_days_feedback_by_heart_gains_nothing_on_the_second(
    scenario: Scenario,
) -> None:
    first, second = compose(scenario, 0), compose(scenario, 1)
    said = [
        feedback(grade, tier=3)
        for agent in OBSERVED
        for grade in (await grade_of(agent, first)).tasks
    ]
    assert await score_with("\n".join(said), second) == 0
