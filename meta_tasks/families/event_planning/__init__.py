"""A team event: when all are free only they know, how far it is only the map shows.

Told: the department, the plan or what it is to be best in, the guidelines. Hidden: with each
member, the dates on which they are free and what they eat. The roads are in a picture.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import time
from typing import ClassVar, Self

from pydantic import JsonValue, model_validator

from trainee_bench.meta_tasks.families.event_planning.calendars import (
    MOST_MEMBERS,
    MemberCalendars,
    draw_calendars,
)
from trainee_bench.meta_tasks.families.event_planning.data import (
    RETURN_TIMES,
    draw_figures,
    draw_plan,
    draw_town,
)
from trainee_bench.meta_tasks.families.event_planning.deliverables import NamedPlan, minute_of_day
from trainee_bench.meta_tasks.families.event_planning.documents import (
    FOLDER,
    guidelines,
    roads_csv,
    stops_text,
)
from trainee_bench.meta_tasks.families.event_planning.grading import checkpoints
from trainee_bench.meta_tasks.families.event_planning.ground_truth import EventTruth
from trainee_bench.meta_tasks.families.event_planning.levels import (
    SINGLE_METRICS,
    PlanMetric,
    PlanningLevel,
)
from trainee_bench.meta_tasks.families.event_planning.oracle import plan_event
from trainee_bench.meta_tasks.families.event_planning.prompts import hints, objective
from trainee_bench.meta_tasks.families.event_planning.published import parse_fixed_parameters
from trainee_bench.meta_tasks.families.event_planning.road_network import RoadNetwork
from trainee_bench.meta_tasks.families.event_planning.stop_names import normalize_name
from trainee_bench.meta_tasks.meta_task import (
    Checkpoint,
    Difficulty,
    Domain,
    MetaTask,
    PlannedEvent,
    Rule,
    TaskInstance,
)
from trainee_bench.meta_tasks.task_context import CompositionError, Modality, TaskContext
from trainee_bench.meta_tasks.tool_client import ToolClient
from trainee_bench.world.apps.files import FileAppears, PictureAppears
from trainee_bench.world.company.org_chart import EXECUTIVE
from trainee_bench.world.company.people import Department
from trainee_bench.world.transaction import Event

_COUNTS = {
    PlanningLevel.A1: (1, 2),
    PlanningLevel.A2: (2, 3),
    PlanningLevel.B1: (1, 2),
    PlanningLevel.B2: (2, 3),
}
"""How many figures are asked for at the least and at the most; drawn are the most."""
_FEWEST_MEMBERS = 3
"""Departments with fewer are drawn only where there are no others."""
_EARLIEST_BACK, _LATEST_BACK = 15 * 60, 23 * 60
_LONGEST_NAME = 60


class EventPlanning(MetaTask[EventTruth]):
    """A day out for a department."""

    family: ClassVar[str] = "event_planning"
    domain: ClassVar[Domain] = Domain.STRATEGY
    published_name: ClassVar[str] = "Event Planning"

    level: PlanningLevel
    department: str | None = None
    plan: NamedPlan | None = None
    metrics: tuple[PlanMetric, ...] | None = None
    end_time: time | None = None

    @model_validator(mode="after")
    def _goes_together(self) -> Self:
        if self.plan is not None and not self.level.given:
            raise ValueError(f"a plan is given at levels A1 to A4 only, not at {self.level}")
        if self.plan is not None:
            _check_names(self.plan)
        if self.metrics is not None:
            _check_metrics(self.level, self.metrics)
        if self.end_time is not None:
            _check_end(self.level, self.end_time)
        return self

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """One per level, all of them hard."""
        made = [cls(level=level) for level in PlanningLevel]
        return tuple(Rule(one.rule_id, Difficulty.HARD, one) for one in made)

    @property
    def rule_id(self) -> str:
        """Such as ``event_planning.C2_cost``."""
        return f"{self.family}.{self.level}"

    @classmethod
    def from_published(cls, arguments: Mapping[str, JsonValue]) -> EventPlanning:
        """What an entry of the original's files means. Raises ValueError."""
        return cls(**dict(parse_fixed_parameters(arguments)))

    # the scene ------------------------------------------------------------------------

    def generate(self, context: TaskContext) -> TaskInstance[EventTruth]:
        """A department, everybody's calendar, and a town."""
        department = self._department(context)
        calendars = draw_calendars(context, department.people, department.name)
        outing, land = self._outing(context, department.name, calendars)
        info = context.reserve_path(f"{FOLDER}/locations_restaurants_info.txt")
        drawn = context.modality is Modality.PICTURES
        roads = context.reserve_path(f"{FOLDER}/mst_map.{'png' if drawn else 'csv'}")
        papers = context.reserve_path(f"{FOLDER}/event_planning_guidelines.txt")
        events: tuple[Event, ...] = (
            FileAppears(path=papers, text=guidelines(info, roads, drawn)),
            FileAppears(path=info, text=stops_text(outing.town)),
            PictureAppears(path=roads, drawing=land.picture)
            if drawn
            else FileAppears(path=roads, text=roads_csv(land.roads)),
        )
        return TaskInstance(
            title=f"Team event of {department.name}",
            objective=objective(department.name, outing, papers),
            truth=outing,
            hints=hints(drawn),
            clues=calendars.clues,
            events=tuple(map(PlannedEvent, events)),
            deliverable_paths=(outing.path,),
            requester=department.managers[0].id,
        )

    def _department(self, context: TaskContext) -> Department:
        """The department whose event it is, one that no other task of the day plans for.

        Raises CompositionError.
        """
        free = [d for d in context.company.departments if d.name != EXECUTIVE]
        if self.department is not None:
            free = [d for d in free if d.name == self.department]
        free = [d for d in free if len(d.people) <= MOST_MEMBERS]
        if not free:
            wanted = self.department or "any department"
            raise CompositionError(
                f"{context.task} needs {wanted} with at most {MOST_MEMBERS} members; "
                "use another department or a smaller company"
            )
        many = [d for d in free if len(d.people) >= _FEWEST_MEMBERS] or free
        untaken = [d for d in many if _event_of(d) not in context.reservations.claims] or many
        drawn = context.stream("department").choice(untaken)
        context.claim(_event_of(drawn))
        return drawn

    def _outing(
        self, context: TaskContext, department: str, calendars: MemberCalendars
    ) -> tuple[EventTruth, RoadNetwork]:
        """What is right, and the land to be shown."""
        best, draws = self.level.best, context.stream("plan")
        fixed = (self.plan.morning, self.plan.lunch, self.plan.afternoon) if self.plan else ()
        back = None
        if self.level.timed:
            back = minute_of_day(self.end_time) if self.end_time else draws.choice(RETURN_TIMES)
        town, land = draw_town(context, best, fixed, back if self.level.given else None)
        plan = draw_plan(draws, town, back) if self.level.given else None
        if plan is not None and self.plan is not None:
            town = town.renamed(dict(zip(plan, fixed, strict=True)))
        kind = "optimal_plan" if best else "plan_metrics"
        outing = EventTruth(
            path=context.reserve_path(f"workspace:/dept_{department}_{kind}.json"),
            dates=calendars.dates,
            third=calendars.third,
            vegetarian=calendars.vegetarian,
            town=town,
            figures=self._figures(context),
            plan=plan,
            best=best,
            return_by=back,
            clues=calendars.names,
        )
        return outing, land

    def _figures(self, context: TaskContext) -> tuple[PlanMetric, ...]:
        known = self.level.figures or self.metrics
        return known or draw_figures(context.stream("figures"), _COUNTS[self.level][1])

    @staticmethod
    async def oracle(client: ToolClient) -> None:
        """Ask everybody, look at the map, calculate."""
        await plan_event(client)

    # what is graded ---------------------------------------------------------------------

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The dates, the figures, and what else the level asks for."""
        known = self.level.figures or self.metrics
        if known is None:
            count = _COUNTS[self.level][1]
            return checkpoints(
                self.level, SINGLE_METRICS if count == len(SINGLE_METRICS) else (None,) * count
            )
        return checkpoints(self.level, known)


def _event_of(department: Department) -> str:
    return f"the team event of {department.name}"


def _check_names(plan: NamedPlan) -> None:
    """Raise ValueError unless these can be the names of three different stops."""
    names = [plan.morning, plan.lunch, plan.afternoon]
    if not all(normalize_name(n) and n.isprintable() and len(n) <= _LONGEST_NAME for n in names):
        raise ValueError(f"the names of a plan have 1 to {_LONGEST_NAME} printable characters")
    if len({normalize_name(name) for name in names}) < len(names):
        raise ValueError("morning, lunch and afternoon of a plan have different names")


def _check_metrics(level: PlanningLevel, metrics: tuple[PlanMetric, ...]) -> None:
    """Raise ValueError unless the level may ask for these figures, in this order."""
    least, most = _COUNTS.get(level, (0, 0))
    if not least <= len(metrics) <= most:
        raise ValueError(f"{level} asks for {least} to {most} metrics of one's choice")
    if list(metrics) != [figure for figure in SINGLE_METRICS if figure in metrics]:
        raise ValueError(
            f"metrics are some of {', '.join(SINGLE_METRICS)}, each once, in this order"
        )


def _check_end(level: PlanningLevel, end: time) -> None:
    """Raise ValueError unless the level has an hour to be back, and it can be this."""
    if not level.timed:
        raise ValueError(f"an end_time is given at levels A4 and B4 only, not at {level}")
    if end.tzinfo or end.second or end.microsecond:
        raise ValueError("end_time is in whole minutes and has no zone: write 17:30")
    if not _EARLIEST_BACK <= minute_of_day(end) <= _LATEST_BACK:
        raise ValueError("end_time lies between 15:00 and 23:00")
