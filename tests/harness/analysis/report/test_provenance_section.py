"""What a report says of where the facts in agents' work came from."""

from __future__ import annotations

from tests.harness.analysis.report.rendered import html_pages, markdown_text
from tests.harness.builders import episode, plan, task
from trainee_bench.harness.records.provenance_figures import FactProvenance, ProvenanceFigures
from trainee_bench.harness.records.results import EpisodeResult

PLAN = plan("s1", "s2", agents=("asks", "idle", "old"))


def fact(name: str, told: int | None, earlier: int | None, delivered: int | None) -> FactProvenance:
    return FactProvenance(
        fact=f"T1/{name}", task="T1", asked_for=True, told=told, earlier=earlier,
        delivered=delivered,
    )  # fmt: skip


def worked(agent: str, scenario: str, *facts: FactProvenance, asked: int = 0) -> EpisodeResult:
    figures = ProvenanceFigures(facts=facts, questions=asked, telling=asked // 2)
    return episode(agent, scenario, task(1.0), provenance=figures)


RESULTS = [
    worked("asks", "s1", fact("a", 3, None, 9), fact("b", 10, 4, 9), asked=6),
    worked("asks", "s2", fact("a", None, None, 9), fact("b", None, None, None), asked=2),
    worked("idle", "s1", fact("a", None, None, None), fact("b", None, None, None)),
    episode("old", "s1", task(1.0)),
]


def test_a_row_per_agent_counts_all_its_days_and_has_none_for_what_cannot_be_shared() -> None:
    text = markdown_text(PLAN, RESULTS)
    (section,) = [one for one in text.split("\n## ") if one.startswith("Where the facts came from")]
    assert "| asks | 1 | 1 | 1 | 33 % | 50 % | 50 % |" in section
    assert "| idle | 0 | 0 | 0 | – | – | 0 % |" in section
    assert "| old |" not in section


def test_each_task_of_a_day_says_with_which_facts_it_was_delivered() -> None:
    page = "".join(html_pages(PLAN, RESULTS).values())
    assert "2 facts delivered: 1 seen, 1 stale" in page
    assert "1 fact delivered: 1 unseen" in page
    assert page.count("delivered: ") == 2


def test_a_run_without_measured_facts_has_no_such_section() -> None:
    assert "Where the facts came from" not in markdown_text(PLAN, [RESULTS[-1]])
