"""What a worker knows of the day beside what the office shows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from trainee_bench.meta_tasks.work.sources import ListedTask


@dataclass(frozen=True)
class DayOutline:
    """What a worker knows of the day beside what the office shows.

    ``first`` are ids of tasks that take a week: they go before all others, and their work itself
    waits for what a day brings, so that nobody looks for changes once it is done. ``order`` are
    ids of tasks, the most urgent first, whatever their deadlines are. ``settled`` says from when on
    tasks do not change any more, where that is known. With ``trusts_notices`` the worker is told of
    everything that happens, and looks again only where it was told so. Whoever works
    ``one_by_one`` does nothing for another task until the one is done, and chooses the next one so.
    A task that the worker ``abandons`` after so many calls is left for good.
    """

    first: Collection[str] = ()
    order: Sequence[str] = ()
    settled: Mapping[str, datetime] = field(default_factory=dict)
    trusts_notices: bool = False
    one_by_one: Callable[[Mapping[str, ListedTask]], str] | None = None
    abandons: Callable[[str, int], bool] | None = None


NO_PLAN = DayOutline()
