"""What is right about an event."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cached_property

from trainee_bench.meta_tasks.families.event_planning.deliverables import (
    EventDeliverable,
    OwnPlanDeliverable,
    deliverable_model,
    resolve_plan,
)
from trainee_bench.meta_tasks.families.event_planning.levels import PlanMetric
from trainee_bench.meta_tasks.families.event_planning.town import DayPlan, PlanRanking, Town


@dataclass(frozen=True)
class EventTruth:
    """What is right. ``plan`` is the given one, if it is given; ``best`` the figure in which
    the plan sought is the best, if one is sought; else any plan will do.

    ``third`` is the third of the month in which all ``dates`` lie.
    """

    path: str
    dates: tuple[date, ...]
    third: int
    vegetarian: int
    town: Town
    figures: tuple[PlanMetric, ...]
    plan: DayPlan | None
    best: PlanMetric | None
    return_by: int | None
    clues: tuple[str, ...]

    @property
    def deliverable_model(self) -> type[EventDeliverable]:
        """The model of what is handed in."""
        return deliverable_model(
            self.figures, planned=self.plan is None, timed=self.return_by is not None
        )

    @cached_property
    def ranking(self) -> PlanRanking:
        """All plans on the dates of the event."""
        return PlanRanking(self.town, self.third)

    def graded_plan(self, given: EventDeliverable) -> DayPlan | None:
        """The plan whose figures are asked for: the given one, a best one, or the handed-in
        one, None if that is none."""
        if self.best is not None:
            return min(self.ranking.best(self.best))
        return self.plan or self.submitted_plan(given)

    def submitted_plan(self, given: EventDeliverable) -> DayPlan | None:
        """The plan that is handed in, None if it is not one."""
        return (
            resolve_plan(given.plan, self.town) if isinstance(given, OwnPlanDeliverable) else None
        )
