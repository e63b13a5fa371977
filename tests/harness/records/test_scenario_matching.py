"""Courses: which days one agent works, in which order, and what it may remember of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from trainee_bench.harness.records.plan import AgentConfig, DaySequenceMode, EpisodeSpec, RunPlan
from trainee_bench.harness.records.scenario_matching import NoMatchingScenario, match_scenarios
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec

TWO_DAYS = load_shipped_benchmark("continual-50").scenarios


def scenario(name: str, *days: tuple[str, ...]) -> Scenario:
    specs = tuple(
        DaySpec(name=f"day_{number}", tasks=tuple(TaskSpec(rule=rule) for rule in rules))
        for number, rules in enumerate(days, start=1)
    )
    return Scenario(name=name, days=specs)


def plan(
    *sequences: DaySequenceMode, scenarios: tuple[Scenario, ...] = TWO_DAYS, epochs: int = 1
) -> RunPlan:
    agents = tuple(
        AgentConfig(name=day_sequence.value, agent="nothing", day_sequence=day_sequence)
        for day_sequence in sequences
    )
    return RunPlan(benchmark="test", scenarios=scenarios, agents=agents, epochs=epochs)


def told(orders: tuple[EpisodeSpec, ...]) -> list[tuple[str, str | None, bool]]:
    return [(order.day_name, order.remembers, order.followed) for order in orders]


def test_days_are_worked_as_written_each_remembering_the_one_before() -> None:
    first, second = next(plan(DaySequenceMode.AS_WRITTEN).day_sequences())
    assert told((first, second)) == [("day_1", None, True), ("day_2", first.id, False)]


def test_reversed_the_last_day_comes_first() -> None:
    first, second = next(plan(DaySequenceMode.REVERSED).day_sequences())
    assert told((first, second)) == [("day_2", None, True), ("day_1", first.id, False)]


def test_who_forgets_works_every_day_alone() -> None:
    sequences = list(plan(DaySequenceMode.FORGETFUL, scenarios=TWO_DAYS[:1]).day_sequences())
    assert [told(day_sequence) for day_sequence in sequences] == [
        [("day_1", None, False)],
        [("day_2", None, False)],
    ]


def test_after_others_comes_the_last_day_with_no_rule_in_common() -> None:
    sequences = list(plan(DaySequenceMode.AFTER_OTHERS).day_sequences())
    for borrowed, own in sequences:
        assert borrowed.scenario.name != own.scenario.name
        assert (borrowed.day_name, own.day_name) == ("day_1", "day_2")
        assert (borrowed.followed, own.remembers) == (True, borrowed.id)
        had, met = (
            {task.rule for task in order.scenario.days[order.day].tasks}
            for order in (borrowed, own)
        )
        assert not had & met
    assert [own.scenario.name for _, own in sequences] == [one.name for one in TWO_DAYS]


def test_four_fifths_of_them_have_not_even_a_family_in_common() -> None:
    pairs = list(zip(TWO_DAYS, match_scenarios(TWO_DAYS), strict=True))
    strangers = sum(
        not {t.rule.partition(".")[0] for t in own.days[-1].tasks}
        & {t.rule.partition(".")[0] for t in other.days[0].tasks}
        for own, other in pairs
    )
    assert strangers >= 0.8 * len(pairs)


def test_all_courses_together_have_ids_of_their_own_in_every_epoch() -> None:
    made = plan(*DaySequenceMode, epochs=2)
    ids = [order.id for order in made.episode_specs()]
    assert len(set(ids)) == len(ids) == len(DaySequenceMode) * len(TWO_DAYS) * 2 * 2
    for day_sequence in made.day_sequences():
        assert {order.attempt for order in day_sequence} == {day_sequence[0].attempt}


def test_a_plan_of_every_course_survives_its_file() -> None:
    made = plan(*DaySequenceMode, scenarios=TWO_DAYS[:6], epochs=2)
    read = RunPlan.model_validate_json(made.model_dump_json())
    assert list(read.day_sequences()) == list(made.day_sequences())


@pytest.mark.parametrize(
    ("scenarios", "says"),
    [
        ((scenario("a", ("kb_fix.easy",), ("kb_fix.easy",)),), "no other scenario is left for a"),
        (
            (
                scenario("a", ("kb_fix.easy",), ("kb_fix.easy",)),
                scenario("b", ("kb_fix.easy",), ("kb_fix.easy",)),
            ),
            "no rule in common",
        ),
        ((scenario("a", ("kb_fix.easy",)), scenario("b", ("kb_fix.hard",))), "a has one"),
    ],
    ids=["alone", "alike", "one day"],
)
def test_where_there_is_no_other_day_that_is_said_in_words(
    scenarios: tuple[Scenario, ...], says: str
) -> None:
    with pytest.raises(ValidationError, match=says):
        plan(DaySequenceMode.AFTER_OTHERS, scenarios=scenarios)
    plan(
        DaySequenceMode.AS_WRITTEN,
        DaySequenceMode.REVERSED,
        DaySequenceMode.FORGETFUL,
        scenarios=scenarios,
    )


RULES = st.frozensets(st.sampled_from("abcdef"), min_size=1, max_size=3)


@given(st.lists(st.tuples(RULES, RULES), min_size=1, max_size=7))
def test_everybody_gets_another_one_whenever_that_is_possible(
    days: list[tuple[frozenset[str], frozenset[str]]],
) -> None:
    scenarios = [
        scenario(str(number), tuple(sorted(first)), tuple(sorted(last)))
        for number, (first, last) in enumerate(days)
    ]
    possible = _assignable([last for _, last in days], [first for first, _ in days])
    try:
        given_to = match_scenarios(scenarios)
    except NoMatchingScenario:
        assert not possible
        return
    assert possible
    assert len({other.name for other in given_to}) == len(scenarios)
    for own, other in zip(scenarios, given_to, strict=True):
        assert own.name != other.name
        assert not {t.rule for t in own.days[-1].tasks} & {t.rule for t in other.days[0].tasks}


def _assignable(
    lasts: list[frozenset[str]], firsts: list[frozenset[str]], taken: frozenset[int] = frozenset()
) -> bool:
    """By trying everything."""
    place = len(taken)
    return place == len(lasts) or any(
        _assignable(lasts, firsts, taken | {other})
        for other in range(len(firsts))
        if other not in taken and other != place and not firsts[other] & lasts[place]
    )
