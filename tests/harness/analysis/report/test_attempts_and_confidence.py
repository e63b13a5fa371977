"""The report's sections on several attempts and on stated confidence."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tests.harness.analysis.report.rendered import html_pages, markdown_text
from tests.harness.builders import episode, plan, task
from trainee_bench.harness.analysis.report.attempts_section import (
    attempts_charts,
    attempts_grid,
    attempts_sections,
)
from trainee_bench.harness.analysis.report.confidence_section import (
    confidence_sections,
    reliability_diagram,
)
from trainee_bench.harness.analysis.statistics.attempts import repeated_work
from trainee_bench.harness.analysis.statistics.calibration import calibrations
from trainee_bench.harness.documents.document import Charts, Document, Grid
from trainee_bench.harness.documents.markdown import render_markdown
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.meta_tasks.missing_facts import TaskEnding


def tries(agent: str, scenario: str, *scores: float | None) -> list[EpisodeResult]:
    return [
        episode(agent, scenario, task(s), attempt=n, error=None if s is not None else "cut off")
        for n, s in enumerate(scores, start=1)
    ]


SOUND = [*tries("a", "s1", 1, 0, 1), *tries("a", "s2", 0, 0, 1)]
BROKEN = [*tries("b", "s1", 1, None, 1), *tries("b", "s2", 1, 1, 1)]


def cells(results: list[EpisodeResult]) -> list[dict[str, str]]:
    grid = attempts_grid(repeated_work(results))
    return [dict(zip(grid.titles, row, strict=True)) for row in grid.rows]


def test_there_is_a_row_for_each_agent_and_k_and_no_column_of_broken_attempts_without_any() -> None:
    rows = cells(SOUND)
    assert [(row["attempts of"], row["k"], row["days"]) for row in rows] == [
        ("a", "1", "2"), ("a", "2", "2"), ("a", "3", "2"),
    ]  # fmt: skip
    assert [row["pass^k"].split()[0] for row in rows] == ["0.50", "0.17", "0.00"]
    assert [row["pass@k"].split()[0] for row in rows] == ["0.50", "0.83", "1.00"]
    assert not any("broken" in title for title in rows[0])


def test_broken_attempts_are_shown_in_columns_of_their_own_and_told_in_words() -> None:
    rows = cells(BROKEN)
    assert [row["pass^k"] for row in rows] == ["1.00 (0.22-1.00)"] * 2 + ["1.00"]
    failed = [row["pass^k, broken as failed"].split()[0] for row in rows]
    assert failed == ["0.83", "0.67", "0.50"]
    text = markdown_text(plan("s1", "s2", agents=("b",), epochs=3), BROKEN)
    assert "b has 2 to 3 graded attempts at a day; 1 attempt could not be graded" in text


def test_days_with_equally_many_graded_attempts_are_not_called_unequal() -> None:
    results = [*tries("a", "s1", 1, 0, None), *tries("a", "s2", None, 1, 1)]
    text = render_markdown(Document("page", tuple(attempts_sections(results))))
    assert "a has 2 graded attempts at a day; 2 attempts could not be graded." in text
    assert "numbers differ" not in text


def test_intervals_of_few_days_are_said_to_be_too_narrow() -> None:
    for days, said in ((19, True), (20, False)):
        results = [one for n in range(days) for one in tries("a", f"s{n}", float(n % 2), 1)]
        text = render_markdown(Document("page", tuple(attempts_sections(results))))
        assert ("intervals are often too narrow" in text) == said


def test_of_unequal_attempts_it_is_said_that_a_line_may_rise_with_its_days() -> None:
    results = [*tries("a", "s1", 1, 1, 1), *tries("a", "s2", 0, 0)]
    assert [row["pass^k"].split()[0] for row in cells(results)] == ["0.50", "0.50", "1.00"]
    text = render_markdown(Document("page", tuple(attempts_sections(results))))
    assert "a has 2 to 3 graded attempts at a day. Where these numbers differ" in text


def test_one_name_has_one_meaning_in_a_report() -> None:
    results = [
        episode("a", "s1", task(1.0, "a.easy"), task(score, "b.easy"), attempt=n)
        for n, score in enumerate((1.0, 0.0), start=1)
    ]
    text = markdown_text(plan("s1", agents=("a",), epochs=2), results)
    assert (
        "| 0.50 (k = 2) |" in text
        and "**task pass^k**: chance that k attempts at the same task" in text
    )
    assert text.count("**pass^k**: ") == 1, "of days"


def test_runs_with_one_attempt_have_no_such_section() -> None:
    assert not attempts_sections(tries("a", "s1", 1))
    assert "Several attempts" not in markdown_text(plan("s1", agents=("a",)), tries("a", "s1", 1))


def test_of_many_attempts_only_some_have_a_row_and_the_pictures_have_the_same() -> None:
    rows = cells(tries("a", "s1", *[1.0] * 20))
    shown = [1, 2, 3, 4, 5, 6, 7, 8, 16, 20]
    assert [int(row["k"]) for row in rows] == shown
    for chart in attempts_charts(repeated_work(tries("a", "s1", *[1.0] * 20))):
        assert "a: " + ", ".join(f"{k} 1.00" for k in shown) in chart.svg


@pytest.mark.parametrize("results", [SOUND, BROKEN, tries("c", "s1", None, None)])
def test_the_pages_have_the_table_and_both_curves(results: list[EpisodeResult]) -> None:
    agent = results[0].agent
    (page,) = html_pages(plan("s1", "s2", agents=(agent,), epochs=3), results).values()
    assert "Days complete in all of k attempts (pass^k)" in page
    (section,) = attempts_sections(results)
    for charts in (block for block in section.blocks if isinstance(block, Charts)):
        assert len(charts.items) == 2
        for chart in charts.items:
            ElementTree.fromstring(chart.svg)


def test_agents_beyond_the_colours_are_in_the_table_and_said_to_be_missing_in_the_picture() -> None:
    results = [
        episode(f"a{n}", "s1", task(1.0, submitted=True, sure=80), attempt=attempt)
        for n in range(7)
        for attempt in (1, 2)
    ]
    for sections, shown in ((attempts_sections, 6), (confidence_sections, 5)):
        text = render_markdown(Document("page", tuple(sections(results))))
        assert f"shows only the first {shown}" in text
        assert "| a6 | " in text


SURE = [
    episode("a", "s1", task(1.0, submitted=True, sure=95), task(0.0, submitted=True, sure=95)),
    episode("b", "s1", task(1.0, submitted=True, sure=60), task(1.0, submitted=True)),
    episode("c", "s1", task(1.0, submitted=True)),
]


def test_the_table_of_confidence_has_a_row_for_each_agent_that_said_something() -> None:
    (section,) = confidence_sections(SURE)
    (grid,) = (block for block in section.blocks if isinstance(block, Grid))
    rows = {row[0]: dict(zip(grid.titles, row, strict=True)) for row in grid.rows}
    assert list(rows) == ["a", "b"]
    assert (rows["a"]["claims"], rows["a"]["over-claims"]) == ("2", "0.50")
    assert (rows["b"]["claims"], rows["b"]["over-claims"]) == ("–", "–")
    assert (rows["a"]["Brier"], rows["a"]["Brier of the mean"]) == ("0.45", "0.25")
    assert rows["b"]["not stated"] == "1"


def test_agents_that_never_said_anything_are_named_below_the_table() -> None:
    broken = episode("d", "s1", task(None, submitted=True), error="cut off")
    idle = episode("e", "s1", task(0.0))
    text = render_markdown(Document("page", tuple(confidence_sections([*SURE, broken, idle]))))
    assert "since they never said how sure they were: c." in text
    said = render_markdown(Document("page", tuple(confidence_sections(SURE[:2]))))
    assert "never said" not in said


def test_the_diagram_has_a_line_for_each_agent_and_the_diagonal() -> None:
    svg = reliability_diagram(calibrations(SURE)).svg
    ElementTree.fromstring(svg)
    assert "a: 5 none" in svg and "95 0.50" in svg
    assert "as sure as right: 5 0.05, 15 0.15" in svg


def test_the_day_of_a_task_says_how_sure_the_agent_was() -> None:
    (page,) = html_pages(plan("s1", agents=("a",)), SURE[:1]).values()
    assert "submitted, 95 % sure" in page


def test_the_day_of_a_task_says_that_it_was_given_back() -> None:
    back = episode("a", "s1", task(1.0, submitted=True, ending=TaskEnding.RETURNED))
    (page,) = html_pages(plan("s1", agents=("a",)), [back]).values()
    assert "given back" in page and "· submitted" not in page
