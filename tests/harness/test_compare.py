"""Runs are set against each other on the same instances alone, and a tie is called a tie."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.harness.builders import episode, figures, plan, task, week
from tests.harness.runs import call
from trainee_bench.harness.analysis.comparison.compared_run import ComparedRun, IncomparableRuns
from trainee_bench.harness.analysis.comparison.paired import compare_runs
from trainee_bench.harness.analysis.comparison.paired_schedules import compare_schedules
from trainee_bench.harness.analysis.comparison.presentation import (
    pairs_grid,
    standings_grid,
)
from trainee_bench.harness.documents.document import Medium
from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.harness.records.results import EpisodeResult, ResultFile, ResultIdentity
from trainee_bench.harness.session.frozen import FrozenDigests
from trainee_bench.harness.session.limits import EpisodeLimits

IDENTITY = ResultIdentity(
    score_version=1, generator=2, tools=("chat", "mail"), npc_brain="scripted", modality="pictures",
    limits=EpisodeLimits(), isolation="none",
)  # fmt: skip
SCORES = st.sampled_from((0.0, 0.25, 1 / 3, 0.5, 2 / 3, 1.0))
RUNS = st.lists(st.tuples(SCORES, SCORES, SCORES), min_size=1, max_size=12)


def result(agent: str, scenario: str, score: float | None, **more: object) -> EpisodeResult:
    return episode(agent, scenario, task(score), **{"identity": IDENTITY, **more})


def entrant(agent: str, *scores: float | None, **more: object) -> ComparedRun:
    """One episode on each of s0, s1, … with these scores."""
    return ComparedRun(
        agent, agent, tuple(result(agent, f"s{n}", s, **more) for n, s in enumerate(scores))
    )


def saved(folder: Path, *entrants: ComparedRun, made: RunPlan | None = None) -> Path:
    folder.mkdir()
    ResultFile(folder / "results.jsonl").rewrite(one for each in entrants for one in each.results)
    if made is not None:
        (folder / "run.json").write_text(made.model_dump_json(), encoding="utf-8")
    return folder


invoke = partial(call, "compare")


@given(RUNS)
def test_a_run_against_itself_is_a_tie_of_nothing(runs: list[tuple[float, float, float]]) -> None:
    scores = [one for one, _, _ in runs]
    (pair,) = compare_runs([entrant("a", *scores), entrant("b", *scores)]).pairs
    for by in (pair.score, pair.success):
        assert by.tie and by.mean == 0 and by.low in (0, None) and by.high in (0, None)
        assert by.differing == 0 and by.detectable is None


@given(RUNS)
def test_turned_round_each_difference_is_exactly_its_negative(
    runs: list[tuple[float, float, float]],
) -> None:
    one, other = (entrant(name, *(run[n] for run in runs)) for n, name in enumerate("ab"))
    (forth,), (back,) = compare_runs([one, other]).pairs, compare_runs([other, one]).pairs
    for by, turned in ((forth.score, back.score), (forth.success, back.success)):
        assert by.mean == -turned.mean and by.detectable == turned.detectable
        assert by.tie == turned.tie
        if by.low is not None and by.high is not None:
            assert (turned.low, turned.high) == (-by.high, -by.low)


@given(RUNS, st.randoms(use_true_random=False))
def test_the_order_in_which_results_came_changes_nothing(
    runs: list[tuple[float, float, float]], shuffle: random.Random
) -> None:
    def entrants(mix: bool) -> list[ComparedRun]:
        made = []
        for place, name in enumerate("abc"):
            found = [
                result(name, f"s{n}", run[(place + attempt) % 3], attempt=attempt)
                for n, run in enumerate(runs)
                for attempt in (1, 2, 3)
            ]
            if mix:
                shuffle.shuffle(found)
            made.append(ComparedRun(name, name, tuple(found)))
        return made

    assert compare_runs(entrants(mix=True)) == compare_runs(entrants(mix=False))


def test_ranks_are_shared_where_nothing_tells_two_apart() -> None:
    strong, same, weak = [1.0, 0.8] * 6, [0.8, 1.0] * 6, [0.1, 0.3] * 6
    found = compare_runs([entrant("a", *weak), entrant("b", *strong), entrant("c", *same)])
    assert [standing.complete_rank for standing in found.standings] == [3, 1, 1]
    assert [standing.score_rank for standing in found.standings] == [3, 1, 1]
    assert [standing.success_rank for standing in found.standings] == [3, 1, 1]
    first = found.pairs[0]
    assert first.score.mean == pytest.approx(0.2 - 0.9)
    assert first.score.high is not None and first.score.high < 0 and not first.score.tie


def test_days_complete_come_before_the_score() -> None:
    careful, nearly = [1.0] * 6 + [0.0] * 6, [0.9] * 12
    found = compare_runs([entrant("careful", *careful), entrant("nearly", *nearly)])
    assert [standing.complete_rank for standing in found.standings] == [1, 2]
    (pair,) = found.pairs
    assert (pair.complete.mean, pair.score.mean) == (0.5, pytest.approx(-0.4))
    grid = standings_grid(found)
    assert [row[0] for row in grid.rows] == ["careful", "nearly"]
    assert grid.titles[1:5] == ("rank by days complete", "complete", "rank by score", "score")
    measures = [row[1] for row in pairs_grid([found]).rows]
    assert measures == ["complete", "score", "success"]


def test_a_day_with_an_incomplete_task_is_not_complete() -> None:
    mixed = [
        episode("a", "s0", task(1.0), task(0.5), identity=IDENTITY),
        episode("a", "s1", task(1.0), task(1.0), identity=IDENTITY),
    ]
    other = [episode("b", name, task(0.0), task(1.0), identity=IDENTITY) for name in ("s0", "s1")]
    found = compare_runs([ComparedRun("a", "a", (*mixed,)), ComparedRun("b", "b", (*other,))])
    first = found.standings[0]
    assert first.complete is not None and first.complete.mean == 0.5
    assert first.success is not None and first.success.mean == 0.75


def test_columns_that_say_nothing_are_left_to_the_files() -> None:
    plain = standings_grid(compare_runs([entrant("a", 1.0), entrant("b", 0.5)]))
    assert plain.shown_in(Medium.CONSOLE).titles == (
        "agent or run", "rank by days complete", "complete", "rank by score", "score", "success",
        "episodes",
    )  # fmt: skip
    assert {"broken as 0", "left out", "coverage"} <= set(plain.shown_in(Medium.MARKDOWN).titles)
    broken = result("a", "s1", None, error="the line was dead")
    partly = ComparedRun("a", "a", (result("a", "s0", 0.5), broken))
    shown = standings_grid(compare_runs([partly, entrant("b", 1.0, 1.0)]))
    said = {"broken as 0", "left out", "coverage"}
    assert said <= set(shown.shown_in(Medium.CONSOLE).titles)


def test_the_difference_is_one_of_pairs_and_not_of_means() -> None:
    uneven = [n / 20 for n in range(20)]
    (pair,) = compare_runs([entrant("a", *(s + 0.05 for s in uneven)), entrant("b", *uneven)]).pairs
    assert pair.score.mean == pytest.approx(0.05)
    assert not pair.score.tie, "what the scenarios differ by is no doubt about who is better"


def test_a_few_scenarios_that_agree_by_chance_order_nobody() -> None:
    (five,) = compare_runs([entrant("a", *[1.0] * 5), entrant("b", *[0.5] * 5)]).pairs
    assert five.score.low == 0.5 and five.score.tie
    (six,) = compare_runs([entrant("a", *[1.0] * 6), entrant("b", *[0.5] * 6)]).pairs
    assert not six.score.tie


def test_the_smallest_difference_to_be_seen_is_that_of_the_formula() -> None:
    one, other = [0.0, 1.0] * 8, [0.5] * 16
    (pair,) = compare_runs([entrant("a", *one), entrant("b", *other)]).pairs
    deviation = (16 * 0.25 / 15) ** 0.5
    assert pair.score.detectable == pytest.approx((1.959964 + 0.841621) * deviation / 4, abs=1e-5)


def test_attempts_are_averaged_before_scenarios_are_compared() -> None:
    tries = [result("a", "s0", score, attempt=n) for n, score in enumerate((1.0, 0.0), start=1)]
    (pair,) = compare_runs([ComparedRun("a", "a", tuple(tries)), entrant("b", 0.5)]).pairs
    assert (pair.score.mean, pair.success.mean, pair.score.scenarios) == (0, 0.5, 1)


def test_episodes_not_fully_graded_are_left_out_of_both_runs_and_counted() -> None:
    broken = result("a", "s1", None, error="the line was dead")
    partly = episode("a", "s2", task(1.0), task(None), identity=IDENTITY)
    one = ComparedRun("a", "a", (result("a", "s0", 0.5), broken, partly))
    found = compare_runs([one, entrant("b", 0.5, 1.0, 1.0)])
    (pair,) = found.pairs
    assert (pair.instances, pair.score.mean) == (1, 0)
    assert [one.dropped for one in found.standings] == [2, 0]
    assert found.standings[0].coverage == pytest.approx(2 / 4)
    first = found.standings[0]
    assert first.score is not None and first.score.mean == 0.5
    assert first.broken_as_0 is not None
    assert first.broken_as_0.mean == pytest.approx((0.5 + 0 + 0.5) / 3)
    grid = standings_grid(found)
    row = dict(zip(grid.titles, next(row for row in grid.rows if row[0] == "a"), strict=True))
    assert (row["score"], row["broken as 0"].split(" ")[0], row["left out"]) == (
        "0.50", "0.33", "2"
    )  # fmt: skip


def test_a_day_with_a_check_that_broke_was_graded_and_is_compared() -> None:
    spoiled = task(0.25, error="right: ValueError: ² (in right)")
    one = ComparedRun("a", "a", (episode("a", "s0", spoiled, identity=IDENTITY),))
    found = compare_runs([one, entrant("b", 1.0)])
    (pair,) = found.pairs
    assert (pair.instances, pair.score.mean) == (1, -0.75)
    assert [one.dropped for one in found.standings] == [0, 0]


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("score_version", 2, "score_version is 1 and 2"),
        ("generator", 3, "generator is 2 and 3"),
        ("tools", ("chat",), "tools is chat, mail and chat"),
        ("npc_brain", "some-model", "npc_brain is scripted and some-model"),
        ("modality", "text", "modality is pictures and text"),
        ("limits", EpisodeLimits(steps=40), "limits.steps is 150 and 40"),
        ("guidance", 2, "guidance is 0 and 2"),
        ("isolation", "insider", "isolation is none and insider"),
        ("results", "structured", "results is text and structured"),
        ("sandbox", "some", "sandbox is none and some"),
    ],
)
def test_runs_of_another_identity_are_refused_by_the_field(
    field: str, value: object, says: str
) -> None:
    other = entrant("b", 1.0, identity=IDENTITY.model_copy(update={field: value}))
    with pytest.raises(IncomparableRuns, match=says):
        compare_runs([entrant("a", 1.0), other])


def test_the_effect_that_is_asked_for_may_differ() -> None:
    other = entrant("b", 1.0, identity=IDENTITY.model_copy(update={"guidance": 3}))
    assert compare_runs([entrant("a", 1.0), other], apart_from={"guidance"}).pairs


@pytest.mark.parametrize("name", ["world", "tools", "prompts", "pictures"])
def test_runs_whose_agents_were_shown_something_else_are_refused(name: str) -> None:
    shown = FrozenDigests(world="a", tools="b", prompts="c", pictures="d")
    first = IDENTITY.model_copy(update={"frozen": shown})
    second = first.model_copy(update={"frozen": shown.model_copy(update={name: "other"})})
    with pytest.raises(IncomparableRuns, match=f"agents were shown other {name}"):
        compare_runs([entrant("a", 1.0, identity=first), entrant("b", 1.0, identity=second)])


def test_an_identity_that_changed_within_a_run_is_refused() -> None:
    later = IDENTITY.model_copy(update={"generator": 1})
    mixed = (result("a", "s0", 1.0), result("a", "s0", 1.0, attempt=2, identity=later))
    with pytest.raises(IncomparableRuns, match="generator is 1 or 2 and 1 or 2"):
        compare_runs([ComparedRun(name, name, mixed) for name in "ab"])


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (entrant("b", 1.0, seed=7), "different instances of s0: they differ in seed"),
        (
            ComparedRun("b", "b", (episode("b", "s0", task(1.0, "x.y"), identity=IDENTITY),)),
            "in rules",
        ),
        (
            ComparedRun("b", "b", (result("b", "elsewhere", 1.0),)),
            "no fully graded scenario day in common",
        ),
    ],
)
def test_other_work_is_refused(other: ComparedRun, says: str) -> None:
    with pytest.raises(IncomparableRuns, match=says):
        compare_runs([entrant("a", 1.0), other])


def test_a_scenario_that_the_plans_describe_differently_is_refused(tmp_path: Path) -> None:
    made = plan("s0")
    changed = made.scenarios[0].model_copy(update={"company_size": 20})
    one = saved(tmp_path / "one", entrant("a", 1.0), made=made)
    other = saved(
        tmp_path / "other",
        entrant("a", 1.0),
        made=made.model_copy(update={"scenarios": (changed,)}),
    )
    done = invoke(one, other, exits=2)
    assert "differ in company_size" in " ".join(done.stderr.split())


def test_the_command_ranks_and_prints_ties_as_ties(tmp_path: Path) -> None:
    strong, weak = [1.0, 0.8] * 6, [0.1, 0.3] * 6
    both = saved(tmp_path / "run", entrant("good", *strong), entrant("bad", *weak))
    other = saved(tmp_path / "other", entrant("good", *reversed(strong)))
    within = invoke(both)
    assert "good is better" in within.stdout and "-0.700 (" in within.stdout
    between = invoke(both, other / "results.jsonl", "--agent", "good")
    assert "tie" in between.stdout and "1=" in between.stdout


def scheduled(agent: str, *idle: int, asked: bool = True) -> ComparedRun:
    """One day on each of s0, s1, … with so many idle minutes, and 30 minutes late questions."""
    days = []
    for number, minutes in enumerate(idle):
        schedule = figures(idle=minutes, lost=2 if minutes else 0)
        if not asked:
            schedule = schedule.model_copy(update={"questions": ()})
        days.append(result(agent, f"s{number}", 1.0, schedule=schedule))
    return ComparedRun(agent, agent, tuple(days))


def test_schedules_are_compared_in_pairs_of_days() -> None:
    idle = [60, 0, 20, 80, 40, 60, 30, 20]
    slow, quick = scheduled("slow", *(one + 10 for one in idle)), scheduled("quick", *idle)
    found = compare_schedules([slow, quick])
    assert [one.agent for one in found.runs] == ["slow", "quick"]
    (pair,) = found.pairs
    by = {one.measure.title: one for one in pair.differences}
    assert (by["idle"].by.mean, by["idle"].by.low, by["idle"].by.high) == (10, 10, 10)
    assert by["idle"].one == by["idle"].other + 10 and not by["idle"].by.tie
    assert by["value lost"].by.mean == pytest.approx(100 * 2 / 4 / 8) and by["value lost"].by.tie
    assert by["questions late"].by.mean == 0


def test_only_days_that_have_a_figure_on_both_sides_are_compared_in_it() -> None:
    one, other = scheduled("one", 10, 20), scheduled("other", 0, 0, asked=False)
    longer = ComparedRun("one", "one", (*one.results, result("one", "s2", 1.0)))
    (pair,) = compare_schedules([longer, other]).pairs
    by = {one.measure.title: one for one in pair.differences}
    assert (by["idle"].one, by["idle"].by.scenarios) == (15, 2)
    assert "questions late" not in by


def test_a_week_is_compared_day_by_day() -> None:
    def run(agent: str, *idle: int) -> ComparedRun:
        days = [figures(idle=minutes) for minutes in idle]
        return ComparedRun(agent, agent, (week(agent, "s0", *days, identity=IDENTITY),))

    (pair,) = compare_schedules([run("one", 10, 30), run("other", 0, 10)]).pairs
    by = {one.measure.title: one for one in pair.differences}
    assert (by["idle"].one, by["idle"].other, by["idle"].by.mean) == (20, 5, 15)


def test_the_command_shows_schedules_where_both_sides_have_them(tmp_path: Path) -> None:
    both = saved(tmp_path / "run", scheduled("slow", *[50] * 6), scheduled("quick", *[0] * 6))
    shown = " ".join(invoke(both).stdout.split())
    assert "idle 0 min – 50 min -50 min quick has less 6 (6)" in shown
    assert "value lost 0.0 % – 50.0 % -50.0 % quick has less 6 (6)" in shown
    none = saved(tmp_path / "none", entrant("good", 1.0), entrant("bad", 0.0))
    assert "schedule" not in invoke(none).stdout.lower()


def test_wrong_use_is_answered_with_what_would_be_right(tmp_path: Path) -> None:
    several = saved(tmp_path / "run", entrant("good", 1.0), entrant("bad", 0.0))
    alone = saved(tmp_path / "alone", entrant("good", 1.0))
    empty = tmp_path / "empty"
    empty.mkdir()
    borrowed = tmp_path / "borrowed"
    borrowed.mkdir()
    (borrowed / "experiment.json").write_text("{}", encoding="utf-8")
    torn = tmp_path / "torn"
    torn.mkdir()
    (torn / "results.jsonl").write_text('{"no": "result"}\n', encoding="utf-8")
    for arguments, says in (
        ((alone,), "needs two"),
        ((several, alone), "Select one with --agent"),
        ((alone, empty), "has no results.jsonl"),
        ((alone, borrowed), "the results of another folder"),
        ((alone, torn), "line 1"),
        ((several, "--agent", "nobody"), "bad, good"),
        ((alone, several, "--agent", "bad"), "has none of these agents"),
    ):
        done = invoke(*arguments, exits=2)
        assert says in " ".join(done.stderr.split())
