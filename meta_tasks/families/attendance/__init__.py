"""Attendance: a month of punches, evaluated by the rules that hold in each department.

Told: whose attendance is asked for, what is wanted of it, and where roster, punches and manual
lie. Hidden: the days on which departments were closed, which do not count; their heads know
them, for the whole company HR. Punches lie on them as on any other day.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, Literal

from pydantic import JsonValue, model_validator

from trainee_bench.meta_tasks.families.attendance.answers import compute_answer
from trainee_bench.meta_tasks.families.attendance.closures import closure_clue
from trainee_bench.meta_tasks.families.attendance.data import AttendanceData, draw_attendance_data
from trainee_bench.meta_tasks.families.attendance.deliverables import deliverable_model
from trainee_bench.meta_tasks.families.attendance.documents import (
    approvals_json,
    punches_csv,
    roster_json,
)
from trainee_bench.meta_tasks.families.attendance.grading import (
    WEIGHTS,
    AttendanceTruth,
    figures_right,
    people_right,
    values_right,
)
from trainee_bench.meta_tasks.families.attendance.manual import (
    MANUAL_NAME,
    closure_contact,
    manual_text,
)
from trainee_bench.meta_tasks.families.attendance.oracle import evaluate_attendance
from trainee_bench.meta_tasks.families.attendance.policy import allows_corrections
from trainee_bench.meta_tasks.families.attendance.prompts import HINTS, objective, title
from trainee_bench.meta_tasks.families.attendance.published import parse_parameters
from trainee_bench.meta_tasks.families.attendance.query import (
    AttendanceQuery,
    AttendanceQueryType,
    DepartmentScope,
    PolicyLevel,
    RankingMetric,
    RankingMode,
)
from trainee_bench.meta_tasks.meta_task import (
    Checkpoint,
    Difficulty,
    Domain,
    GradingContext,
    MetaTask,
    PlannedEvent,
    Rule,
    TaskInstance,
    Verdict,
    checkpoint,
    declared_checkpoints,
)
from trainee_bench.meta_tasks.task_context import TaskContext
from trainee_bench.meta_tasks.tool_client import ToolClient
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.colleagues.referrals import ReferralPublished

CLOSURES = "closures"
_PERCENTS: tuple[Literal[5, 10, 15, 20], ...] = (5, 10, 15, 20)
_WHERE = "In the manual (what counts, and how), the punches, and what you were told to leave out."
_HOW = (
    "Count a day of one person by hand and compare with your way of counting; leave out the "
    "closure days before you add up."
)
_HARD_FROM_L3 = (
    AttendanceQueryType.EXTREME,
    AttendanceQueryType.TOP,
    AttendanceQueryType.REMOTE,
    AttendanceQueryType.PERFECT,
)


class Attendance(MetaTask[AttendanceTruth]):
    """An evaluation of a month's punches.

    ``department`` (or "all"), and for two of the types ``mode``, or ``percent`` and ``metric``,
    may be fixed by a scenario.
    """

    family: ClassVar[str] = "attendance"
    domain: ClassVar[Domain] = Domain.INFORMATION
    published_name: ClassVar[str] = "Attendance Statistics"

    type: AttendanceQueryType
    level: PolicyLevel
    department: DepartmentScope | None = None
    mode: RankingMode | None = None
    percent: Literal[5, 10, 15, 20] | None = None
    metric: RankingMetric | None = None

    @model_validator(mode="after")
    def _nothing_idle(self) -> Attendance:
        """Parameters of one type mean nothing to the others."""
        if self.mode is not None and self.type is not AttendanceQueryType.EXTREME:
            raise ValueError(f"mode belongs to {AttendanceQueryType.EXTREME}, not to {self.type}")
        if (self.percent or self.metric) and self.type is not AttendanceQueryType.TOP:
            raise ValueError(
                f"percent and metric belong to {AttendanceQueryType.TOP}, not to {self.type}"
            )
        return self

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """Nine types by five levels."""
        made = [
            cls(type=type, level=level) for type in AttendanceQueryType for level in PolicyLevel
        ]
        return tuple(Rule(one.rule_id, one.label, one) for one in made)

    @property
    def rule_id(self) -> str:
        """Such as ``attendance.total_absence_days.L3``."""
        return f"{self.family}.{self.type}.{self.level}"

    @property
    def label(self) -> Difficulty:
        """Flexible hours are hard, and so are lists of people once punches are made up."""
        hard = [PolicyLevel.L4, PolicyLevel.L5] + [PolicyLevel.L3] * (self.type in _HARD_FROM_L3)
        return Difficulty.HARD if self.level in hard else Difficulty.EASY

    @classmethod
    def from_published(cls, arguments: Mapping[str, JsonValue]) -> Attendance:
        """The evaluation an entry of the original's files means. Raises ValueError."""
        return cls.model_validate(parse_parameters(arguments))

    # the scene ------------------------------------------------------------------------

    def generate(self, context: TaskContext) -> TaskInstance[AttendanceTruth]:
        """Files on the drive, and somebody who knows the closure days."""
        question = self._question(context)
        drawn = draw_attendance_data(context, question, self.level)
        secret = context.secret_stream(CLOSURES)
        closed = secret.choice(drawn.closures)
        files = self._files(context, question, drawn)
        csv = next(path for path in files if path.endswith(".csv")).rpartition("/")[2]
        path = context.reserve_path(f"workspace:/{question.file_name}")
        clue = closure_clue(
            context.clue_id(CLOSURES),
            closure_contact(context.company, question.scope).id,
            question,
            drawn.sheet,
            closed,
            csv,
            secret,
        )
        days = drawn.sheet.days
        return TaskInstance(
            title=title(question, days),
            objective=objective(
                question,
                drawn.folder,
                path,
                deliverable_model(question),
                days,
                len(drawn.sheet.employees),
            ),
            truth=AttendanceTruth(path, question, compute_answer(question, drawn.sheet, closed)),
            hints=HINTS,
            clues=(clue,),
            events=(
                *(PlannedEvent(FileAppears(path=path, text=text)) for path, text in files.items()),
                PlannedEvent(_WHEREABOUTS),
            ),
            deliverable_paths=(path,),
            requester=context.employee.manager or "",
        )

    def _question(self, context: TaskContext) -> AttendanceQuery:
        """What is asked; what no scenario has fixed is drawn."""
        draws = context.stream("question")
        scope, mode = draws.choice(list(DepartmentScope)), draws.choice(list(RankingMode))
        percent, metric = draws.choice(_PERCENTS), draws.choice(list(RankingMetric))
        asked = AttendanceQuery(self.type, self.department or scope)
        if self.type is AttendanceQueryType.EXTREME:
            return replace(asked, mode=self.mode or mode)
        if self.type is AttendanceQueryType.TOP:
            return replace(asked, percent=self.percent or percent, metric=self.metric or metric)
        return asked

    def _files(
        self, context: TaskContext, question: AttendanceQuery, drawn: AttendanceData
    ) -> Mapping[str, str]:
        """What lies in the folder: text by path."""
        month, folder = drawn.month, drawn.folder
        made = allows_corrections(self.level)
        texts = {
            MANUAL_NAME: manual_text(
                context.company, question.scope, month.days[0], month.rules, made
            ),
            "staff_roster.json": roster_json(month.staff),
            f"attendance_{month.days[0]:%Y-%m}.csv": punches_csv(
                context.stream("odd punches"), month
            ),
        }
        if made:
            texts["approvals.json"] = approvals_json(month)
        return {context.reserve_path(f"{folder}/{name}"): text for name, text in texts.items()}

    @staticmethod
    async def oracle(client: ToolClient) -> None:
        """Read, ask, count."""
        await evaluate_attendance(client)

    # what is graded ---------------------------------------------------------------------

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The outcomes of this type, and having been told with the first of them."""
        declared = {mark.name: mark for mark in declared_checkpoints(Attendance)}
        weights = WEIGHTS[self.type].items()
        outcomes = [replace(declared[name], weight=weight) for name, weight in weights]
        return (*outcomes, replace(declared["told"], only_with=outcomes[0].name))

    @checkpoint(
        "The figures are right, with their control total",
        where=_WHERE,
        how=_HOW,
    )
    def figures_right(self, case: GradingContext[AttendanceTruth]) -> Verdict:
        """All figures together."""
        return figures_right(case, 0)

    @checkpoint(
        "The averages of late and early days are right, with the control total",
        where="In the manual: hours and grace of the department; closure days.",
        how="Compare each first in and last out with the department's own hours; divide by the "
        "number of employees on the roster.",
    )
    def days_right(self, case: GradingContext[AttendanceTruth]) -> Verdict:
        """The first figures of the statistics."""
        return figures_right(case, 0)

    @checkpoint(
        "Head-count, absent days, attendance rate and control total are right",
        where="In the roster, and in the manual: which days count, and when somebody is absent.",
        how="For each employee take the workdays of the month without the closure days of the "
        "department; each is a day present or an absent day.",
    )
    def presence_right(self, case: GradingContext[AttendanceTruth]) -> Verdict:
        """The other figures of the statistics."""
        return figures_right(case, 1)

    @checkpoint(
        "Exactly the employees asked for are listed",
        where="In the task: who is asked for, and what happens where several tie; in the manual: "
        "what counts, and what to leave out.",
        how="Leave out the closure days, count for everybody in question, then rank; list all "
        "who tie and nobody else, each once.",
    )
    def people_right(self, case: GradingContext[AttendanceTruth]) -> Verdict:
        """Precision and recall, by id and name."""
        return people_right(case)

    @checkpoint(
        "Each of them is listed with the right figures",
        where="In the manual: how days and minutes are counted.",
        how="Count the days of each person on your list once more by hand.",
    )
    def values_right(self, case: GradingContext[AttendanceTruth]) -> Verdict:
        """The figures of exactly the employees asked for."""
        return values_right(case)

    @checkpoint(
        "You were told the closure days",
        where="The manual's last part says who tells them; the chat has your conversations.",
        how="Ask that person in the chat for the closure days of the department and the month, "
        "wait a few minutes, and read the answer. If they ask back, answer them.",
    )
    def told(self, case: GradingContext[AttendanceTruth]) -> Verdict:
        """By the record of what was told."""
        told = case.clue_released_at(CLOSURES) is not None
        return Verdict(told, "you were told" if told else "nobody has told you")


_WHEREABOUTS = ReferralPublished(
    topic="attendance rules",
    asks=(
        "Where are the attendance rules?",
        "Which rules hold for counting attendance?",
        "Is there a manual for attendance?",
        "How are punches counted?",
        "When is somebody counted as late or absent?",
        "Where can I read how working hours and overtime are counted?",
    ),
    text=f"That is in the manual that lies beside the punches on the drive, {MANUAL_NAME} in the folder "
    "attendance.",
)
