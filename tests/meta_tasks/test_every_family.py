"""What every family has to keep, found and not named; see docs/tutorials/your_family.md.

python -m pytest -q -m every_family              all that a new family has to pass
python -m pytest -q -m every_family -k stock     of one family only
"""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from tests import quick_round
from trainee_bench.harness.certification.leakage import certify_leakage
from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.families import discover_families
from trainee_bench.meta_tasks.meta_task import MAX_PROCESS_SHARE, MetaTask
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec, Variation
from trainee_bench.meta_tasks.sent_texts import check_clue_collisions

pytestmark = pytest.mark.every_family
FAMILIES = discover_families()
OTHER_THAN_MEETINGS = [
    name for name, family in FAMILIES.items() if name != "meeting_book" and not family.whole_week
]


@pytest.fixture(params=FAMILIES)
def family(request: pytest.FixtureRequest) -> type[MetaTask[Any]]:
    return FAMILIES[request.param]


def test_a_family_says_in_a_sentence_what_it_is_about(family: type[MetaTask[Any]]) -> None:
    about = " ".join((family.__doc__ or "").split("\n\n")[0].split())
    assert about.endswith(".") and len(about) <= 120, (
        "the first sentence of the family's docstring stands in the README"
    )


def test_rules_are_called_for_their_family(family: type[MetaTask[Any]]) -> None:
    rules = family.rules()
    assert rules
    for rule in rules:
        assert rule.id.startswith(f"{family.family}.") and rule.meta_task.rule_id == rule.id


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.sweep)])
def test_what_one_has_to_ask_for_can_be_asked_for_in_five_ways_or_more(
    family: type[MetaTask[Any]], every: int
) -> None:
    for rule in family.rules()[::every]:
        (task,) = single_task_day(rule.id, 0).tasks
        for clue in task.instance.hidden.clues:
            if clue.holder:
                assert len(set(clue.asks)) >= 5, f"{rule.id}: the questions for {clue.id}"


@quick_round.seeds(1, sweep=10)
def test_whoever_a_secret_makes_hold_something_is_among_the_possible_holders(
    family: type[MetaTask[Any]], seeds: range
) -> None:
    for rule, seed in product(family.rules()[::7], seeds):
        plain = single_task_day(rule.id, seed).tasks[0].instance
        for clue, offset in product(plain.hidden.clues, (1, 2)):
            changed = Variation(secret_seed_offsets={clue.id: offset})
            other = single_task_day(rule.id, seed, changed).tasks[0].instance
            mine, theirs = (
                {held.holder for held in (*scene.hidden.clues, *scene.hidden.expectations)} - {""}
                for scene in (plain, other)
            )
            assert (
                mine ^ theirs <= plain.hidden.possible_holders == other.hidden.possible_holders
            ), rule.id


def test_points_for_process_are_a_fifth_at_most_and_belong_to_an_outcome(
    family: type[MetaTask[Any]],
) -> None:
    for rule in family.rules():
        marks = rule.meta_task.checkpoints()
        outcomes = {mark.name for mark in marks if mark.only_with is None}
        process = [mark for mark in marks if mark.only_with is not None]
        assert {mark.only_with for mark in process} <= outcomes, rule.id
        share = sum(mark.weight for mark in process) / sum(mark.weight for mark in marks)
        assert share <= MAX_PROCESS_SHARE + 1e-9, f"{rule.id}: {share:.0%} of the points"


def test_a_family_names_the_shortcut_that_its_certificate_tries(
    family: type[MetaTask[Any]],
) -> None:
    assert family.shortcut is not MetaTask.shortcut


def test_what_an_outcome_needs_is_a_point_for_process(family: type[MetaTask[Any]]) -> None:
    for rule in family.rules():
        marks = rule.meta_task.checkpoints()
        process = {mark.name for mark in marks if mark.only_with is not None}
        assert {mark.needs for mark in marks if mark.needs} <= process, rule.id
        assert not any(mark.needs and mark.only_with for mark in marks), rule.id


def test_hints_have_three_tiers(family: type[MetaTask[Any]]) -> None:
    (task,) = single_task_day(family.rules()[0].id, 0).tasks
    hints = task.instance.told.hints
    assert all(hint.strip() for hint in (hints.strategy, hints.where, hints.how))


@quick_round.seeds(1, sweep=3)
async def test_the_first_two_tiers_of_hints_and_feedback_do_not_contain_the_answer(
    family: type[MetaTask[Any]], seeds: range
) -> None:
    rule = family.rules()[0 if len(seeds) == 1 else -1]  # the last ones take long
    claim = await certify_leakage(rule.id, seeds)
    assert claim.holds, claim.broken


@pytest.mark.parametrize("other", OTHER_THAN_MEETINGS)
def test_whoever_is_invited_to_a_meeting_may_hold_a_clue_of_any_other_family(other: str) -> None:
    rule = FAMILIES[other].rules()[0].id
    for seed in range(2):
        tasks = (TaskSpec(rule="meeting_book.manager.c2"), TaskSpec(rule=rule))
        day = compose_day(Scenario(name="two", seed=seed, days=(DaySpec(tasks=tasks),)))
        check_clue_collisions([task.instance for task in day.tasks])
