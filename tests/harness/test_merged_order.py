"""The order of a merged run is that of its benchmark, not that of the command's arguments."""

from __future__ import annotations

from itertools import permutations

import pytest

from trainee_bench.harness.batch.merged_order import (
    ContradictoryOrders,
    common_order,
    shipped_order,
)
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark


def test_every_order_is_kept_and_their_own_order_is_without_effect() -> None:
    orders = [["d", "a"], ["c", "d"], ["day-10"], ["day-9"]]
    found = {tuple(common_order(given)) for given in permutations(orders)}
    assert found == {("c", "d", "a", "day-9", "day-10")}


def test_orders_that_contradict_each_other_are_named() -> None:
    with pytest.raises(ContradictoryOrders, match="a, b"):
        common_order([["a", "b"], ["b", "a"]])


def test_a_shipped_benchmark_gives_its_order() -> None:
    names = [scenario.name for scenario in load_shipped_benchmark("core-50").scenarios]
    single = [[name] for name in reversed(names)]
    assert shipped_order("core-50", set(names)) == names
    assert common_order([*single, shipped_order("core-50", names)]) == names
    assert shipped_order("core-50", ["mine"]) == shipped_order("mine", names) == []
