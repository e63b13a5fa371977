"""What every family has to keep, found and not named; see docs/tutorials/your_family.md.

python -m pytest -q -m every_family              all that a new family has to pass
python -m pytest -q -m every_family -k stock     of one family only
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from tests import quick_round
from tests.meta_tasks.days import day_with, graded, listener_of, staged, texts_of, write
from trainee_bench.harness.certification.counterfactuals import certify_counterfactuals
from trainee_bench.harness.certification.leakage import certify_leakage
from trainee_bench.harness.certification.solvable import certify_solvable
from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.families import discover_families
from trainee_bench.meta_tasks.meta_task import MAX_PROCESS_SHARE, MetaTask, TaskInstance
from trainee_bench.meta_tasks.scenario import Variation
from trainee_bench.meta_tasks.sent_texts import check_clue_collisions
from trainee_bench.world.colleagues.referrals import ReferralPublished
from trainee_bench.world.colleagues.understanding import Intent, hear

pytestmark = pytest.mark.every_family
FAMILIES = discover_families()
OF_A_DAY = {name: family for name, family in FAMILIES.items() if not family.whole_week}
OTHER_THAN_MEETINGS = [name for name in OF_A_DAY if name != "meeting_book"]
RULES = [rule.id for family in OF_A_DAY.values() for rule in family.rules()]
BROKEN = (
    "", " \n", "{", "{]", "null", "[]", "7", "12", '"text"', "{}", "[" * 5_000, "{" * 5_000,
    "x" * 200_000, "\ufeff{}", f"[{'9' * 5_000}]", "[[[]]]", '["\\ud800"]',
    '{"employees": null}', '{"employees": [null]}', '{"employees": [{"employee_id": 7}]}',
    '{"employees": {"E1001": 1}}', '{"employees": [1], "departments": [[]]}',
    '{"employees": [], "departments": [{"department": "Sales_1", "total_sales": 1e999}]}',
    '{"employees": [], "departments": [{"department": "Sales_1", "total_sales": NaN}]}',
    '{"employees": [{"employee_id": "\\ud800", "name": "x", "remote_days": 1}]}',
    '{"average_overtime_hours": NaN, "presence_minutes": 1}',
    '{"average_overtime_hours": Infinity, "presence_minutes": -1}',
    '{"average_overtime_hours": 1e999, "presence_minutes": 1e999}',
    f'{{"average_overtime_hours": {"9" * 400}, "presence_minutes": {"9" * 400}}}',
    f'{{"total_absence_days": {10**300}, "presence_minutes": "many"}}',
    '{"total_absence_days": true, "presence_minutes": "many"}',
    '{"selected_channels": [], "total_cost": 0}',
    '{"selected_channels": "CH001", "total_cost": 1, "total_exposure": 1}',
    '{"selected_channels": [1], "total_cost": 1, "total_exposure": NaN}',
    '{"selected_channels": [["CH001"]], "total_cost": 1e400, "total_exposure": 1}',
    '{"requests": []}', '{"requests": [], "total_cost": 0}', '{"requests": "none"}',
    '{"requests": [{"name": "Ada Quist"}]}', '{"possible_dates": []}',
    '{"abnormal_suppliers": []}',
)  # fmt: skip
"""Texts that are not a deliverable of any family."""


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
def test_every_hidden_fact_has_five_or_more_questions(
    family: type[MetaTask[Any]], every: int
) -> None:
    for rule in family.rules()[::every]:
        (task,) = single_task_day(rule.id, 0).tasks
        for clue in task.instance.hidden.clues:
            if clue.holder:
                assert len(set(clue.asks)) >= 5, f"{rule.id}: the questions for {clue.id}"


@quick_round.seeds(1, sweep=4)
def test_every_holder_chosen_by_a_secret_is_a_possible_holder(
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


def test_an_outcome_needs_only_process_points(family: type[MetaTask[Any]]) -> None:
    for rule in family.rules():
        marks = rule.meta_task.checkpoints()
        process = {mark.name for mark in marks if mark.only_with is not None}
        assert {mark.only_after for mark in marks if mark.only_after} <= process, rule.id
        assert not any(mark.only_after and mark.only_with for mark in marks), rule.id


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
def test_meeting_guests_may_hold_clues_of_any_other_family(other: str) -> None:
    rule = FAMILIES[other].rules()[0].id
    for seed in range(2):
        day = day_with("meeting_book.manager.c2", rule, seed=seed, name="two")
        check_clue_collisions([task.instance for task in day.tasks])


# honest work ------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
@quick_round.seeds(1, sweep=3)
async def test_honest_work_gets_everything_and_an_idle_day_nothing(rule: str, seeds: range) -> None:
    claim = await certify_solvable(rule, seeds)
    assert claim.holds, claim.broken


@pytest.mark.parametrize("rule", quick_round.quick_only(RULES[::3], RULES))
async def test_a_worker_kept_from_an_answer_says_so_and_hands_in_nothing_that_needs_it(
    rule: str,
) -> None:
    for clue in scene_of(rule, 1).hidden.clues[:3]:
        async with staged(rule, 1, Variation(withheld=(clue.id,))) as day:
            failed = str((await day.work())["T1"])
            assert failed.startswith(("nobody has told ", "nobody knows ")) or not clue.holder
            grade = await graded(day)
            several = len(day.composition.deliverable_paths) > 1
            assert not grade.success and (grade.score == 0 or several), clue.id


@pytest.mark.parametrize("name", OF_A_DAY)
async def test_writing_into_a_file_that_a_task_finds_on_the_drive_is_harm(name: str) -> None:
    async with staged(OF_A_DAY[name].rules()[0].id, 4) as day:
        await day.work()
        placed = texts_of(day.composition.tasks[0].instance)
        for path in [path for path in placed if path.startswith("drive:/")][:1]:
            await day.call("files_write", {"path": path, "text": "gone"})
            grade = await graded(day)
            assert grade.score == 1 and not grade.success and path in grade.harm[0]


@pytest.mark.parametrize("rule", quick_round.quick_only(RULES[::4], RULES))
async def test_a_file_that_is_not_a_deliverable_earns_nothing_and_breaks_nothing(rule: str) -> None:
    async with staged(rule, 8, told=True) as day:
        for text in BROKEN if len(day.composition.deliverable_paths) == 1 else ():
            await write(day, text)
            assert (await graded(day)).score == 0, text[:80]


# secrets ----------------------------------------------------------------------------------


def scene_of(rule: str, seed: int, **offsets: int) -> TaskInstance[Any]:
    varied = Variation(secret_seed_offsets=offsets)
    instance: TaskInstance[Any] = single_task_day(rule, seed, varied).tasks[0].instance
    return instance


def rules_with_secrets(family: type[MetaTask[Any]]) -> Iterator[str]:
    return (rule.id for rule in family.rules() if scene_of(rule.id, 0).hidden.clues)


@pytest.mark.parametrize("name", OF_A_DAY)
async def test_twins_cannot_be_told_apart_before_the_secret_is_told(name: str) -> None:
    rule = next(rules_with_secrets(OF_A_DAY[name]))  # CI's certificates try a sixth of the others
    claim = await certify_counterfactuals(rule, range(1))
    assert claim.holds, claim.broken


def open_parts(instance: TaskInstance[Any]) -> list[object]:
    """Return what a task tells and its events, except for a secret in it."""
    secret = {"announcements", "code"}
    happens = [
        (planned.due, planned.event.model_dump(exclude=secret))
        for planned in instance.hidden.events
    ]
    return [instance.told, *happens]


@pytest.mark.parametrize("rule", quick_round.quick_only(RULES[::4], RULES))
def test_a_secret_changes_what_is_told_of_it_and_what_is_right_and_nothing_else(rule: str) -> None:
    plain = scene_of(rule, 3)
    for secret in plain.hidden.clues[:4]:
        for offset in range(1, 30):
            varied = scene_of(rule, 3, **{secret.id: offset})
            assert open_parts(varied) == open_parts(plain)
            for mine, theirs in zip(plain.hidden.clues, varied.hidden.clues, strict=True):
                if mine.id == secret.id:
                    assert mine == theirs.model_copy(update={"payload": mine.payload})
                else:  # who is to be asked may be another secret
                    assert mine == theirs or mine.holder != theirs.holder
            if varied.graded.truth != plain.graded.truth:
                break
        else:
            pytest.fail(f"{secret.id} changes nothing that is right")


@quick_round.rules_and_seeds(RULES[::4], RULES, quick=1, sweep=5)
def test_every_ask_is_understood_by_its_holder_and_no_two_clues_collide(
    rule: str, seeds: range
) -> None:
    for seed in seeds:
        day = single_task_day(rule, seed)
        instance = day.tasks[0].instance
        check_clue_collisions([instance])
        for clue in instance.hidden.clues:
            listener = listener_of(instance, day.company, clue.holder)
            for question in clue.asks:
                understood = listener.understand(hear(question))
                assert understood.intent is Intent.CLEAR, question
                assert understood.topics == (clue.id,), question


@pytest.mark.parametrize("rule", quick_round.quick_only(RULES[::4], RULES))
def test_everybody_understands_every_ask_for_what_a_task_makes_known(rule: str) -> None:
    day = single_task_day(rule, 0)
    instance = day.tasks[0].instance
    known = [planned.event for planned in instance.hidden.events]
    anybody = listener_of(instance, day.company, "nobody")
    for referral in known:
        if isinstance(referral, ReferralPublished):
            asked = {anybody.foreign_topic(hear(ask)) for ask in referral.asks}
            assert asked == {f"public {referral.topic}"} and len(referral.asks) >= 5


@quick_round.rules_and_seeds(RULES[::4], RULES, quick=4, sweep=12)
def test_the_right_answer_differs_between_seeds(rule: str, seeds: range) -> None:
    assert len({repr(scene_of(rule, seed).graded.truth) for seed in seeds}) == len(seeds)
