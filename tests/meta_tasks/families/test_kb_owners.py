"""The knowledge base where owners are away or share an article: who knows what."""

from __future__ import annotations

import re
from itertools import product

import pytest

from tests import quick_round
from tests.meta_tasks.families.kb_days import LINK, articles_of, ask, graded, scene_of, text_of
from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day, stage_day
from trainee_bench.meta_tasks.absences import check_holders_present
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.families.kb_fix import (
    SPLIT_SIZES,
    KbFix,
    KbFixDifficulty,
    OwnerAvailability,
)
from trainee_bench.meta_tasks.families.kb_fix.deliverables import KbFixTruth
from trainee_bench.meta_tasks.meta_task import Difficulty, TaskInstance
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec, Variation
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.world.colleagues.availability import AbsenceBegins
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.company.people import create_company

SEEDS = range(20)
SIZES = tuple(KbFixDifficulty)
AWAY = [f"kb_fix.away.{size}" for size in SIZES]
SPLIT = [f"kb_fix.split.{size}" for size in SIZES]


def away_of(instance: TaskInstance[KbFixTruth]) -> list[AbsenceBegins]:
    return [
        planned.event
        for planned in instance.hidden.events
        if isinstance(planned.event, AbsenceBegins)
    ]


def owners_in(text: str) -> list[str]:
    return [owner for chart, owner in LINK.findall(text) if chart.startswith("OLD")]


# the rules -------------------------------------------------------------------------------


def test_the_rules_that_were_there_keep_their_ids_and_six_come_after() -> None:
    rules = KbFix.rules()
    assert [rule.id for rule in rules] == [f"kb_fix.{s}" for s in SIZES] + AWAY + SPLIT
    easy = [rule.id for rule in rules if rule.difficulty is Difficulty.EASY]
    assert easy == ["kb_fix.easy", "kb_fix.away.easy", "kb_fix.split.easy"]


def test_published_entries_have_owners_who_are_there() -> None:
    made = KbFix.from_published({"task_params": {"difficulty": "hard"}})
    assert made.owners is OwnerAvailability.PRESENT


# owners who are away ---------------------------------------------------------------------


@pytest.mark.parametrize("difficulty", SIZES)
def test_every_owner_is_away_and_a_deputy_of_their_own_knows(difficulty: str) -> None:
    for seed in SEEDS:
        instance = scene_of(difficulty, seed, owners=OwnerAvailability.AWAY)
        people = {person.name: person.id for person in create_company(seed).people}
        named = {owner for text in map(text_of, articles_of(instance)) for owner in owners_in(text)}
        deputies = {away.person: away.deputy for away in away_of(instance)}
        assert set(deputies) == {people[name] for name in named}
        assert len(set(deputies.values())) == len(deputies)
        assert not set(deputies) & set(deputies.values())
        assert {clue.holder for clue in instance.hidden.clues} == set(deputies.values())
        assert all(away.public for away in away_of(instance))


def test_a_company_with_too_few_owners_is_refused_in_words() -> None:
    with pytest.raises(CompositionError, match="colleagues who may own charts.*larger company"):
        scene_of("hard", 1, size=10, owners=OwnerAvailability.AWAY)


def test_nothing_told_at_the_start_names_a_deputy() -> None:
    for seed in SEEDS:
        instance = scene_of("hard", seed, owners=OwnerAvailability.AWAY)
        people = {person.id: person.name for person in create_company(seed).people}
        told, hints = instance.told, instance.told.hints
        said = f"{told.title} {told.objective} {hints.strategy} {hints.where} {hints.how}"
        for away in away_of(instance):
            assert people[away.deputy] not in said


def old_ids(clue: Clue) -> list[str]:
    return re.findall(r"OLD\d{6}", clue.payload)


async def test_the_directory_shows_who_is_away_and_only_their_mailbox_says_who_stands_in() -> None:
    day = await stage_day(single_task_day("kb_fix.away.easy", 2))
    async with day.world:
        instance = day.composition.tasks[0].instance
        (away,) = away_of(instance)
        company = day.composition.company
        owner, deputy = company.person(away.person), company.person(away.deputy)
        (chart, *_) = old_ids(instance.hidden.clues[0])
        listed = (await day.call("chat_list_people", {})).data["people"]
        assert [person["id"] for person in listed if person["away"]] == [away.person]
        questions = (
            f"What is the new id of chart {chart}?",
            f"Who stands in for {owner.name} today?",
            f"Is {owner.name} away, and who is the deputy?",
        )
        colleagues = _others(day, {owner.id, deputy.id})
        for colleague, question in product(colleagues, questions):
            await day.call("chat_send_message", {"to": colleague, "text": question})
        await day.call("desk_wait", {"until": "09:30", "wake": False})
        heard = await day.call("chat_read_history", {"limit": 100})
        assert sum(m["sender"] in colleagues for m in heard.data["messages"]) == 12
        assert deputy.first_name not in heard.text
        reply = await ask(day, owner.id, f"What is the new id of chart {chart}?")
        assert reply.startswith("Automatic reply") and deputy.name in reply
        assert "NEW" not in reply
        assert f"{chart} is now NEW" in await ask(
            day, deputy.id, f"What are the new ids of {owner.name}'s charts? I mean {chart}."
        )


def _others(day: StagedDay, besides: set[str]) -> list[str]:
    people = [person for person in day.composition.company.people if person.id not in besides]
    return [people[place].id for place in (0, 10, 25, 40)]


@pytest.mark.parametrize("rule", [*AWAY, *SPLIT])
@quick_round.seeds(1, sweep=3)
async def test_honest_work_gets_everything_and_an_idle_day_nothing(rule: str, seeds: range) -> None:
    for seed in seeds:
        day = await stage_day(single_task_day(rule, seed))
        async with day.world:
            assert (await graded(day)).score == 0
            assert await day.work() == {}
            assert (await graded(day)).success


@pytest.mark.parametrize("rule", [AWAY[0], SPLIT[0]])
async def test_without_any_one_owners_ids_the_article_is_lost(rule: str) -> None:
    for clue in single_task_day(rule, 1).tasks[0].instance.hidden.clues:
        day = await stage_day(single_task_day(rule, 1, Variation(withheld=(clue.id,))))
        async with day.world:
            assert isinstance((await day.work())["T1"], ToolFailed)
            assert (await graded(day)).score == 0


# articles whose links have several owners ------------------------------------------------


@pytest.mark.parametrize("difficulty", SIZES)
def test_each_article_has_two_owners_at_least_and_each_knows_only_their_own(
    difficulty: str,
) -> None:
    size = SPLIT_SIZES[KbFixDifficulty(difficulty)]
    for seed in SEEDS:
        instance = scene_of(difficulty, seed, owners=OwnerAvailability.SPLIT)
        people = {person.name: person.id for person in create_company(seed).people}
        texts = [text_of(article) for article in articles_of(instance)]
        assert len(texts) == size.articles
        everybody = [people[owner] for text in texts for owner in owners_in(text)]
        assert len(set(everybody)) <= size.owners
        for text, copy in zip(texts, instance.graded.truth.copies, strict=True):
            whose = {chart: people[owner] for chart, owner in LINK.findall(text)}
            assert len(set(owners_in(text))) >= 2
            told = [
                clue for clue in instance.hidden.clues if clue.id.partition("/")[2] in copy.clues
            ]
            assert len(told) == len({clue.holder for clue in told})
            for clue in told:
                assert {whose[old] for old in old_ids(clue)} == {clue.holder}
            asked = sorted(old for clue in told for old in old_ids(clue))
            assert asked == sorted(old for old in whose if old.startswith("OLD"))


# beside other tasks ----------------------------------------------------------------------


def test_whoever_is_away_for_one_task_is_there_for_no_other() -> None:
    rules = ("kb_fix.away.hard", "kb_fix.away.easy", "kb_fix.easy", "kb_fix.split.medium")
    others = ("meeting_book.capacity.c1", "meeting_book.manager.c1", "website_analysis.slow_page")
    tasks = tuple(TaskSpec(rule=rule) for rule in (*rules, *others))
    for seed in range(6):
        scenario = Scenario(name="away", seed=seed, days=(DaySpec(tasks=tasks),))
        composed = compose_day(scenario)
        check_holders_present([(task.instance, composed.days) for task in composed.tasks])
