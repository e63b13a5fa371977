"""Pages of experiments: the right figures in the right cells, and how unknown values show.

The paper's two measures are computed by hand, and compared with its own tables.
"""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tests.harness.builders import episode, figures, plan, task
from tests.harness.days import twice
from trainee_bench.harness.analysis.experiments import paper
from trainee_bench.harness.analysis.experiments.conditions import conditions_section
from trainee_bench.harness.analysis.experiments.continual import (
    SEQUENCE_SUFFIXES,
    ContinualExperiment,
)
from trainee_bench.harness.analysis.experiments.difficulty import DifficultyExperiment
from trainee_bench.harness.analysis.experiments.experiment import Experiment, ExperimentResults
from trainee_bench.harness.analysis.experiments.guidance import GuidanceExperiment
from trainee_bench.harness.analysis.experiments.main import MainExperiment
from trainee_bench.harness.analysis.experiments.measures import agents_by_score, measure_tasks
from trainee_bench.harness.analysis.experiments.workload import WorkloadExperiment
from trainee_bench.harness.analysis.statistics.summary import agent_summaries
from trainee_bench.harness.documents.document import Document, Grid
from trainee_bench.harness.documents.html import render_html
from trainee_bench.harness.documents.markdown import render_markdown
from trainee_bench.harness.records.human_part import GivenGuidance, GuidanceKind
from trainee_bench.harness.records.plan import AgentConfig, DaySequenceMode, RunPlan
from trainee_bench.harness.records.results import EpisodeResult, ResultIdentity
from trainee_bench.harness.session.limits import EndReason, EpisodeLimits

IDENTITY = ResultIdentity(
    score_version=1, generator=2, tools=("chat",), npc_brain="scripted", modality="pictures",
    limits=EpisodeLimits(), isolation="none",
)  # fmt: skip
EASY, HARD = "a.easy", "b.hard"
NAMES = tuple(f"s{n}" for n in range(8))


def found(*results: EpisodeResult, epochs: int = 1) -> ExperimentResults:
    names = tuple(dict.fromkeys(result.agent for result in results))
    return ExperimentResults({"run": plan(*NAMES, agents=names, epochs=epochs)}, {"run": results})


def many(agent: str, easy: float, hard: float, **more: object) -> list[EpisodeResult]:
    """Days of one easy task, every second day with a hard task, too."""
    made = []
    for place, name in enumerate(NAMES):
        tasks = [task(easy, EASY)] + [task(hard, HARD, label="hard")] * (place % 2)
        made.append(episode(agent, name, *tasks, identity=IDENTITY, **more))
    return made


BOTH = found(*many("weak", 0.5, 0.0), *many("strong", 1.0, 0.5))


def cells(page: Document, place: int = 0) -> dict[str, list[str]]:
    """Return the rows of the table at that place, by their first cell."""
    tables = list(page.every(Grid))
    return {row[0]: list(row[1:]) for row in tables[place].rows}


def ranks_by_score(page: Document) -> dict[str, str]:
    grid = list(page.every(Grid))[1]
    return {row[0]: row[grid.titles.index("rank by score")] for row in grid.rows}


def number(cell: str) -> float:
    return float(cell.split()[0])


def test_the_main_table_has_days_complete_success_score_steps_and_calls_the_best_first() -> None:
    page = MainExperiment().page(BOTH)
    table = cells(page)
    assert list(table) == ["strong", "weak"]
    assert [number(cell) for cell in table["strong"]] == [0.5, 0.67, 0.88, 10, 12]
    assert [number(cell) for cell in table["weak"]] == [0, 0, 0.38, 10, 12]
    assert ranks_by_score(page) == {"strong": "1", "weak": "2"}


@pytest.mark.parametrize(
    ("experiment", "conditions"),
    [
        (MainExperiment(), ["strong", "weak"]),
        (DifficultyExperiment(), ["strong", "weak"]),
        (WorkloadExperiment(), [f"{name}, {n}" for name in ("strong", "weak")
                                for n in ("1 task", "2 tasks")]),
    ],
)  # fmt: skip
def test_schedules_are_shown_by_condition_where_a_run_has_them(
    experiment: Experiment, conditions: list[str]
) -> None:
    strong = many("strong", 1.0, 0.5, schedule=figures(idle=5))
    page = experiment.page(found(*many("weak", 0.5, 0.0, schedule=figures(idle=45)), *strong))
    table = next(grid for grid in page.every(Grid) if grid.titles[0] == "schedule of")
    assert [row[0] for row in table.rows] == conditions
    idle = {row[0].split(",")[0]: row[table.titles.index("idle min")] for row in table.rows}
    assert idle == {"strong": "5", "weak": "45"}
    without = experiment.page(BOTH)
    assert not any(grid.titles[0] == "schedule of" for grid in without.every(Grid))


def test_an_agent_that_cannot_be_compared_gets_figures_and_no_rank() -> None:
    insider = IDENTITY.model_copy(update={"isolation": "insider"})
    other = [result.model_copy(update={"identity": insider}) for result in many("oracle", 1.0, 1.0)]
    text = render_markdown(MainExperiment().page(found(*many("weak", 0.5, 0.0), *other)))
    assert "No ranking of all agents: " in text and "isolation is " in text
    assert "| oracle | 1.00 | 1.00 |" in text


def test_an_agent_that_cannot_be_compared_with_all_is_ranked_among_comparable_ones() -> None:
    insider = IDENTITY.model_copy(update={"isolation": "insider"})
    other = [result.model_copy(update={"identity": insider}) for result in many("oracle", 1.0, 1.0)]
    page = MainExperiment().page(found(*many("weak", 0.5, 0.0), *many("strong", 1.0, 0.5), *other))
    assert ranks_by_score(page) == {"strong": "1", "weak": "2"}
    assert "No ranking of all agents: " in render_markdown(page)


def test_an_agent_whose_episodes_all_broke_changes_no_other_rank() -> None:
    broken = [episode("cut-off", name, task(None), error="no key") for name in NAMES]
    page = MainExperiment().page(found(*many("weak", 0.5, 0.0), *many("strong", 1.0, 0.5), *broken))
    assert ranks_by_score(page)["strong"] == "1"
    assert "Left out, without a fully graded episode: cut-off." in render_markdown(page)
    assert cells(page)["cut-off"] == ["–"] * 5


def test_repeats_are_shown_as_pass_k_for_each_k() -> None:
    tries = [
        result for n, s in enumerate((1.0, 0.0, 1.0), 1) for result in many("a", s, s, attempt=n)
    ]
    page = MainExperiment().page(found(*tries, epochs=3))
    assert page.main_grid.titles[-2:] == ("task pass^2", "task pass^3")
    assert cells(page)["a"][-2:] == ["0.33", "0.00"]
    assert cells(WorkloadExperiment().page(found(*tries, epochs=3)), 2)["a"][-1] == "0.00"


def test_workload_goes_by_the_number_of_tasks() -> None:
    page = WorkloadExperiment().page(BOTH)
    assert list(page.main_grid.titles) == ["CS by tasks", "1 (4)", "2 (4)"]
    assert cells(page, 0) == {"strong": ["1.00", "0.75"], "weak": ["0.50", "0.25"]}
    assert cells(page, 1) == {"strong": ["1.00", "0.50"], "weak": ["0.00", "0.00"]}


def test_difficulty_goes_by_label() -> None:
    table = cells(DifficultyExperiment().page(BOTH))
    assert table == {
        "strong": ["1.00", "1.00", "0.00", "0.50"],
        "weak": ["0.00", "0.50"] + ["0.00"] * 2,
    }


def test_guidance_compares_each_tier_with_none() -> None:
    runs = {}
    for tier in range(4):
        hinted = IDENTITY.model_copy(update={"guidance": tier})
        score = 0.25 * tier
        runs[f"tier-{tier}"] = [
            result.model_copy(update={"identity": hinted}) for result in many("model", score, score)
        ]
    plans = {name: plan(*NAMES, agents=("model",)) for name in runs}
    page = GuidanceExperiment().page(ExperimentResults(plans, runs))
    assert cells(page)["model"] == ["0.00", "0.25", "0.50", "0.75"]
    effects = cells(page, 2)
    assert effects["model tier-3 – model tier-0"][1:3] == ["0.000 (0.000 to 0.000)", "tie"]
    text = render_markdown(page)
    assert "| model tier-3 – model tier-0 | score | +0.750 (+0.750 to +0.750) |" in text


def test_guidance_shows_peoples_hints_next_to_ours() -> None:
    hint = GivenGuidance(seq=3, kind=GuidanceKind.HINT, tier=1, task="T1")
    guided = IDENTITY.model_copy(update={"guided": (hint, hint.model_copy(update={"seq": 5}))})
    runs = {f"tier-{tier}": many("model", 0.25, 0.25) for tier in range(4)}
    people = [
        result.model_copy(update={"identity": guided}) for result in many("model", 0.75, 0.75)
    ]
    plans = {name: plan(*NAMES, agents=("model",)) for name in runs}
    page = GuidanceExperiment().page(ExperimentResults(plans, runs, people))
    assert cells(page)["model"] == ["0.25"] * 4  # ours are as they were
    text = render_markdown(page)
    assert "## Guided by people" in text
    assert "| model | 2.0 | 0.0 | 0.0 | 0.0 | 0.75" in text
    assert "| model guided by people – model none | score | +0.500 (+0.500 to +0.500) |" in text


def two_days(*sequences: DaySequenceMode) -> RunPlan:
    """Two kinds of scenarios, so that each has one of the other kind to follow."""
    return RunPlan(
        benchmark="test",
        scenarios=tuple(
            twice(("kb_fix.easy", "meeting_attend.sum.u1")[place % 2], name=name)
            for place, name in enumerate(NAMES)
        ),
        agents=tuple(
            AgentConfig(
                name=f"model{SEQUENCE_SUFFIXES[day_sequence]}",
                agent="nothing",
                day_sequence=day_sequence,
            )
            for day_sequence in sequences
        ),
    )


def worked(
    suffix: str, day: str, score: float, remembers: str | None = None, rule: str = EASY
) -> list[EpisodeResult]:
    """Days that remember the day called *remembers* of their own scenario."""
    return [
        episode(
            f"model{suffix}", name, task(score, rule), day=day, identity=IDENTITY,
            remembers=f"{name}.{remembers}.model{suffix}" if remembers else None,
            episode=f"{name}.{day}.model{suffix}",
        )
        for name in NAMES
    ]  # fmt: skip


def test_continual_takes_gain_from_pairs_and_shows_its_controls() -> None:
    results = [
        *worked("", "day_1", 0.4), *worked("", "day_2", 0.9, "day_1"),
        *worked("-swapped", "day_2", 0.7), *worked("-swapped", "day_1", 0.8, "day_2"),
        *worked("-wiped", "day_1", 0.5), *worked("-wiped", "day_2", 0.6),
        *worked("-other-rules", "day_1", 0.5, rule="b.other"),
        *worked("-other-rules", "day_2", 0.65, "day_1"),
    ]  # fmt: skip
    page = ContinualExperiment().page(
        ExperimentResults({"run": two_days(*DaySequenceMode)}, {"run": results})
    )
    tables = list(page.every(Grid))
    assert list(tables[0].rows[0]) == ["model", "overall", "0.40", "0.90", "0.60"]
    assert [row[1] for row in tables[0].rows] == ["overall", "easy", "hard"]
    assert tables[0].rows[2][2:] == ["–"] * 3
    assert tables[1].rows[0] == ["model", "overall", "+0.30", "+0.30", "+0.30", "+0.05", "+0.00"]


def test_continual_without_the_control_of_other_rules_says_so() -> None:
    sequences = (DaySequenceMode.AS_WRITTEN, DaySequenceMode.REVERSED, DaySequenceMode.FORGETFUL)
    page = ContinualExperiment().page(
        ExperimentResults({"run": two_days(*sequences)}, {"run": worked("", "day_1", 0.4)})
    )
    assert "control with other rules was not run" in render_markdown(page)


def test_unknown_values_are_called_unknown_and_partial_sums_at_least() -> None:
    spent = {"prompt_tokens": 900, "completion_tokens": 100}
    results = [
        *many("priced", 1.0, 1.0, cost_usd=0.5, **spent),
        *many("partly", 1.0, 1.0, cost_usd=0.5, **spent)[:2],
        *many("partly", 1.0, 1.0)[2:],
        *many("tokens", 1.0, 1.0, **spent),
        *many("silent", 1.0, 1.0),
        *many("nothing", 0.0, 0.0),
        *many("program", 0.0, 0.0),
    ]
    names = ("priced", "partly", "tokens", "silent")
    made = plan(*NAMES, agents=("nothing",)).model_copy(
        update={
            "agents": (
                *(AgentConfig(name=name, agent="openai", model=name) for name in names),
                AgentConfig(name="nothing", agent="nothing"),
                AgentConfig(name="program", agent="command", command="some-program"),
            )
        }
    )
    page = Document("x", (conditions_section(ExperimentResults({"run": made}, {"run": results})),))
    spending = {name: row[-2:] for name, row in cells(page).items()}
    assert spending == {
        "priced": ["8,000", "4.00"],
        "partly": ["at least 2,000 (6 unknown)", "at least 1.00 (6 unknown)"],
        "tokens": ["8,000", "unknown"],
        "silent": ["unknown", "unknown"],
        "nothing": ["none", "none"],
        "program": ["unknown", "unknown"],
    }


def test_coverage_limits_faults_and_missing_episodes_are_stated() -> None:
    good = many("a", 1.0, 1.0)[:5]
    limited = episode("a", "s5", task(0.0), ended=EndReason.TOKEN_LIMIT, identity=IDENTITY)
    broken = episode("a", "s6", task(None), error="the line was dead")
    page = Document("x", (conditions_section(found(*good, limited, broken)),))
    row = cells(page)["a"]
    assert row[:5] == ["7 of 8", "0.89", "14.3% (1)", "14.3% (1)", "–"]
    assert "Incomplete" in render_markdown(page)


@pytest.mark.parametrize(
    "experiment", [MainExperiment(), WorkloadExperiment(), DifficultyExperiment()]
)
def test_the_papers_figures_are_set_apart_and_marked_as_not_comparable(
    experiment: Experiment,
) -> None:
    page = experiment.page(BOTH)
    ours, paper = render_markdown(page).split("> ## The paper's")
    assert "Gemini" not in ours and "Gemini" in paper
    assert "not comparable" in paper
    assert all(line.startswith(">") for line in paper.splitlines()[1:])


@pytest.mark.parametrize(
    "experiment", [MainExperiment(), WorkloadExperiment(), DifficultyExperiment()]
)
def test_a_page_in_html_needs_nothing_else_and_escapes_what_it_shows(
    experiment: Experiment,
) -> None:
    evil = "<img src=x onerror=alert(1)>"
    page = experiment.page(found(*many(evil, 0.5, 0.0), *many("strong", 1.0, 0.5)))
    text = render_html(page)
    assert "<img" not in text and "src=" not in text.replace("&lt;img src=x", "")
    assert "<script" not in text and "url(" not in text and "@import" not in text
    assert text.count("<svg") == len(page.charts) > 0
    for figure in page.charts:
        assert ElementTree.fromstring(figure.svg).tag.endswith("svg")


def test_an_experiment_without_results_still_has_a_page() -> None:
    for experiment in (
        MainExperiment(),
        WorkloadExperiment(),
        DifficultyExperiment(),
        GuidanceExperiment(),
    ):
        nothing = ExperimentResults({"run": plan("s0")}, {"run": []})
        assert "Incomplete" in render_markdown(experiment.page(nothing))


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


def test_the_best_agent_comes_first_and_an_ungraded_one_last() -> None:
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
