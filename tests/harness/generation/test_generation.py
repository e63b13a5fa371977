"""Generated scenarios: reproducible, drawn as requested, and all of them workable."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from datetime import time
from pathlib import Path
from random import Random

import pytest

from tests.harness.runs import call
from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.generation.draft import draw_draft
from trainee_bench.harness.generation.scenarios import make_scenario
from trainee_bench.harness.generation.schedule_slack import measure_day_slack
from trainee_bench.harness.generation.spec import (
    SEEDS_PER_SPLIT,
    ArrivalPattern,
    DrawMode,
    GenerationSpec,
    InvalidGenerationSpec,
    SeedSplit,
)
from trainee_bench.meta_tasks.benchmark import (
    load_shipped_benchmark,
    parse_benchmark,
    shipped_benchmark_names,
)
from trainee_bench.meta_tasks.catalog import all_rules, find_rule
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import Arrival, DaySpec, Scenario, TaskSpec

SMALL = GenerationSpec(name="small", scenarios=6, fewest=2, most=3, flow=ArrivalPattern.STREAMED,
                        globs=("kb_fix.*", "meeting_attend.*", "website_analysis.*"))  # fmt: skip


def family(rule: str) -> str:
    return all_rules()[rule].meta_task.family_class.family


@pytest.fixture(
    scope="module",
    params=[range(1, 4), pytest.param(range(4, 7), marks=pytest.mark.sweep)],
    ids=["few", "the rest"],
)
def scenarios(request: pytest.FixtureRequest) -> list[Scenario]:
    """The scenarios of the specification, for several tests."""

    async def each() -> list[Scenario]:
        return [await make_scenario(SMALL, number) for number in request.param]

    return asyncio.run(each())


async def test_the_same_order_makes_the_same_scenarios_and_another_seed_others(
    scenarios: list[Scenario],
) -> None:
    number = int(scenarios[0].name.rpartition("-")[2])
    assert await make_scenario(SMALL, number) == scenarios[0]
    other = await make_scenario(SMALL.model_copy(update={"seed": 1}), number)
    assert other != scenarios[0]


async def test_every_streamed_day_is_mastered_by_the_oracle_within_tight_deadlines(
    scenarios: list[Scenario],
) -> None:
    for scenario in scenarios:
        composition = compose_day(scenario)
        assert (await run_in_process("oracle", composition)).grade.success
        last = max(task.deadline for task in composition.tasks)
        assert last < composition.day.ends


async def test_the_timetable_of_a_generated_day_has_room_for_the_oracle(
    scenarios: list[Scenario],
) -> None:
    for scenario in scenarios:
        times = await measure_day_slack(scenario, 0)
        assert times.oracle_missed == 0
        assert 0 < times.share <= 1


async def test_working_in_the_order_of_arrival_misses_what_is_urgent() -> None:
    urgent = TaskSpec(rule="kb_fix.easy", arrives=time(8, 5), deadline=time(9, 40))
    patient = TaskSpec(rule="meeting_attend.write.u2", parameters={"starts": "10:00"})
    day = DaySpec(tasks=(patient, urgent))
    times = await measure_day_slack(Scenario(name="urgent", seed=2, days=(day,)), 0)
    assert (times.oracle_missed, times.in_order_missed) == (0, 1)


@pytest.mark.parametrize("number", [1, pytest.param(2, marks=pytest.mark.sweep)])
async def test_two_days_have_the_same_rules_in_the_same_order_and_other_values(
    number: int,
) -> None:
    scenario = await make_scenario(SMALL.model_copy(update={"days": 2}), number)
    first, second = scenario.days
    assert [task.rule for task in first.tasks] == [task.rule for task in second.tasks]
    truths = [
        [task.instance.graded.truth for task in compose_day(scenario, day).tasks] for day in (0, 1)
    ]
    assert all(one != other for one, other in zip(*truths, strict=True))


def drafts(order: GenerationSpec) -> list[Scenario]:
    return [draw_draft(order, number, Random(number)).scenario for number in range(1, 301)]


def test_drawing_families_never_repeats_one_and_reaches_all() -> None:
    order = GenerationSpec(name="x", scenarios=300, fewest=2, most=3)
    drawn = [[family(task.rule) for task in s.days[0].tasks] for s in drafts(order)]
    assert all(len(set(day)) == len(day) for day in drawn)
    takes_a_day = {
        family(id) for id, rule in all_rules().items() if not rule.meta_task.family_class.whole_week
    }
    assert {name for day in drawn for name in day} == takes_a_day
    assert set(map(len, drawn)) == {2, 3}


def test_days_never_have_rules_that_take_a_week() -> None:
    order = GenerationSpec(name="x", scenarios=1, fewest=1, most=2, draw=DrawMode.RULES)
    assert not any(
        rule.meta_task.family_class.whole_week for rules in order.rules().values() for rule in rules
    )
    with pytest.raises(InvalidGenerationSpec, match=r"whole week"):
        order.model_copy(update={"globs": ("week.*",)}).rules()


def test_no_shipped_benchmark_of_single_days_has_a_rule_that_takes_a_week() -> None:
    for name in shipped_benchmark_names():
        for scenario in load_shipped_benchmark(name).scenarios:
            rules = [find_rule(task.rule) for day in scenario.days for task in day.tasks]
            assert scenario.week or not any(
                rule.meta_task.family_class.whole_week for rule in rules
            ), name


def test_drawing_rules_favours_families_with_many() -> None:
    order = GenerationSpec(name="x", scenarios=300, fewest=2, most=3, draw=DrawMode.RULES)
    drawn = [[task.rule for task in s.days[0].tasks] for s in drafts(order)]
    assert all(len(set(day)) == len(day) for day in drawn)
    counted = Counter(family(rule) for day in drawn for rule in day)
    there = Counter(map(family, all_rules()))
    (most, _), (least, _) = there.most_common()[0], there.most_common()[-1]
    assert counted[most] > counted[least]


def test_mixed_arrival_alternates_and_splits_never_share_a_seed() -> None:
    for place, split in enumerate(SeedSplit):
        order = GenerationSpec(name="x", scenarios=300, fewest=2, most=2, split=split)
        made = drafts(order)
        assert {s.seed // SEEDS_PER_SPLIT for s in made} == {place}
        flows = [s.arrival for s in made[:4]]
        assert flows == [Arrival.AT_ONCE, Arrival.STREAMED] * 2


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"globs": ("nothing.*",)}, "no rule matches 'nothing.*'"),
        ({"globs": ("kb_fix.*",), "most": 3}, "--rules matches 1"),
        ({"globs": ("kb_fix.easy",), "draw": DrawMode.RULES, "most": 2}, "--rules matches 1"),
        ({"globs": ("kb_fix.*", "sales.*", "week.*")}, "week.* matches only rules that take a wh"),
        ({"globs": (*SMALL.globs, "kb_fix.easy"), "hardest": 0.5}, "no rule that --hardest 0.5"),
        (
            {"globs": ("sales.*", "meeting_book.*"), "fewest_complications": 2,
             "most_complications": 2},
            "meeting_book.* matches no rule that 2 --complications fit",
        ),
        (
            {"globs": ("meeting_book.*",), "most": 2, "fewest_complications": 1,
             "most_complications": 1, "preferred": ("sign_off",)},
            "--prefer: sign_off fits none of these rules",
        ),
        (
            {"globs": ("meeting_book.*",), "most": 2, "fewest_complications": 1,
             "most_complications": 1, "unannounced": 1},
            "--unannounced: no such complication fits any of these rules",
        ),
        (
            {"globs": ("meeting_book.capacity.c1",), "most": 2, "fewest_complications": 1,
             "most_complications": 1},
            "--rules matches 1 of the families that a day of up to 2 tasks needs",
        ),
    ],
)  # fmt: skip
def test_an_order_that_no_rule_can_fill_is_refused_in_words(
    changes: dict[str, object], said: str
) -> None:
    with pytest.raises(InvalidGenerationSpec, match=said.replace("*", r"\*")):
        SMALL.model_copy(update=changes).rules()


def test_the_command_writes_a_benchmark_that_loads(tmp_path: Path) -> None:
    out = tmp_path / "mine.json"
    asked = ["generate", "--scenarios", "2", "--tasks", "2", "--seed", "3", "--jobs", "1"]
    globs = ["--rules", "kb_fix.easy", "--rules", "meeting_attend.none.*"]
    call(*asked, *globs, "--out", out)
    benchmark = parse_benchmark(out.read_text())
    assert [scenario.name for scenario in benchmark.scenarios] == ["mine-1", "mine-2"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (["--tasks", "many"], "write a number or a range"),
        (["--tasks", "6-2"], "--tasks: 6 is more than 2"),
        (["--tasks", "0-2"], "--tasks: Input should be greater"),
        (["--name", "my own"], "--name: String should match"),
        (["--company", "5"], "--company: Input should be greater"),
        (["--complications", "5"], "--complications: Input should be less"),
        (["--complications", "2-1"], "--complications: the first number is greater"),
        (["--slack", "1.3-1.1"], "--slack: both numbers must exceed 1"),
        (["--slack", "1.1-1.3", "--arrival", "at_once"], "--slack: only streamed days"),
        (["--days", "2", "--overload-every", "1"], "--overload-every: only scenarios of one day"),
        (["--slack", "1.1-1.3"], "a single scenario is not streamed; write --arrival streamed"),
        (["--overload-every", "2"], "--overload-every: of 1 scenario none would have more work"),
        (["--prefer", "sign_off"], "write --complications 1 or leave out --prefer"),
        (["--complications", "1-2", "--prefer", "sign_off", "--prefer", "retraction"],
         "write --complications 2 or leave out --prefer"),
        (["--tasks", "14-14"], "matches 11 of the families that a day of up to 14 tasks needs"),
        (["--rules", "no.such"], "no rule matches"),
        (["--out", "/no/such/folder/x.json"], "there is no folder /no/such/folder"),
    ],
)  # fmt: skip
def test_a_wrong_command_is_refused_before_anything_is_made(
    wrong: list[str], said: str, tmp_path: Path
) -> None:
    out = ["--out", str(tmp_path / "x.json")]
    assert said in call("generate", "--scenarios", "1", *out, *wrong, exits=2).output
    assert not (tmp_path / "x.json").exists()


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ({"rule": "no.such"}, "There is no rule"),
        (
            {"rule": "kb_fix.easy", "arrives": "12:00", "deadline": "10:00"},
            "it must arrive before it is due",
        ),
    ],
)
def test_days_that_cannot_be_are_not_timed_but_refused_in_words(
    task: dict[str, str], said: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.json"
    scenario = {"name": "wrong", "days": [{"tasks": [task]}]}
    file.write_text(json.dumps({"name": "mine", "scenarios": [scenario]}))
    assert said in call("catalog", "--config", file, exits=2).output


def test_private_scenarios_have_salts_of_their_own_that_their_order_alone_gives() -> None:
    private = SMALL.model_copy(update={"salt": "ab" * 16})
    drafts = [draw_draft(private, number, Random(1)).scenario for number in (1, 2)]
    assert len({draft.salt for draft in drafts} | {private.salt, ""}) == 4
    assert draw_draft(private, 1, Random(1)).scenario == drafts[0]
    assert draw_draft(SMALL, 1, Random(1)).scenario.salt == ""


def test_private_files_differ_each_time_and_do_not_tell_the_salt_in_words(tmp_path: Path) -> None:
    salts = set()
    for out in (tmp_path / "a.json", tmp_path / "b.json"):
        order = ["--scenarios", "1", "--tasks", "1", "--rules", "kb_fix.*", "--private"]
        call("generate", *order, "--name", "x", "--out", out)
        benchmark = parse_benchmark(out.read_text(encoding="utf-8"))
        salts.add(benchmark.scenarios[0].salt)
        assert "salted" in benchmark.about
    assert len(salts) == 2 and all(map(len, salts))
