"""A team event: only the members know when they are free, and only the map shows distances.

Told: the department, the plan or the figure to optimise, and the guidelines. Hidden: each member's
free dates and lunch menu, which only they know. The roads are in a picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import time
from typing import ClassVar, Self

from pydantic import model_validator

from trainee_bench.meta_tasks.authoring import (
    Checkpoint,
    CompositionError,
    Domain,
    GradedPart,
    GradingContext,
    HiddenPart,
    MetaTask,
    PlannedEvent,
    Rule,
    SceneFeature,
    TaskContext,
    TaskInstance,
    ToldPart,
    Verdict,
    checkpoint,
    choose_checkpoints,
    rules_of,
    text_key,
    were_told,
)
from trainee_bench.meta_tasks.families.event_planning import brief, data, work
from trainee_bench.meta_tasks.families.event_planning.brief import (
    GUIDELINES,
    reserve_files,
    roads_csv,
    stops_text,
)
from trainee_bench.meta_tasks.families.event_planning.data import (
    FEWEST_MEMBERS,
    Party,
    RoadNetwork,
    draw_team,
)
from trainee_bench.meta_tasks.families.event_planning.deliverables import (
    NO_PLAN,
    WHERE_GUIDELINES,
    EventTruth,
    clock_at,
    field_checkpoints,
    minute_of_day,
    read_sheet,
)
from trainee_bench.meta_tasks.families.event_planning.subject import (
    SINGLE_METRICS,
    MemberAnswer,
    NamedPlan,
    PlanMetric,
    PlanningLevel,
    PublishedEventPlanning,
    combine,
)
from trainee_bench.meta_tasks.meta_task import HonestWay, Shortcut
from trainee_bench.world.apps.files import FileAppears, PictureAppears
from trainee_bench.world.company.org_chart import EXECUTIVE
from trainee_bench.world.company.people import Department
from trainee_bench.world.transaction import Event

DATES_WEIGHT, TOLD_WEIGHT, PLANNING_WEIGHT = 2.0, 1.0, 7.0
"""The weights of the dates, of asking everybody, and of the rest; the first two make up 0.3."""
PLAN_WEIGHT = PLANNING_WEIGHT * 4 / 7
"""The plan's part of the rest, if the best plan is sought."""
WHERE_CALENDARS = "The members' answers in the chat. The people directory lists all members."
_EARLIEST_BACK, _LATEST_BACK = 15 * 60, 23 * 60
_LONGEST_NAME = 60


class EventPlanning(MetaTask[EventTruth]):
    """Plan a day out for a department."""

    family = "event_planning"
    domain = Domain.STRATEGY
    features = frozenset({SceneFeature.HELD_FACT, SceneFeature.REPEATABLE})
    published_name = "Event Planning"
    published_entry = PublishedEventPlanning

    # parameters ---------------------------------------------------------------------------

    level: PlanningLevel
    department: str | None = None
    plan: NamedPlan | None = None
    metrics: tuple[PlanMetric, ...] | None = None
    end_time: time | None = None

    @model_validator(mode="after")
    def _goes_together(self) -> Self:
        if self.plan is not None:
            _check_plan(self.level, self.plan)
        if self.metrics is not None:
            _check_metrics(self.level, self.metrics)
        if self.end_time is not None:
            _check_end(self.level, self.end_time)
        return self

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """One rule per level, all of them hard."""
        return rules_of((cls(level=level) for level in PlanningLevel), hard=lambda rule: True)

    @property
    def rule_id(self) -> str:
        """The rule's id, such as ``event_planning.C2_cost``."""
        return f"{self.family}.{self.level}"

    # objective, clues and files -------------------------------------------------------------

    def generate(self, context: TaskContext) -> TaskInstance[EventTruth]:
        """Create a department, its members' calendars, and a town."""
        party = self._party(context)
        name, members = party.name, party.people
        answers = data.draw_answers(context, len(members))
        about = [
            {"number": str(number), "department": name} for number in range(1, len(members) + 1)
        ]
        truth, land = self._truth(context, party.file, answers)
        files, guidelines = reserve_files(context)
        objective = brief.EventPlanningBrief(
            department=name,
            members=tuple(person.name for person in members) if party.is_team else (),
            guidelines=guidelines,
            output=truth.path,
            sheet=truth.deliverable_model,
            plan=truth.town.names_of(truth.plan) if truth.plan else None,
            best=truth.best,
            back=clock_at(truth.return_by) if truth.return_by is not None else None,
        )
        events: tuple[Event, ...] = (
            FileAppears(path=guidelines, text=GUIDELINES.render(files)),
            FileAppears(path=files.info, text=stops_text(truth.town)),
            PictureAppears(path=files.roads, drawing=land.picture)
            if files.drawn
            else FileAppears(path=files.roads, text=roads_csv(land.roads)),
        )
        return TaskInstance(
            ToldPart(
                title=f"Team event of {name}",
                objective=brief.OBJECTIVE.render(objective),
                hints=brief.hints(files.drawn, team=party.is_team),
                requester=party.requester.id,
                deliverable_paths=(truth.path,),
            ),
            HiddenPart(
                clues=tuple(
                    brief.FREE_DATES.clue(context, member, answer, of_member)
                    for member, answer, of_member in zip(members, answers, about, strict=True)
                ),
                events=tuple(map(PlannedEvent, events)),
            ),
            GradedPart(truth),
        )

    def _truth(
        self, context: TaskContext, file: str, answers: Sequence[MemberAnswer]
    ) -> tuple[EventTruth, RoadNetwork]:
        """The right answers, and the roads to be shown."""
        best, given, draws = self.level.best, self.level.given, context.stream("plan")
        fixed = (self.plan.morning, self.plan.lunch, self.plan.afternoon) if self.plan else ()
        back = None
        if self.level.timed:
            back = (
                minute_of_day(self.end_time) if self.end_time else draws.choice(data.RETURN_TIMES)
            )
        town, land = context.drawn_alike(
            "town", back, lambda: data.draw_town(context, best, fixed, back if given else None)
        )
        plan = data.draw_plan(draws, town, back) if given else None
        if plan is not None and fixed:
            town = town.renamed(dict(zip(plan, fixed, strict=True)))
        count = self.level.metric_counts[1]
        kind = "optimal_plan" if best else "plan_metrics"
        truth = EventTruth(
            path=context.reserve_path(f"workspace:/{file}_{kind}.json"),
            calendars=combine(answers),
            town=town,
            figures=self._figures or data.draw_figures(context.stream("figures"), count),
            plan=plan,
            best=best,
            return_by=back,
            clues=tuple(
                brief.FREE_DATES.clue_name({"number": str(place + 1)})
                for place in range(len(answers))
            ),
        )
        return truth, land

    def _party(self, context: TaskContext) -> Party:
        """Draw the department, or a team of one where tasks may be alike. Raises
        CompositionError if there is none."""
        if context.copies:
            return draw_team(context, self.department)
        department = self._department(context)
        name, people = department.name, department.people
        return Party(name, people, f"dept_{name}", department.managers[0])

    def _department(self, context: TaskContext) -> Department:
        """Draw the department, preferably one for which no other task of the day plans.

        Raises CompositionError if no department is small enough.
        """
        free = [
            department
            for department in context.company.departments
            if department.name != EXECUTIVE
            and self.department in (None, department.name)
            and len(department.people) <= data.MOST_MEMBERS
        ]
        if not free:
            wanted = self.department or "any department"
            raise CompositionError(
                f"{context.task} needs {wanted} with at most {data.MOST_MEMBERS} members; "
                "use another department or a smaller company"
            )
        large = [department for department in free if len(department.people) >= FEWEST_MEMBERS]
        large = large or free
        claims = context.reservations.claims
        untaken = [department for department in large if _event_of(department) not in claims]
        drawn = context.stream("department").choice(untaken or large)
        context.claim(_event_of(drawn))
        return drawn

    # checkpoints ----------------------------------------------------------------------------

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The dates, the figures, and the other results that the level asks for."""
        marks = choose_checkpoints(
            EventPlanning,
            ["dates_right"],
            only_with={"everybody_asked": "dates_right"},
            only_after="everybody_asked",
        )
        weight = PLANNING_WEIGHT
        if self.level.best:
            weight -= PLAN_WEIGHT
            marks += choose_checkpoints(
                EventPlanning, ["plan_best"], only_with={}, only_after="everybody_asked"
            )
        count = self.level.metric_counts[1]
        drawn = SINGLE_METRICS if count == len(SINGLE_METRICS) else (None,) * count
        return marks + field_checkpoints(self._figures or drawn, self.level.timed, weight)

    @property
    def _figures(self) -> tuple[PlanMetric, ...] | None:
        """The figures asked for; None if the seed draws them."""
        return self.level.figures or self.metrics

    @checkpoint(
        "The possible dates, the chosen date and the number of vegetarian menus are right",
        weight=DATES_WEIGHT,
        where=WHERE_CALENDARS,
        how="Ask every single member, managers included. Write down each member's dates, keep the "
        "dates that all of them named, and count the members who take the vegetarian menu.",
    )
    def dates_right(self, grading: GradingContext[EventTruth]) -> Verdict:
        """Check all common dates, the chosen date, and the number of vegetarian menus."""
        given, right = read_sheet(grading), grading.truth.calendars
        dates, meals = given.possible_dates, given.vegetarian_meals
        seen = [f"{len(dates)} possible dates, {meals} vegetarian"]
        if sorted(dates) != list(right.dates):
            seen.append("these are not exactly the dates on which everybody is free")
        if given.event_date not in right.dates:
            seen.append("event_date is not one of the dates on which everybody is free")
        if meals != right.vegetarian:
            seen.append("the number of vegetarian menus is wrong")
        return Verdict(len(seen) == 1, "; ".join(seen))

    @checkpoint(
        "Every member of the department has told you when they are free",
        weight=TOLD_WEIGHT,
        where=WHERE_CALENDARS,
        how="Send each member a separate message about the team event, and read the answers a few "
        "minutes later.",
    )
    def everybody_asked(self, grading: GradingContext[EventTruth]) -> Verdict:
        """Check that every member has told their dates."""
        return were_told(grading, grading.truth.clues, "members have told you when they are free")

    @checkpoint(
        "No other plan is better in the requested figure",
        weight=PLAN_WEIGHT,
        where=WHERE_GUIDELINES,
        how="Compare all 300 plans: 6 places in the morning, 10 restaurants, the 5 other places in "
        "the afternoon. Prices are those on the date of the event.",
    )
    def plan_best(self, grading: GradingContext[EventTruth]) -> Verdict:
        """Check that the plan is one of the best."""
        truth = grading.truth
        plan = truth.submitted_plan(read_sheet(grading))
        if plan is None or truth.best is None:
            return Verdict(False, NO_PLAN)
        right = plan in truth.ranking.best(truth.best)
        return Verdict(right, "no plan is better" if right else "there is a better plan")

    # honest work ----------------------------------------------------------------------------

    shortcut: ClassVar[Shortcut] = staticmethod(work.plan_without_asking)
    honest_work: ClassVar[HonestWay] = staticmethod(work.honest_work)


def _event_of(department: Department) -> str:
    return f"the team event of {department.name}"


def _check_plan(level: PlanningLevel, plan: NamedPlan) -> None:
    """Raise ValueError unless the level may have a given plan, and its names are valid."""
    if not level.given:
        raise ValueError(f"a plan is given at levels A1 to A4 only, not at {level}")
    names = [plan.morning, plan.lunch, plan.afternoon]
    if not all(
        any(map(str.isalnum, name)) and name.isprintable() and len(name) <= _LONGEST_NAME
        for name in names
    ):
        raise ValueError(f"the names of a plan have 1 to {_LONGEST_NAME} printable characters")
    if len({text_key(name) for name in names}) < len(names):
        raise ValueError("morning, lunch and afternoon of a plan have different names")


def _check_metrics(level: PlanningLevel, metrics: tuple[PlanMetric, ...]) -> None:
    """Raise ValueError unless the level may ask for these figures, in this order."""
    least, most = level.metric_counts
    if not least <= len(metrics) <= most:
        raise ValueError(f"{level} asks for {least} to {most} metrics of your choice")
    if list(metrics) != [figure for figure in SINGLE_METRICS if figure in metrics]:
        raise ValueError(
            f"metrics are one or more of {', '.join(SINGLE_METRICS)}, each once, in this order"
        )


def _check_end(level: PlanningLevel, end: time) -> None:
    """Raise ValueError unless the level has a return time, and *end* is a valid one."""
    if not level.timed:
        raise ValueError(f"an end_time is given at levels A4 and B4 only, not at {level}")
    if end.tzinfo or end.second or end.microsecond:
        raise ValueError("end_time has whole minutes and no time zone: write it as 17:30")
    if not _EARLIEST_BACK <= minute_of_day(end) <= _LATEST_BACK:
        raise ValueError("end_time lies between 15:00 and 23:00")
