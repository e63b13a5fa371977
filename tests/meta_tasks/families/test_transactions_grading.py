"""Reviews of payments at work: honest work, what is graded, what is given away."""

from __future__ import annotations

import json
import math

import pytest
from pydantic import JsonValue

from tests.meta_tasks.days import (
    graded,
    hear_everything,
    last_submission,
    passed,
    staged,
    truth_of,
    write,
)
from tests.meta_tasks.families.transaction_days import (
    RULES,
    documents_of,
    suppliers_of,
)
from trainee_bench.harness.testbench.staged_day import StagedDay
from trainee_bench.meta_tasks.families.transactions.deliverables import ReviewReport
from trainee_bench.meta_tasks.grade import feedback

EVERYTHING = {"suppliers_found", "payments_counted", "figures_told"}


async def hand_in(day: StagedDay, **changed: JsonValue) -> set[str]:
    """Which outcomes pass when everything was told and the right report is handed in, with some
    fields changed."""
    await hear_everything(day)
    truth = truth_of(day)
    await write(day, json.dumps(truth.right.model_dump() | changed))
    return await passed(day) - {"figures_told"}


# honest work -----------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["transactions.n4.a2", "transactions.self_approved.s3"])
async def test_a_review_is_feasible_in_a_third_of_the_day(rule: str) -> None:
    async with staged(rule, 3) as day:
        await day.work()
        assert (await last_submission(day)).hour < 12


# what is graded --------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["transactions.n2.a0", "transactions.n3.a2"])
async def test_d3_where_nobody_is_abnormal_the_empty_list_is_right_and_nowhere_else(
    rule: str,
) -> None:
    async with staged(rule, 5) as day:
        assert await hand_in(day) == {"suppliers_found", "payments_counted"}
        nobody = await hand_in(day, abnormal_suppliers=[])
        found = {"suppliers_found"} if rule.endswith("a0") else set()
        assert nobody == {"payments_counted"} | found


@pytest.mark.parametrize("rule", ["transactions.n2.a0", "transactions.n3.a2", *RULES[-3:]])
async def test_to_list_everybody_is_wrong_and_so_is_one_too_many(rule: str) -> None:
    async with staged(rule, 6) as day:
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
    async with staged("transactions.n5.a0", 7) as day:
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
    async with staged("transactions.n2.a1", 8) as day:
        assert await hand_in(day, **changed) == {"suppliers_found"}


async def test_a_number_as_text_or_another_field_is_no_report() -> None:
    async with staged("transactions.n2.a1", 8) as day:
        assert await hand_in(day, approval_limit=8_000) == set()
        assert await hand_in(day, abnormal_suppliers="Aster") == set()


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
    async with staged("transactions.n2.a1", 8) as day:
        for name in ReviewReport.model_fields:
            assert len(await hand_in(day, **{name: odd})) < 2


async def test_being_told_counts_with_the_right_payments_only() -> None:
    async with staged("transactions.just_below.s2", 9) as day:
        truth = truth_of(day)
        await write(day, truth.right.model_dump_json())
        assert (await graded(day)).score == 0
        assert await hand_in(day) == EVERYTHING - {"figures_told"}
        assert (await graded(day)).score == 1
        assert await hand_in(day, counted_payments=1) == {"suppliers_found"}


@pytest.mark.parametrize("rule", ["transactions.n2.a1", "transactions.duplicate_invoice.s1"])
async def test_feedback_and_what_was_seen_contain_nothing_of_the_answer(rule: str) -> None:
    async with staged(rule, 10) as day:
        truth = truth_of(day)
        for text in ("", "[]", '{"abnormal_suppliers": []}'):
            await write(day, text)
            said = feedback(await graded(day), 3)
            answers = (
                *truth.right.abnormal_suppliers,
                truth.right.largest_payment,
                f"{truth.right.counted_amount:,.2f}",
            )
            assert not [part for part in answers if part in said]
