"""A cache of the days that were composed last.

    composed(scenario, day) ──kept?──► the same ComposedDay
                              └─ else ──compose_day──► a new one; the longest unused goes

Composing is a pure function, and a composed day is never changed. So everything in one process that
stages, grades, measures or shows a day shares it. A day that is still in use is also found again,
however many others came in between: thousands of open days of one scenario share one composition.
Code that tries thousands of days, each once, should call `compose_day` itself.
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
"""The number of days that are kept, unless `keep_days` says otherwise. A full day takes one to four
megabytes and half a second to compose."""


@dataclass(frozen=True)
class _Wanted:
    """A requested day. Its canonical form ``text`` identifies it."""

    text: str
    told: ScenarioDay = field(compare=False)


def composed(scenario: Scenario, day: int = 0, variation: Variation = NO_VARIATION) -> ComposedDay:
    """Return what `compose_day` returns, or raise what it raises. A day that is kept is not
    composed again.

    Any thread may ask. Threads that ask for the same new day at once may each compose it.
    """
    told = ScenarioDay(scenario=in_canonical_order(scenario), day=day, variation=variation)
    return _KEPT.composed(_Wanted(told.model_dump_json(), told))


def keep_days(count: int) -> None:
    """Keep *count* days in this process from now on, and forget the present ones."""
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
