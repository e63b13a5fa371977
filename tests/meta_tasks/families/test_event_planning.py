"""The event planning family: dates come from all members alone, distances from the map."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from datetime import date

import pytest
from pydantic import JsonValue

from tests import quick_round
from tests.meta_tasks.days import day_with, last_submission, listener_of
from tests.meta_tasks.families.event_days import (
    LEVELS,
    RULES,
    day_of,
    map_of,
    scene_of,
    solved,
    text_at,
)
from trainee_bench.harness.certification.counterfactuals import certify_counterfactuals
from trainee_bench.harness.certification.leakage import certify_leakage
from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.families.event_planning import EventPlanning
from trainee_bench.meta_tasks.families.event_planning.deliverables import TOLERANCE, EventTruth
from trainee_bench.meta_tasks.families.event_planning.subject import (
    SINGLE_METRICS,
    PlanMetric,
    PlanningLevel,
    PlanRanking,
)
from trainee_bench.meta_tasks.meta_task import Difficulty, TaskInstance
from trainee_bench.meta_tasks.scenario import TaskSpec
from trainee_bench.meta_tasks.sent_texts import check_clue_collisions
from trainee_bench.meta_tasks.task_context import CompositionError, Modality
from trainee_bench.meta_tasks.vision.road_map import read_road_map
from trainee_bench.world.colleagues.understanding import Intent, hear
from trainee_bench.world.company.people import create_company
from trainee_bench.world.pictures.render import render_png

SEEDS = range(12)
DATES = re.compile(r"November ((?:\d+(?:-\d+)?(?:, | and )?)+)")
PLAN: Mapping[str, JsonValue] = {
    "morning": "Riverside Wetland",
    "lunch": "Maple · Hotpot",
    "afternoon": "Stonegate Eco Park",
}
GENERAL: Mapping[str, JsonValue] = {"department": "Marketing", "n_loc": 6, "n_res": 10}


def free_days(payload: str) -> set[int]:
    """The days of November that a member's answer names."""
    found = DATES.search(payload)
    assert found
    runs = [run.partition("-") for run in re.findall(r"\d+(?:-\d+)?", found[1])]
    return {n for first, _, last in runs for n in range(int(first), int(last or first) + 1)}


def common(instance: TaskInstance[EventTruth], without: int | None = None) -> list[int]:
    answers = [free_days(c.payload) for n, c in enumerate(instance.hidden.clues) if n != without]
    return sorted(set(range(1, 31)).intersection(*answers))


# the rules -------------------------------------------------------------------------------


def test_twelve_rules_all_of_them_hard() -> None:
    assert [
        *("A1", "A2", "A3", "A4", "B1", "B2", "B3", "B4"),
        *("C1_interest", "C2_cost", "C3_distance", "C4_score"),
    ] == LEVELS
    assert {rule.difficulty for rule in EventPlanning.rules()} == {Difficulty.HARD}


@pytest.mark.parametrize("level", PlanningLevel)
def test_of_ten_points_those_for_process_count_with_the_dates_only(level: PlanningLevel) -> None:
    marks = EventPlanning(level=level).checkpoints()
    assert [mark.only_with for mark in marks if mark.only_with] == ["dates_right"]
    assert sum(mark.weight for mark in marks) == pytest.approx(10)
    assert len({mark.name for mark in marks}) == len(marks)


@pytest.mark.parametrize(
    ("metrics", "end_time", "number"),
    [
        (["total_travel_distance"], None, 1),
        (["interest_score", "total_travel_distance"], None, 1),
        (["total_travel_distance", "cost_per_person", "interest_score"], None, 2),
        ([*PlanMetric], None, 3),
        ([*PlanMetric], "17:30", 4),
    ],
)
@pytest.mark.parametrize("plan", [PLAN, None])
def test_published_entries_mean_a_level_by_what_they_ask_for(
    metrics: list[JsonValue], end_time: str | None, number: int, plan: JsonValue
) -> None:
    params = {**GENERAL, "metrics": metrics}
    params |= {"plan": plan} if plan else {}
    params |= {"end_time": end_time} if end_time else {}
    made = EventPlanning.from_published(
        {"task_type_name": "general_event_planning", "task_params": params}
    )
    assert made.rule_id == f"event_planning.{'A' if plan else 'B'}{number}"
    asked = tuple(figure for figure in PlanMetric if figure in metrics)
    assert (made.level.figures or made.metrics) == asked
    assert made.department == "Marketing"
    instance = (
        day_of(made.level, 3, **made.model_dump(mode="json", exclude={"level"})).tasks[0].instance
    )
    assert instance.graded.truth.figures == asked
    if plan:
        assert all(name in text_at(instance, "info") for name in PLAN.values() if name)
        assert all(str(name) in instance.told.objective for name in PLAN.values())
    if end_time:
        assert f"by {end_time}" in instance.told.objective


@pytest.mark.parametrize(
    ("mode", "level"),
    [
        ("highest_interest", "C1_interest"),
        ("lowest_cost", "C2_cost"),
        ("shortest_distance", "C3_distance"),
        ("highest_score", "C4_score"),
    ],
)
def test_published_optima_are_the_c_levels(mode: str, level: str) -> None:
    params: JsonValue = {**GENERAL, "mode": mode}
    made = EventPlanning.from_published(
        {"task_type_name": "optimal_event_planning", "task_params": params}
    )
    assert (made.rule_id, made.department) == (f"event_planning.{level}", "Marketing")


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"task_type_name": "general_event_planning", "task_params": {**GENERAL, "metrics": []}},
        {"task_type_name": "general_event_planning", "task_params": {**GENERAL, "n_loc": 7}},
        {"task_type_name": "optimal_event_planning", "task_params": {**GENERAL, "mode": "fun"}},
        {
            "task_type_name": "general_event_planning",
            "task_params": {**GENERAL, "metrics": ["interest_score"], "end_time": "17:30"},
        },
        {
            "task_type_name": "general_event_planning",
            "task_params": {**GENERAL, "metrics": ["overall_score"]},
        },
    ],
)
def test_other_published_entries_are_refused(entry: Mapping[str, JsonValue]) -> None:
    with pytest.raises(ValueError):
        EventPlanning.from_published(entry)


@pytest.mark.parametrize(
    ("level", "parameters"),
    [
        ("B1", {"plan": PLAN}),
        ("A1", {"plan": {**PLAN, "afternoon": "riverside  WETLAND"}}),
        ("A1", {"plan": {**PLAN, "lunch": " · "}}),
        ("A1", {"plan": {**PLAN, "lunch": "A\nB"}}),
        ("A1", {"metrics": [*SINGLE_METRICS]}),
        ("A2", {"metrics": ["interest_score"]}),
        ("A2", {"metrics": ["total_travel_distance", "interest_score"]}),
        ("A1", {"metrics": ["overall_score"]}),
        ("A3", {"metrics": ["interest_score"]}),
        ("A3", {"end_time": "17:30"}),
        ("A4", {"end_time": "17:30:30"}),
        ("B4", {"end_time": "09:30"}),
        ("B4", {"end_time": "17:30Z"}),
    ],
)
def test_parameters_that_do_not_go_together_are_refused(
    level: str, parameters: dict[str, JsonValue]
) -> None:
    with pytest.raises(ValueError):
        EventPlanning.model_validate({"level": level, **parameters})


# the calendars ---------------------------------------------------------------------------


@pytest.mark.parametrize("department", ["Engineering", "Sales_2", "Product"])
def test_the_dates_are_those_that_everybody_named_and_lie_in_one_third(department: str) -> None:
    for seed in SEEDS:
        instance = scene_of("A1", seed, department=department)
        truth = instance.graded.truth
        holders = [clue.holder for clue in instance.hidden.clues]
        assert holders == [p.id for p in create_company(f"{seed}/event").staff(department)]
        assert truth.calendars.dates == tuple(date(2025, 11, day) for day in common(instance)) != ()
        assert {min(2, (day.day - 1) // 10) for day in truth.calendars.dates} == {
            truth.calendars.third
        }
        menus = ["vegetarian menu" in clue.payload for clue in instance.hidden.clues]
        assert truth.calendars.vegetarian == sum(menus)


@pytest.mark.parametrize("department", ["Engineering", "HR", "Finance"])
def test_without_any_one_member_the_dates_come_out_wrong(department: str) -> None:
    for seed in SEEDS:
        instance = scene_of("B2", seed, department=department)
        for number in range(len(instance.hidden.clues)):
            without = common(instance, without=number)
            assert set(without) > {day.day for day in instance.graded.truth.calendars.dates}
            assert {(day - 1) // 10 for day in without} != {instance.graded.truth.calendars.third}


def test_dates_and_blocks_vary() -> None:
    dates = Counter(scene_of("A1", seed).graded.truth.calendars.dates for seed in range(120))
    assert dates.most_common(1)[0][1] <= 6
    sizes = Counter(len(block) for block in dates.elements())
    assert {1, 2, 3, 4} <= set(sizes) and sum(sizes[n] for n in (1, 2, 3)) > 60


async def test_a_whole_department_s_clues_hold_against_twins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("trainee_bench.harness.certification.claim.SAMPLE_SIZE", 50)
    days = (single_task_day("event_planning.B1", seed) for seed in range(20))
    seed = next(n for n, day in enumerate(days) if len(day.tasks[0].instance.hidden.clues) <= 4)
    claim = await certify_counterfactuals("event_planning.B1", range(seed, seed + 1))
    assert claim.holds, claim.broken


# the scene -------------------------------------------------------------------------------


def test_everything_graded_at_b4_is_asked_for() -> None:
    for seed in SEEDS:
        for level in ("A4", "B4"):
            instance = scene_of(level, seed)
            assert re.search(r"back at the office by (17:30|18:00|19:00)", instance.told.objective)
            assert "- `end_time` (time of day, HH:MM" in instance.told.objective
            assert "- `can_complete_on_time` (true or false" in instance.told.objective
        for level in ("A3", "B3", "C4_score"):
            assert "end_time" not in scene_of(level, seed).told.objective


def test_a_day_that_is_given_is_in_time_about_as_often_as_not() -> None:
    truths = [scene_of("A4", seed).graded.truth for seed in range(80)]
    late = [t.town.ends(t.plan) > t.return_by for t in truths if t.plan and t.return_by]
    assert 24 <= sum(late) <= 56


def test_every_plan_ends_on_the_day_on_which_it_begins() -> None:
    for seed in range(40):
        town = scene_of("B4", seed).graded.truth.town
        assert max(map(town.ends, town.plans)) < 24 * 60


def test_no_town_occurs_twice_and_no_optimum_is_fixed() -> None:
    truths = [scene_of("C4_score", seed).graded.truth for seed in range(40)]
    assert len({truth.town for truth in truths}) == 40
    assert len({min(truth.ranking.best(PlanMetric.OVERALL)) for truth in truths}) > 25
    names = Counter(place.name for truth in truths for place in truth.town.places)
    assert names.most_common(1)[0][1] <= 8


@pytest.mark.parametrize("level", ["C1_interest", "C2_cost", "C3_distance", "C4_score"])
def test_the_best_plans_lead_clearly_on_every_date(level: str) -> None:
    for seed in SEEDS:
        truth = scene_of(level, seed).graded.truth
        assert truth.best
        for third in range(3):
            assert PlanRanking(truth.town, third).lead(truth.best) >= 10 * TOLERANCE[truth.best]


def test_picture_and_table_say_the_same_and_the_right_answer_is_the_same() -> None:
    drawn = day_of("A3", 2, modality=Modality.PICTURES).tasks[0].instance
    table = day_of("A3", 2, modality=Modality.TABLES).tasks[0].instance
    rows = [row.split(",") for row in text_at(table, "road_map.csv").split()[1:]]
    listed = {(min(int(a), int(b)), max(int(a), int(b))): float(km) for a, b, km in rows}
    assert read_road_map(render_png(map_of(drawn))) == listed
    assert drawn.graded.truth == table.graded.truth and drawn.told.objective == table.told.objective
    assert "a picture" in text_at(drawn, "guidelines").casefold()
    assert "road_map.png" in text_at(drawn, "guidelines")
    assert "road_map.csv" in text_at(table, "guidelines")
    assert not [
        e for e in drawn.hidden.events if str(getattr(e.event, "path", "")).endswith(".csv")
    ]
    assert (
        "files_view_image" in drawn.told.hints.how
        and "files_view_image" not in table.told.hints.how
    )


@pytest.mark.sweep  # in the quick round, that of a day with this rule: test_scenario.py
@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_the_same_seed_gives_the_same_scene_in_any_process(hash_seed: str) -> None:
    code = (
        "import hashlib; from tests.meta_tasks.families.event_days import scene_of;"
        "s = scene_of('A4', 7);"
        "text = repr((s.told.objective, s.graded.truth, s.hidden.clues, s.hidden.events));"
        "print(hashlib.sha256(text.encode()).hexdigest())"
    )
    told = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": "."},
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    scene = scene_of("A4", 7)
    text = repr((scene.told.objective, scene.graded.truth, scene.hidden.clues, scene.hidden.events))
    assert told.strip() == hashlib.sha256(text.encode()).hexdigest()


def test_two_events_of_one_day_have_departments_files_and_members_of_their_own() -> None:
    for seed in range(6):
        day = day_with("event_planning.A1", *RULES[-2:], seed=seed)
        scenes = [task.instance for task in day.tasks]
        check_clue_collisions(scenes)
        assert len({instance.told.title for instance in scenes}) == 3
        paths = [
            getattr(p.event, "path", "") for instance in scenes for p in instance.hidden.events
        ]
        assert len(set(paths)) == len(paths) == 9
        assert len(set(day.deliverable_paths)) == 3
        for instance in scenes:
            info, roads = (getattr(p.event, "path", "") for p in instance.hidden.events[1:])
            assert info in text_at(instance, "guidelines") and roads in text_at(
                instance, "guidelines"
            )


def test_the_same_department_twice_is_refused_in_words() -> None:
    specs = [TaskSpec(rule=rule, parameters={"department": "HR"}) for rule in (RULES[0], RULES[5])]
    with pytest.raises(CompositionError, match="team event of HR"):
        day_with(*specs)


@pytest.mark.parametrize("size", [10, 25, 110])
def test_companies_of_other_sizes_have_a_department_for_it(size: int) -> None:
    for seed in range(5):
        assert 1 <= len(day_of("A2", seed, size=size).tasks[0].instance.hidden.clues) <= 20


def test_a_department_that_is_too_large_or_does_not_exist_is_refused_in_words() -> None:
    for parameters in ({"department": "Engineering"}, {"department": "Legal"}):
        with pytest.raises(CompositionError, match="at most 20 members"):
            day_of("A1", 1, size=200, **parameters)


# asking ----------------------------------------------------------------------------------


def test_members_understand_fresh_questions() -> None:
    fresh = (
        "Hi! We are planning the Marketing team event. Which days in November would you be free?",
        "Could you let me know your availability for the team event in November 2025?",
        "Please list all dates in November on which you can join the team outing.",
        "Team event: which dates work for you, and vegetarian or standard lunch?",
        "I'm collecting dates for the team event. When do you have time in November?",
        "Do you want the vegetarian menu at the team event?",
    )
    instance = scene_of("A1", 3, department="Marketing")
    clue = instance.hidden.clues[0]
    assert len(clue.asks) >= 8
    listener = listener_of(instance, create_company(3), clue.holder)
    for question in fresh:
        understood = listener.understand(hear(question))
        assert (understood.intent, understood.topics) == (Intent.CLEAR, (clue.id,)), question
    for question in ("Are you free for the meeting at 14:00?", "Who organises the team event?"):
        assert listener.understand(hear(question)).intent is not Intent.CLEAR


@pytest.mark.parametrize("level", quick_round.quick_first(("B4", "C4_score")))
async def test_no_text_gives_the_answer_away(level: str) -> None:
    """The original's notes printed the values that it expected."""
    claim = await certify_leakage(f"event_planning.{level}", range(1))
    assert claim.holds, claim.broken
    assert claim.facts["values"] >= 3


async def test_a_large_department_leaves_the_day_to_other_work() -> None:
    async with solved(day_of("A2", 1, department="Engineering")) as day:
        assert (await last_submission(day)).hour < 11
        log = await day.world.log()
        assert sum(entry.tool == "chat_send_message" for entry in log) == 4  # to groups, of 19
        assert len(log) < 40


def test_where_every_plan_would_end_close_to_the_hour_another_town_is_drawn() -> None:
    spec = TaskSpec(
        rule="event_planning.A4", parameters={"department": "Sales_3", "end_time": "18:00"}
    )
    name = "scenario_Qm45nV2yTGUwiGE75yrbb2"
    instance = day_with(spec, seed=5, name=name).tasks[0].instance
    outing = instance.graded.truth
    assert isinstance(outing, EventTruth) and outing.plan is not None
    assert abs(outing.town.ends(outing.plan) - 18 * 60) >= 10
