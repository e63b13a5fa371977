"""Each kind of review worked by hand on one instance, with edge cases."""

from __future__ import annotations

from datetime import date

import pytest

from tests.meta_tasks.families.transaction_days import Row, by_hand, numbers
from trainee_bench.meta_tasks.authoring import CENTS, WHOLE_EUROS, AnswerKeys
from trainee_bench.meta_tasks.families.transactions.data import round_up_to_ten
from trainee_bench.meta_tasks.families.transactions.deliverables import (
    ReviewReport,
    make_report,
    review_truth,
)
from trainee_bench.meta_tasks.families.transactions.subject import (
    below_limit,
    more_than_approved,
    new_suppliers,
    paid_twice,
    self_approved,
    split_invoices,
)
from trainee_bench.meta_tasks.families.transactions.subject.ledger import ReviewFindings
from trainee_bench.meta_tasks.families.transactions.subject.review import (
    LONG_DATE,
    EarlierLimit,
    Figures,
    just_below,
)

SIX_MONTHS = date(2025, 4, 1), date(2025, 9, 30)


@pytest.mark.parametrize(
    "euros, below",
    [(7_599.99, False), (7_600.00, True), (7_999.99, True), (8_000.00, False), (8_000.01, False)],
)
def test_just_below_a_limit_is_from_95_per_cent_on_and_not_the_limit(
    euros: float, below: bool
) -> None:
    assert just_below(round(euros * 100), 8_000_00) is below


def test_new_suppliers_worked_by_hand() -> None:
    ledger = by_hand(
        # Aster: new, three of four just below 8,000: abnormal
        Row("1", "Aster", "2025-04-02", 7_700),
        Row("2", "Aster", "2025-05-02", 7_800),
        Row("3", "Aster", "2025-06-02", 7_900),
        Row("4", "Aster", "2025-07-02", 2_000),
        # Birch: new, two of three only
        Row("5", "Birch", "2025-04-02", 7_700.50),
        Row("6", "Birch", "2025-05-02", 7_650.25),
        Row("7", "Birch", "2025-06-02", 9_000),
        # Cedar: always just below, but not new; its payment in March is not under review
        Row("8", "Cedar", "2025-03-31", 7_990),
        Row("9", "Cedar", "2025-04-01", 7_990),
        Row("10", "Cedar", "2025-09-30", 7_990.50),
        # Dill: clusters below another limit
        Row("11", "Dill", "2025-04-20", 8_900),
        Row("12", "Dill", "2025-04-21", 8_800),
    )
    found = new_suppliers.find(ledger, Figures(*SIX_MONTHS, limit=8_000_00))
    assert found.suppliers == {"Aster"}
    assert numbers(found) == ["1", "2", "3", "5", "6", "9", "10"]
    right = make_report(found)
    assert (right.counted_payments, right.counted_amount) == (7, 54_731.25)
    assert right.largest_payment == "TRA-10"
    other = new_suppliers.find(ledger, Figures(*SIX_MONTHS, limit=9_000_00))
    assert (other.suppliers, numbers(other)) == ({"Dill"}, ["11", "12"])


def test_payments_just_below_a_changed_limit_worked_by_hand() -> None:
    """The limit was 6,000 until 30 June and is 9,000 since 1 July."""
    ledger = by_hand(
        Row("1", "Aster", "2025-04-10", 5_800, approved_on="2025-04-05"),
        Row("2", "Aster", "2025-05-10", 5_800.50, approved_on="2025-05-05"),
        # approved on the last day of the former limit, paid under the one in force
        Row("3", "Aster", "2025-07-03", 5_900, approved_on="2025-06-30"),
        Row("4", "Aster", "2025-08-03", 5_950, approved_on="2025-07-28"),
        Row("5", "Birch", "2025-07-04", 8_700, approved_on="2025-07-01"),
        Row("6", "Birch", "2025-09-04", 8_800, approved_on="2025-09-01"),
        Row("7", "Birch", "2025-07-04", 8_900, approved_on="2025-06-30"),
    )
    limits = Figures(limit=9_000_00, earlier=EarlierLimit(6_000_00, date(2025, 7, 1)))
    found = below_limit.find(ledger, limits)
    assert found.suppliers == {"Aster"}
    assert numbers(found) == ["1", "2", "3", "5", "6"]
    assert sum(payment.cents for payment in found.payments) == 35_000_50


def test_split_invoices_worked_by_hand() -> None:
    """The limit is 10,000, and invoices may be 5 days apart."""
    ledger = by_hand(
        Row("1", "Aster", "2025-04-20", 6_000, dated="2025-04-01"),
        Row("2", "Aster", "2025-04-08", 4_000, dated="2025-04-06"),  # together the limit: split
        Row("3", "Aster", "2025-04-12", 6_500, dated="2025-04-12"),  # 6 days after the second
        Row("4", "Birch", "2025-05-02", 6_000, dated="2025-05-01"),
        Row("5", "Birch", "2025-05-02", 6_000, dated="2025-05-01", applicant="Cid"),
        Row("6", "Birch", "2025-05-03", 3_999.99, dated="2025-05-02"),  # a cent too low with 4
        Row("7", "Cedar", "2025-06-02", 10_000, dated="2025-06-01"),  # not lower than the limit
        Row("8", "Cedar", "2025-06-02", 9_000, dated="2025-06-01"),
        Row("9", "Dill", "2025-06-02", 9_000, dated="2025-06-01"),
        Row("10", "Elder", "2025-06-02", 9_000, dated="2025-06-01"),
    )
    found = split_invoices.find(ledger, Figures(limit=10_000_00, days_apart=5))
    assert found.suppliers == {"Aster"}
    assert numbers(found) == ["1", "2"]
    wider = split_invoices.find(ledger, Figures(limit=10_000_00, days_apart=6))
    assert numbers(wider) == ["1", "2", "3"]
    lower = split_invoices.find(ledger, Figures(limit=9_500_00, days_apart=5))
    assert numbers(lower) == ["1", "2", "4", "6"]


def test_a_payment_of_two_split_purchases_counts_once() -> None:
    ledger = by_hand(*(Row(n, "Aster", "2025-04-20", 6_000) for n in ("1", "2", "3")))
    found = split_invoices.find(ledger, Figures(limit=10_000_00, days_apart=5))
    assert numbers(found) == ["1", "2", "3"]


def test_invoices_paid_twice_worked_by_hand() -> None:
    ledger = by_hand(
        Row("1", "Aster", "2025-04-02", 500, own="R-4711"),
        Row("2", "Aster", "2025-05-02", 500, own="r 4711"),  # again: counts
        Row("3", "Aster", "2025-06-02", 500, own="R-4712"),  # another invoice
        Row("4", "Birch", "2025-05-02", 500, own="R-4711"),  # another supplier
        Row("5", "Cedar", "2025-05-02", 800, own="IN-10"),
        Row("6", "Cedar", "2025-06-02", 900, own="IN-10"),  # in parts
        Row("7", "Dill", "2025-05-02", 700.25, own="IN-11"),
        Row("8", "Dill", "2025-06-02", 700.25, own="IN11"),  # again, but paid back
    )
    found = paid_twice.find(ledger, Figures(refunded=frozenset({"INV-8"})))
    assert (found.suppliers, numbers(found)) == ({"Aster"}, ["2"])
    assert numbers(paid_twice.find(ledger, Figures())) == ["2", "8"]


def test_more_than_was_approved_worked_by_hand() -> None:
    """The tolerance is 4.5 %: of 2,000 approved, 2,090 are tolerated."""
    ledger = by_hand(
        Row("1", "Aster", "2025-04-02", 2_090.00, approved=2_000),
        Row("2", "Aster", "2025-04-03", 2_090.01, approved=2_000),
        Row("3", "Birch", "2025-04-04", 1_800, approved=2_000),
        Row("4", "Cedar", "2025-04-05", 3_000, approved=2_000),
        Row("5", "Dill", "2025-04-06", 3_000, approved=2_000),
    )
    figures = Figures(tolerance=45, raised={"APP-4": 3_000_00, "APP-5": 2_500_00})
    found = more_than_approved.find(ledger, figures)
    assert (found.suppliers, numbers(found)) == ({"Aster", "Dill"}, ["2", "5"])
    assert sum(payment.cents for payment in found.payments) == 5_090_01
    assert round_up_to_ten(2_090_01) == 2_100_00 and round_up_to_ten(2_090_00) == 2_090_00


def test_payments_approved_by_the_applicant_worked_by_hand() -> None:
    """Cid signs for Bob when Bob is away."""
    ledger = by_hand(
        Row("1", "Aster", "2025-04-02", 100, applicant="Bob", signed="Bob"),
        Row("2", "Birch", "2025-04-03", 100, applicant="Bob", signed="for Bob"),
        Row("3", "Cedar", "2025-04-04", 100, applicant="Cid", signed="for Bob"),
        Row("4", "Dill", "2025-04-05", 100, applicant="Cid", signed="Bob"),
        Row("5", "Elder", "2025-04-06", 100, applicant="Ann", signed="for Bob"),
    )
    found = self_approved.find(ledger, Figures(deputies={"Bob": "Cid"}))
    assert (found.suppliers, numbers(found)) == ({"Aster", "Cedar"}, ["1", "3"])


def test_the_report_is_right_to_the_cent_and_lists_each_supplier_once() -> None:
    found = paid_twice.find(
        by_hand(
            Row("1", "Aster Works", "2025-04-02", 500.55, own="A-1"),
            Row("2", "Aster Works", "2025-05-02", 500.55, own="A-1"),
        ),
        Figures(),
    )
    right = review_truth("", found, ())

    def report(names: list[str], count: int, amount: float, largest: str) -> ReviewReport:
        return ReviewReport(
            abnormal_suppliers=names,
            counted_payments=count,
            counted_amount=amount,
            largest_payment=largest,
        )

    assert right.counts(report([], 1, 500.55, " TRA-2 "))
    assert right.counts(report([], 1, 500.5549, "TRA-2"))
    assert not right.counts(report([], 1, 500.56, "TRA-2"))
    assert not right.counts(report([], 1, 501, "TRA-2"))
    assert not right.counts(report([], 2, 500.55, "TRA-2"))
    assert not right.counts(report([], 1, 500.55, "TRA-1"))
    assert not right.counts(report([], 1, float("nan"), "TRA-2"))
    assert right.names(report(["aster  works"], 0, 0, ""), AnswerKeys())
    assert not right.names(report(["Aster Works", "Aster Works"], 0, 0, ""), AnswerKeys())
    assert not right.names(report(["Aster Works", "Birch Works"], 0, 0, ""), AnswerKeys())
    assert not right.names(report([], 0, 0, ""), AnswerKeys())


def test_any_of_the_largest_payments_may_be_reported_and_none_where_none_counts() -> None:
    tied = ReviewFindings.counting(
        by_hand(
            Row("1", "Aster", "2025-04-02", 700),
            Row("2", "Birch", "2025-05-02", 900),
            Row("3", "Cedar", "2025-06-02", 900),
        ).payments
    )
    right = review_truth("", tied, ())
    for largest in ("TRA-1", "TRA-2", "TRA-3", ""):
        report = right.right.model_copy(update={"largest_payment": largest})
        assert right.counts(report) is (largest in ("TRA-2", "TRA-3"))
    nothing = review_truth("", ReviewFindings.counting(()), ())
    assert nothing.right.model_dump() == {
        "abnormal_suppliers": [],
        "counted_payments": 0,
        "counted_amount": 0,
        "largest_payment": "",
    }
    assert nothing.counts(nothing.right)
    assert not nothing.counts(nothing.right.model_copy(update={"largest_payment": "none"}))


def test_amounts_and_dates_are_read_as_they_are_told() -> None:
    assert WHOLE_EUROS.parse("12,000") == 12_000_00 and CENTS.parse("74.90") == 74_90
    assert LONG_DATE.parse("1 July 2025") == date(2025, 7, 1)
