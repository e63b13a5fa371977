"""Random draws for the sales task: orders of a year, and candidate sets of cancelled orders.

The secret picks one set of ``choices``. The sets are drawn together with the orders. Each set
changes the department's part of the answer, and none leaves two amounts so close that grading's
tolerance could confuse them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations, pairwise
from random import Random
from typing import Protocol, TypeVar

from trainee_bench.meta_tasks.authoring import ColumnKind, RecordFile
from trainee_bench.meta_tasks.families.sales.subject import (
    ORDERS_CSV,
    QUARTERS,
    Amounts,
    OrderSlot,
    RankingEnd,
    SalesOrder,
    SalesQuery,
    SalesQueryType,
    TrendDirection,
    draw_amounts,
    draw_usual_counts,
    number_orders,
)
from trainee_bench.world.company.people import Person

CANCELLATION_SETS = 8
"""Number of candidate sets of cancelled orders; each leads to another answer."""
MAX_CANCELLED = 3
MIN_MARGIN_CENTS = 1_00
"""Minimum difference of amounts that are compared, in cents."""
_TRIES = 150
"""Sets to try before a department is drawn again."""
_HOPELESS = 25
"""Sets to try if none of them is usable."""

QuarterTotals = Mapping[tuple[str, int], int]
"""Total sales in cents by person and quarter."""


class QuarterFile(Protocol):
    """A file of a department's orders in a quarter."""

    @property
    def department(self) -> str:
        """The department's name."""

    @property
    def quarter(self) -> int:
        """The quarter, from 1."""


File = TypeVar("File", bound=QuarterFile)


@dataclass(frozen=True)
class DepartmentOrders:
    """The orders of one department in file order; ``choices`` are sets of ids."""

    department: str
    orders: tuple[SalesOrder, ...]
    choices: tuple[frozenset[str], ...]

    def within(self, quarters: Sequence[int]) -> tuple[SalesOrder, ...]:
        """Return the orders of *quarters*."""
        return tuple(order for order in self.orders if order.quarter in quarters)


def draw_all_orders(
    draws: Random, wanted: SalesQuery, teams: Mapping[str, Sequence[Person]]
) -> dict[str, DepartmentOrders]:
    """Draw the orders of all *teams* by department; departments in *wanted* have choices."""
    while True:
        books = {
            name: draw_department_orders(draws, wanted, name, team) for name, team in teams.items()
        }
        if not wanted.analysis.across or _apart(
            [books[name] for name in wanted.departments], wanted
        ):
            return books


def draw_department_orders(
    draws: Random, wanted: SalesQuery, department: str, team: Sequence[Person]
) -> DepartmentOrders:
    """Draw the orders of one department."""
    quarters, found = wanted.quarters, list[frozenset[OrderSlot]]()
    while True:
        usual = draw_usual_counts(draws, team)
        amounts = draw_amounts(draws, usual, quarters)
        if department not in wanted.departments:
            break
        found = _choices(draws, wanted, amounts)
        if len(found) == CANCELLATION_SETS:
            break
    amounts |= draw_amounts(draws, usual, [q for q in QUARTERS if q not in quarters])
    numbered = number_orders(draws, department, team, wanted.year, amounts)
    ids = tuple(frozenset(numbered[slot].id for slot in slots) for slots in found)
    return DepartmentOrders(department, tuple(numbered.values()), ids)


def _choices(draws: Random, wanted: SalesQuery, amounts: Amounts) -> list[frozenset[OrderSlot]]:
    """Draw candidate sets of cancelled orders, each with another answer.

    Returns fewer than CANCELLATION_SETS if these amounts do not allow more.
    """
    slots = [
        OrderSlot(employee, quarter, place)
        for (employee, quarter), sold in amounts.items()
        for place in range(len(sold))
    ]
    plain = {key: sum(sold) for key, sold in amounts.items()}
    found: dict[object, frozenset[OrderSlot]] = {}
    if not _is_clear(wanted, plain):
        return []
    for tries in range(_TRIES):
        chosen = draws.sample(slots, draws.randint(1, MAX_CANCELLED))
        kept = dict(plain)
        for slot in chosen:
            kept[slot.employee, slot.quarter] -= amounts[slot.employee, slot.quarter][slot.place]
        if _matters(wanted, plain, kept) and _is_clear(wanted, kept):
            found.setdefault(tuple(_listed(wanted, kept)), frozenset(chosen))
        if len(found) == CANCELLATION_SETS or (not found and tries >= _HOPELESS):
            break
    return list(found.values())


def _matters(wanted: SalesQuery, plain: QuarterTotals, kept: QuarterTotals) -> bool:
    """Return whether the files alone give a wrong answer for the department.

    In a comparison of quarters the result differs. In a ranking, somebody's total differs from the
    files, so that guessing a changed order of people is not enough.
    """
    if wanted.type is SalesQueryType.PEOPLE_COUNT:
        up = wanted.direction is TrendDirection.UP
        counts = [sum((r > 0) is up for r in _rises(wanted, totals)) for totals in (plain, kept)]
        return counts[0] != counts[1]
    if wanted.type is SalesQueryType.DEPARTMENTS_COUNT:
        return (sum(_rises(wanted, plain)) > 0) is not (sum(_rises(wanted, kept)) > 0)
    if wanted.analysis.ranks:
        return any(plain[key] != total for key, total in _listed(wanted, kept))
    return True


def _listed(wanted: SalesQuery, totals: QuarterTotals) -> list[tuple[tuple[str, int], int]]:
    """Return the totals that the department contributes to a list."""
    if not wanted.analysis.ranks:
        return list(totals.items())
    sign = -1 if wanted.mode is RankingEnd.TOP else 1
    return sorted(totals.items(), key=lambda total: sign * total[1])[: wanted.n]


def _is_clear(wanted: SalesQuery, totals: QuarterTotals) -> bool:
    """Return whether all amounts that are compared are clearly different."""
    if wanted.type is SalesQueryType.PEOPLE_COUNT:
        return all(abs(rise) >= MIN_MARGIN_CENTS for rise in _rises(wanted, totals))
    if wanted.type is SalesQueryType.DEPARTMENTS_COUNT:
        return abs(sum(_rises(wanted, totals))) >= MIN_MARGIN_CENTS
    if wanted.analysis.ranks:
        amounts = sorted(totals.values())
        return all(b - a >= MIN_MARGIN_CENTS for a, b in pairwise(amounts))
    return True


def _rises(wanted: SalesQuery, totals: QuarterTotals) -> list[int]:
    """Return the change of each person's sales since the quarter before."""
    before, now = wanted.quarters
    people = dict.fromkeys(employee for employee, _ in totals)
    return [totals[person, now] - totals[person, before] for person in people]


def _apart(books: Sequence[DepartmentOrders], wanted: SalesQuery) -> bool:
    """Return whether totals of people in different departments always differ clearly.

    Considers every choice of cancelled orders.
    """
    return all(
        abs(a - b) >= MIN_MARGIN_CENTS
        for first, second in combinations([_possible_totals(book, wanted) for book in books], 2)
        for a in first
        for b in second
    )


def _possible_totals(book: DepartmentOrders, wanted: SalesQuery) -> tuple[int, ...]:
    """Return every possible total of a person in *book*, in cents."""
    orders = {order.id: order for order in book.within(wanted.quarters)}
    full: dict[str, int] = {}
    for order in orders.values():
        full[order.employee] = full.get(order.employee, 0) + order.cents
    totals = dict.fromkeys(full.values())
    for choice in book.choices:
        kept = dict(full)
        for id in sorted(choice):
            kept[orders[id].employee] -= orders[id].cents
        totals |= dict.fromkeys(kept.values())
    return tuple(totals)


def record_file(path: str, quarter: int, books: DepartmentOrders) -> RecordFile:
    """Return the file of a quarter, with an earlier version in which everybody's sales differ.

    The earlier version lacks the orders of the last month, and the last two of each person.
    """
    orders = books.within([quarter])
    last = {order.id for order in orders if order.day.month == 3 * quarter}
    for person in {order.employee for order in orders}:
        last |= {order.id for order in [sold for sold in orders if sold.employee == person][-2:]}
    early = [order for order in orders if order.id not in last]
    return RecordFile(
        path=path,
        text=ORDERS_CSV.render(orders),
        earlier=ORDERS_CSV.render(early),
        columns={"date": ColumnKind.DATE, "amount": ColumnKind.AMOUNT},
    )


def order_texts(books: Mapping[str, DepartmentOrders], files: Iterable[File]) -> dict[File, str]:
    """Return the text of each of *files*."""
    sold = dict[tuple[str, int], list[SalesOrder]]()
    for name, book in books.items():
        for order in book.orders:
            sold.setdefault((name, order.quarter), []).append(order)
    return {file: ORDERS_CSV.render(sold[file.department, file.quarter]) for file in files}


def order_records(
    books: Mapping[str, DepartmentOrders],
    paths: Mapping[File, str],
    wanted: Set[File],
) -> tuple[RecordFile, ...]:
    """Return record files for the files in *wanted*."""
    return tuple(
        record_file(path, file.quarter, books[file.department])
        for file, path in paths.items()
        if file in wanted
    )
