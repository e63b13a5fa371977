"""The days that were composed last, kept for whoever needs them next.

    composed(scenario, day) ──kept?──► the same ComposedDay
                              └─ else ──compose_day──► a new one; the longest unused goes

Composing is a pure function, and a composed day is never changed. So all who stage, grade, measure
and show a day in one process share it. A day that somebody still uses is found again, too, however
many others came in between: thousands of open days of one scenario have one composition. Whoever
tries thousands of days, each once, calls `compose_day` itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from weakref import WeakValueDictionary

from trainee_bench.meta_tasks.arrivals import in_canonical_order
from trainee_bench.meta_tasks.composed_day import ComposedDay
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import NO_VARIATION, Scenario, ScenarioDay, Variation

KEPT_DAYS = 32
"""How many days are kept, unless `keep_days` says otherwise. A full day takes one to four megabytes
and half a second to compose."""


@dataclass(frozen=True)
class _Wanted:
    """A day that is asked for. What tells it from others is ``text``, its canonical form."""

    text: str
    told: ScenarioDay = field(compare=False)


def composed(scenario: Scenario, day: int = 0, variation: Variation = NO_VARIATION) -> ComposedDay:
    """As `compose_day`, also with what that raises; a day that is kept is not composed again.

    Any thread may ask. Threads that ask for the same new day at once may each compose it.
    """
    told = ScenarioDay(scenario=in_canonical_order(scenario), day=day, variation=variation)
    return _KEPT.composed(_Wanted(told.model_dump_json(), told))


def keep_days(count: int) -> None:
    """Keep so many days in this process from now on; those that are kept now are forgotten."""
    _KEPT.keep(count)


class _KeptDays:
    def __init__(self, count: int):
        self.keep(count)

    def keep(self, count: int) -> None:
        self._in_use = WeakValueDictionary[str, ComposedDay]()
        self.composed = lru_cache(maxsize=count)(self._compose)

    def _compose(self, wanted: _Wanted) -> ComposedDay:
        found = self._in_use.get(wanted.text)
        if found is None:
            told = wanted.told
            found = compose_day(told.scenario, told.day, told.variation)
            self._in_use[wanted.text] = found
        return found


_KEPT = _KeptDays(KEPT_DAYS)
