"""The knowledge base family at work: grades, and owners who are away or share an article."""

from __future__ import annotations

import re
from datetime import time
from itertools import product

import pytest
from pydantic import JsonValue

from tests.meta_tasks.days import day_with, graded, passed, staged, told_by, with_truth, write
from tests.meta_tasks.families.kb_days import (
    AFTER,
    BEFORE,
    LINK,
    RULES,
    articles_of,
    scene_of,
    text_of,
)
from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day
from trainee_bench.meta_tasks.absences import check_holders_present
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.families.kb_fix import (
    SPLIT_SIZES,
    KbFix,
    KbFixDifficulty,
    OwnerAvailability,
)
from trainee_bench.meta_tasks.families.kb_fix.data import CHART_ID
from trainee_bench.meta_tasks.families.kb_fix.deliverables import GradedArticle, KbFixTruth
from trainee_bench.meta_tasks.grade import feedback
from trainee_bench.meta_tasks.meta_task import Difficulty, TaskInstance
from trainee_bench.meta_tasks.scenario import TaskSpec, Variation
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.colleagues.availability import AbsenceBegins
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.company.people import create_company

# honest work -----------------------------------------------------------------------------


async def test_a_worker_kept_from_one_owner_s_answer_still_corrects_the_other_articles() -> None:
    plain = single_task_day("kb_fix.medium", 2)
    for place, clue in enumerate(plain.tasks[0].instance.hidden.clues, start=1):
        async with staged("kb_fix.medium", 2, Variation(withheld=(clue.id,))) as day:
            failures = await day.work()
            assert "OLD" in str(failures["T1"])
            assert await passed(day) == {
                f"{name}_{other}"
                for other in (1, 2, 3)
                if other != place
                for name in ("corrected", "told")
            }


async def test_copying_and_editing_does_as_well_as_writing() -> None:
    async with staged("kb_fix.easy", 9) as day:
        instance = day.composition.tasks[0].instance
        (clue,), (article,), (target,) = (
            instance.hidden.clues,
            articles_of(instance),
            instance.told.deliverable_paths,
        )
        await day.call("files_copy", {"source": article.path, "target": target})
        told = await told_by(day, clue.holder, f"Which chart replaces {clue.keys[0]}?")
        renamed = re.findall(r"(OLD\d{6}) is now (NEW\d{6})", told)
        edits: list[JsonValue] = [{"old": old, "new": new} for old, new in renamed]
        await day.call("files_edit", {"path": target, "edits": edits})
        assert (await graded(day)).success


# what is graded --------------------------------------------------------------------------


def worked_example() -> ComposedDay:
    """Return a day of the easy rule with the worked example as its truth."""
    plain = single_task_day("kb_fix.easy", 1)
    copy = GradedArticle(plain.deliverable_paths[0], BEFORE, AFTER, ("charts_1_1",))
    return with_truth(plain, KbFixTruth((copy,)))


async def seen(text: str) -> tuple[bool, str]:
    """Return the verdict on *text* in the worked example, and its explanation."""
    async with staged(worked_example(), told=True) as day:
        await write(day, text)
        grade = await graded(day)
        corrected = grade.checkpoints[0]
        said = feedback(grade, 3)
        assert "NEW333333" not in said and "NEW444444" not in said
        assert grade.score == (1 if corrected.passed else 0)
        return corrected.passed, corrected.seen


@pytest.mark.parametrize(
    "text",
    [AFTER, AFTER.replace("\n", "\r\n"), AFTER.rstrip("\n"), AFTER + "\n\n", "\ufeff" + AFTER],
    ids=["as it is", "Windows line ends", "no last line end", "blank lines", "byte-order mark"],
)
async def test_the_worked_example_and_its_harmless_variants_are_right(text: str) -> None:
    assert (await seen(text))[0]


@pytest.mark.parametrize(
    "text, said",
    [
        ("", "is empty"),
        (" \n", "is empty"),
        (BEFORE, "unchanged copy"),
        (AFTER.replace("NEW444444", "OLD222222"), "still has old ids"),
        (AFTER.replace("NEW111111", "NEW333333"), "an id that is not the chart's"),
        (AFTER.replace("NEW3", "NEWx").replace("NEW4", "NEW3").replace("NEWx", "NEW4"), "not the"),
        (
            AFTER.replace("NEW333333", "NEW0")
            .replace("NEW444444", "NEW333333")
            .replace("NEW0", "NEW444444"),
            "an id that is not the chart's",
        ),
        (AFTER.replace("First", "The first"), "more than the ids"),
        (AFTER.replace("Ada Quist", "ada.quist"), "more than the ids"),
        (AFTER.replace("view/", ""), "more than the ids"),
        (AFTER.replace("\n\nLast", "\nLast"), "more than the ids"),
        (AFTER + "Checked by me.\n", "more than the ids"),
        ("NEW333333 NEW444444", "more than the ids"),
        (BEFORE.replace("OLD", "NEW"), "an id that is not the chart's"),
    ],
)
async def test_wrong_copies_fail_and_the_verdict_reveals_no_id(text: str, said: str) -> None:
    right, what = await seen(text)
    assert not right
    assert said in what


async def test_unchanged_copies_and_empty_files_earn_nothing() -> None:
    """In the original, an unchanged copy earned points for integrity."""
    for rule in RULES:
        async with staged(rule, 11) as day:
            instance = day.composition.tasks[0].instance
            for article, target in zip(
                articles_of(instance), instance.told.deliverable_paths, strict=True
            ):
                await day.call("files_copy", {"source": article.path, "target": target})
            assert (await graded(day)).score == 0
            for target in instance.told.deliverable_paths:
                await day.call("files_write", {"path": target, "text": ""})
            assert (await graded(day)).score == 0


async def test_asking_counts_only_with_the_corrected_article() -> None:
    async with staged("kb_fix.medium", 12) as day:
        await day.work()
        full = await graded(day)
        (path, *_) = day.composition.tasks[0].instance.told.deliverable_paths
        await day.call("files_delete", {"path": path})
        grade = await graded(day)
        lost = [
            now.name
            for before, now in zip(full.checkpoints, grade.checkpoints, strict=True)
            if before.passed and not now.passed
        ]
        assert lost == ["corrected_1", "told_1"]


async def test_new_ids_in_the_agent_s_own_message_do_not_count_as_told() -> None:
    """The original also accepted the agent's own messages."""
    async with staged("kb_fix.easy", 13) as day:
        instance = day.composition.tasks[0].instance
        (clue,), (copy,) = instance.hidden.clues, instance.graded.truth.copies
        await day.call("files_write", {"path": copy.path, "text": copy.after})
        new = ", ".join(re.findall(r"NEW\d{6}", clue.payload))
        other = next(p.id for p in day.composition.company.people if p.id != clue.holder)
        for person, text in ((other, clue.payload), (clue.holder, f"Thank you! I wrote {new}.")):
            await day.call("chat_send_message", {"to": person, "text": text})
        await day.call("desk_wait", {"until": "12:00", "wake": False})
        assert await passed(day) == set()


def test_hints_contain_no_id_and_no_name() -> None:
    for seed in range(5):
        instance = scene_of("hard", seed)
        said = (
            f"{instance.told.hints.strategy} {instance.told.hints.where} {instance.told.hints.how}"
        )
        assert not CHART_ID.search(said)
        assert not [
            c for c in instance.hidden.clues if c.holder.split(".")[0] in said.casefold().split()
        ]


# owners who are away or share an article --------------------------------------------------


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


def test_earlier_rules_keep_their_ids_and_six_more_follow() -> None:
    rules = KbFix.rules()
    assert [rule.id for rule in rules] == [f"kb_fix.{s}" for s in SIZES] + AWAY + SPLIT
    easy = [rule.id for rule in rules if rule.difficulty is Difficulty.EASY]
    assert easy == ["kb_fix.easy", "kb_fix.away.easy", "kb_fix.split.easy"]


# owners who are away ---------------------------------------------------------------------


@pytest.mark.parametrize("difficulty", SIZES)
def test_every_owner_is_away_and_their_own_deputy_knows_the_ids(difficulty: str) -> None:
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
    with pytest.raises(CompositionError, match="colleagues who can own charts.*larger company"):
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


async def test_the_directory_shows_absences_and_only_an_automatic_reply_names_the_deputy() -> None:
    async with staged("kb_fix.away.easy", 2) as day:
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
        reply = await told_by(day, owner.id, f"What is the new id of chart {chart}?")
        assert reply.startswith("Automatic reply") and deputy.name in reply
        assert "NEW" not in reply
        assert f"{chart} is now NEW" in await told_by(
            day, deputy.id, f"What are the new ids of {owner.name}'s charts? I mean {chart}."
        )


async def test_the_directory_shows_an_absence_from_the_morning_before_the_task_comes() -> None:
    composition = day_with(TaskSpec(rule="kb_fix.away.easy", arrives=time(10, 30)), seed=2)
    async with staged(composition) as day:
        (away,) = away_of(day.composition.tasks[0].instance)
        assert not (await day.call("desk_tasks", {})).data["tasks"]
        listed = (await day.call("chat_list_people", {})).data["people"]
        assert [person["id"] for person in listed if person["away"]] == [away.person]


def _others(day: StagedDay, besides: set[str]) -> list[str]:
    people = [person for person in day.composition.company.people if person.id not in besides]
    return [people[place].id for place in (0, 10, 25, 40)]


# articles whose links have several owners ------------------------------------------------


@pytest.mark.parametrize("difficulty", SIZES)
def test_each_article_has_several_owners_who_know_only_their_own_charts(
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


def test_an_owner_absent_for_one_task_is_absent_for_every_task() -> None:
    rules = ("kb_fix.away.hard", "kb_fix.away.easy", "kb_fix.easy", "kb_fix.split.medium")
    others = ("meeting_book.capacity.c1", "meeting_book.manager.c1", "website_analysis.slow_page")
    for seed in range(6):
        composed = day_with(*rules, *others, seed=seed, name="away")
        check_holders_present([(task.instance, composed.days) for task in composed.tasks])
