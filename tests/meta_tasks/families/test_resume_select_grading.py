"""The résumé family at work: honest work, what is graded, what is given away."""

from __future__ import annotations

import pytest

from tests.meta_tasks.families.resume_days import RULES, graded, hand_in, resumes_of, worked_day
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.meta_tasks.grade import feedback
from trainee_bench.meta_tasks.scenario import Variation
from trainee_bench.meta_tasks.tool_client import ToolFailed

ON_PAPER = ("Ada Quist", "Ben Olafsen", "Cleo Marr")
SUITABLE = ON_PAPER[:2]
RIGHT = "Ada Quist\nBen Olafsen\n"


# honest work -----------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
async def test_honest_work_gets_everything_and_an_idle_day_nothing(rule: str) -> None:
    for seed in range(5):
        day = await stage_day(single_task_day(rule, seed))
        async with day.world:
            assert (await graded(day)).score == 0
            assert await day.work() == {}
            grade = await graded(day)
            assert grade.success and grade.score == 1, feedback(grade, 3)


async def test_without_the_recruiter_a_worker_hands_in_nothing() -> None:
    day = await stage_day(single_task_day(RULES[1], 3, Variation(withheld=("T1/unavailable",))))
    async with day.world:
        failed = (await day.work())["T1"]
        assert isinstance(failed, ToolFailed)
        assert str(failed).startswith("nobody has told unavailable ")
        assert (await graded(day)).score == 0


# what is graded --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        RIGHT,
        "Ben Olafsen\nAda Quist",
        "\ufeffAda Quist\r\nBen Olafsen\r\n\r\n",
        "  Ada Quist \n\nBen  Olafsen\n",
    ],
)
async def test_order_and_blanks_do_not_matter(text: str) -> None:
    day = await worked_day(*SUITABLE, on_paper=ON_PAPER)
    async with day.world:
        given = await hand_in(day, text)
        assert given == {"requirements_met": True, "suitable_listed": True, "told": True}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Ada Quist\n",
        "Ada Quist\nBen Olafsen\nDov Lindqvist\n",
        "Ada Quist\nAda Quist\nBen Olafsen\n",
        "Ada Quist, Ben Olafsen\n",
        "ada quist\nADA QUIST\nben olafsen\n",
        "Ada\nBen\n",
        "- Ada Quist\n- Ben Olafsen\n",
        "Suitable:\nAda Quist\nBen Olafsen\n",
        '["Ada Quist", "Ben Olafsen"]',
    ],
)
async def test_too_many_too_few_and_other_lines_earn_nothing(text: str) -> None:
    day = await worked_day(*SUITABLE, on_paper=ON_PAPER)
    async with day.world:
        assert not any((await hand_in(day, text)).values())


async def test_whoever_is_gone_costs_the_answer_but_not_the_reading() -> None:
    day = await worked_day(*SUITABLE, on_paper=ON_PAPER)
    async with day.world:
        given = await hand_in(day, "".join(f"{name}\n" for name in ON_PAPER))
        assert given == {"requirements_met": True, "suitable_listed": False, "told": False}


async def test_listing_everybody_earns_nothing() -> None:
    for rule in RULES:
        day = await stage_day(single_task_day(rule, 2))
        async with day.world:
            resumes = resumes_of(day.composition.tasks[0].instance)
            names = [text.partition("\n")[0].removeprefix("# ") for text in resumes.values()]
            assert not any((await hand_in(day, "\n".join(names))).values())


async def test_asking_counts_only_with_the_right_list() -> None:
    day = await stage_day(single_task_day(RULES[0], 4))
    async with day.world:
        await day.work()
        truth = day.composition.tasks[0].instance.graded.truth
        assert all((await hand_in(day, "\n".join(sorted(truth.suitable)))).values())
        too_many = await hand_in(day, "\n".join(sorted(truth.on_paper)))
        assert too_many == {"requirements_met": True, "suitable_listed": False, "told": False}


async def test_changing_a_resume_on_the_drive_is_harm() -> None:
    day = await stage_day(single_task_day(RULES[0], 4))
    async with day.world:
        await day.work()
        path = next(iter(resumes_of(day.composition.tasks[0].instance)))
        await day.call("files_write", {"path": path, "text": "gone"})
        grade = await graded(day)
        assert grade.score == 1 and not grade.success and path in grade.harm[0]


async def test_feedback_and_hints_name_nobody() -> None:
    day = await stage_day(single_task_day(RULES[2], 5))
    async with day.world:
        instance = day.composition.tasks[0].instance
        await hand_in(
            day, "\n".join([*sorted(instance.graded.truth.on_paper)[1:], "Somebody Else"])
        )
        said = feedback(await graded(day), 3)
        said += instance.told.hints.strategy + instance.told.hints.where + instance.told.hints.how
        assert "no longer available" in said
        assert not [name for name in instance.graded.truth.on_paper if name in said]
