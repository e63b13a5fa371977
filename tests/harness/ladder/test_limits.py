"""The limits of a climb: which one ends it, and what a budget foresees."""

from __future__ import annotations

import pytest

from tests.harness.builders import episode, plan, task
from trainee_bench.harness.ladder.document import climb_document
from trainee_bench.harness.ladder.state import ClimbEnd, ClimbState
from trainee_bench.harness.records.climb import Climb, ClimbLimits
from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec


def climb_plan(sizes: list[int], **limits: object) -> RunPlan:
    scenarios = [
        Scenario(
            name=f"w{number}",
            days=(DaySpec(tasks=tuple(TaskSpec(rule="kb_fix.easy") for _ in range(size))),),
        )
        for number, size in enumerate(sizes)
    ]
    climb = Climb(rounds=(len(sizes),), limits=ClimbLimits.model_validate(limits))
    return plan("x").model_copy(update={"scenarios": tuple(scenarios), "climb": climb})


def result(number: int, size: int, complete: bool, **more: object) -> EpisodeResult:
    tasks = [task(1.0 if complete else 0.0) for _ in range(size)]
    return episode("nothing", f"w{number}", *tasks, **more)


def state(
    outcomes: list[tuple[int, bool]], limits: dict[str, object], **more: object
) -> ClimbState:
    planned = climb_plan([size for size, _ in outcomes], **limits)
    results = [
        result(number, size, complete, **more) for number, (size, complete) in enumerate(outcomes)
    ]
    return ClimbState.of(planned, results)


def test_a_climb_goes_on_until_the_interval_is_narrow() -> None:
    few = [(4, True), (8, False)]
    many = [(4, True)] * 6 + [(8, True)] * 9 + [(8, False)] * 9 + [(16, False)] * 8
    assert state(few, {}).stop(8) is None
    assert state(many, {}).stop(8) is ClimbEnd.FACTOR
    assert state(many, {"factor": 1.2}).stop(8) is None


def test_an_agent_above_the_ladder_ends_when_its_lower_bound_surely_is() -> None:
    assert state([(128, True)] * 3, {}).stop(128) is None
    assert state([(128, True)] * 4, {}).stop(128) is ClimbEnd.ABOVE


def test_a_lower_bound_above_the_ladder_that_chance_may_give_does_not_end_a_climb() -> None:
    found = state([(64, True)] * 4 + [(64, False), (128, False)] + [(128, True)] * 2, {})
    assert found.capacity.low == 64
    assert found.stop(128) is None


def test_the_number_of_worlds_and_their_end_are_limits() -> None:
    assert state([(1, True)] * 3, {"episodes": 3}).stop(1) is ClimbEnd.EPISODES
    assert state([(1, True)] * 3, {"episodes": 4}).stop(0) is ClimbEnd.NO_WORLDS


@pytest.mark.parametrize(
    ("limits", "next_tasks", "stop"),
    [
        ({"tokens": 1_000}, 8, None),
        ({"tokens": 1_000}, 10, ClimbEnd.TOKENS),
        ({"cost_usd": 1.0}, 8, None),
        ({"cost_usd": 1.0}, 10, ClimbEnd.COST),
    ],
)
def test_no_round_begins_that_would_pass_a_budget(
    limits: dict[str, object], next_tasks: int, stop: ClimbEnd | None
) -> None:
    used = {"prompt_tokens": 180, "completion_tokens": 20, "cost_usd": 0.2}
    assert state([(2, True), (4, False)], limits, **used).stop(next_tasks) is stop


def test_a_budget_that_cannot_be_counted_ends_the_climb() -> None:
    assert state([(1, True)], {"tokens": 10**9}).stop(1) is ClimbEnd.UNKNOWN_USE


def test_a_broken_world_tells_nothing_and_ends_the_climb() -> None:
    planned = climb_plan([4, 8])
    broken = episode("nothing", "w1", task(None), error="the server died", score=None)
    found = ClimbState.of(planned, [result(0, 4, True), broken])
    assert found.stop(8) is ClimbEnd.BROKEN
    assert [outcome.tasks for outcome in found.outcomes] == [4]


def test_a_climb_of_which_nothing_was_graded_does_not_say_that_no_world_was_complete() -> None:
    broken = episode("nothing", "w0", task(None), error="the server died", score=None)
    document = climb_document(ClimbState.of(climb_plan([4]), [broken]), ClimbEnd.BROKEN)
    assert "No world has been graded" in document.lead
