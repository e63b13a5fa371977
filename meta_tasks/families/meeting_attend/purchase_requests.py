"""What a team would like to have bought: the catalogue, the procurement rules, the draws.

Amounts are whole cents everywhere but in texts and deliverables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random

MAX_PIECES = 3
MAX_PRICE = 600_00
MAX_TOTAL = 1_000_00
"""The limits per request as `drive:/financial/procurement_rules.md` states them."""
_STEP = 10
_DEAREST = 999_00


@dataclass(frozen=True)
class CatalogItem:
    """Something an office buys, with its usual prices in whole euros.

    ``finest`` is what the dearest models cost, for things of which there are such.
    """

    name: str
    low: int
    high: int
    finest: int | None = None


ITEM_CATALOGUE = (
    CatalogItem("notebook", 3, 15),
    CatalogItem("ballpoint pen", 1, 5),
    CatalogItem("mechanical keyboard", 80, 180),
    CatalogItem("wireless mouse", 20, 60),
    CatalogItem("chair cushion", 25, 70),
    CatalogItem("USB-C hub", 30, 90),
    CatalogItem("1 TB SSD", 90, 150),
    CatalogItem("noise-cancelling headphones", 120, 300, finest=780),
    CatalogItem("1080p webcam", 35, 90),
    CatalogItem("portable projector", 250, 600, finest=990),
    CatalogItem("desk lamp", 15, 45),
    CatalogItem("mouse pad", 8, 25),
    CatalogItem("marker pack", 5, 20),
    CatalogItem("surge protector", 15, 40),
    CatalogItem("Wi-Fi router", 60, 150),
)
_LUXURIES = tuple(item for item in ITEM_CATALOGUE if item.finest)


class RuleBreach(StrEnum):
    """Which one of the rules a request breaks."""

    PIECES = "too many pieces"
    PRICE = "a piece too dear"
    TOTAL = "too much in all"


@dataclass(frozen=True)
class PurchaseRequest:
    """One person's request: so many pieces of one item at a price each, in cents."""

    name: str
    item: str
    quantity: int
    price: int

    @property
    def total(self) -> int:
        """What all pieces cost, in cents."""
        return self.quantity * self.price

    @property
    def breaches(self) -> frozenset[RuleBreach]:
        """The procurement rules this request breaks; none if it is in order."""
        broken = {
            RuleBreach.PIECES: self.quantity > MAX_PIECES,
            RuleBreach.PRICE: self.price > MAX_PRICE,
            RuleBreach.TOTAL: self.total > MAX_TOTAL,
        }
        return frozenset(breach for breach, holds in broken.items() if holds)


def draw_requests(
    draws: Random, names: Sequence[str], unreasonable: int
) -> tuple[PurchaseRequest, ...]:
    """A wish of each of *names*, of which *unreasonable* break one rule each, a different
    one as long as there are different ones.

    Raises ValueError if fewer people wish than are to be unreasonable.
    """
    kinds = draws.sample(list(RuleBreach), len(RuleBreach))
    breakers = draws.sample(range(len(names)), unreasonable)
    breach_of = {who: kinds[number % len(kinds)] for number, who in enumerate(breakers)}
    order = draws.sample(range(len(names)), len(names))
    return tuple(_wish(draws, names[who], breach_of.get(who)) for who in order)


def _wish(draws: Random, name: str, breach: RuleBreach | None) -> PurchaseRequest:
    if breach is RuleBreach.PRICE:
        item = draws.choice(_LUXURIES)
        return PurchaseRequest(name, item.name, 1, _price(draws, MAX_PRICE + _STEP, _finest(item)))
    if breach is RuleBreach.TOTAL:
        item = draws.choice(_LUXURIES)
        quantity = draws.choice([2, 3])
        least = MAX_TOTAL // quantity // _STEP * _STEP + _STEP
        return PurchaseRequest(name, item.name, quantity, _price(draws, least, MAX_PRICE))
    item = draws.choice([i for i in ITEM_CATALOGUE if breach is None or i not in _LUXURIES])
    if breach is RuleBreach.PIECES:
        price = _price(draws, item.low * 100, item.high * 100)
        most = min(MAX_TOTAL // price, MAX_PIECES + 6)
        return PurchaseRequest(name, item.name, draws.randint(MAX_PIECES + 1, most), price)
    price = _price(draws, item.low * 100, item.high * 100)
    return PurchaseRequest(
        name, item.name, draws.randint(1, min(MAX_PIECES, MAX_TOTAL // price)), price
    )


def _finest(item: CatalogItem) -> int:
    return min(_DEAREST, (item.finest or item.high) * 100)


def _price(draws: Random, low: int, high: int) -> int:
    """A price in cents, in steps of ten, both ends included."""
    return draws.randrange(low, high + 1, _STEP)


def format_euros(cents: int) -> str:
    """An amount as one writes it: "EUR 74.90"."""
    return f"EUR {cents // 100}.{cents % 100:02d}"
