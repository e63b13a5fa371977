"""A team event: when all are free only they know, how far it is only the map shows.

Told: the department, the plan or what it is to be best in, the guidelines. Hidden: with each
member, the dates on which they are free and what they eat. The roads are in a picture.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import time
from typing import ClassVar, Self

from pydantic import JsonValue, model_validator

from meta_tasks.families.event_planning.calendars import MOST_MEMBERS, Calendars, draw_calendars
from meta_tasks.families.event_planning.checks import checkpoints
from meta_tasks.families.event_planning.draws import (
    TIMES_BACK,
    draw_figures,
    draw_plan,
    draw_town,
)
from meta_tasks.families.event_planning.handed_in import NamedPlan, minutes
from meta_tasks.families.event_planning.land import Land
from meta_tasks.families.event_planning.levels import SINGLE, Figure, Level
from meta_tasks.families.event_planning.names import same_name
from meta_tasks.families.event_planning.oracle import plan_event
from meta_tasks.families.event_planning.outing import Outing
from meta_tasks.families.event_planning.papers import FOLDER, guidelines, listing, table
from meta_tasks.families.event_planning.published import fixed_by
from meta_tasks.families.event_planning.words import hints, objective
from meta_tasks.hands import Hands
from meta_tasks.meta_task import Checkpoint, Domain, Label, MetaTask, Planned, Rule, Scene
from meta_tasks.stage import CompositionError, Modality, Stage
from world.apps.files import FileAppears, PictureAppears
from world.event import Event
from world.org_chart import EXECUTIVE
from world.people import Department

_COUNTS = {Level.A1: (1, 2), Level.A2: (2, 3), Level.B1: (1, 2), Level.B2: (2, 3)}
"""How many figures are asked for at the least and at the most; drawn are the most."""
_FEWEST_MEMBERS = 3
"""Departments with fewer are drawn only where there are no others."""
_EARLIEST_BACK, _LATEST_BACK = 15 * 60, 23 * 60
_LONGEST_NAME = 60


class EventPlanning(MetaTask[Outing]):
    """A day out for a department."""

    family: ClassVar[str] = "event_planning"
    domain: ClassVar[Domain] = Domain.STRATEGY
    published_name: ClassVar[str] = "Event Planning"

    level: Level
    department: str | None = None
    plan: NamedPlan | None = None
    metrics: tuple[Figure, ...] | None = None
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
        made = [cls(level=level) for level in Level]
        return tuple(Rule(one.rule_id, Label.HARD, one) for one in made)

    @property
    def rule_id(self) -> str:
        """Such as ``event_planning.C2_cost``."""
        return f"{self.family}.{self.level}"

    @classmethod
    def from_published(cls, arguments: Mapping[str, JsonValue]) -> EventPlanning:
        """What an entry of the original's files means. Raises ValueError."""
        return cls(**dict(fixed_by(arguments)))

    # the scene ------------------------------------------------------------------------

    def scene(self, stage: Stage) -> Scene[Outing]:
        """A department, everybody's calendar, and a town."""
        department = self._department(stage)
        calendars = draw_calendars(stage, department.people, department.name)
        outing, land = self._outing(stage, department.name, calendars)
        info = stage.file(f"{FOLDER}/locations_restaurants_info.txt")
        drawn = stage.modality is Modality.PICTURES
        roads = stage.file(f"{FOLDER}/mst_map.{'png' if drawn else 'csv'}")
        papers = stage.file(f"{FOLDER}/event_planning_guidelines.txt")
        events: tuple[Event, ...] = (
            FileAppears(path=papers, text=guidelines(info, roads, drawn)),
            FileAppears(path=info, text=listing(outing.town)),
            PictureAppears(path=roads, drawing=land.picture)
            if drawn
            else FileAppears(path=roads, text=table(land.roads)),
        )
        return Scene(
            title=f"Team event of {department.name}",
            objective=objective(department.name, outing, papers),
            truth=outing,
            hints=hints(drawn),
            clues=calendars.clues,
            events=tuple(map(Planned, events)),
            outputs=(outing.path,),
            requester=department.managers[0].id,
        )

    def _department(self, stage: Stage) -> Department:
        """The department whose event it is, one that no other task of the day plans for.

        Raises CompositionError.
        """
        free = [d for d in stage.company.departments if d.name != EXECUTIVE]
        if self.department is not None:
            free = [d for d in free if d.name == self.department]
        free = [d for d in free if len(d.people) <= MOST_MEMBERS]
        if not free:
            wanted = self.department or "any department"
            raise CompositionError(
                f"{stage.task} needs {wanted} with at most {MOST_MEMBERS} members; "
                "use another department or a smaller company"
            )
        many = [d for d in free if len(d.people) >= _FEWEST_MEMBERS] or free
        untaken = [d for d in many if _event_of(d) not in stage.commons.claims] or many
        drawn = stage.stream("department").choice(untaken)
        stage.claim(_event_of(drawn))
        return drawn

    def _outing(self, stage: Stage, department: str, calendars: Calendars) -> tuple[Outing, Land]:
        """What is right, and the land to be shown."""
        best, draws = self.level.best, stage.stream("plan")
        fixed = (self.plan.morning, self.plan.lunch, self.plan.afternoon) if self.plan else ()
        back = None
        if self.level.timed:
            back = minutes(self.end_time) if self.end_time else draws.choice(TIMES_BACK)
        town, land = draw_town(stage, best, fixed, back if self.level.given else None)
        plan = draw_plan(draws, town, back) if self.level.given else None
        if plan is not None and self.plan is not None:
            town = town.renamed(dict(zip(plan, fixed, strict=True)))
        kind = "optimal_plan" if best else "plan_metrics"
        outing = Outing(
            path=stage.file(f"workspace:/dept_{department}_{kind}.json"),
            dates=calendars.dates,
            third=calendars.third,
            vegetarian=calendars.vegetarian,
            town=town,
            figures=self._figures(stage),
            plan=plan,
            best=best,
            back=back,
            clues=calendars.names,
        )
        return outing, land

    def _figures(self, stage: Stage) -> tuple[Figure, ...]:
        known = self.level.figures or self.metrics
        return known or draw_figures(stage.stream("figures"), _COUNTS[self.level][1])

    @staticmethod
    async def oracle(hands: Hands) -> None:
        """Ask everybody, look at the map, calculate."""
        await plan_event(hands)

    # what is graded ---------------------------------------------------------------------

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The dates, the figures, and what else the level asks for."""
        known = self.level.figures or self.metrics
        if known is None:
            count = _COUNTS[self.level][1]
            return checkpoints(self.level, SINGLE if count == len(SINGLE) else (None,) * count)
        return checkpoints(self.level, known)


def _event_of(department: Department) -> str:
    return f"the team event of {department.name}"


def _check_names(plan: NamedPlan) -> None:
    """Raise ValueError unless these can be the names of three different stops."""
    names = [plan.morning, plan.lunch, plan.afternoon]
    if not all(same_name(n) and n.isprintable() and len(n) <= _LONGEST_NAME for n in names):
        raise ValueError(f"the names of a plan have 1 to {_LONGEST_NAME} printable characters")
    if len({same_name(name) for name in names}) < len(names):
        raise ValueError("morning, lunch and afternoon of a plan have different names")


def _check_metrics(level: Level, metrics: tuple[Figure, ...]) -> None:
    """Raise ValueError unless the level may ask for these figures, in this order."""
    least, most = _COUNTS.get(level, (0, 0))
    if not least <= len(metrics) <= most:
        raise ValueError(f"{level} asks for {least} to {most} metrics of one's choice")
    if list(metrics) != [figure for figure in SINGLE if figure in metrics]:
        raise ValueError(f"metrics are some of {', '.join(SINGLE)}, each once, in this order")


def _check_end(level: Level, end: time) -> None:
    """Raise ValueError unless the level has an hour to be back, and it can be this."""
    if not level.timed:
        raise ValueError(f"an end_time is given at levels A4 and B4 only, not at {level}")
    if end.tzinfo or end.second or end.microsecond:
        raise ValueError("end_time is in whole minutes and has no zone: write 17:30")
    if not _EARLIEST_BACK <= minutes(end) <= _LATEST_BACK:
        raise ValueError("end_time lies between 15:00 and 23:00")
