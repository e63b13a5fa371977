"""Attendance: a month of punches, evaluated by each department's rules.

Told: the employees, the question, and the folder with the roster, the punches and the manual.
Hidden: the days on which departments were closed, which do not count. Only the head of a department
knows them, and HR for the whole company. The punches on them look like those of any other day.

    punches by the manual's rules − closure days ──► figures, or people and their figures
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import ClassVar, Literal, Self

from pydantic import BaseModel, JsonValue, model_validator

from trainee_bench.meta_tasks.authoring import (
    Checkpoint,
    Domain,
    GradedPart,
    GradingContext,
    HiddenPart,
    MetaTask,
    PlannedEvent,
    PublishedEntry,
    RecordFile,
    Rule,
    TaskContext,
    TaskInstance,
    ToldPart,
    Verdict,
    checkpoint,
    choose_checkpoints,
    compare_rows,
    rules_of,
    values_in,
    was_told,
)
from trainee_bench.meta_tasks.families.attendance import work
from trainee_bench.meta_tasks.families.attendance.brief import (
    CLOSURES,
    HINTS,
    OBJECTIVE,
    SCOPES,
    AttendanceBrief,
    about,
    closures_fact,
    task_words,
    told_closures,
)
from trainee_bench.meta_tasks.families.attendance.data import (
    AttendanceData,
    RightAnswers,
    claim_month,
    draw_attendance_data,
    earlier_end,
    punches_record,
)
from trainee_bench.meta_tasks.families.attendance.deliverables import (
    LATE_AND_EARLY,
    OF_PEOPLE,
    PRESENCE,
    AttendanceTruth,
    compute_answer,
)
from trainee_bench.meta_tasks.families.attendance.subject import documents
from trainee_bench.meta_tasks.families.attendance.subject.query import (
    FILE_NAME,
    AttendanceQuery,
    AttendanceQueryType,
    DepartmentScope,
    PolicyLevel,
    RankingMetric,
    RankingMode,
)
from trainee_bench.meta_tasks.meta_task import HonestWay, Shortcut
from trainee_bench.meta_tasks.scene_features import RECORD_WORK
from trainee_bench.world.apps.files import FileAppears

Percent = Literal[5, 10, 15, 20]
_PERCENTS: tuple[Percent, ...] = (5, 10, 15, 20)


class _PublishedLevel(BaseModel, frozen=True, extra="forbid"):
    level: PolicyLevel
    rng_cfg: JsonValue = None


class PublishedAttendance(PublishedEntry):
    """An evaluation and the level of its rules. The original's random settings are ignored."""

    task_type_name: AttendanceQueryType
    task_params: dict[str, JsonValue]
    difficulty: _PublishedLevel
    rng_cfg: JsonValue = None

    def parameters(self) -> Mapping[str, object]:
        """Our parameters; only one department has a different name."""
        given = dict(self.task_params)
        if given.get("department") == "Human Resources":
            given["department"] = DepartmentScope.HR
        return given | {"type": self.task_type_name, "level": self.difficulty.level}


class Attendance(MetaTask[AttendanceTruth]):
    """Evaluate a month of clock-in times.

    A scenario may fix ``department`` (or "all"), and for two of the types ``mode``, or ``percent``
    and ``metric``.
    """

    family = "attendance"
    domain = Domain.INFORMATION
    features = RECORD_WORK
    published_name = "Attendance Statistics"
    published_entry = PublishedAttendance

    # parameters ---------------------------------------------------------------------------

    type: AttendanceQueryType
    level: PolicyLevel
    department: DepartmentScope | None = None
    mode: RankingMode | None = None
    percent: Percent | None = None
    metric: RankingMetric | None = None

    @model_validator(mode="after")
    def _that_the_type_has(self) -> Self:
        for name, owner in (
            ("mode", AttendanceQueryType.EXTREME),
            ("percent", AttendanceQueryType.TOP),
            ("metric", AttendanceQueryType.TOP),
        ):
            if getattr(self, name) is not None and self.type is not owner:
                raise ValueError(f"{name} belongs to {owner}, not to {self.type}")
        return self

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """Nine types by five levels.

        Levels with flexible hours are hard, and so are lists of people at level 3, where forgotten
        punches are approved.
        """
        return rules_of(
            (cls(type=type, level=level) for type in AttendanceQueryType for level in PolicyLevel),
            hard=lambda rule: (
                rule.level in (PolicyLevel.L4, PolicyLevel.L5)
                or (rule.level is PolicyLevel.L3 and rule.type.lists_people)
            ),
        )

    @property
    def rule_id(self) -> str:
        """The rule's id, such as ``attendance.total_absence_days.L3``."""
        return f"{self.family}.{self.type}.{self.level}"

    # objective, clues and files -------------------------------------------------------------

    def generate(self, context: TaskContext) -> TaskInstance[AttendanceTruth]:
        """Create the files on the drive, and a colleague who knows the closure days."""
        question = self._question(context)
        folder, days = claim_month(context)
        names = documents.file_names(days[0], self.level.allows_corrections)
        paths = tuple(context.reserve_path(f"{folder}/{name}") for name in names)
        drawn, files, record = context.drawn_alike(
            "month", (days, paths), lambda: self._open_data(context, question, days, paths)
        )
        sheet, first = drawn.sheet, drawn.month.days[0].replace(day=1)
        secret = context.secret_stream(CLOSURES)
        closed = secret.choice(drawn.closures)
        csv = next(name for name in files if name.endswith(".csv")).rpartition("/")[2]
        output = context.reserve_path(f"workspace:/{FILE_NAME.render(question)}.json")
        clue = closures_fact(question.scope).clue(
            context,
            documents.closure_contact(context.company, question.scope),
            told_closures(question.scope, sheet, closed, context.stream("closure reasons")),
            about(question.scope, first, csv),
            keys=(csv,),
        )
        task = task_words(question, len(sheet.employees))
        brief = AttendanceBrief(folder, output, task, first)
        if question.type is AttendanceQueryType.HAS:
            brief = replace(brief, first=sheet.days[0], last=sheet.days[-1])
        answer = compute_answer(question, sheet, closed)
        return TaskInstance(
            ToldPart(
                title=f"Attendance in {first:%B}: {SCOPES[question.scope]}",
                objective=OBJECTIVE.render(brief),
                hints=HINTS,
                requester=context.employee.manager or "",
                deliverable_paths=(output,),
            ),
            HiddenPart(
                clues=(clue,),
                events=(
                    *(
                        PlannedEvent(FileAppears(path=path, text=text))
                        for path, text in files.items()
                    ),
                    PlannedEvent(documents.MANUAL.known()),
                ),
                records=(record,),
            ),
            GradedPart(
                truth=AttendanceTruth(output, question, answer),
                right_text=values_in(answer.as_deliverable(question)),
                background=("approvals.json",),  # its punches are also in the CSV file
            ),
        )

    def _question(self, context: TaskContext) -> AttendanceQuery:
        """The question; its parameters are drawn unless a scenario fixes them."""
        draws = context.stream("question")
        scope, mode = draws.choice(list(DepartmentScope)), draws.choice(list(RankingMode))
        percent, metric = draws.choice(_PERCENTS), draws.choice(list(RankingMetric))
        scope = self.department or scope
        if self.type is AttendanceQueryType.EXTREME:
            return AttendanceQuery(self.type, scope, self.mode or mode)
        if self.type is AttendanceQueryType.TOP:
            percent, metric = self.percent or percent, self.metric or metric
            return AttendanceQuery(self.type, scope, percent=percent, metric=metric)
        return AttendanceQuery(self.type, scope)

    def _open_data(
        self,
        context: TaskContext,
        question: AttendanceQuery,
        days: tuple[date, ...],
        paths: Sequence[str],
    ) -> tuple[AttendanceData, Mapping[str, str], RecordFile]:
        """The month, its files, and the file of punches, all independent of the drawn closures."""
        drawn = draw_attendance_data(context, question, self.level, days)
        files = dict(zip(paths, self._texts(context, question, drawn), strict=True))
        answers = RightAnswers(question, drawn)
        # figures differ for any other punches, but a list of people may be the same by chance
        misleads = answers.differ_by_punches if question.type.lists_people else None
        return drawn, files, punches_record(files, earlier_end(answers), misleads)

    def _texts(
        self, context: TaskContext, question: AttendanceQuery, drawn: AttendanceData
    ) -> list[str]:
        """The texts of the files in the folder, in the order of `documents.file_names`."""
        month, approves = drawn.month, self.level.allows_corrections
        manual = documents.manual_text(context.company, question.scope, month, approves)
        punches = documents.punches_csv(context.stream("odd punches"), month)
        approvals = [documents.approvals_json(month)] if approves else []
        return [manual, documents.roster_json(month.staff), punches, *approvals]

    # checkpoints ----------------------------------------------------------------------------

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The outcomes of this type, and the point for being told, which needs the first one."""
        outcomes: tuple[str, ...] = ("figures_right",)
        if self.type.lists_people:
            outcomes = ("people_right", "values_right")
        elif self.type is AttendanceQueryType.STATISTICS:
            outcomes = ("days_right", "presence_right")
        return choose_checkpoints(
            Attendance, outcomes, only_with={"told": outcomes[0]}, only_after="told"
        )

    @checkpoint(
        "The figures are right, with their control total",
        weight=4,  # figures can be guessed, so none counts without a control total
        where="The manual (what counts, and how), the punches, and the days that you were told to "
        "leave out.",
        how="Count one day of one person by hand, and compare it with your calculation. Leave out "
        "the closure days before you add up.",
    )
    def figures_right(self, grading: GradingContext[AttendanceTruth]) -> Verdict:
        """All figures together."""
        return grading.truth.figures_right(grading)

    @checkpoint(
        "The averages of late and early days are right, with the control total",
        weight=2,
        where="The manual (the department's hours and grace), and the closure days.",
        how="Compare each first in and last out with the department's own hours, and divide by the "
        "number of employees on the roster.",
    )
    def days_right(self, grading: GradingContext[AttendanceTruth]) -> Verdict:
        """The averages of the statistics for late and early days."""
        return grading.truth.figures_right(grading, LATE_AND_EARLY)

    @checkpoint(
        "Head-count, absent days, attendance rate and control total are right",
        weight=2,
        where="The roster, and the manual, which says which days count and when somebody is "
        "absent.",
        how="For each employee, take the month's workdays except the department's closure days. "
        "Each of them is either a day present or an absent day.",
    )
    def presence_right(self, grading: GradingContext[AttendanceTruth]) -> Verdict:
        """The other figures of the statistics."""
        return grading.truth.figures_right(grading, PRESENCE)

    @checkpoint(
        "Exactly the employees asked for are listed",
        where="The task says who is asked for and what to do in a tie. The manual says what counts "
        "and what to leave out.",
        how="Leave out the closure days, count for every employee in question, then rank. List "
        "everyone who ties and nobody else, each person once.",
    )
    def people_right(self, grading: GradingContext[AttendanceTruth]) -> Verdict:
        """Compare ids and names both ways. People can be guessed, so this counts little."""
        given, right = grading.truth.rows(grading), grading.truth.answer.people
        words = compare_rows(given, right, grading.keys, math.inf).in_words(OF_PEOPLE)
        return Verdict(not words, "; ".join([f"the list has {len(given)} entries", *words]))

    @checkpoint(
        "Each employee asked for is listed with the right figures",
        weight=3,
        where="The manual says how to count days and minutes.",
        how="Count the days of each person on your list again by hand.",
    )
    def values_right(self, grading: GradingContext[AttendanceTruth]) -> Verdict:
        """The figures of exactly the employees asked for."""
        given, right = grading.truth.rows(grading), grading.truth.answer.people
        same = compare_rows(given, right, grading.keys, by=["employee_id"]).none
        wrong = "" if same else ", but not all are those of the employees asked for"
        return Verdict(same, f"{len(given)} entries have figures{wrong}")

    @checkpoint(
        "You were told the closure days",
        where="The last section of the manual says whom to ask. The chat has your conversations.",
        how="Ask that person in the chat for the closure days of the department in that month. "
        "Wait a few minutes, and read the answer. If they reply with a question, answer it.",
    )
    def told(self, grading: GradingContext[AttendanceTruth]) -> Verdict:
        """Check that the clue was released; the words of the question do not matter."""
        return was_told(grading, CLOSURES, yes="you were told")

    # honest work ----------------------------------------------------------------------------

    shortcut: ClassVar[Shortcut] = staticmethod(work.count_every_day)
    honest_work: ClassVar[HonestWay] = staticmethod(work.honest_work)
