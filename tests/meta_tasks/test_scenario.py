"""Composition: the same scenario, the same day, in any order of its tasks."""

from __future__ import annotations

import itertools
import subprocess
import sys
from datetime import time

import pytest
from pydantic import ValidationError

from tests.meta_tasks.days import day_with
from trainee_bench.meta_tasks.catalog import UnknownRuleError
from trainee_bench.meta_tasks.composition import compose_day, create_world
from trainee_bench.meta_tasks.scenario import Arrival, DaySpec, Scenario, TaskSpec, Variation
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.apps.desk import Desk
from trainee_bench.world.apps.mail import Mail
from trainee_bench.world.colleagues.knowledge import Knowledge
from trainee_bench.world.desk_records import DeskTask
from trainee_bench.world.transaction import Transaction

RULES = ("kb_fix.easy", "meeting_attend.write.u1", "website_analysis.slow_page")


def scenario(*rules: str, **changes: object) -> Scenario:
    tasks = [TaskSpec(rule=rule) for rule in rules]
    made = {"name": "s", "seed": 3, "days": [{"tasks": tasks}]} | changes
    return Scenario.model_validate(made)


async def digest(of: Scenario, variation: Variation | None = None) -> str:
    async with await create_world(None, of, 0, variation or Variation()) as world:
        return await world.digest()


async def test_the_order_of_the_tasks_does_not_matter() -> None:
    digests = set()
    for order in itertools.permutations(RULES):
        composition = compose_day(scenario(*order))
        digests.add(tuple((task.id, task.instance) for task in composition.tasks))
    assert len(digests) == 1


async def test_the_same_scenario_gives_the_same_world_and_another_seed_another() -> None:
    assert await digest(scenario(*RULES)) == await digest(scenario(*RULES))
    assert await digest(scenario(*RULES)) != await digest(scenario(*RULES, seed=4))


def test_a_salt_draws_everything_anew_people_included_and_stays_the_same() -> None:
    plain, salted, other = (
        compose_day(scenario("kb_fix.easy", salt=salt)) for salt in ("", "0" * 32, "1" * 32)
    )
    assert compose_day(salted.scenario_day.scenario) == salted
    names = [{person.name for person in day.company.people} for day in (plain, salted, other)]
    assert all(len(name & two) < 10 for name, two in itertools.combinations(names, 2))
    truths = {repr(day.tasks[0].instance.graded.truth) for day in (plain, salted, other)}
    assert len(truths) == 3


@pytest.mark.parametrize("salt", ["abc", "0" * 31 + "G", "0" * 33])
def test_a_salt_of_fewer_bits_is_refused(salt: str) -> None:
    with pytest.raises(ValidationError, match="salt"):
        scenario("kb_fix.easy", salt=salt)


@pytest.mark.parametrize(
    "hash_seed",
    ["4711", *(pytest.param(seed, marks=pytest.mark.sweep) for seed in ("0", "1"))],
)
async def test_the_digest_does_not_depend_on_the_hash_seed_of_the_process(hash_seed: str) -> None:
    drawn = (*RULES, "event_planning.A4")
    program = (
        "import asyncio\n"
        "from trainee_bench.meta_tasks.composition import *\n"
        "from trainee_bench.meta_tasks.scenario import *\n"
        f"s = Scenario(name='s', seed=3, days=(DaySpec(tasks=tuple(TaskSpec(rule=r) for r in"
        f" {drawn!r})),))\n"
        "async def main():\n"
        "    async with await create_world(None, s) as world: print(await world.digest())\n"
        "asyncio.run(main())\n"
    )
    ran = subprocess.run(  # noqa: ASYNC221 - nothing else runs meanwhile
        [sys.executable, "-c", program],
        env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": "."},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.strip() == await digest(scenario(*drawn))


def test_a_task_is_the_same_whatever_else_the_day_holds() -> None:
    alone = compose_day(scenario("meeting_attend.sum.u2")).tasks[0].instance.graded.truth
    among = compose_day(scenario("website_analysis.slow_page", "meeting_attend.sum.u2"))
    assert alone == among.tasks[0].instance.graded.truth


def test_two_tasks_of_one_rule_are_different_instances() -> None:
    one, two = compose_day(scenario("kb_fix.easy", "kb_fix.easy")).tasks
    assert one.instance.graded.truth != two.instance.graded.truth
    assert not set(one.instance.told.deliverable_paths) & set(two.instance.told.deliverable_paths)


def test_two_meetings_on_one_day_do_not_overlap() -> None:
    for seed in range(10):
        compose_day(scenario("meeting_attend.none.u1", "meeting_attend.write.u2", seed=seed))


def test_two_tasks_that_need_the_same_single_thing_are_refused() -> None:
    with pytest.raises(CompositionError, match="different days"):
        compose_day(scenario("website_analysis.slow_page", "website_analysis.slow_page"))


def test_an_unknown_rule_is_refused_with_those_there_are() -> None:
    with pytest.raises(UnknownRuleError, match=r"kb_fix\.easy"):
        compose_day(scenario("kb_fix.extreme"))
    with pytest.raises(UnknownRuleError, match="meeting_attend"):
        compose_day(scenario("nonsense.rule"))


def test_a_parameter_that_does_not_exist_is_refused_with_those_that_are_open() -> None:
    spec = TaskSpec(rule="meeting_attend.none.u1", parameters={"colour": "red"})
    with pytest.raises(UnknownRuleError, match="colour"):
        day_with(spec)


def test_a_parameter_that_makes_it_another_rule_is_refused() -> None:
    spec = TaskSpec(rule="kb_fix.easy", parameters={"difficulty": "hard"})
    with pytest.raises(UnknownRuleError, match=r"kb_fix\.hard"):
        day_with(spec)


def test_keys_a_scenario_does_not_know_are_refused() -> None:
    with pytest.raises(ValidationError, match="surprise"):
        Scenario.model_validate({"name": "s", "days": [{"tasks": [{"rule": "x"}]}], "surprise": 1})


@pytest.mark.parametrize(
    ("arrives", "deadline"), [(time(12), time(11)), (time(7), None), (None, time(21))]
)
def test_a_task_must_arrive_before_it_is_due_and_both_within_the_day(
    arrives: time | None, deadline: time | None
) -> None:
    spec = TaskSpec(rule="kb_fix.easy", arrives=arrives, deadline=deadline)
    with pytest.raises(CompositionError, match="within 08:00-20:00"):
        day_with(spec)


def test_a_day_that_does_not_exist_is_refused() -> None:
    with pytest.raises(CompositionError, match="has 1 days"):
        compose_day(scenario("kb_fix.easy"), 1)


async def test_all_tasks_are_on_the_desk_at_once_unless_they_are_streamed() -> None:
    async with await create_world(None, scenario(*RULES)) as world:
        assert len(await world.read(lambda tx: Desk(tx).tasks())) == len(RULES)


async def test_a_streamed_task_arrives_at_its_time_and_with_a_mail() -> None:
    spec = TaskSpec(rule="kb_fix.easy", arrives=time(9, 30))
    streamed = Scenario(name="s", days=(DaySpec(tasks=(spec,)),), arrival=Arrival.STREAMED)
    async with await create_world(None, streamed) as world:
        assert not await world.read(lambda tx: Desk(tx).tasks())

        def later(tx: Transaction) -> tuple[tuple[DeskTask, ...], list[str]]:
            tx.advance(tx.now.replace(hour=9, minute=30))
            tx.actor = tx.employee
            mails = Mail(tx).page(limit=20)
            return Desk(tx).tasks(), [mail.subject for mail in mails]

        tasks, subjects = await world.read(later)
        assert [task.id for task in tasks] == ["T1"]
        assert any(tasks[0].title in subject for subject in subjects)


async def test_a_withheld_clue_is_known_to_nobody() -> None:
    plain = compose_day(scenario("kb_fix.easy")).tasks[0].instance
    withheld = Variation(withheld=(plain.hidden.clues[0].id,))
    assert compose_day(scenario("kb_fix.easy"), 0, withheld).tasks[0].instance == plain
    assert await digest(scenario("kb_fix.easy"), withheld) != await digest(scenario("kb_fix.easy"))
    id = plain.hidden.clues[0].id
    for variation, known in ((withheld, False), (Variation(), True)):
        async with await create_world(None, scenario("kb_fix.easy"), 0, variation) as world:
            assert await world.read(lambda tx: Knowledge(tx).has_clue(id)) is known
