"""What is handed in after a meeting, and how it is compared with what was said there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date

from pydantic import Field

from trainee_bench.meta_tasks.deliverable import Deliverable, fold_text
from trainee_bench.meta_tasks.families.meeting_attend.purchase_requests import PurchaseRequest

_ROUNDING_ERROR = 1e-4
"""In cents: what adding and multiplying binary numbers may add to an amount."""


class RequestEntry(Deliverable):
    """One request."""

    name: str = Field(description="full name of the person who asks")
    item: str = Field(description="what they ask for, in the words of the announcement")
    quantity: int = Field(description="pieces")
    unit_price: float = Field(description="price of one piece in EUR, exact to the cent")


class CostedRequestEntry(RequestEntry):
    """One request with its cost."""

    total: float = Field(description="quantity times unit_price in EUR, exact to the cent")


class RequestList(Deliverable):
    """The requests of a meeting."""

    requirement: list[RequestEntry] = Field(
        description="one for each request to be listed, any order"
    )


class CostedRequestList(Deliverable):
    """The requests of a meeting with their costs."""

    requirement: list[CostedRequestEntry] = Field(
        description="one for each request to be listed, any order"
    )
    statistics: float = Field(
        description="the sum of total over all listed requests in EUR, exact to the cent"
    )


class DecisionEntry(Deliverable):
    """One decision."""

    topic: str = Field(description="what it is about, in the words of the announcement")
    owner: str = Field(description="full name of the person responsible")
    due: date = Field(description="the date it is due, as YYYY-MM-DD")
    budget: int = Field(description="the budget in whole EUR")


class DecisionList(Deliverable):
    """The decisions of a meeting."""

    decisions: list[DecisionEntry] = Field(description="one for each decision, any order")


RequestRow = tuple[str, str, int, int | None]


def expected_rows(wishes: Iterable[PurchaseRequest]) -> Counter[RequestRow]:
    """The wishes as rows to compare: name, item, quantity, price in cents."""
    return Counter((fold_text(w.name), fold_text(w.item), w.quantity, w.price) for w in wishes)


def submitted_rows(entries: Iterable[RequestEntry]) -> Counter[RequestRow]:
    """The entries as such rows; a price that is no whole number of cents is None."""
    return Counter(
        (fold_text(e.name), fold_text(e.item), e.quantity, to_cents(e.unit_price)) for e in entries
    )


def to_cents(amount: float) -> int | None:
    """An amount in EUR as whole cents; None if it is none, up to the error of calculating."""
    if not abs(amount) < 1e9:
        return None
    nearest = round(amount * 100)
    return nearest if abs(amount * 100 - nearest) < _ROUNDING_ERROR else None
