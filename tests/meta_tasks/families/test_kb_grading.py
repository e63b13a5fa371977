"""The knowledge base family at work: honest work, what is graded, what is given away."""

from __future__ import annotations

import re

import pytest
from pydantic import JsonValue

from tests import quick_round
from tests.meta_tasks.families.hearing import hear_everything
from tests.meta_tasks.families.kb_days import (
    AFTER,
    BEFORE,
    RULES,
    articles_of,
    ask,
    graded,
    passed,
    scene_of,
)
from tests.meta_tasks.families.other_truth import with_truth
from trainee_bench.harness.testbench.staged_day import (
    StagedDay,
    open_staged_day,
    single_task_day,
    stage_day,
)
from trainee_bench.meta_tasks.families.kb_fix.data import CHART_ID
from trainee_bench.meta_tasks.families.kb_fix.deliverables import GradedArticle, KbFixTruth
from trainee_bench.meta_tasks.grade import feedback
from trainee_bench.meta_tasks.scenario import Variation
from trainee_bench.world.world import World

# honest work -----------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
@quick_round.seeds(5, sweep=30)
async def test_honest_work_gets_everything_and_an_idle_day_nothing(rule: str, seeds: range) -> None:
    for seed in seeds:
        day = await stage_day(single_task_day(rule, seed))
        async with day.world:
            assert (await graded(day)).score == 0
            assert await day.work() == {}
            grade = await graded(day)
            assert grade.success and grade.score == 1, feedback(grade, 3)


async def test_a_worker_kept_from_one_owner_s_answer_still_corrects_the_other_articles() -> None:
    plain = single_task_day("kb_fix.medium", 2)
    for place, clue in enumerate(plain.tasks[0].instance.hidden.clues, start=1):
        day = await stage_day(single_task_day("kb_fix.medium", 2, Variation(withheld=(clue.id,))))
        async with day.world:
            failures = await day.work()
            assert "OLD" in str(failures["T1"])
            assert await passed(day) == {
                f"{name}_{other}"
                for other in (1, 2, 3)
                if other != place
                for name in ("corrected", "told")
            }


async def test_copying_and_editing_does_as_well_as_writing() -> None:
    day = await stage_day(single_task_day("kb_fix.easy", 9))
    async with day.world:
        instance = day.composition.tasks[0].instance
        (clue,), (article,), (target,) = (
            instance.hidden.clues,
            articles_of(instance),
            instance.told.deliverable_paths,
        )
        await day.call("files_copy", {"source": article.path, "target": target})
        told = await ask(day, clue.holder, f"Which chart replaces {clue.keys[0]}?")
        renamed = re.findall(r"(OLD\d{6}) is now (NEW\d{6})", told)
        edits: list[JsonValue] = [{"old": old, "new": new} for old, new in renamed]
        await day.call("files_edit", {"path": target, "edits": edits})
        assert (await graded(day)).success


# what is graded --------------------------------------------------------------------------


async def worked_day() -> StagedDay:
    """A day of the easy rule whose truth is the worked example instead of the drawn one."""
    plain = single_task_day("kb_fix.easy", 1)
    copy = GradedArticle(
        plain.tasks[0].instance.told.deliverable_paths[0], BEFORE, AFTER, ("charts_1_1",)
    )
    world = await World.create_inline(plain.world_config(), plain.populate)
    day = open_staged_day(with_truth(plain, KbFixTruth((copy,))), world)
    await hear_everything(day)
    return day


async def seen(text: str) -> tuple[bool, str]:
    """Whether *text* is the right copy in the worked example, and what is said of it."""
    day = await worked_day()
    async with day.world:
        (path,) = day.composition.tasks[0].instance.told.deliverable_paths
        await day.call("files_write", {"path": path, "text": text})
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
async def test_wrong_copies_fail_and_what_was_seen_gives_nothing_away(text: str, said: str) -> None:
    right, what = await seen(text)
    assert not right
    assert said in what


async def test_unchanged_copies_and_empty_files_earn_nothing() -> None:
    """In the original a copy of the article earned its integrity."""
    for rule in RULES:
        day = await stage_day(single_task_day(rule, 11))
        async with day.world:
            instance = day.composition.tasks[0].instance
            for article, target in zip(
                articles_of(instance), instance.told.deliverable_paths, strict=True
            ):
                await day.call("files_copy", {"source": article.path, "target": target})
            assert (await graded(day)).score == 0
            for target in instance.told.deliverable_paths:
                await day.call("files_write", {"path": target, "text": ""})
            assert (await graded(day)).score == 0


async def test_asking_counts_with_the_corrected_article_only() -> None:
    day = await stage_day(single_task_day("kb_fix.medium", 12))
    async with day.world:
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


async def test_saying_the_new_id_oneself_is_not_to_have_been_told() -> None:
    """The original read the agent's own messages, too."""
    day = await stage_day(single_task_day("kb_fix.easy", 13))
    async with day.world:
        instance = day.composition.tasks[0].instance
        (clue,), (copy,) = instance.hidden.clues, instance.graded.truth.copies
        await day.call("files_write", {"path": copy.path, "text": copy.after})
        new = ", ".join(re.findall(r"NEW\d{6}", clue.payload))
        other = next(p.id for p in day.composition.company.people if p.id != clue.holder)
        for person, text in ((other, clue.payload), (clue.holder, f"Thank you! I wrote {new}.")):
            await day.call("chat_send_message", {"to": person, "text": text})
        await day.call("desk_wait", {"until": "12:00", "wake": False})
        assert await passed(day) == set()


async def test_writing_into_the_article_on_the_drive_is_harm() -> None:
    day = await stage_day(single_task_day("kb_fix.easy", 14))
    async with day.world:
        await day.work()
        (article,) = articles_of(day.composition.tasks[0].instance)
        await day.call("files_write", {"path": article.path, "text": "gone"})
        grade = await graded(day)
        assert grade.score == 1 and not grade.success and article.path in grade.harm[0]


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
