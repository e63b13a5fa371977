"""The best choice within a budget: branch and bound, exact.

Items are tried in the order of value for cost. Each partial choice has two bounds. Taking the next
items as long as they fit gives a full choice, which is a lower bound. Also taking part of the
first item that does not fit gives an upper bound.
"""

from __future__ import annotations

from collections.abc import Sequence


def best_selection(costs: Sequence[int], values: Sequence[int], budget: int) -> tuple[int, ...]:
    """The positions of the items with the highest total value that cost at most *budget*.

    Costs are positive, values not negative. It always returns the same of equally good choices.
    """
    order = sorted(range(len(costs)), key=lambda at: (-values[at] / costs[at], at))
    cost, value = [costs[at] for at in order], [values[at] for at in order]
    best, chosen = -1, 0
    open_choices = [(0, budget, 0, 0)]
    while open_choices:
        first, room, worth, taken = open_choices.pop()
        at, left, reached, filled = first, room, worth, taken
        while at < len(cost) and cost[at] <= left:
            left, reached, filled = left - cost[at], reached + value[at], filled | 1 << at
            at += 1
        if reached > best:
            best, chosen = reached, filled
        if at == len(cost) or reached + value[at] * left // cost[at] <= best:
            continue
        open_choices.append((first + 1, room, worth, taken))
        if cost[first] <= room:
            took = (first + 1, room - cost[first], worth + value[first], taken | 1 << first)
            open_choices.append(took)
    return tuple(sorted(order[at] for at in range(len(cost)) if chosen >> at & 1))
