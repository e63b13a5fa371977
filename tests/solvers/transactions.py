"""Solver of the family transactions: reviews of payments."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import combinations

from tests.solvers.office import Office, Session, find, target_file

Row = dict[str, str]
NAME = r"[^\W\d_][\w'’.-]*(?: [\w'’.-]+){1,3}"


async def read_rows(office: Office, path: str) -> list[Row]:
    """The rows of a table."""
    return list(csv.DictReader(io.StringIO(await office.read(path))))


@dataclass
class Payment:
    """A payment with what the registers say about it."""

    row: Row
    invoice: Row
    approval: Row

    @property
    def supplier(self) -> str:
        """The supplier's name."""
        return self.row["supplier_name"]

    @property
    def amount(self) -> Decimal:
        """The amount that was paid."""
        return Decimal(self.row["transaction_amount"])

    @property
    def billed(self) -> Decimal:
        """The amount of the invoice."""
        return Decimal(self.invoice.get("invoice_amount") or self.row["transaction_amount"])

    @property
    def applicant(self) -> str:
        """The person who applied for it."""
        return self.approval.get("applicant_name") or self.row["applicant_name"]

    @property
    def paid(self) -> str:
        """The date it was paid."""
        return self.row["transaction_date"]

    @property
    def number(self) -> str:
        """The supplier's number of the invoice, without capitals, blanks and dashes."""
        return re.sub(r"[\s\-‐-―]", "", self.invoice["supplier_number"]).lower()


@dataclass
class Review:
    """The documents and figures of a review."""

    kind: str
    ledger: list[Payment]
    under_review: list[Payment]
    figures: dict[str, str]

    def figure(self, words: str) -> str:
        """The answer about the figure whose name has these words."""
        return next(answer for name, answer in self.figures.items() if words in name)

    def limit(self) -> Decimal:
        """The approval limit in force."""
        told = find(r"EUR ([\d,]+(?:\.\d+)?)", self.figure("approval limit in force"))
        return Decimal(told[1].replace(",", ""))


def is_just_below(amount: Decimal, limit: Decimal) -> bool:
    """Whether an amount is just below a limit."""
    return limit * Decimal("0.95") <= amount < limit


def new_suppliers(review: Review) -> tuple[list[Payment], set[str]]:
    """Review new suppliers just below the limit."""
    limit = review.limit()
    counted = [p for p in review.under_review if is_just_below(p.amount, limit)]
    reviewed = {id(p) for p in review.under_review}
    payments: dict[str, list[Payment]] = defaultdict(list)
    for payment in review.ledger:
        payments[payment.supplier].append(payment)
    abnormal = set()
    for supplier, paid in payments.items():
        first = min(paid, key=lambda p: p.paid)
        near = sum(is_just_below(p.amount, limit) for p in paid)
        if id(first) in reviewed and 4 * near >= 3 * len(paid):
            abnormal.add(supplier)
    return counted, abnormal


def split_invoices(review: Review) -> tuple[list[Payment], set[str]]:
    """Review split invoices."""
    limit = review.limit()
    days = int(find(r"(\d+) days?", review.figure("number of days"))[1])
    counted: dict[int, Payment] = {}
    for one, two in combinations(review.under_review, 2):
        dates = [date.fromisoformat(p.invoice["invoice_date"]) for p in (one, two)]
        if (
            one.supplier == two.supplier
            and one.applicant == two.applicant
            and abs((dates[0] - dates[1]).days) <= days
            and max(one.billed, two.billed) < limit <= one.billed + two.billed
        ):
            counted[id(one)] = one
            counted[id(two)] = two
    return list(counted.values()), {p.supplier for p in counted.values()}


def paid_twice(review: Review) -> tuple[list[Payment], set[str]]:
    """Review invoices paid twice."""
    refunded = {
        number
        for name, answer in review.figures.items()
        if "refunded" in name
        for number in re.findall(r"INV-\w+", answer)
    }
    same: dict[tuple[str, str, Decimal], list[Payment]] = defaultdict(list)
    for payment in sorted(review.under_review, key=lambda p: (p.paid, int(p.row["id"]))):
        same[payment.supplier, payment.number, payment.billed].append(payment)
    later = []
    for payments in same.values():
        later += payments[1:]
    counted = [p for p in later if p.row["invoice_id"] not in refunded]
    return counted, {p.supplier for p in counted}


REVIEWS: dict[str, Callable[[Review], tuple[list[Payment], set[str]]]] = {
    "New suppliers just below the limit": new_suppliers,
    "Split invoices": split_invoices,
    "Invoices paid twice": paid_twice,
}


def tells(name: str) -> Callable[[str], bool]:
    """Return a check whether an answer tells a figure."""
    if "limit" in name:
        return lambda text: bool(re.search(r"EUR \d", text))
    if "days" in name:
        return lambda text: bool(re.search(r"\d+ days?", text))
    return lambda text: bool(re.search(r"INV-|refunded|none|no ", text))


async def find_figures(office: Office, ledger: str, needed: list[str]) -> dict[str, str]:
    """Ask whom to ask, then ask for each figure."""
    people = await office.people("Finance")
    somebody = next(person for person in people if not person.away)
    answer = await office.ask(somebody.id, f"Hello, whom can I ask about the review of {ledger}?")
    holders = {what.strip(): name for name, what in re.findall(rf"({NAME}) knows ([^;.]+)", answer)}
    figures = {}
    for name in needed:
        what = name if name.startswith("which") else f"what is {name}"
        question = f"For the review of {ledger}: {what}?"
        # the asked colleague knows figures that no other name is given for
        holder = holders.get(name, somebody.id)
        figures[name] = await office.ask(holder, question, tells(name))
    return figures


async def load_review(office: Office, objective: str) -> Review:
    """Read everything that the review needs."""
    kind = find(r"kind of review is “(.+?)”", objective)[1]
    path = find(r"The ledger is (workspace:/\S+?\.csv)", objective)[1]
    first, last = find(r"made from (\S+) to (\S+)\.", objective).groups()
    invoices: dict[str, Row] = {}
    approvals: dict[str, Row] = {}
    for register in re.findall(r"drive:/financial/\w+/\w+\.csv", objective):
        for row in await read_rows(office, register):
            if "approval_id" in row:
                approvals[row["approval_id"]] = row
            else:
                invoices[row["invoice_id"]] = row
    ledger = [
        Payment(row, invoices.get(row["invoice_id"], {}), approvals.get(row["approval_id"], {}))
        for row in await read_rows(office, path)
    ]
    under_review = [payment for payment in ledger if first <= payment.paid <= last]
    needed = re.findall(r"^- ((?!`|drive:).+)$", objective, re.MULTILINE)
    figures = await find_figures(office, path.rpartition("/")[2], needed)
    return Review(kind, ledger, under_review, figures)


async def solve(session: Session) -> None:
    """Review the payments of every task."""
    office = Office(session)
    for task in await office.tasks():
        review = await load_review(office, task.objective)
        counted, abnormal = REVIEWS[review.kind](review)
        largest = max(counted, key=lambda payment: payment.amount, default=None)
        report = {
            "abnormal_suppliers": sorted(abnormal),
            "counted_payments": len(counted),
            "counted_amount": float(sum((p.amount for p in counted), Decimal(0))),
            "largest_payment": largest.row["transaction_id"] if largest else "",
        }
        await office.hand_in(task, target_file(task.objective), json.dumps(report))
    await office.finish_day()
