"""Generated hard days, and the shipped days of expert-50: their rules, and which agents succeed."""

from __future__ import annotations

from datetime import time
from pathlib import Path
from random import Random

import pytest

from tests.harness.days import one_day
from trainee_bench.harness.agents.builtin.in_order import InOrder
from trainee_bench.harness.agents.builtin.one_by_one import OneByOne
from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.generation.benchmark_file import (
    FinishedScenarios,
    describe_shortfalls,
    describe_spec,
    generate_scenarios,
    parse_hours,
    parse_range,
    parse_slack,
)
from trainee_bench.harness.generation.chosen_rules import complicate_rules
from trainee_bench.harness.generation.deadlines import measure_slack
from trainee_bench.harness.generation.draft import draw_draft, effort_minutes
from trainee_bench.harness.generation.rehearsal import fails, rehearse
from trainee_bench.harness.generation.scenarios import make_scenario
from trainee_bench.harness.generation.spec import (
    ArrivalPattern,
    GenerationSpec,
    InvalidGenerationSpec,
    most_demanding,
    rule_demand,
)
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.complications import discover_complications
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.meta_task import Difficulty
from trainee_bench.meta_tasks.scenario import Arrival, Scenario
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.random_streams import random_stream

FAST = ("kb_fix.*", "resume_select.*", "sales.*", "transactions.*", "data_completion.sales.*")


def spec(**fields: object) -> GenerationSpec:
    """A specification with three or four tasks of families whose days are quickly worked."""
    given = {"name": "hard", "scenarios": 1, "fewest": 3, "most": 4, "globs": FAST, **fields}
    return GenerationSpec.model_validate({"flow": ArrivalPattern.STREAMED, **given})


async def test_every_task_has_as_many_complications_as_asked_for_in_the_hours_asked_for() -> None:
    order = spec(
        fewest=2,
        most=2,
        globs=("kb_fix.*", "resume_select.*"),
        fewest_complications=1,
        most_complications=2,
        starts=time(8),
        ends=time(18),
        effort=True,
    )
    scenario = await make_scenario(order, 1)
    assert (scenario.starts, scenario.ends) == (time(8), time(18))
    assert all(1 <= task.rule.count("+") <= 2 for task in scenario.days[0].tasks)
    assert scenario.minutes == effort_minutes()
    assert "1-2 complications each, with calls charged by their effort" in describe_spec(order)


FEW_RULES = (
    "ads_strategy.balanced.very_easy", "event_planning.A1", "kb_fix.easy",
    "meeting_book.capacity.c1", "resume_select.pool6", "sales.top_sales_employee",
    "transactions.n2.a0",
)  # fmt: skip


@pytest.mark.parametrize(("tasks", "least", "most"), [(14, 0, 1), (13, 1, 1), (14, 1, 2)])
def test_a_day_has_as_many_tasks_as_asked_for_and_no_two_are_alike(
    tasks: int, least: int, most: int
) -> None:
    globs = FEW_RULES if (tasks, least) != (14, 1) else (*FEW_RULES, "meeting_attend.check.u1")
    order = spec(
        fewest=tasks, most=tasks, globs=globs, fewest_complications=least, most_complications=most
    )
    made = 0
    for seed in range(4):
        try:
            draft = draw_draft(order, 2, Random(seed))
        except CompositionError:  # two equal tasks: another draw follows
            continue
        rules = [task.rule for task in draft.scenario.days[0].tasks]
        assert len(set(rules)) == len(rules) == tasks
        assert all(least <= rule.count("+") <= most for rule in rules)
        made += 1
    assert made


def test_the_command_says_how_many_tasks_go_without_what_is_given_where_it_fits() -> None:
    order = spec(
        fewest_complications=2, most_complications=2, unannounced=1, preferred=("sign_off",)
    )
    rules = (
        "sales.top_sales_employee+sign_off+unannounced_correction",
        "kb_fix.easy+busy_holder+unannounced_handover",
        "meeting_book.capacity.c1",
    )
    assert list(describe_shortfalls(order, [one_day(*rules, name="x")])) == [
        "1 of 3 tasks have fewer than 1 unannounced complications, because no more fit",
        "2 of 3 tasks do not have sign_off, because it does not fit",
    ]


@pytest.mark.sweep
@pytest.mark.timeout(900)
async def test_a_demanding_day_is_lost_by_agents_that_do_one_task_after_the_other() -> None:
    order = spec(fewest=4, most=5, demanding=True, most_complications=2)
    scenario = await make_scenario(order, 1)
    plain = await run_in_process("in_order", compose_day(scenario))
    best = await run_in_process("oracle", compose_day(scenario))
    assert best.grade.success and not plain.grade.success


@pytest.mark.sweep
@pytest.mark.timeout(1_800)
async def test_with_more_work_than_hours_no_set_of_greater_worth_can_be_done() -> None:
    scenario = await make_scenario(spec(fewest=5, most=5, overload_every=1), 1)
    (day,) = scenario.days
    assert day.best_worth is not None
    worths = {task.rule: task.worth or 0 for task in day.tasks}
    assert day.best_worth < sum(worths.values())
    best = await run_in_process("oracle", compose_day(scenario))
    assert best.grade.score == 1 and best.grade.success
    everything = day.model_copy(update={"best": tuple(worths)})
    tried = Scenario.model_validate({**dict(scenario), "days": (everything,)})
    assert not (await run_in_process("oracle", compose_day(tried))).grade.success


@pytest.mark.parametrize("text", ["8", "18-8", "8-24", "eight"])
def test_hours_that_are_no_day_are_refused(text: str) -> None:
    with pytest.raises(InvalidGenerationSpec, match="--hours"):
        parse_hours(text)


def test_ranges_are_read() -> None:
    assert parse_range("2-6", "--tasks") == (2, 6) and parse_range("4", "--tasks") == (4, 4)
    assert parse_hours("8-18") == (time(8), time(18))


def families(*globs: str) -> GenerationSpec:
    """A specification for rules of these globs, of which the more demanding half is drawn."""
    given = {"name": "x", "scenarios": 2, "fewest": 1, "most": 1, "globs": globs}
    return GenerationSpec.model_validate({**given, "hardest": 0.5})


def test_the_hardest_half_of_a_family_asks_for_more_than_what_it_leaves_out() -> None:
    every = families("kb_fix.*", "resume_select.*").model_copy(update={"hardest": 1}).rules()
    kept = most_demanding(every, 0.5)
    for name, rules in every.items():
        hard = [rule for rule in rules if rule.difficulty is Difficulty.HARD]
        left = [rule for rule in hard if rule not in kept[name]]
        least = min(rule_demand(rule.id) for rule in kept[name])
        assert all(rule_demand(rule.id) <= least for rule in left)
    ids = {rule.id for rules in kept.values() for rule in rules}
    assert "kb_fix.easy" not in ids and "resume_select.pool9" not in ids


def test_a_fact_more_makes_a_rule_more_demanding() -> None:
    assert rule_demand("kb_fix.split.medium") > rule_demand("kb_fix.medium")


def test_complications_of_a_day_are_of_many_kinds_and_go_together_with_its_seed() -> None:
    spec = families("sales.*", "transactions.*").model_copy(
        update={"fewest_complications": 2, "most_complications": 2}
    )
    rules = [find_rule("sales.cross_depts_top_n"), find_rule("transactions.n4.a0")]
    scenario = one_day(*(rule.id for rule in rules), name="many kinds", seed=7)
    made = complicate_rules(spec, scenario, rules, random_stream("many kinds"))
    names = [name for complicated in made for name in complicated.rule.id.split("+")[1:]]
    assert len(names) == 4 and len(set(names)) == 4


def test_the_requested_number_of_complications_is_unannounced() -> None:
    spec = families("sales.*", "kb_fix.*", "event_planning.*").model_copy(
        update={"fewest_complications": 3, "most_complications": 3, "unannounced": 2}
    )
    rules = [
        find_rule(id) for id in ("sales.cross_depts_top_n", "kb_fix.hard", "event_planning.B1")
    ]
    scenario = one_day(*(rule.id for rule in rules), name="unannounced", seed=7)
    made = complicate_rules(spec, scenario, rules, random_stream("unannounced"))
    known = discover_complications()
    quiet = [
        [name for name in complicated.rule.id.split("+")[1:] if not known[name].announced]
        for complicated in made
    ]
    assert [len(names) for names in quiet] == [2, 1, 0]  # as many as fit
    assert all(len(complicated.rule.id.split("+")) == 4 for complicated in made)


def test_more_unannounced_complications_than_there_are_is_refused() -> None:
    with pytest.raises(ValueError, match="--unannounced"):
        GenerationSpec(
            name="x", scenarios=1, fewest_complications=1, most_complications=2, unannounced=2
        )


def test_finished_scenarios_are_read_again_only_for_the_same_specification(tmp_path: Path) -> None:
    spec = families("kb_fix.*")
    one, two = (one_day("kb_fix.hard", name=f"x-{number}") for number in (1, 2))
    finished = FinishedScenarios(tmp_path / "mine.json", spec)
    finished.begin({1: one})
    finished.add(2, two)
    assert finished.read() == {1: one, 2: two}
    text = finished.path.read_text()
    finished.path.write_text(text[:-20])  # interrupted while it was written
    assert finished.read() == {1: one}
    other = FinishedScenarios(tmp_path / "mine.json", spec.model_copy(update={"seed": 1}))
    assert other.read() == {}
    finished.remove()
    assert not list(tmp_path.iterdir())


def test_only_the_scenarios_whose_lines_were_removed_are_made_again(tmp_path: Path) -> None:
    spec = families("kb_fix.*").model_copy(update={"scenarios": 3})
    finished = FinishedScenarios(tmp_path / "mine.json", spec)
    made = list(generate_scenarios(spec, 1, finished))
    lines = finished.path.read_text().splitlines(keepends=True)
    kept = made[2].model_copy(update={"seed": 12_345})
    finished.begin({1: made[0], 3: kept})
    assert finished.path.read_text().splitlines(keepends=True)[:2] == lines[:2]
    assert list(generate_scenarios(spec, 1, finished)) == [made[0], made[1], kept]
    assert finished.read() == {1: made[0], 2: made[1], 3: kept}


@pytest.mark.parametrize("text", ["1.05", "a-b", "1.05-", "1,05-1,35"])
def test_slack_that_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(InvalidGenerationSpec, match="--slack"):
        parse_slack(text)


def test_slack_is_a_range_of_numbers_with_or_without_decimals() -> None:
    assert parse_slack("1.05-1.35") == (1.05, 1.35)
    assert parse_slack("1.5-2") == (1.5, 2)


EASIEST = "expert-50-48"
"""Without the tasks that its best plan leaves out, one task after the other is in time by 4
minutes."""
SCENARIOS = load_shipped_benchmark("expert-50").scenarios


def test_fifty_streamed_days_of_hard_tasks_a_third_of_them_with_more_work_than_hours() -> None:
    assert len(SCENARIOS) == 50
    assert all(scenario.arrival is Arrival.STREAMED for scenario in SCENARIOS)
    for scenario in SCENARIOS:
        assert (scenario.starts.hour, scenario.ends.hour) == (8, 18)
        assert 6 <= len(scenario.days[0].tasks) <= 9
        assert all(1 <= task.rule.count("+") <= 3 for task in scenario.days[0].tasks)
    overloaded = [scenario.days[0] for scenario in SCENARIOS if scenario.days[0].best]
    assert len(overloaded) == 16
    assert {bool(scenario.days[0].best) for scenario in SCENARIOS[3::4]} == {True, False}
    assert EASIEST in {scenario.name for scenario in SCENARIOS[3::4]}
    for day in overloaded:
        assert day.best_worth is not None
        assert day.best_worth <= 0.9 * sum(task.worth or 0 for task in day.tasks)


@pytest.mark.sweep
@pytest.mark.parametrize("scenario", SCENARIOS[3::4], ids=lambda scenario: scenario.name)
async def test_planning_does_all_that_can_be_done_and_one_task_after_the_other_does_not(
    scenario: Scenario,
) -> None:
    composition = compose_day(scenario)
    rehearsal = await rehearse(composition)
    assert rehearsal is not None and rehearsal.full
    slack = await measure_slack(composition)
    assert slack is not None and 1.05 <= slack <= 1.35
    assert await fails(InOrder, composition)
    assert await fails(OneByOne, composition) is (scenario.name != EASIEST)
