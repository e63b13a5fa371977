"""Random draws of payments: months, people, suppliers, and rows of the files.

Everything here is public and reveals nothing about the hidden figures.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import product

from trainee_bench.meta_tasks.authoring import TaskContext
from trainee_bench.meta_tasks.families.transactions.subject.ledger import (
    Approval,
    Invoice,
    Payment,
    PaymentLedger,
)
from trainee_bench.world.company.org_chart import EXECUTIVE

MONTHS_UNDER_REVIEW = 6
_PREFIXES = "Alderbrook Brightwater Corvane Dunmore Eastfold Fenwick Grenadine Harrowgate Juniper"
_SUFFIXES = "Supplies Logistics Printing Systems Catering Cleaning Textiles Works"
_APPROVERS, _APPLICANTS = 3, 10
_WAVE = (-10_000, -8_660, -5_000, 0, 5_000, 8_660, 10_000, 8_660, 5_000, 0, -5_000, -8_660)
"""sin(2 pi m / 12 - pi / 2) in ten-thousandths for m = 0 (December) to 11 (November)."""
_ID_SIGNS = string.ascii_uppercase + string.digits
_STEP = 10_00
"""Approvals are rounded up to multiples of this."""


@dataclass(frozen=True)
class LedgerPeriod:
    """The months of a ledger, each by its first day; ``review`` is the first reviewed month."""

    months: tuple[date, ...]
    review: date

    @property
    def last(self) -> date:
        """The last day of the ledger."""
        return _later(self.months[-1], 1) - timedelta(days=1)

    @property
    def under_review(self) -> tuple[date, ...]:
        """The months under review, each by its first day."""
        return tuple(month for month in self.months if month >= self.review)


def draw_period(context: TaskContext, since_january: bool = False) -> LedgerPeriod:
    """Return the six whole months before the day of the task.

    With *since_january*, the ledger begins in January two years earlier, and its last six months
    are under review.
    """
    today = context.day.starts.date().replace(day=1)
    review = _later(today, -MONTHS_UNDER_REVIEW)
    first = date(today.year - 2, 1, 1) if since_january else review
    count = (today.year - first.year) * 12 + today.month - first.month
    return LedgerPeriod(tuple(_later(first, number) for number in range(count)), review)


def _later(month: date, months: int) -> date:
    """Return the first day of the month *months* later."""
    number = month.year * 12 + month.month - 1 + months
    return date(number // 12, number % 12 + 1, 1)


def round_up_to_ten(cents: int) -> int:
    """Round an amount up to the next ten euros, as approvals are."""
    return -(-cents // _STEP) * _STEP


@dataclass(frozen=True)
class Supplier:
    """A supplier; ``rating`` is "" if Purchasing has given none."""

    name: str
    rating: str


class LedgerBuilder:
    """A builder that draws payments, starting with those of *regulars* ordinary suppliers.

    Amounts keep clear of *edges*, so that rounding never decides about a payment. Amounts drawn
    with `amount` all differ.
    """

    def __init__(
        self,
        context: TaskContext,
        regulars: int,
        edges: Sequence[int] = (),
        since_january: bool = False,
    ):
        self.period = draw_period(context, since_january)
        self.draws = context.stream("payments")
        self.approvers, self.applicants = _signatories(context)
        names = [f"{first} {last}" for first, last in product(_PREFIXES.split(), _SUFFIXES.split())]
        self._names = iter(context.stream("suppliers").sample(names, len(names)))
        self._edges = edges
        self._taken: set[str] = set()
        self._amounts: set[int] = set()
        self._payments: list[Payment] = []
        self._invoices: dict[str, Invoice] = {}
        self._approvals: dict[str, Approval] = {}
        for number in range(regulars):
            # The first has no rating, so a missing rating reveals nothing.
            self._pay_regularly(self.supplier("AAB-" if number else "-"))

    # suppliers, amounts, days -----------------------------------------------------------

    def supplier(self, ratings: str = "AB--") -> Supplier:
        """Draw a supplier with a new name and one of *ratings* ("-": not rated)."""
        return Supplier(next(self._names), self.draws.choice(ratings).strip("-"))

    def suppliers(self, count: int) -> list[Supplier]:
        """Draw *count* suppliers."""
        return [self.supplier() for _ in range(count)]

    def amount(self, low: int, high: int) -> int:
        """Draw a new amount from *low* to *high* that is clear of all edges."""
        while True:
            drawn = self.draws.randint(low, high)
            if drawn not in self._amounts and self.clear(drawn):
                self._amounts.add(drawn)
                return drawn

    def just_below(self, limit: int) -> int:
        """Draw an amount just below a limit, as the manual defines it."""
        return self.amount(limit * 951 // 1000, limit * 995 // 1000)

    def ordinary_amount(self) -> int:
        """Draw an amount of an ordinary payment."""
        return self.amount(400_00, 9_000_00)

    def clear(self, cents: int) -> bool:
        """Return whether an amount is more than a fifth of a per cent away from every edge."""
        return all(abs(cents - edge) * 500 > edge for edge in self._edges)

    def day(self, month: date, first: int = 1, last: int = 28) -> date:
        """Draw a day of *month*."""
        return month.replace(day=self.draws.randint(first, last))

    def number(self) -> str:
        """Draw a supplier's number for an invoice, such as "R-40718"."""
        letters = self.draws.choice(("R", "RE", "IN", "NR"))
        return f"{letters}-{self.draws.randrange(10_000, 100_000)}"

    # payments ---------------------------------------------------------------------------

    def pay(
        self,
        supplier: Supplier,
        paid: date,
        cents: int,
        *,
        applicant: str = "",
        approver: str = "",
        signed: str = "",
        number: str = "",
        dated: date | None = None,
        approved_cents: int | None = None,
    ) -> Payment:
        """Add a payment with its invoice and approval; missing values are drawn and in order."""
        draws = self.draws
        approver = approver or draws.choice(self.approvers)
        requested = paid - timedelta(days=draws.randint(5, 10))
        approved = requested + timedelta(days=draws.randint(1, 2))
        drawn_date = approved + timedelta(days=draws.randint(0, 2))
        payment = Payment(
            transaction=self._id("TRA"),
            invoice=self._id("INV"),
            approval=self._id("APP"),
            supplier=supplier.name,
            rating=supplier.rating,
            applicant=applicant or draws.choice(self.applicants),
            approver=approver,
            paid=paid,
            cents=cents,
        )
        self._payments.append(payment)
        self._invoices[payment.invoice] = Invoice(
            id=payment.invoice,
            supplier=supplier.name,
            number=number or self.number(),
            dated=dated or drawn_date,
            cents=cents,
        )
        self._approvals[payment.approval] = Approval(
            id=payment.approval,
            applicant=payment.applicant,
            requested=requested,
            approved=approved,
            cents=round_up_to_ten(cents) if approved_cents is None else approved_cents,
            signed=signed or approver,
        )
        return payment

    def dated(self, payment: Payment) -> date:
        """Return the date of the invoice of *payment*."""
        return self._invoices[payment.invoice].dated

    def ledger(self, documents: bool = True) -> PaymentLedger:
        """Return all payments by date, with or without invoices and approvals."""
        ordered = tuple(sorted(self._payments, key=lambda p: (p.paid, p.transaction)))
        invoices, approvals = (self._invoices, self._approvals) if documents else ({}, {})
        return PaymentLedger(ordered, invoices, approvals)

    def _pay_regularly(self, supplier: Supplier) -> None:
        """Add a monthly payment to a seasonal or stable supplier."""
        seasonal = self.draws.random() < 0.5
        first_year = self.period.months[0].year
        for month in self.period.months:
            years = month.year - first_year
            if seasonal:
                base = 10_000_00 * 108**years // 100**years
                base += base * 4 * _WAVE[month.month % 12] // 100_000
                paid = self.day(month, 12, 18)
            else:
                base = 5_000_00 * 105**years // 100**years
                paid = self.day(month, 2, 8)
            self.pay(supplier, paid, self.amount(base * 9 // 10, base * 11 // 10))

    def _id(self, kind: str) -> str:
        while True:
            drawn = f"{kind}-{''.join(self.draws.choices(_ID_SIGNS, k=8))}"
            if drawn not in self._taken:
                self._taken.add(drawn)
                return drawn


def _signatories(context: TaskContext) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Draw the names of approvers and applicants; nobody is both.

    In small companies, executives and Finance are applicants, too.
    """
    staff = [p for p in context.company.people if p.department not in (EXECUTIVE, "Finance")]
    approvers = context.pick("approvers", [p for p in staff if p.is_manager], _APPROVERS)
    approving, known = {p.id for p in approvers}, {p.id for p in staff}
    others = [person for person in staff if person.id not in approving]
    if len(others) < _APPLICANTS:
        others += [person for person in context.company.people if person.id not in known]
    applicants = context.pick("applicants", others, min(_APPLICANTS, len(others)))
    return tuple(p.name for p in approvers), tuple(p.name for p in applicants)
