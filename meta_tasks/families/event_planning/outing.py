"""What is right about an event."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cached_property

from meta_tasks.families.event_planning.handed_in import PlannedSheet, Sheet, sheet, understood
from meta_tasks.families.event_planning.levels import Figure
from meta_tasks.families.event_planning.town import Plan, Ranking, Town


@dataclass(frozen=True)
class Outing:
    """What is right. ``plan`` is the given one, if it is given; ``best`` the figure in which
    the plan sought is the best, if one is sought; else any plan will do.

    ``third`` is the third of the month in which all ``dates`` lie.
    """

    path: str
    dates: tuple[date, ...]
    third: int
    vegetarian: int
    town: Town
    figures: tuple[Figure, ...]
    plan: Plan | None
    best: Figure | None
    back: int | None
    clues: tuple[str, ...]

    @property
    def sheet(self) -> type[Sheet]:
        """The model of what is handed in."""
        return sheet(self.figures, planned=self.plan is None, timed=self.back is not None)

    @cached_property
    def ranking(self) -> Ranking:
        """All plans on the dates of the event."""
        return Ranking(self.town, self.third)

    def measured(self, given: Sheet) -> Plan | None:
        """The plan whose figures are asked for: the given one, a best one, or the handed-in
        one, None if that is none."""
        if self.best is not None:
            return min(self.ranking.best(self.best))
        return self.plan or self.chosen(given)

    def chosen(self, given: Sheet) -> Plan | None:
        """The plan that is handed in, None if it is not one."""
        return understood(given.plan, self.town) if isinstance(given, PlannedSheet) else None
