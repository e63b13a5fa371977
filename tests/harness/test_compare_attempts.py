"""Runs with several attempts are also compared in pass^k of their days."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness.builders import plan
from tests.harness.test_compare import entrant, invoke, result, saved
from trainee_bench.harness.analysis.comparison.compared_run import ComparedRun
from trainee_bench.harness.analysis.comparison.paired import PairComparison, compare_runs
from trainee_bench.harness.analysis.comparison.presentation import pairs_grid
from trainee_bench.mcp_servers.desk import ASKING_CONFIDENCE


def attempts(agent: str, *days: tuple[float | None, ...]) -> ComparedRun:
    """Attempts at s0, s1, … with these scores; None is broken."""
    results = [
        result(agent, f"s{n}", score, attempt=k, error=None if score is not None else "cut off")
        for n, scores in enumerate(days)
        for k, score in enumerate(scores, start=1)
    ]
    return ComparedRun(agent, agent, tuple(results))


def compared(one: ComparedRun, other: ComparedRun) -> PairComparison:
    (pair,) = compare_runs([one, other]).pairs
    return pair


def test_pass_k_tells_agents_apart_that_are_equally_often_complete() -> None:
    steady = attempts("steady", *[(1.0, 1.0), (0.0, 0.0)] * 6)
    chancy = attempts("chancy", *[(1.0, 0.0), (0.0, 1.0)] * 6)
    pair = compared(steady, chancy)
    assert pair.complete.mean == 0 and pair.attempts == 2
    assert pair.all_complete is not None
    assert pair.all_complete.mean == 0.5 and not pair.all_complete.tie
    measures = {row[1]: row for row in pairs_grid([compare_runs([steady, chancy])]).rows}
    assert list(measures) == ["complete", "score", "success", "pass^2"]
    assert measures["pass^2"][3] == "steady is better"


def test_no_difference_above_1_is_promised() -> None:
    one, other = entrant("a", *[1.0, 0.0] * 3), entrant("b", *[0.0, 1.0] * 3)
    detectable = compared(one, other).complete.detectable
    assert detectable is not None and detectable > 1
    assert {row[-1] for row in pairs_grid([compare_runs([one, other])]).rows} == {"above 1"}


def test_with_one_attempt_each_there_is_no_such_row() -> None:
    one, other = entrant("a", 1.0, 0.0), entrant("b", 0.0, 0.0)
    assert compared(one, other).all_complete is None
    assert len(pairs_grid([compare_runs([one, other])]).rows) == 3


def test_k_is_what_a_typical_day_has_and_days_with_less_are_left_out() -> None:
    one = attempts("a", (1.0, 1.0, 1.0), (1.0, None, 1.0), (0.0, 1.0, 1.0))
    other = attempts("b", (1.0, 1.0, 0.0), (1.0, 1.0, 1.0), (1.0, 1.0, 1.0))
    pair = compared(one, other)
    assert pair.attempts == 3 and pair.instances == 3
    assert pair.all_complete is not None and pair.all_complete.scenarios == 2
    assert pair.all_complete.mean == pytest.approx((1 - 1) / 2)


def test_a_run_that_asked_how_sure_agents_are_is_not_compared_with_one_that_did_not(
    tmp_path: Path,
) -> None:
    made = plan("s0")
    asking = tuple(scenario.with_variants(ASKING_CONFIDENCE) for scenario in made.scenarios)
    asked = made.model_copy(update={"scenarios": asking})
    folders = [
        saved(tmp_path / name, entrant("a", 1.0), made=own)
        for name, own in (("asked", asked), ("usual", made))
    ]
    for pair in (folders, folders[::-1]):
        said = " ".join(invoke(*pair, exits=2).stderr.split())
        assert "differ in variants" in said
