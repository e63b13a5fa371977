"""Purchase requests that are read out in a meeting, and the limits that apply to them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True)
class Limits:
    """The limits of a request: pieces, price of one piece, and total cost, in cents."""

    pieces: int
    price: int
    total: int


LIMITS = Limits(pieces=3, price=600_00, total=1_000_00)
"""The limits that `drive:/financial/procurement_rules.md` states."""


@dataclass(frozen=True)
class CatalogItem:
    """An item that an office buys, with its usual prices in whole euros.

    ``finest`` is the price of the most expensive models, if there are any.
    """

    name: str
    low: int
    high: int
    finest: int | None = None


ITEM_CATALOGUE = (
    CatalogItem("notebook", 3, 15), CatalogItem("ballpoint pen", 1, 5),
    CatalogItem("mechanical keyboard", 80, 180), CatalogItem("wireless mouse", 20, 60),
    CatalogItem("chair cushion", 25, 70), CatalogItem("USB-C hub", 30, 90),
    CatalogItem("1 TB SSD", 90, 150),
    CatalogItem("noise-cancelling headphones", 120, 300, finest=780),
    CatalogItem("1080p webcam", 35, 90), CatalogItem("portable projector", 250, 600, finest=990),
    CatalogItem("desk lamp", 15, 45), CatalogItem("mouse pad", 8, 25),
    CatalogItem("marker pack", 5, 20), CatalogItem("surge protector", 15, 40),
    CatalogItem("Wi-Fi router", 60, 150),
)  # fmt: skip


class RuleBreach(StrEnum):
    """The rules that a request can break."""

    PIECES = "too many pieces"
    PRICE = "a piece too expensive"
    TOTAL = "too much in all"


@dataclass(frozen=True)
class PurchaseRequest:
    """One person's request for pieces of one item; *price* is per piece, in cents."""

    name: str
    item: str
    quantity: int
    price: int

    @property
    def total(self) -> int:
        """The cost of all pieces, in cents."""
        return self.quantity * self.price

    def breaches(self, limits: Limits = LIMITS) -> frozenset[RuleBreach]:
        """The procurement rules that this request breaks; empty if it complies."""
        broken = {
            RuleBreach.PIECES: self.quantity > limits.pieces,
            RuleBreach.PRICE: self.price > limits.price,
            RuleBreach.TOTAL: self.total > limits.total,
        }
        return frozenset(breach for breach, holds in broken.items() if holds)
