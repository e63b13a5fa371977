"""Days that have just begun, kept so that a day of the same scenario begins as a copy.

Trainers want many episodes of one day. A copy takes a millisecond or two, staging some hundred.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

from trainee_bench.harness.environment.day import Day, Start
from trainee_bench.harness.environment.snapshot import DayState
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.kept_days import composed
from trainee_bench.meta_tasks.scenario import ScenarioDay

KEPT_MORNINGS = 64
"""How many mornings are kept, of half a megabyte each, unless `keep_mornings` says otherwise."""


@dataclass(frozen=True)
class Morning:
    """A day that has just begun: its composition, its state, and what an agent is told."""

    composition: ComposedDay
    state: DayState
    start: Start

    def day(self, *, rewards: bool) -> Day:
        """Return a day that begins here."""
        day = Day.of(self.composition, rewards=rewards)
        day.set_state(self.state)
        return day


def begun_morning(given: ScenarioDay) -> Morning:
    """Return the morning of *given*; those used last are kept.

    Raises CompositionError or UnknownRuleError if the day cannot be composed, and NeedsEventLoop
    if it offers an app that runs programs.
    """
    with _STAGING:  # or sessions that begin the same day at once would each stage it
        return _KEPT.morning(given.model_dump_json())


def keep_mornings(count: int) -> None:
    """Keep so many mornings in this process from now on; those that are kept now are forgotten."""
    with _STAGING:
        _KEPT.keep(count)


def _staged(text: str) -> Morning:
    given = ScenarioDay.model_validate_json(text)
    composition = composed(given.scenario, given.day, given.variation)
    day = Day.of(composition, rewards=True)
    try:
        start = day.reset()
        return Morning(composition, day.state(), start)
    finally:
        day.close()


class _KeptMornings:
    def __init__(self, count: int):
        self.keep(count)

    def keep(self, count: int) -> None:
        self.morning = lru_cache(maxsize=count)(_staged)


_STAGING = Lock()
_KEPT = _KeptMornings(KEPT_MORNINGS)
