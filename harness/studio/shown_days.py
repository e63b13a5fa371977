"""Days that people have been shown, and days that nobody may be shown while a person works them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.meta_tasks.scenario import Scenario


class ShownDays:
    """The days that this studio has shown, and those that are closed."""

    def __init__(self) -> None:
        self._shown: set[str] = set()
        self._closed: Counter[str] = Counter()

    def note(self, spec: EpisodeSpec) -> None:
        """Note that somebody has been shown the day of *spec*."""
        self._shown.add(_day_key(spec.scenario, spec.day))

    def has_shown(self, scenario: Scenario, day: int) -> bool:
        """Whether somebody has been shown day number *day* of *scenario* here."""
        return _day_key(scenario, day) in self._shown

    @contextmanager
    def closed(self, spec: EpisodeSpec) -> Iterator[None]:
        """Within the block, the day of *spec* is closed: a person works it who has not seen it."""
        key = _day_key(spec.scenario, spec.day)
        self._closed[key] += 1
        try:
            yield
        finally:
            self._closed[key] -= 1

    def is_closed(self, spec: EpisodeSpec) -> bool:
        """Whether the day of *spec* is closed."""
        return self._closed[_day_key(spec.scenario, spec.day)] > 0


def same_day(one: EpisodeSpec, other: EpisodeSpec) -> bool:
    """Whether two episodes have the same day, whatever the conditions under which it is worked."""
    return _day_key(one.scenario, one.day) == _day_key(other.scenario, other.day)


def _day_key(scenario: Scenario, day: int) -> str:
    """What tells a day from all others, whatever the conditions under which it is worked."""
    plain = scenario.model_copy(update={"guidance": 0, "tools": None})
    return f"{day} {plain.model_dump_json()}"
