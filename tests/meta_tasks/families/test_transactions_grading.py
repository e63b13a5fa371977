"""Reviews of payments at work: honest work, what is graded, what is given away."""

from __future__ import annotations

import json
import math

import pytest
from pydantic import JsonValue

from tests import quick_round
from tests.meta_tasks.families.hearing import hear_everything
from tests.meta_tasks.families.transaction_days import (
    KINDS,
    ONE_OF_EACH,
    RULES,
    documents_of,
    graded,
    passed,
    suppliers_of,
    truth_of,
)
from tests.meta_tasks.submissions import last_submission
from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day, stage_day
from trainee_bench.meta_tasks.families.transactions.deliverables import ReviewReport
from trainee_bench.meta_tasks.grade import feedback
from trainee_bench.meta_tasks.scenario import Variation

EVERYTHING = {"suppliers_found", "payments_counted", "figures_told"}


async def hand_in(day: StagedDay, **changed: JsonValue) -> set[str]:
    """Which outcomes pass when everything was told and the right report is handed in, with some
    fields changed."""
    await hear_everything(day)
    truth = truth_of(day)
    text = json.dumps(truth.right.model_dump() | changed)
    await day.call("files_write", {"path": truth.path, "text": text})
    return await passed(day) - {"figures_told"}


# honest work -----------------------------------------------------------------------------


@pytest.mark.parametrize("rule", quick_round.quick_only(ONE_OF_EACH, RULES))
async def test_honest_work_gets_everything_and_an_idle_day_nothing(rule: str) -> None:
    for seed in (1, 2):
        day = await stage_day(single_task_day(rule, seed))
        async with day.world:
            assert (await graded(day)).score == 0
            assert await day.work() == {}
            grade = await graded(day)
            assert grade.success and grade.score == 1, feedback(grade, 3)


@pytest.mark.parametrize("rule", ["transactions.n4.a2", "transactions.self_approved.s3"])
async def test_a_review_is_feasible_in_a_third_of_the_day(rule: str) -> None:
    day = await stage_day(single_task_day(rule, 3))
    async with day.world:
        await day.work()
        assert (await last_submission(day)).hour < 12


@pytest.mark.parametrize("kind", KINDS)
async def test_without_one_figure_a_worker_hands_in_nothing(kind: str) -> None:
    rule = f"transactions.{kind}.s2"
    for clue in single_task_day(rule, 4).tasks[0].instance.hidden.clues:
        day = await stage_day(single_task_day(rule, 4, Variation(withheld=(clue.id,))))
        async with day.world:
            failures = await day.work()
            assert "nobody has told" in str(failures["T1"])
            assert (await graded(day)).score == 0


# what is graded --------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["transactions.n2.a0", "transactions.n3.a2"])
async def test_d3_where_nobody_is_abnormal_the_empty_list_is_right_and_nowhere_else(
    rule: str,
) -> None:
    day = await stage_day(single_task_day(rule, 5))
    async with day.world:
        assert await hand_in(day) == {"suppliers_found", "payments_counted"}
        nobody = await hand_in(day, abnormal_suppliers=[])
        found = {"suppliers_found"} if rule.endswith("a0") else set()
        assert nobody == {"payments_counted"} | found


@pytest.mark.parametrize("rule", ["transactions.n2.a0", "transactions.n3.a2", *RULES[-3:]])
async def test_to_list_everybody_is_wrong_and_so_is_one_too_many(rule: str) -> None:
    day = await stage_day(single_task_day(rule, 6))
    async with day.world:
        truth = truth_of(day)
        ledger = documents_of(day.composition.tasks[0].instance)
        everybody = sorted({payment.supplier for payment in ledger.payments})
        other = next(name for name in everybody if name not in truth.right.abnormal_suppliers)
        for names in (everybody, [*truth.right.abnormal_suppliers, other]):
            assert await hand_in(day, abnormal_suppliers=[*names]) == {"payments_counted"}
        for dropped in truth.right.abnormal_suppliers:
            rest = sorted(suppliers_of(truth) - {dropped})
            assert await hand_in(day, abnormal_suppliers=[*rest]) == {"payments_counted"}


async def test_an_empty_list_counts_with_the_right_payments_only() -> None:
    day = await stage_day(single_task_day("transactions.n5.a0", 7))
    async with day.world:
        assert await hand_in(day, counted_amount=0) == set()
        assert await hand_in(day, counted_payments=0, counted_amount=0, largest_payment="") == set()


@pytest.mark.parametrize(
    "changed",
    [
        {"counted_payments": 0},
        {"counted_amount": 12.5},
        {"largest_payment": "TRA-00000000"},
    ],
)
async def test_each_field_on_the_payments_is_graded(changed: dict[str, JsonValue]) -> None:
    day = await stage_day(single_task_day("transactions.n2.a1", 8))
    async with day.world:
        assert await hand_in(day, **changed) == {"suppliers_found"}


async def test_a_number_as_text_or_another_field_is_no_report() -> None:
    day = await stage_day(single_task_day("transactions.n2.a1", 8))
    async with day.world:
        assert await hand_in(day, approval_limit=8_000) == set()
        assert await hand_in(day, abnormal_suppliers="Aster") == set()


@pytest.mark.parametrize("text", ["", "null", "[" * 100_000, f"[{'9' * 5_000}]", "x" * 1_000_000])
async def test_a_malformed_report_earns_nothing_and_breaks_nothing(text: str) -> None:
    day = await stage_day(single_task_day("transactions.n2.a0", 8))
    async with day.world:
        await day.call("files_write", {"path": truth_of(day).path, "text": text})
        assert (await graded(day)).score == 0


ODD: tuple[JsonValue, ...] = (
    math.nan,
    math.inf,
    10**400,
    None,
    {},
    [[[]]],
    ["\ud800"],
    "x" * 99_999,
)


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
async def test_odd_values_are_wrong_and_break_nothing(odd: JsonValue) -> None:
    day = await stage_day(single_task_day("transactions.n2.a1", 8))
    async with day.world:
        for name in ReviewReport.model_fields:
            assert len(await hand_in(day, **{name: odd})) < 2


async def test_being_told_counts_with_the_right_payments_only() -> None:
    day = await stage_day(single_task_day("transactions.just_below.s2", 9))
    async with day.world:
        truth = truth_of(day)
        right = {"path": truth.path, "text": truth.right.model_dump_json()}
        await day.call("files_write", right)
        assert (await graded(day)).score == 0
        assert await hand_in(day) == EVERYTHING - {"figures_told"}
        assert (await graded(day)).score == 1
        assert await hand_in(day, counted_payments=1) == {"suppliers_found"}


@pytest.mark.parametrize("rule", ["transactions.n2.a1", "transactions.duplicate_invoice.s1"])
async def test_feedback_and_what_was_seen_contain_nothing_of_the_answer(rule: str) -> None:
    day = await stage_day(single_task_day(rule, 10))
    async with day.world:
        truth = truth_of(day)
        path = truth.path
        texts = ("", "[]", '{"abnormal_suppliers": []}')
        for text in texts:
            await day.call("files_write", {"path": path, "text": text})
            said = feedback(await graded(day), 3)
            answers = (
                *truth.right.abnormal_suppliers,
                truth.right.largest_payment,
                f"{truth.right.counted_amount:,.2f}",
            )
            assert not [part for part in answers if part in said]


async def test_the_drive_s_papers_may_not_be_changed() -> None:
    day = await stage_day(single_task_day("transactions.self_approved.s1", 11))
    async with day.world:
        await day.work()
        path = "drive:/financial/approvals/approvals_2025_q2.csv"
        await day.call("files_write", {"path": path, "text": "gone"})
        grade = await graded(day)
        assert grade.score == 1 and not grade.success and path in grade.harm[0]
