"""The experiment ``learning``: which agents it runs how, and the right figure in the right cell."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness.analysis.experiments.test_experiment import invoke, plan_of, read, said
from tests.harness.analysis.experiments.test_pages import IDENTITY, cells
from tests.harness.analysis.statistics.test_week_learning import claims, one_day
from tests.harness.builders import episode
from tests.harness.episodes.test_weeks import week_file
from tests.harness.test_run import config, day
from trainee_bench.harness.agents.scripted import GRADED_MODELS, SCRIPTED_MODELS
from trainee_bench.harness.analysis.experiments.experiment import ExperimentResults
from trainee_bench.harness.analysis.experiments.learning import MEMORY_SUFFIXES, LearningExperiment
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.documents.html import render_html
from trainee_bench.harness.documents.markdown import render_markdown
from trainee_bench.harness.records.plan import AgentConfig, MemoryMode, RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec

LINKS = "kb_fix.easy"
RULES = ("sales.top_sales_employee", "kb_fix.medium", LINKS, LINKS)


def agents_of(path: Path, **options: list[str]) -> dict[str, tuple[str, MemoryMode]]:
    plan = LearningExperiment().plan(RunOptions(config=path, **options))  # type: ignore[arg-type]
    return {one.name: (one.agent, one.memory) for one in plan.agents}


# what is run ------------------------------------------------------------------------------


def test_scripted_stands_for_the_models_that_differ_in_what_they_remember(tmp_path: Path) -> None:
    agents = agents_of(week_file(tmp_path), model=["scripted"])
    learners = [name for name in SCRIPTED_MODELS if name not in GRADED_MODELS]
    assert list(agents) == [f"{name}{end}" for name in learners for end in MEMORY_SUFFIXES.values()]
    assert {agent for agent, _ in agents.values()} == {"learner"}
    assert agents["scripted-learner-poisoned"][1] is MemoryMode.POISONED


def test_an_agent_without_a_memory_of_its_own_is_not_run_with_its_memory_off(
    tmp_path: Path,
) -> None:
    agents = agents_of(week_file(tmp_path), agent=["openai"], model=["scripted-fair"])
    assert list(agents) == ["scripted-fair", "scripted-fair-wiped", "scripted-fair-poisoned"]
    assert MemoryMode.OFF not in {mode for _, mode in agents.values()}


def test_it_needs_weeks(tmp_path: Path) -> None:
    days = config(tmp_path, one=[day(LINKS), day(LINKS)])
    done = invoke("learning", "--agent", "nothing", "--config", days, "--out", tmp_path / "out")
    assert done.exit_code == 2
    assert "learning needs weeks; one is none. Omit --config to use learning-10" in said(done)
    assert not (tmp_path / "out").exists()


def test_one_command_runs_it_and_leaves_tables_and_charts(tmp_path: Path) -> None:
    weeks = week_file(tmp_path, [day(LINKS), day(LINKS)])
    out = tmp_path / "out"
    done = invoke("learning", "--agent", "oracle", "--config", weeks, "--out", out)
    assert done.exit_code == 0, done.output
    assert {result.score for result in read(out)} == {1.0}
    assert [one.memory for one in plan_of(out).agents] == [
        MemoryMode.ON, MemoryMode.WIPED, MemoryMode.POISONED,
    ]  # fmt: skip
    text = (out / "experiment.md").read_text(encoding="utf-8")
    assert "| oracle | all | +0.00 |" in text and "(figure-policy-poisoned.svg)" in text
    assert (out / "figure.svg").exists() and (out / "figure-forgetting.svg").exists()


# what is said -----------------------------------------------------------------------------

NAMES = ("a", "b", "c")


def worked(mode: MemoryMode, followed: tuple[bool, ...], *scores: float) -> list[EpisodeResult]:
    """Weeks with a duty and a task of one day on the first four days, of RULES."""
    tasks = [one_day(f"T{n + 2}", RULES[n], n, score) for n, score in enumerate(scores)]
    return [
        episode(
            f"x{MEMORY_SUFFIXES[mode]}", name, claims(*followed), *tasks, day="week",
            identity=IDENTITY,
        )
        for name in NAMES
    ]  # fmt: skip


@pytest.fixture(name="found", scope="module")
def _found() -> ExperimentResults:
    yes, no = (True,) * 7, (False,) * 7
    results = [
        *worked(MemoryMode.ON, yes, 0.5, 0.5, 0.75, 1.0),
        *worked(MemoryMode.OFF, (True, *no[1:]), 0.5, 0.5, 0.5, 0.5),
        *worked(MemoryMode.WIPED, (True, *no[1:]), 0.5, 0.5, 0.25, 0.25),
        *worked(MemoryMode.POISONED, no, 0.5, 0.25, 0.25, 0.0),
    ]
    days = tuple(DaySpec(tasks=(TaskSpec(rule=LINKS),)) for _ in range(5))
    plan = RunPlan(
        benchmark="test",
        scenarios=tuple(Scenario(name=name, days=days, week=True) for name in NAMES),
        agents=tuple(
            AgentConfig(name=f"x{suffix}", agent="nothing", memory=mode)
            for mode, suffix in MEMORY_SUFFIXES.items()
        ),
    )
    return ExperimentResults({"run": plan}, {"run": results})


def test_the_gains_their_slope_and_the_controls_stand_in_their_columns(
    found: ExperimentResults,
) -> None:
    page = LearningExperiment().page(found)
    rows = {tuple(row[:2]): list(row[2:]) for row in page.main_grid.rows}
    one, whole = rows["x", "one day"], rows["x", "whole week"]
    # on minus wiped is 0, 0, 0.5, 0.75 on the four days
    assert one == ["+0.42", "+0.28", "+0.25", "-0.17", "+0.00", "+0.00", "-0.12"]
    assert whole[:5] == ["+1.00", "+0.20", "+1.00", "+0.00", "+0.00"]
    assert whole[5:] == ["–", "–"]
    daily = cells(page, 1)["x"]
    assert daily == ["+0.00", "+0.50", "+0.75", "+0.88", "+1.00"]


def test_transfer_forgetting_and_followed_policies_stand_in_their_columns(
    found: ExperimentResults,
) -> None:
    page = LearningExperiment().page(found)
    tables = {row[0]: row for row in cells(page, 2).items()}
    assert tables["x"][1] == ["+0.50", "+0.75", "–", "–", "–", "–"]
    text = render_markdown(page)
    for row in (
        "| x | on | 1.00 | 1.00 | 1.00 | 1.00 | 1.00 |",
        "| x | wiped | 1.00 | 0.00 | 0.00 | 0.00 | 0.00 |",
        "| x | poisoned | 0.00 | 0.00 | 0.00 | 0.00 | 0.00 |",
    ):
        assert row in text
    assert "- **transfer**: gain on tasks of rules" in text
    assert render_html(page).count("<svg") >= 6


def test_what_has_not_ended_yet_is_left_open(found: ExperimentResults) -> None:
    (results,) = found.results.values()
    half = [one for one in results if one.agent in ("x", "x-off")]
    page = LearningExperiment().page(ExperimentResults(found.plans, {"run": half}))
    (row, *_) = page.main_grid.rows
    assert row[2] == "–" and row[4] != "–"
    assert "Incomplete" in render_markdown(page)
