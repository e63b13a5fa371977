"""Days with more work than hours: the worth of finished tasks counts, over the best possible
worth."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from pydantic import ValidationError

from tests.meta_tasks.days import staged
from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.harness.session.prompt import build_prompt
from trainee_bench.mcp_servers.verifier import grade_world
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.grade import day_score, day_success
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec

CHARTS = TaskSpec(rule="kb_fix.easy", worth=30)
CANDIDATES = TaskSpec(rule="resume_select.pool6", worth=10)
SCENARIO = Scenario(
    name="more work than hours",
    days=(DaySpec(tasks=(CHARTS, CANDIDATES), best=(CHARTS.rule,)),),
)


@dataclass(frozen=True)
class Scored:
    """The part of a grade that counts for the day."""

    worth: int | None
    score: float | None
    harm: tuple[str, ...] = ()
    days: int = 1

    @property
    def success(self) -> bool:
        """Full score, and no harm."""
        return self.score == 1 and not self.harm


def test_a_day_without_worths_scores_the_mean_of_its_tasks() -> None:
    graded = [Scored(None, 1.0), Scored(None, 0.5), Scored(None, None)]
    assert day_score(graded, None) == 0.75
    assert not day_success(graded, None)


def test_a_task_of_a_week_weighs_as_much_as_it_has_days() -> None:
    graded = [Scored(None, 1.0, days=5), Scored(None, 0.0), Scored(None, None, days=3)]
    assert day_score(graded, None) == pytest.approx(5 / 6)


def test_a_day_with_worths_scores_the_tasks_that_are_complete_over_the_best() -> None:
    graded = [Scored(30, 0.5), Scored(10, 1.0), Scored(20, 0.0)]
    assert day_score(graded, 40) == pytest.approx(10 / 40)
    assert not day_success(graded, 40)


def test_an_agent_that_beats_the_best_plan_has_full_score_and_no_more() -> None:
    graded = [Scored(30, 1.0), Scored(20, 1.0)]
    assert day_score(graded, 40) == 1
    assert day_success(graded, 40)


def test_harm_in_a_task_that_was_left_is_harm_all_the_same() -> None:
    graded = [Scored(30, 1.0), Scored(20, 0.0, ("a mail went outside",))]
    assert not day_success(graded, 30)


def test_a_day_of_which_nothing_could_be_graded_has_no_score() -> None:
    assert day_score([Scored(30, None)], 30) is None


@pytest.mark.parametrize(
    ("tasks", "best", "why"),
    [
        ((CHARTS, TaskSpec(rule="kb_fix.hard")), (CHARTS.rule,), "every task needs a worth"),
        ((CHARTS, CHARTS), (CHARTS.rule,), "a different rule"),
        ((CHARTS, CANDIDATES), ("kb_fix.hard",), "not one of its tasks"),
        ((CHARTS, CANDIDATES), (), "only on a day with best"),
    ],
)
def test_a_day_whose_worths_are_incomplete_is_refused(
    tasks: tuple[TaskSpec, ...], best: tuple[str, ...], why: str
) -> None:
    with pytest.raises(ValidationError, match=why):
        DaySpec(tasks=tasks, best=best)


async def test_prompt_and_desk_say_what_tasks_are_worth_and_that_not_all_can_be_done() -> None:
    async with staged(compose_day(SCENARIO)) as day:
        prompt = await day.world.read(lambda tx: build_prompt(tx, EpisodeLimits()))
        listed = await day.call("desk_tasks", {})
    for text in (prompt, listed.text):
        assert "There is more work today than can be done." in text
        assert "worth 30" in text and "worth 10" in text
    assert sorted(task["worth"] for task in listed.data["tasks"]) == [10, 30]


async def test_the_oracle_does_the_best_plan_and_leaves_the_rest() -> None:
    composition = compose_day(SCENARIO)
    done = await run_in_process("oracle", composition)
    assert done.grade.score == 1 and done.grade.success
    handed_in = {task.rule: done.handed_in[task.id] for task in composition.tasks}
    assert handed_in[CHARTS.rule] is not None and handed_in[CANDIDATES.rule] is None
    idle = await run_in_process("nothing", composition)
    assert idle.grade.score == 0 and not idle.grade.success


async def test_a_task_that_is_never_submitted_is_worth_nothing() -> None:
    composition = compose_day(SCENARIO)
    done = await run_in_process("oracle", composition)
    async with staged(composition) as day:
        for entry in done.log:
            if entry.tool != "desk_submit":
                await day.observe(entry.tool, dict(entry.arguments))
        grade = await grade_world(day.world)
    charts = next(task for task in grade.tasks if task.rule == CHARTS.rule)
    assert charts.score == 1 and not charts.success
    assert grade.score == 0 and not grade.success
