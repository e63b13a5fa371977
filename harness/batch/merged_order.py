"""The order of what runs are merged into, whatever the order in which they are given.

Each run has some of a benchmark's scenarios, in the benchmark's order. Their common order keeps the
order of each run and of the shipped benchmark; names decide where nothing else does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from graphlib import CycleError, TopologicalSorter
from heapq import heapify, heappop, heappush
from itertools import pairwise

from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark, shipped_benchmark_names


class ContradictoryOrders(ValueError):
    """Raised if names have one order in one run and another in another run."""


def shipped_order(benchmark: str, names: Iterable[str]) -> list[str]:
    """Return *names* in the order of the shipped *benchmark*; none if it has not all of them."""
    if benchmark not in shipped_benchmark_names():
        return []
    wanted = set(names)
    known = [scenario.name for scenario in load_shipped_benchmark(benchmark).scenarios]
    return [name for name in known if name in wanted] if wanted <= set(known) else []


def common_order(orders: Sequence[Sequence[str]]) -> list[str]:
    """Return all names of *orders*, each once, in an order that contradicts none of them. It does
    not depend on the order of *orders*. Raises ContradictoryOrders."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for order in orders:
        for name in order:
            sorter.add(name)
        for before, after in pairwise(order):
            sorter.add(after, before)
    try:
        sorter.prepare()
    except CycleError as error:
        raise ContradictoryOrders(", ".join(sorted(set(error.args[1])))) from None
    found: list[str] = []
    ready = [(_natural(name), name) for name in sorter.get_ready()]
    heapify(ready)
    while ready:
        _, name = heappop(ready)
        found.append(name)
        sorter.done(name)
        for free in sorter.get_ready():
            heappush(ready, (_natural(free), free))
    return found


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a key that sorts numbers in names by size: day-2 before day-10."""
    parts: list[str] = re.split(r"(\d+)", name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
