"""The paper's two measures by hand, and the paper's own figures as they stand in its tables."""

from __future__ import annotations

import pytest

from tests.harness.builders import episode, task
from trainee_bench.harness.analysis.experiments import paper
from trainee_bench.harness.analysis.experiments.measures import agents_by_score, measure_tasks
from trainee_bench.harness.analysis.statistics.summary import agent_summaries
from trainee_bench.harness.records.results import EpisodeResult

EASY, HARD = "a.easy", "b.hard"
RESULTS = [
    episode("good", "s1", task(1.0, EASY), task(0.5, HARD, label="hard")),
    episode("good", "s2", task(1.0, EASY), task(1.0, HARD, label="hard"), task(None, "c.x")),
    episode("good", "s3", task(0.2, EASY)),
]


def test_success_is_a_share_of_tasks_and_score_a_mean_of_scenarios() -> None:
    found = measure_tasks(RESULTS)
    assert (found.scenarios, found.tasks) == (3, 5)
    assert found.success is not None and found.success.mean == pytest.approx(3 / 5)
    assert found.score is not None and found.score.mean == pytest.approx((0.75 + 1 + 0.2) / 3)
    (line,) = agent_summaries(RESULTS)
    assert line.score is not None and found.score.mean == pytest.approx(line.score.mean)
    assert line.success is not None and found.success.mean == pytest.approx(line.success.mean)


def test_a_kind_of_tasks_counts_within_each_scenario_that_has_some() -> None:
    hard = measure_tasks(RESULTS, lambda _, one: one.label == "hard")
    assert (hard.scenarios, hard.tasks) == (2, 2)
    assert hard.score is not None and hard.score.mean == pytest.approx(0.75)
    assert hard.success is not None and hard.success.mean == pytest.approx(0.5)
    assert measure_tasks(RESULTS, lambda *_: False).score is None


def test_the_order_of_results_changes_no_figure() -> None:
    assert measure_tasks(RESULTS) == measure_tasks(RESULTS[::-1])


def test_the_best_comes_first_and_who_was_never_graded_last() -> None:
    def one(agent: str, score: float | None) -> EpisodeResult:
        return episode(agent, "s", task(score))

    assert agents_by_score([one("a", None), one("b", 0.2), one("c", 0.9)]) == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("headings", "rows", "count"),
    [
        (paper.MAIN_HEADINGS, paper.MAIN, 7),
        (paper.WORKLOAD_HEADINGS, paper.WORKLOAD, 7),
        (paper.DIFFICULTY_HEADINGS, paper.DIFFICULTY, 7),
        (paper.CONTINUAL_HEADINGS, paper.CONTINUAL, 3),
        (paper.GUIDANCE_HEADINGS, paper.GUIDANCE, 1),
    ],
)
def test_the_papers_tables_are_whole(
    headings: paper.Row, rows: tuple[paper.Row, ...], count: int
) -> None:
    assert len(rows) == count
    for row in rows:
        assert len(row) == len(headings)
        assert all(float(value) >= 0 for value in row[1:])
    assert len({row[0] for row in rows}) == count


def test_the_papers_figures_agree_with_each_other() -> None:
    overall = {row[0]: (float(row[1]), float(row[2])) for row in paper.MAIN}
    for row in paper.DIFFICULTY:
        easy, hard = (float(row[1]), float(row[2])), (float(row[3]), float(row[4]))
        for place, value in enumerate(overall[row[0]]):
            assert hard[place] - 0.02 <= value <= easy[place] + 0.02
    assert {row[0] for row in paper.WORKLOAD} == set(overall)
