"""A cache of the days that were composed last.

    composed(scenario, day) ──kept?──► the same ComposedDay
                              └─ else ──compose_day──► a new one; the longest unused goes

Composing is a pure function, and a composed day is never changed. So everything in one process that
stages, grades, measures or shows a day shares it. A day that is still in use is also found again,
however many others came in between: thousands of open days of one scenario share one composition.
Code that tries thousands of days, each once, should call `compose_day` itself. `keep_results` in
`world/kept_results.py` sets how many days are kept, and a folder that serves new processes as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from weakref import WeakValueDictionary

from trainee_bench.meta_tasks.arrivals import in_canonical_order
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.composed_day import ComposedDay
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.offices.opened import resolve_office
from trainee_bench.meta_tasks.scenario import NO_VARIATION, Scenario, ScenarioDay, Variation
from trainee_bench.world.kept_results import (
    KEPT_DAYS,
    days_kept,
    folder_used,
    keep_results,
    kept_on_disk,
    kept_per_day,
)

__all__ = ["KEPT_DAYS", "composed", "keep_days"]

_SHIPPED = ("trainee_bench.meta_tasks.", "trainee_bench.world.")
"""The packages whose sources are part of the name of a file in the folder."""


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
    resolved = resolve_office(in_canonical_order(scenario))
    told = ScenarioDay(scenario=resolved, day=day, variation=variation)
    return _kept(_Wanted(told.model_dump_json(), told))


def keep_days(count: int) -> None:
    """Keep the results of *count* days in this process from now on, and forget the present ones.

    A folder that is in use remains so. Other results are forgotten only if the number changes.
    """
    if count != days_kept():
        keep_results(days=count, folder=folder_used())
    _kept.cache_clear()
    _IN_USE.clear()


_IN_USE = WeakValueDictionary[str, ComposedDay]()


@kept_per_day(1)
def _kept(wanted: _Wanted) -> ComposedDay:
    found = _IN_USE.get(wanted.text)
    if found is None:
        found = _IN_USE[wanted.text] = _from_folder(wanted)
    return found


def _from_folder(wanted: _Wanted) -> ComposedDay:
    """Return the day that the folder has, or compose it. Days with rules from elsewhere are always
    composed, since their sources may change unnoticed."""
    told = wanted.told

    def compose() -> ComposedDay:
        return compose_day(told.scenario, told.day, told.variation)

    if folder_used() is None or told.scenario.office or not _all_shipped(told.scenario):
        return compose()
    return kept_on_disk("day", wanted.text, compose)


def _all_shipped(scenario: Scenario) -> bool:
    """Return whether all rules of *scenario* come with the package. Raises UnknownRuleError."""
    made = [find_rule(task.rule).meta_task for day in scenario.days for task in day.tasks]
    parts = [part for task in made for part in (task.family_class, *map(type, task.complications))]
    return all(part.__module__.startswith(_SHIPPED) for part in parts)
