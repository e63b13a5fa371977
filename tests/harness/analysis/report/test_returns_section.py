"""The section on tasks that cannot be done: what each agent did with them."""

from __future__ import annotations

from collections.abc import Sequence

from tests.harness.analysis.report.rendered import markdown_text
from tests.harness.builders import episode, plan, task
from trainee_bench.harness.analysis.report.returns_section import (
    returns_by_agent,
    returns_sections,
)
from trainee_bench.harness.records.provenance_figures import FactProvenance, ProvenanceFigures
from trainee_bench.harness.records.results import EpisodeResult, TaskResult
from trainee_bench.meta_tasks.missing_facts import TaskEnding

RULE = "sales.top_sales_employee+nobody_knows"


def tasks(*endings: TaskEnding | None, rule: str = RULE) -> Sequence[TaskResult]:
    return [
        task(
            1.0 if ending in (None, TaskEnding.RETURNED) else 0.0, rule, ending=ending, task=f"T{n}"
        )
        for n, ending in enumerate(endings, start=1)
    ]


def facts(*told: int | None) -> ProvenanceFigures:
    return ProvenanceFigures(
        facts=tuple(
            FactProvenance(fact=f"T{n}/rate", task=f"T{n}", asked_for=True, told=seen)
            for n, seen in enumerate(told, start=1)
        ),
        questions=3,
        telling=2,
    )


def test_what_cannot_be_done_is_counted_by_what_became_of_it_and_asking_beside_it() -> None:
    own = episode(
        "good",
        "s1",
        *tasks(TaskEnding.RETURNED, TaskEnding.FABRICATED, None, TaskEnding.NEEDLESS),
        provenance=facts(4, None, 5, 9),
    )
    figures = returns_by_agent([own])["good"]
    assert (figures.impossible, figures.alike) == (2, 2)
    assert [figures.count(ending) for ending in TaskEnding] == [1, 0, 1, 0, 1]
    assert (figures.facts, figures.told) == (4, 3)


def test_a_plain_task_that_was_given_back_counts_as_a_needless_return_alone() -> None:
    own = episode("bad", "s1", *tasks(TaskEnding.NEEDLESS, None, rule="sales.top_sales_employee"))
    figures = returns_by_agent([own])["bad"]
    assert (figures.impossible, figures.alike, figures.facts) == (0, 0, 0)
    assert figures.count(TaskEnding.NEEDLESS) == 1


def test_a_run_in_which_nothing_was_given_back_and_all_can_be_done_has_no_section() -> None:
    results: list[EpisodeResult] = [episode("good", "s1", *tasks(None, rule="kb_fix.easy"))]
    assert returns_sections(results) == []
    assert "What cannot be done" not in markdown_text(plan("s1", agents=("good",)), results)


def test_the_section_names_each_agent_and_its_figures() -> None:
    results = [
        episode("good", "s1", *tasks(TaskEnding.RETURNED, None), provenance=facts(2, 3)),
        episode("poor", "s1", *tasks(TaskEnding.FABRICATED, None)),
    ]
    text = markdown_text(plan("s1", agents=("good", "poor")), results)
    assert "What cannot be done" in text
    lines = [line for line in text.splitlines() if "fabricated" in line and "facts told" in line]
    assert len(lines) == 1
    rows = text.partition(lines[0])[2].splitlines()[2:4]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert cells == [
        ["good", "1", "1", "0", "0", "0", "1", "0", "100 %"],
        ["poor", "1", "0", "0", "1", "0", "1", "0", "–"],
    ]


def test_results_without_an_ending_are_written_as_before() -> None:
    assert "ending" not in task(1.0).model_dump_json()
    (own,) = tasks(TaskEnding.FABRICATED)
    assert TaskResult.model_validate_json(own.model_dump_json()).ending is TaskEnding.FABRICATED
