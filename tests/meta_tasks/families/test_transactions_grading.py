"""Reviews of payments at work: grading, and that a right report needs Finance's figures."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from itertools import product

import pytest
from pydantic import JsonValue

from tests import quick_round
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
    KINDS,
    ONE_OF_EACH,
    RULES,
    SUPPLIER_RULES,
    answer,
    documents_of,
    right_answer,
    scene_of,
    suppliers_of,
)
from trainee_bench.harness.testbench.staged_day import StagedDay
from trainee_bench.meta_tasks.families.transactions.deliverables import ReviewReport, ReviewTruth
from trainee_bench.meta_tasks.families.transactions.subject import (
    below_limit,
    more_than_approved,
    new_suppliers,
    paid_twice,
    self_approved,
    split_invoices,
)
from trainee_bench.meta_tasks.families.transactions.subject.ledger import PaymentLedger
from trainee_bench.meta_tasks.families.transactions.subject.review import EarlierLimit, Figures
from trainee_bench.meta_tasks.grade import feedback
from trainee_bench.meta_tasks.meta_task import TaskInstance

EVERYTHING = {"suppliers_found", "payments_counted", "figures_told"}


async def hand_in(day: StagedDay, **changed: JsonValue) -> set[str]:
    """Hand in the right report with some fields changed, after everything was told.

    Returns the names of the outcomes that pass.
    """
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
async def test_listing_everybody_or_one_supplier_too_many_is_wrong(rule: str) -> None:
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


async def test_an_empty_list_counts_only_with_the_right_payments() -> None:
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
async def test_odd_values_are_graded_as_wrong(odd: JsonValue) -> None:
    async with staged("transactions.n2.a1", 8) as day:
        for name in ReviewReport.model_fields:
            assert len(await hand_in(day, **{name: odd})) < 2


async def test_being_told_counts_only_with_the_right_payments() -> None:
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


# the figures that Finance tells -----------------------------------------------------------


ASSUMED = tuple(euros * 100 for euros in (1_000, 2_000, 5_000, 10_000, 15_000, 20_000, 50_000))
"""Limits that one might take for granted."""
MONTHS = tuple(date(2025, month, 1) for month in range(4, 10))
REVIEWED = MONTHS[0], date(2025, 9, 30)


def reviews(rule: str, seeds: range) -> Iterator[tuple[TaskInstance[ReviewTruth], PaymentLedger]]:
    """Yield tasks of *rule*, each with the ledger that its files contain."""
    for seed in seeds:
        instance = scene_of(rule, seed)
        yield instance, documents_of(instance)


def every(kind: str) -> list[str]:
    return [rule for rule in RULES if kind in rule]


@pytest.mark.parametrize("rule", SUPPLIER_RULES)
@quick_round.seeds(2, sweep=8)
def test_one_approval_limit_of_all_makes_the_right_report(rule: str, seeds: range) -> None:
    for instance, ledger in reviews(rule, seeds):
        limits = sorted({*new_suppliers.LIMITS, *ASSUMED})
        made = {
            limit: answer(new_suppliers.find(ledger, Figures(*REVIEWED, limit=limit)))
            for limit in limits
        }
        assert [*made.values()].count(right_answer(instance)) == 1
        assert right_answer(instance) not in [made[assumed] for assumed in ASSUMED]


@pytest.mark.parametrize("rule", quick_round.quick_only(ONE_OF_EACH, SUPPLIER_RULES))
def test_whatever_the_limit_as_many_suppliers_are_abnormal_as_the_rule_says(rule: str) -> None:
    wanted = int(rule[-1])
    named = set()
    for offset in range(24):
        instance = scene_of(rule, 5, limit=offset)
        assert len(suppliers_of(instance.graded.truth)) == wanted
        assert instance.graded.truth.right.counted_payments >= 5
        named.add((suppliers_of(instance.graded.truth), instance.graded.truth.right.counted_amount))
    assert len(named) == new_suppliers.LIMITS_IN_PLAY
    assert len({suppliers for suppliers, _ in named}) == (len(named) if wanted else 1)


@pytest.mark.parametrize("rule", every("just_below"))
def test_one_pair_of_limits_and_one_day_make_the_right_report(rule: str) -> None:
    for instance, ledger in reviews(rule, range(2)):
        limits = sorted({*below_limit.LIMITS, 10_000_00})
        right = [
            figures
            for figures in (
                Figures(limit=now, earlier=EarlierLimit(before, change))
                for now, before, change in product(limits, limits, MONTHS[1:])
            )
            if answer(below_limit.find(ledger, figures)) == right_answer(instance)
        ]
        assert len(right) == 1
        assert right[0].limit != right[0].earlier.before
        # the day of payment is not the day of approval
        paid = {
            payment.approval: replace(ledger.approval(payment), approved=payment.paid)
            for payment in ledger.payments
        }
        misread = below_limit.find(replace(ledger, approvals=paid), right[0])
        assert answer(misread) != right_answer(instance)


@pytest.mark.parametrize("rule", every("split_invoice"))
def test_one_limit_and_one_number_of_days_make_the_right_report(rule: str) -> None:
    for instance, ledger in reviews(rule, range(3)):
        limits = sorted({*split_invoices.LIMITS, *ASSUMED})
        right = [
            figures
            for figures in (
                Figures(limit=limit, days_apart=days)
                for limit, days in product(limits, (*range(1, 16), 21, 30))
            )
            if answer(split_invoices.find(ledger, figures)) == right_answer(instance)
        ]
        assert len(right) == 1
        paid = {
            payment.invoice: replace(ledger.invoice(payment), dated=payment.paid)
            for payment in ledger.payments
        }
        misread = split_invoices.find(replace(ledger, invoices=paid), right[0])
        assert answer(misread) != right_answer(instance)


def test_no_assumed_limit_finds_the_same_pairs() -> None:
    for limit, assumed in product(split_invoices.LIMITS, ASSUMED):
        assert assumed >= 1.125 * limit or assumed <= 0.85 * limit


@pytest.mark.parametrize("rule", every("duplicate_invoice"))
def test_ignoring_refunds_counts_too_many_payments(rule: str) -> None:
    for instance, ledger in reviews(rule, range(12)):
        found = paid_twice.find(ledger, Figures())
        returned = {p.invoice for p in found.payments} & set(
            _words(instance.hidden.clues[0].payload)
        )
        assert returned
        assert len(found.payments) > instance.graded.truth.right.counted_payments > 0
        everything = frozenset(payment.invoice for payment in found.payments)
        assert not paid_twice.find(ledger, Figures(refunded=everything)).payments
        # the number alone, the amount alone, or the number as it is typed find something else
        for other in _misread(ledger):
            figures = Figures(refunded=frozenset(returned))
            assert answer(paid_twice.find(other, figures)) != right_answer(instance)


def _words(text: str) -> list[str]:
    return text.replace(",", " ").split()


def _misread(ledger: PaymentLedger) -> Iterator[PaymentLedger]:
    documents = ledger.invoices.items()
    yield replace(ledger, invoices={id: replace(paper, number="") for id, paper in documents})
    yield replace(ledger, invoices={id: replace(paper, cents=0) for id, paper in documents})


@pytest.mark.parametrize("rule", every("amount_differs"))
def test_one_tolerance_of_all_makes_the_right_report_and_raised_approvals_matter(
    rule: str,
) -> None:
    for instance, ledger in reviews(rule, range(12)):
        payload = _words(instance.hidden.clues[-1].payload.replace(".", "").replace(";", ""))
        raised = {approval: 1_000_000_00 for approval in payload if approval in ledger.approvals}
        figures = [Figures(tolerance=tenths, raised=raised) for tenths in range(0, 100, 5)]
        made = [answer(more_than_approved.find(ledger, known)) for known in figures]
        assert made.count(right_answer(instance)) == 1
        unraised = [Figures(tolerance=known.tolerance) for known in figures]
        same = [answer(more_than_approved.find(ledger, known)) for known in unraised]
        assert (right_answer(instance) in same) is (not raised)
        assert bool(raised) is (len(instance.hidden.clues) == 2)


@pytest.mark.parametrize("rule", every("self_approved"))
def test_one_set_of_deputies_makes_the_right_report(rule: str) -> None:
    for instance, ledger in reviews(rule, range(4)):
        signed = {approval.signed for approval in ledger.approvals.values()}
        away = sorted(name.removeprefix("for ") for name in signed if name.startswith("for "))
        staff = sorted({approval.applicant for approval in ledger.approvals.values()})
        made = [
            answer(
                self_approved.find(ledger, Figures(deputies=dict(zip(away, deputies, strict=True))))
            )
            for deputies in product([*staff, "nobody"], repeat=len(away))
        ]
        assert len(away) == len(instance.hidden.clues) == int(rule[-1])
        assert made.count(right_answer(instance)) == 1
        # the ledger's columns alone
        equal = [payment for payment in ledger.payments if payment.applicant == payment.approver]
        assert len(equal) > 0
        assert sum(payment.cents for payment in equal) != right_answer(instance)[2]


@pytest.mark.parametrize("kind", KINDS)
def test_every_clue_of_the_other_kinds_changes_the_answer(kind: str) -> None:
    for seed, rule in enumerate(every(kind)):
        for clue in scene_of(rule, seed).hidden.clues:
            name = clue.id.partition("/")[2]
            variants = (scene_of(rule, seed, **{name: offset}) for offset in range(1, 9))
            assert len({right_answer(variant) for variant in variants}) > 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_guess_of_the_only_figure_is_right_at_most_once_in_eight_times(kind: str) -> None:
    clues = scene_of(f"transactions.{kind}.s1", 6).hidden.clues
    name = clues[0].id.partition("/")[2]
    variants = [scene_of(f"transactions.{kind}.s1", 6, **{name: offset}) for offset in range(48)]
    assert len(clues) == 1
    assert len({right_answer(variant) for variant in variants}) >= 8
    assert max(Counter(suppliers_of(variant.graded.truth) for variant in variants).values()) <= 12


@pytest.mark.parametrize("rule", quick_round.quick_only(ONE_OF_EACH, RULES))
def test_answers_vary_with_the_seed_and_lists_are_neither_empty_nor_everybody(rule: str) -> None:
    answers = Counter(right_answer(scene_of(rule, seed)) for seed in range(12))
    assert max(answers.values()) == 1
    sizes = {len(suppliers) for suppliers, _, _ in answers}
    if rule in SUPPLIER_RULES:
        assert sizes == {int(rule[-1])}
    else:
        assert 0 not in sizes and max(sizes) <= 16
