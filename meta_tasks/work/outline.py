"""The worker's knowledge of the day besides what the office shows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from trainee_bench.meta_tasks.work.sources import ListedTask


@dataclass(frozen=True)
class DayOutline:
    """A worker's knowledge of the day besides what the office shows.

    ``first`` are the ids of tasks that take a week. They go before all others. Their work itself
    waits for what a day brings, so nobody looks for changes once it is done. ``order`` are ids of
    tasks, the most urgent first, whatever their deadlines are. ``settled`` says from when on tasks
    no longer change, where that is known.

    With ``trusts_notices`` the worker is told of everything that happens, and looks again only
    after a notice. A worker with ``one_by_one`` finishes one task before doing anything for
    another, and chooses the next one with this function. A task that the worker ``abandons`` after
    so many calls is left for good.
    """

    first: Collection[str] = ()
    order: Sequence[str] = ()
    settled: Mapping[str, datetime] = field(default_factory=dict)
    trusts_notices: bool = False
    one_by_one: Callable[[Mapping[str, ListedTask]], str] | None = None
    abandons: Callable[[str, int], bool] | None = None


NO_PLAN = DayOutline()
