"""Agents of one run are compared whatever conditions they bring with them, and readers are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness.test_compare import IDENTITY, entrant
from trainee_bench.harness.analysis.comparison.compared_run import ComparedRun, IncomparableRuns
from trainee_bench.harness.analysis.comparison.paired import compare_runs
from trainee_bench.harness.analysis.comparison.presentation import comparison_document
from trainee_bench.harness.documents.markdown import render_markdown
from trainee_bench.harness.session.limits import EpisodeLimits


def own(agent: str, **more: object) -> ComparedRun:
    """An agent that brings its own conditions with it, in the run that all of these are from."""
    identity = IDENTITY.model_copy(update=more)
    return ComparedRun(
        agent, agent, entrant(agent, 1.0, identity=identity).results, origin=Path("results.jsonl")
    )


def test_agents_of_one_run_are_compared_whatever_they_bring_and_the_reader_is_told() -> None:
    found = compare_runs(
        [
            own("oracle", isolation="insider", limits=EpisodeLimits(steps=2_000)),
            own("model"),
            own("sprayer", limits=EpisodeLimits(steps=2_000)),
        ]
    )
    assert found.own_conditions == (
        "limits.steps is 2000 for oracle and sprayer, 150 for model",
        "isolation is insider for oracle, none for model and sprayer",
    )
    assert "limits.steps is 2000" in render_markdown(comparison_document(found))
    alike = compare_runs([own("one"), own("other")])
    assert alike.own_conditions == ()


@pytest.mark.parametrize(
    ("field", "value"),
    [("results", "structured"), ("isolation", "sandbox"), ("guidance", 2), ("generator", 3)],
)
def test_what_an_agent_does_not_bring_with_it_is_refused_in_one_run_too(
    field: str, value: object
) -> None:
    with pytest.raises(IncomparableRuns, match=f"{field} is "):
        compare_runs([own("one"), own("other", **{field: value})])


def test_agents_of_different_runs_are_refused_for_what_they_bring() -> None:
    elsewhere = entrant("b", 1.0, identity=IDENTITY.model_copy(update={"isolation": "insider"}))
    with pytest.raises(IncomparableRuns, match="isolation is none and insider"):
        compare_runs([own("a"), elsewhere])
