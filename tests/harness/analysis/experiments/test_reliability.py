"""The experiment on reliability: several attempts at each day, split and put to use."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.harness.builders import episode, plan, task
from tests.harness.runs import LINKS, call, config, day
from tests.harness.test_compare import result, saved
from trainee_bench.harness.analysis.comparison.compared_run import ComparedRun
from trainee_bench.harness.analysis.experiments.experiment import ExperimentResults
from trainee_bench.harness.analysis.experiments.reliability import ReliabilityExperiment
from trainee_bench.harness.documents.document import Document, Grid
from trainee_bench.harness.documents.html import render_html
from trainee_bench.harness.documents.markdown import render_markdown
from trainee_bench.harness.records.results import EpisodeResult

invoke = partial(call, "experiment", "reliability")
NAMES = tuple(f"s{n}" for n in range(8))


def tries(agent: str, *days: tuple[float | None, ...]) -> list[EpisodeResult]:
    """Attempts at days of one task, with these scores; None is broken."""
    return [
        episode(agent, name, task(score), attempt=n, error=None if score is not None else "cut off")
        for name, scores in zip(NAMES, days, strict=False)
        for n, score in enumerate(scores, start=1)
    ]


def page(*results: EpisodeResult) -> Document:
    agents = tuple(dict.fromkeys(result.agent for result in results))
    run = plan(*NAMES, agents=agents, epochs=2)
    return ReliabilityExperiment().page(ExperimentResults({"run": run}, {"run": results}))


def rows(document: Document, first: str) -> list[dict[str, str]]:
    """The rows of the table whose first column has this title."""
    grid = next(grid for grid in document.every(Grid) if grid.titles[0] == first)
    return [dict(zip(grid.titles, row, strict=True)) for row in grid.rows]


STEADY = tries("steady", *[(1.0, 1.0), (0.0, 0.0)] * 4)
CHANCY = tries("chancy", *[(1.0, 0.0), (0.0, 1.0)] * 4)


def test_each_agent_has_a_row_for_days_complete_and_for_the_score() -> None:
    found = rows(page(*STEADY, *CHANCY), "agent")
    by_agent = {(row["agent"], row["measure"]): row for row in found}
    assert len(by_agent) == 4
    steady, chancy = by_agent["steady", "complete"], by_agent["chancy", "score"]
    assert (steady["days"], steady["attempts"]) == ("8", "16")
    assert (steady["sd of attempts"], steady["day's share"]) == ("0.000", "1.00")
    assert (chancy["sd of days"], chancy["day's share"].split()[0]) == ("0.000", "0.00")


def test_more_attempts_help_against_chance_alone_and_more_days_against_both() -> None:
    (steady,) = [
        row for row in rows(page(*STEADY), "pair")
        if row["pair"] == "steady, other days hard" and row["measure"] == "score"
    ]  # fmt: skip
    assert steady["this run"] == steady["unlimited attempts"] > steady["4 × days"]
    (pair, *_) = rows(page(*STEADY, *CHANCY), "pair")
    now, days, attempts = (float(pair[t]) for t in ("this run", "4 × days", "4 × attempts"))
    assert days == pytest.approx(now / 2, abs=0.001)
    assert float(pair["unlimited attempts"]) <= attempts <= now
    assert pair["days × attempts"] == "8 × 2.0"


def test_values_without_variance_do_not_say_that_any_difference_can_be_told() -> None:
    always = [(1.0, 1.0)] * 8
    document = page(*tries("a", *always), *tries("b", *always))
    assert {row["standard error"] for row in rows(document, "agent")} == {"–"}
    for row in rows(document, "pair"):
        assert {row["this run"], row["4 × days"], row["unlimited attempts"]} == {"–"}


def test_no_difference_above_1_is_promised() -> None:
    document = page(*tries("a", (1.0, 0.0), (1.0, 0.0)), *tries("b", (1.0, 0.0), (0.0, 1.0)))
    (row, *_) = rows(document, "pair")
    assert row["this run"] == "above 1" and 0 < float(row["4 × days"]) < 1


def test_few_days_are_warned_of() -> None:
    warning = "only 8 days"
    assert warning in render_markdown(page(*STEADY, *CHANCY))
    many = [episode("a", f"s{n}", task(float(n % 2)), attempt=k) for n in range(20) for k in (1, 2)]
    run = plan(*(f"s{n}" for n in range(20)), agents=("a",), epochs=2)
    document = ReliabilityExperiment().page(ExperimentResults({"run": run}, {"run": many}))
    assert "This is rough" not in render_markdown(document)


def test_an_agent_that_shares_no_day_with_others_is_shown_alone() -> None:
    elsewhere = [
        episode("c", name, task(score), attempt=n)
        for name in ("s8", "s9")
        for n, score in enumerate((1.0, 0.0), start=1)
    ]
    document = page(*STEADY, *CHANCY, *elsewhere)
    assert "each attempted one twice: c – chancy; c – steady." in render_markdown(document)
    found = rows(document, "pair")
    of_c = [row for row in found if row["pair"].startswith("c, ")]
    assert len(found) == 6 and len(of_c) == 4
    assert {row["difference"] for row in of_c} == {"–"}


def test_an_agent_with_one_attempt_each_is_said_to_have_no_pair() -> None:
    document = page(*STEADY, *CHANCY, *tries("once", *[(1.0,)] * 8))
    assert {row["pair"] for row in rows(document, "pair")} == {"chancy – steady"}
    assert "once – chancy; once – steady." in render_markdown(document)


def test_the_page_says_what_its_columns_mean_and_whom_its_pictures_show() -> None:
    text = render_markdown(page(*STEADY, *CHANCY))
    assert "**sd of attempts**: standard deviation" in text
    assert "**difference**: mean difference in this run" in text
    assert "The pictures show: chancy – steady." in text


def test_broken_attempts_are_counted_and_both_means_are_shown() -> None:
    results = tries("a", (1.0, None, 1.0), (0.0, 1.0, 0.0), (1.0, 1.0, None))
    (complete, _) = rows(page(*results), "agent")
    assert (complete["attempts"], complete["broken"]) == ("7", "2")
    assert complete["mean"] == f"{(1 + 1 / 3 + 1) / 3:.3f}"
    assert complete["broken as 0"] == f"{(2 / 3 + 1 / 3 + 2 / 3) / 3:.3f}"


def test_results_of_one_attempt_each_say_that_nothing_can_be_split() -> None:
    document = page(*tries("a", (1.0,), (0.0,)))
    assert "The variance cannot be split" in render_markdown(document)
    assert rows(document, "agent")[0]["sd of days"] == "–"


def test_an_agent_all_of_whose_attempts_broke_is_shown() -> None:
    (row, *_) = rows(page(*tries("a", (None, None))), "agent")
    assert (row["attempts"], row["broken"], row["mean"], row["broken as 0"]) == (
        "0", "2", "–", "0.000",
    )  # fmt: skip


def test_the_page_has_a_picture_and_pass_k_too() -> None:
    document = page(*STEADY, *CHANCY)
    render_html(document)
    for chart in document.charts:
        ElementTree.fromstring(chart.svg)
    assert {chart.name for chart in document.charts} >= {
        "figure-complete",
        "figure-score",
        "pass-all",
        "pass-any",
    }
    assert "| steady | 2 | 8 | 0.50" in render_markdown(document)


def test_the_smallest_differences_of_this_run_come_first_and_in_words() -> None:
    complete, score = (row["this run"] for row in rows(page(*STEADY, *CHANCY), "pair"))
    lead = page(*STEADY, *CHANCY).lead
    assert f"{complete} in the share of complete days and {score} in the mean score. " in lead
    assert "only 8 days" in lead
    assert not page(*tries("a", (1.0, 1.0), (1.0, 1.0))).lead


def test_the_command_prints_the_smallest_differences(tmp_path: Path) -> None:
    results = [
        result(agent, f"s{n}", float((n + k * (agent == "b")) % 2), attempt=k)
        for agent in "ab"
        for n in range(6)
        for k in (1, 2)
    ]
    run = saved(
        tmp_path / "run",
        ComparedRun("both", "both", tuple(results)),
        made=plan(*(f"s{n}" for n in range(6)), agents=("a", "b"), epochs=2).sealed(),
    )
    output = invoke("--from", run, "--out", tmp_path / "out").output
    assert "The smallest difference that a run of this size can tell is" in " ".join(output.split())


def test_it_runs_as_one_command_and_needs_several_attempts(tmp_path: Path) -> None:
    path = config(tmp_path, one=[day(LINKS)], two=[day(LINKS)])
    options = ("--config", path, "--model", "scripted-fair")
    assert "add --epochs 3" in " ".join(invoke(*options, exits=2).output.split())
    out = tmp_path / "out"
    invoke(*options, "--epochs", 2, "--out", out)
    text = (out / "experiment.md").read_text(encoding="utf-8")
    assert "| scripted-fair | complete | 2 | 4 |" in text
    again = tmp_path / "again"
    invoke("--from", out, "--out", again)
    assert "Smallest difference" in (again / "experiment.md").read_text(encoding="utf-8")
