"""Reviews of payments: the rules, what the documents show, and what Finance tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime

import pytest
from pydantic import JsonValue

from tests import quick_round
from tests.meta_tasks.days import context_of, day_with, staged, texts_of, told_by, worked
from tests.meta_tasks.families.transaction_days import (
    KINDS,
    ONE_OF_EACH,
    RULES,
    SUPPLIER_RULES,
    documents_of,
    scene_of,
    suppliers_of,
)
from trainee_bench.meta_tasks.families.transactions import Transactions
from trainee_bench.meta_tasks.families.transactions.brief import HEADINGS
from trainee_bench.meta_tasks.families.transactions.data import draw_period
from trainee_bench.meta_tasks.families.transactions.subject.ledger import Payment
from trainee_bench.meta_tasks.families.transactions.work import Figure
from trainee_bench.meta_tasks.meta_task import Difficulty
from trainee_bench.world.company.people import create_company
from trainee_bench.world.transaction import WorkingDay

# the rules -------------------------------------------------------------------------------


def test_twelve_rules_for_new_suppliers_and_fifteen_for_the_other_kinds() -> None:
    catalogued = [
        f"transactions.n{normal}.a{abnormal}" for normal in (2, 3, 4, 5) for abnormal in (0, 1, 2)
    ]
    beyond = [f"transactions.{kind}.s{size}" for kind in KINDS for size in (1, 2, 3)]
    assert [*catalogued, *beyond] == RULES
    labels = {rule.id: rule.difficulty for rule in Transactions.rules()}
    easy = {id for id, label in labels.items() if label is Difficulty.EASY}
    assert easy == {id for id in RULES if ".n2." in id or ".n3." in id or id.endswith(".s1")}


@pytest.mark.parametrize("normal", [2, 3, 4, 5])
@pytest.mark.parametrize("abnormal", [0, 1, 2])
def test_published_entries_name_the_numbers_of_suppliers(normal: int, abnormal: int) -> None:
    entry = {"num_normal_transactions": normal, "num_abnormal_transactions": abnormal}
    made = Transactions.from_published(entry)
    assert made.rule_id == f"transactions.n{normal}.a{abnormal}"


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"num_normal_transactions": 2},
        {"num_normal_transactions": 9, "num_abnormal_transactions": 1},
        {"num_normal_transactions": 2, "num_abnormal_transactions": 3},
        {"num_normal_transactions": "2", "num_abnormal_transactions": 1},
        {"num_normal_transactions": 2, "num_abnormal_transactions": 1, "seed": 4},
    ],
)
def test_other_published_entries_are_refused(entry: Mapping[str, JsonValue]) -> None:
    with pytest.raises(ValueError, match=r"num_|review|seed|normal|abnormal"):
        Transactions.from_published(entry)


# the documents ------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", SUPPLIER_RULES)
@quick_round.seeds(1, sweep=4)
def test_regular_suppliers_are_paid_every_month_since_january_of_the_year_before_last(
    rule: str, seeds: range
) -> None:
    for seed in seeds:
        payments = documents_of(scene_of(rule, seed)).payments
        assert payments[0].paid.isoformat()[:7] == "2023-01"
        assert payments[-1].paid.isoformat()[:7] == "2025-09"
        old = [name for name in {p.supplier for p in payments} if _months(payments, name) == 33]
        assert len(old) == int(rule.partition(".n")[2][0])


def _months(payments: Sequence[Payment], name: str) -> int:
    paid = [payment.paid for payment in payments if payment.supplier == name]
    return len({(day.year, day.month) for day in paid})


@pytest.mark.parametrize("rule", RULES)
def test_dates_come_from_the_simulated_day_alone(rule: str) -> None:
    for payment in documents_of(scene_of(rule, 1)).payments:
        assert date(2023, 1, 1) <= payment.paid <= date(2025, 9, 30)
    if rule not in SUPPLIER_RULES:
        assert min(p.paid for p in documents_of(scene_of(rule, 1)).payments) >= date(2025, 4, 1)


def test_another_simulated_day_has_other_months() -> None:
    morning = datetime(2026, 3, 17, 8)
    march = WorkingDay(morning, morning.replace(hour=20))
    spring = draw_period(replace(context_of(1), day=march), since_january=True)
    assert (spring.months[0], spring.review, spring.last) == (
        date(2024, 1, 1),
        date(2025, 9, 1),
        date(2026, 2, 28),
    )
    assert len(spring.months) == 26 and len(spring.under_review) == 6


@pytest.mark.parametrize("rule", SUPPLIER_RULES)
@quick_round.seeds(2, sweep=5)
def test_no_two_suppliers_have_one_name(rule: str, seeds: range) -> None:
    """Nine limits need many supplier names: new suppliers below each limit, and look-alikes."""
    normal, abnormal = int(rule[-4]), int(rule[-1])
    for seed in seeds:
        names = {payment.supplier for payment in documents_of(scene_of(rule, seed)).payments}
        assert len(names) == normal + 9 * abnormal + (3 if abnormal else 9)


@pytest.mark.parametrize("rule", quick_round.quick_only(ONE_OF_EACH, RULES))
def test_ratings_do_not_reveal_abnormal_suppliers(rule: str) -> None:
    rated_and_abnormal = 0
    for seed in range(5):
        instance = scene_of(rule, seed)
        unrated = {p.supplier for p in documents_of(instance).payments if not p.rating}
        assert unrated - suppliers_of(instance.graded.truth)
        rated_and_abnormal += len(suppliers_of(instance.graded.truth) - unrated)
    assert rated_and_abnormal or rule.endswith("a0")


@pytest.mark.parametrize("rule", RULES)
def test_every_payment_is_in_order_and_has_its_documents(rule: str) -> None:
    instance = scene_of(rule, 2)
    ledger = documents_of(instance)
    assert list(ledger.payments) == sorted(ledger.payments, key=lambda p: p.paid)
    for column in ("transaction", "invoice", "approval"):
        assert len({getattr(payment, column) for payment in ledger.payments}) == len(
            ledger.payments
        )
    if rule in SUPPLIER_RULES:
        assert not ledger.invoices and not ledger.approvals
        return
    assert len(ledger.invoices) == len(ledger.approvals) == len(ledger.payments)
    for payment in ledger.payments:
        invoice, approval = ledger.invoice(payment), ledger.approval(payment)
        assert (invoice.supplier, invoice.cents) == (payment.supplier, payment.cents)
        assert approval.applicant == payment.applicant
        assert approval.signed.removeprefix("for ") == payment.approver
        assert approval.requested < approval.approved < payment.paid
        assert invoice.dated < payment.paid
        if "amount_differs" not in rule:
            assert 0 <= approval.cents - payment.cents < 10_00


@pytest.mark.parametrize("rule", RULES)
@quick_round.seeds(1, sweep=3)
def test_the_ledger_stays_small(rule: str, seeds: range) -> None:
    for seed in seeds:
        texts = texts_of(scene_of(rule, seed))
        assert len(texts) in (2, 6)
        assert sum(map(len, texts.values())) < 75_000
        assert len(documents_of(scene_of(rule, seed)).payments) < 560


def test_the_manual_has_a_section_for_every_kind_and_no_figure_that_is_told() -> None:
    (manual,) = [t for path, t in texts_of(scene_of(RULES[0], 1)).items() if path.endswith(".md")]
    for heading in HEADINGS.values():
        assert f"\n### {heading}\n" in manual
    for rule in RULES:
        for clue in scene_of(rule, 1).hidden.clues:
            assert clue.payload not in manual


# what is told ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rule, clue, questions",
    [
        (
            "transactions.n2.a1",
            "limit",
            (
                "Hi, what's the approval limit in force right now? I'm working on transactions.csv",
                "Hello! Could you please tell me the current approval limit for transactions.csv?",
                "Do you know the approval limit in force?",
            ),
        ),
        (
            "transactions.just_below.s2",
            "earlier_limit",
            (
                "What was the former approval limit, and when did it change?",
                "For transactions.csv I need the former approval limit and the date of its change.",
            ),
        ),
        (
            "transactions.split_invoice.s2",
            "days",
            (
                "Within how many days do two invoices count as a split purchase?",
                "How many days apart can invoices be to be treated as split?",
            ),
        ),
        (
            "transactions.duplicate_invoice.s2",
            "returned_2",
            (
                "Have any of the duplicate payments from July to September been refunded?",
                "Which double payments of July to September have suppliers paid back?",
            ),
        ),
        (
            "transactions.amount_differs.s2",
            "tolerance",
            (
                "Hi, what percentage tolerance applies between invoice and approval?",
                "What tolerance is allowed between invoice and approval?",
            ),
        ),
        (
            "transactions.amount_differs.s2",
            "raised",
            ("Which approvals were raised afterwards, and to what amount?",),
        ),
    ],
)
async def test_questions_in_fresh_words_are_answered_by_whom_everybody_names(
    rule: str, clue: str, questions: tuple[str, ...]
) -> None:
    async with staged(rule, 4) as day:
        (held,) = [
            c for c in day.composition.tasks[0].instance.hidden.clues if c.id == f"T1/{clue}"
        ]
        holder = day.composition.company.person(held.holder)
        others = [p.id for p in day.composition.company.staff("Marketing")]
        who = await told_by(
            day, others[0], "Whom should I ask about the review of transactions.csv?"
        )
        assert holder.name in who and held.payload not in who
        for question in questions:
            assert held.payload in await told_by(day, holder.id, question)
        assert held.payload not in await told_by(day, others[1], questions[0])


async def test_everybody_knows_where_the_manual_is() -> None:
    async with staged(RULES[0], 3) as day:
        (person, *_) = day.composition.company.staff("Sales_1")
        said = await told_by(day, person.id, "Is there a manual for reviewing transaction data?")
        path = "drive:/financial/transaction_review_manual.md"
        assert path in said
        assert "### Split invoices" in (await day.call("files_read", {"path": path})).text


# beside others ---------------------------------------------------------------------------


def test_two_reviews_on_one_day_differ_in_files_and_clues() -> None:
    for seed in range(4):
        day = day_with(*["transactions.split_invoice.s3"] * 2, "transactions.n2.a1", seed=seed)
        scenes = [task.instance for task in day.tasks]
        ledgers = [
            path
            for instance in scenes
            for path in texts_of(instance)
            if path.startswith("workspace:/")
        ]
        assert len(set(ledgers)) == len(scenes)
        assert len(
            {path for instance in scenes for path in instance.told.deliverable_paths}
        ) == len(scenes)
        shared = [path for instance in scenes for path in texts_of(instance)]
        assert {path for path in shared if shared.count(path) > 1} == {
            "drive:/financial/transaction_review_manual.md"
        }


async def test_three_reviews_on_one_day_are_worked_beside_one_another() -> None:
    rules = ("transactions.n2.a1", "transactions.just_below.s2", "transactions.n2.a1")
    assert await worked(day_with(*rules, seed=2)) == [1, 1, 1]


async def test_contacts_for_a_second_ledger_are_told_after_those_for_the_first() -> None:
    # A question about contacts for the second ledger was once taken for a follow-up to the first.
    twice = ["transactions.self_approved.s3"] * 2
    assert await worked(day_with(*twice, seed=1, name=twice[0])) == [1, 1]


@pytest.mark.parametrize("size", [10, 25, 500])
@pytest.mark.parametrize("rule", [rule for rule in RULES if rule not in SUPPLIER_RULES[1:]])
def test_companies_of_every_size_have_holders_of_the_figures(rule: str, size: int) -> None:
    for seed in range(2):
        holders = [clue.holder for clue in scene_of(rule, seed, size).hidden.clues]
        assert len(set(holders)) == len(holders)


def test_in_a_company_like_the_paper_s_finance_knows() -> None:
    for seed in range(5):
        company = create_company(seed)
        for rule in ("transactions.n2.a1", "transactions.self_approved.s3"):
            for clue in scene_of(rule, seed).hidden.clues:
                assert company.person(clue.holder).department == "Finance"


def test_hints_and_the_objective_contain_no_figure_and_no_name() -> None:
    for rule in RULES:
        instance = scene_of(rule, 1)
        said = (
            f"{instance.told.hints.strategy} {instance.told.hints.where} {instance.told.hints.how}"
        )
        assert not any(character.isdigit() for character in said)
        names = {payment.supplier for payment in documents_of(instance).payments}
        told = [clue.payload for clue in instance.hidden.clues]
        assert not [text for text in (*names, *told) if text in said + instance.told.objective]


def test_the_figure_asked_for_is_read_among_others_of_its_kind() -> None:
    told = "When Ann Lee is away, Bo Day signs. When Cy Fox is away, Di Ray signs."
    figure = Figure("who signs for Cy Fox", "transactions.csv")
    assert [*figure.read(told).values()] == ["When Cy Fox is away, Di Ray signs."]
    assert not Figure("who signs for Ed Orr", "transactions.csv").read(told)
