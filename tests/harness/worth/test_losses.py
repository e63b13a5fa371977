"""What a step that costs something is said to cost."""

from __future__ import annotations

import pytest

from trainee_bench.harness.worth.losses import LossFinder, TaskFacts
from trainee_bench.mcp_servers.verifier import DayGrade
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.grade import TaskGrade, day_score, day_success
from trainee_bench.meta_tasks.scenario import Scenario

LINKS, MEETING = "kb_fix.easy", "meeting_attend.sum.u1"
NOTHING_KNOWN = TaskFacts(begun=frozenset(), handed_in={}, not_asked=frozenset())
WORTHS = {MEETING: 10, LINKS: 30}


def scenario(worths: bool) -> Scenario:
    tasks = [
        {"rule": rule, **({"worth": worth} if worths else {})} for rule, worth in WORTHS.items()
    ]
    best = {"best": list(WORTHS)} if worths else {}
    days = [{"name": "day_1", "tasks": tasks, **best}]
    return Scenario.model_validate({"name": "one", "seed": 5, "days": days})


def grade(worths: bool, *scores: float) -> DayGrade:
    tasks = tuple(
        TaskGrade(
            task=f"T{number}", rule=rule, score=score, success=score == 1, checkpoints=(), harm=(),
            worth=WORTHS[rule] if worths else None,
        )
        for number, (rule, score) in enumerate(zip(WORTHS, scores, strict=True), 1)
    )  # fmt: skip
    best = sum(WORTHS.values()) if worths else None
    return DayGrade(
        score=day_score(tasks, best), success=day_success(tasks, best), score_version=1, tasks=tasks
    )


@pytest.mark.parametrize("worths", [False, True])
def test_the_shares_of_the_tasks_add_up_to_what_the_step_cost(worths: bool) -> None:
    finder = LossFinder(compose_day(scenario(worths)), (), NOTHING_KNOWN)
    (loss,) = finder.losses([grade(worths, 1.0, 1.0)], grade(worths, 0.5, 0.75))
    assert loss.lost == pytest.approx(1.0 if worths else 0.375)
    assert sum(task.share for task in loss.tasks) == pytest.approx(loss.lost)
    assert [task.lost for task in loss.tasks] == [0.5, 0.25]
