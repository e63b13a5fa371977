"""The experiment ``learning``: what it runs, and that its gain measures only learning."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.harness.analysis.experiments.test_experiment import invoke, plan_of, read, said
from tests.harness.analysis.experiments.test_pages import IDENTITY, cells
from tests.harness.analysis.statistics.test_week_learning import claims, one_day
from tests.harness.builders import episode, task
from tests.harness.days import day_spec, twice
from tests.harness.episodes.test_weeks import WEEK
from tests.harness.runs import LINKS, carried_out, config, day, week_file
from trainee_bench.harness.agents.scripted import GRADED_MODELS, SCRIPTED_MODELS
from trainee_bench.harness.analysis.experiments.experiment import ExperimentResults
from trainee_bench.harness.analysis.experiments.learning import MEMORY_SUFFIXES, LearningExperiment
from trainee_bench.harness.analysis.statistics.week_learning import memory_gain
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.documents.html import render_html
from trainee_bench.harness.documents.markdown import render_markdown
from trainee_bench.harness.records.plan import AgentConfig, DaySequenceMode, MemoryMode, RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.meta_tasks.scenario import Scenario

RULES = ("sales.top_sales_employee", "kb_fix.medium", LINKS, LINKS)


def agents_of(path: Path, **options: list[str]) -> dict[str, tuple[str, MemoryMode]]:
    plan = LearningExperiment().plan(RunOptions(config=path, **options))  # type: ignore[arg-type]
    return {agent.name: (agent.agent, agent.memory) for agent in plan.agents}


# what is run ------------------------------------------------------------------------------


def test_scripted_stands_for_the_models_that_differ_in_what_they_remember(tmp_path: Path) -> None:
    agents = agents_of(week_file(tmp_path, *WEEK), model=["scripted"])
    learners = [name for name in SCRIPTED_MODELS if name not in GRADED_MODELS]
    assert list(agents) == [f"{name}{end}" for name in learners for end in MEMORY_SUFFIXES.values()]
    assert {agent for agent, _ in agents.values()} == {"learner"}
    assert agents["scripted-learner-poisoned"][1] is MemoryMode.POISONED


def test_an_agent_without_a_memory_of_its_own_is_not_run_with_its_memory_off(
    tmp_path: Path,
) -> None:
    agents = agents_of(week_file(tmp_path, *WEEK), agent=["openai"], model=["scripted-fair"])
    assert list(agents) == ["scripted-fair", "scripted-fair-wiped", "scripted-fair-poisoned"]
    assert MemoryMode.OFF not in {mode for _, mode in agents.values()}


def test_it_needs_weeks(tmp_path: Path) -> None:
    days = config(tmp_path, one=[day(LINKS), day(LINKS)])
    done = invoke(
        "learning", "--agent", "nothing", "--config", days, "--out", tmp_path / "out", exits=2
    )
    assert "learning needs weeks; one is not one. Omit --config to use learning-10" in said(done)
    assert not (tmp_path / "out").exists()


def test_one_command_runs_it_and_leaves_tables_and_charts(tmp_path: Path) -> None:
    weeks = week_file(tmp_path, day(LINKS), day(LINKS))
    out = tmp_path / "out"
    invoke("learning", "--agent", "oracle", "--config", weeks, "--out", out)
    assert {result.score for result in read(out)} == {1.0}
    assert [agent.memory for agent in plan_of(out).agents] == [
        MemoryMode.ON, MemoryMode.WIPED, MemoryMode.POISONED,
    ]  # fmt: skip
    text = (out / "experiment.md").read_text(encoding="utf-8")
    assert "| oracle | all | +0.00 |" in text and "(figure-policy-poisoned.svg)" in text
    assert (out / "figure.svg").exists() and (out / "figure-forgetting.svg").exists()


# what is said -----------------------------------------------------------------------------

NAMES = ("a", "b", "c")


def worked(mode: MemoryMode, followed: tuple[bool, ...], *scores: float) -> list[EpisodeResult]:
    """Weeks with a duty and a single-day task on the first four days, from RULES."""
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
    days = (day_spec(LINKS),) * 5
    plan = RunPlan(
        benchmark="test",
        scenarios=tuple(Scenario(name=name, days=days, week=True) for name in NAMES),
        agents=tuple(
            AgentConfig(name=f"x{suffix}", agent="nothing", memory=mode)
            for mode, suffix in MEMORY_SUFFIXES.items()
        ),
    )
    return ExperimentResults({"run": plan}, {"run": results})


def test_gains_slopes_and_controls_are_in_their_columns(
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


def test_transfer_forgetting_and_followed_policies_are_in_their_columns(
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


def test_values_that_are_not_known_yet_are_left_open(found: ExperimentResults) -> None:
    (results,) = found.results.values()
    half = [result for result in results if result.agent in ("x", "x-off")]
    page = LearningExperiment().page(ExperimentResults(found.plans, {"run": half}))
    (row, *_) = page.main_grid.rows
    assert row[2] == "–" and row[4] != "–"
    assert "Incomplete" in render_markdown(page)


# the measure ------------------------------------------------------------------------------

SCORES = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=8)


def second_day(scenario: str, score: float | None, **more: object) -> EpisodeResult:
    return episode("x", scenario, task(score), **{"day": "day_2", **more})


def reminded(scenario: str, score: float | None, **more: object) -> EpisodeResult:
    return second_day(scenario, score, remembers="day_1", **more)


@given(SCORES)
def test_it_is_the_mean_difference_between_the_same_days(scores: list[tuple[float, float]]) -> None:
    having = [reminded(str(n), score) for n, (score, _) in enumerate(scores)]
    lacking = [second_day(str(n), score) for n, (_, score) in enumerate(scores)]
    found = memory_gain(having, lacking[::-1])
    assert found is not None
    assert found.mean == pytest.approx(sum(a - b for a, b in scores) / len(scores), abs=1e-9)
    assert (found.low is None) == (len(scores) < 2)


def test_days_that_remember_nothing_are_no_gain() -> None:
    first = episode("x", "a", task(1.0))
    assert memory_gain([first], [episode("x", "a", task(0.0))]) is None
    found = memory_gain(
        [first, reminded("a", 0.5)], [episode("x", "a", task(0.0)), second_day("a", 0.25)]
    )
    assert found is not None
    assert found.mean == 0.25


@pytest.mark.parametrize(
    "partner",
    [
        second_day("b", 0.0),
        second_day("a", 0.0, day="day_1"),
        second_day("a", 0.0, attempt=2),
        second_day("a", 0.0, seed=7),
        second_day("a", None),
        second_day("a", 0.0, error="it broke"),
        reminded("a", 0.0),
    ],
    ids=["scenario", "day", "attempt", "seed", "ungraded", "broken", "with memory, too"],
)
def test_only_the_very_same_day_without_memory_is_a_partner(partner: EpisodeResult) -> None:
    assert memory_gain([reminded("a", 1.0)], [partner]) is None
    assert memory_gain([reminded("a", 1.0)], [partner, second_day("a", 0.5)]) is not None


def test_attempts_are_paired_and_a_scenario_counts_by_its_days() -> None:
    having = [reminded("a", 1.0, attempt=n) for n in (1, 2)]
    lacking = [second_day("a", score, attempt=n) for n, score in ((1, 1.0), (2, 0.0))]
    found = memory_gain(having, lacking)
    assert found is not None
    assert found.mean == 0.5


def test_it_can_be_asked_for_some_tasks_only() -> None:
    having = episode("x", "a", task(1.0, label="hard"), task(0.0), day="day_2", remembers="day_1")
    lacking = episode("x", "a", task(0.5, label="hard"), task(0.0), day="day_2")
    found = memory_gain([having], [lacking], lambda _, one: one.label == "hard")
    assert found is not None
    assert found.mean == 0.5


# the machinery ----------------------------------------------------------------------------

TWO_KINDS_OF_DAY = (
    ("kb_fix.medium", "sales.per_dept_top_n"),
    ("meeting_attend.check.u1", "resume_select.pool12"),
)
FEW_AND_MANY = pytest.mark.parametrize(
    "seeds",
    # seeds at which the scripted learner first misses what can be learnt
    [(1, 2, 5, 8), pytest.param(range(6), marks=pytest.mark.sweep)],
    ids=["few", "many"],
)


def scenarios(seeds: Iterable[int]) -> tuple[Scenario, ...]:
    return tuple(
        twice(*TWO_KINDS_OF_DAY[number % 2], name=f"s{number}", seed=number) for number in seeds
    )


def run_learner(
    model: str, path: Path, seeds: Iterable[int], *sequences: DaySequenceMode
) -> dict[DaySequenceMode, list[EpisodeResult]]:
    agents = tuple(
        AgentConfig(
            name=day_sequence.value, agent="learner", model=model, day_sequence=day_sequence
        )
        for day_sequence in sequences
    )
    plan = RunPlan(benchmark="test", scenarios=scenarios(seeds), agents=agents)
    results = carried_out(plan, path)
    return {
        day_sequence: [r for r in results if r.agent == day_sequence.value]
        for day_sequence in sequences
    }


def submitted(results: list[EpisodeResult]) -> int:
    return sum(task.submitted for result in results for task in result.tasks)


@FEW_AND_MANY
def test_an_agent_that_learns_rules_gains_except_with_wiped_memory_or_on_other_rules(
    tmp_path: Path, seeds: Iterable[int]
) -> None:
    found = run_learner("scripted-learner", tmp_path / "run", seeds, *DaySequenceMode)
    without = found[DaySequenceMode.FORGETFUL]
    for order in (DaySequenceMode.AS_WRITTEN, DaySequenceMode.REVERSED):
        learnt = memory_gain(found[order], without)
        assert learnt is not None
        assert learnt.low is not None
        assert learnt.low > 0
        assert learnt.mean > 0.1
    others = memory_gain(found[DaySequenceMode.AFTER_OTHERS], without)
    assert others is not None
    assert others.mean == 0
    assert memory_gain(without, without) is None


@pytest.mark.sweep
@FEW_AND_MANY
def test_an_agent_that_memorises_values_gains_nothing(tmp_path: Path, seeds: Iterable[int]) -> None:
    sequences = (DaySequenceMode.AS_WRITTEN, DaySequenceMode.FORGETFUL)
    found = run_learner("scripted-memoriser", tmp_path / "run", seeds, *sequences)
    assert submitted(found[DaySequenceMode.AS_WRITTEN]) > submitted(
        found[DaySequenceMode.FORGETFUL]
    )
    gained = memory_gain(found[DaySequenceMode.AS_WRITTEN], found[DaySequenceMode.FORGETFUL])
    assert gained is not None
    assert gained.mean <= 0.02
