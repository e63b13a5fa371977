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

from meta_tasks.families.attendance.answers import answer
from meta_tasks.families.attendance.asked import Level, Metric, Mode, Question, Scope, Type
from meta_tasks.families.attendance.closures import closure_clue
from meta_tasks.families.attendance.drawing import Drawn, draw_instance
from meta_tasks.families.attendance.grading import (
    WEIGHTS,
    Expected,
    figures_right,
    people_right,
    values_right,
)
from meta_tasks.families.attendance.manual import NAME, keeper, manual
from meta_tasks.families.attendance.objective import HINTS, objective, title
from meta_tasks.families.attendance.oracle import evaluate
from meta_tasks.families.attendance.papers import approvals, punches, roster
from meta_tasks.families.attendance.policy import makes_up
from meta_tasks.families.attendance.published import parameters
from meta_tasks.families.attendance.reports import model_of
from meta_tasks.hands import Hands
from meta_tasks.meta_task import (
    Case,
    Checkpoint,
    Domain,
    Label,
    MetaTask,
    Planned,
    Rule,
    Scene,
    Verdict,
    checkpoint,
    declared_checkpoints,
)
from meta_tasks.stage import Stage
from world.apps.files import FileAppears
from world.referral import Referral

CLOSURES = "closures"
_PERCENTS: tuple[Literal[5, 10, 15, 20], ...] = (5, 10, 15, 20)
_WHERE = "In the manual (what counts, and how), the punches, and what you were told to leave out."
_HOW = (
    "Count a day of one person by hand and compare with your way of counting; leave out the "
    "closure days before you add up."
)
_HARD_FROM_L3 = (Type.EXTREME, Type.TOP, Type.REMOTE, Type.PERFECT)


class Attendance(MetaTask[Expected]):
    """An evaluation of a month's punches.

    ``department`` (or "all"), and for two of the types ``mode``, or ``percent`` and ``metric``,
    may be fixed by a scenario.
    """

    family: ClassVar[str] = "attendance"
    domain: ClassVar[Domain] = Domain.INFORMATION
    published_name: ClassVar[str] = "Attendance Statistics"

    type: Type
    level: Level
    department: Scope | None = None
    mode: Mode | None = None
    percent: Literal[5, 10, 15, 20] | None = None
    metric: Metric | None = None

    @model_validator(mode="after")
    def _nothing_idle(self) -> Attendance:
        """Parameters of one type mean nothing to the others."""
        if self.mode is not None and self.type is not Type.EXTREME:
            raise ValueError(f"mode belongs to {Type.EXTREME}, not to {self.type}")
        if (self.percent or self.metric) and self.type is not Type.TOP:
            raise ValueError(f"percent and metric belong to {Type.TOP}, not to {self.type}")
        return self

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """Nine types by five levels."""
        made = [cls(type=type, level=level) for type in Type for level in Level]
        return tuple(Rule(one.rule_id, one.label, one) for one in made)

    @property
    def rule_id(self) -> str:
        """Such as ``attendance.total_absence_days.L3``."""
        return f"{self.family}.{self.type}.{self.level}"

    @property
    def label(self) -> Label:
        """Flexible hours are hard, and so are lists of people once punches are made up."""
        hard = [Level.L4, Level.L5] + [Level.L3] * (self.type in _HARD_FROM_L3)
        return Label.HARD if self.level in hard else Label.EASY

    @classmethod
    def from_published(cls, arguments: Mapping[str, JsonValue]) -> Attendance:
        """The evaluation an entry of the original's files means. Raises ValueError."""
        return cls.model_validate(parameters(arguments))

    # the scene ------------------------------------------------------------------------

    def scene(self, stage: Stage) -> Scene[Expected]:
        """Files on the drive, and somebody who knows the closure days."""
        question = self._question(stage)
        drawn = draw_instance(stage, question, self.level)
        secret = stage.secret(CLOSURES)
        closed = secret.choice(drawn.closures)
        files = self._files(stage, question, drawn)
        csv = next(path for path in files if path.endswith(".csv")).rpartition("/")[2]
        path = stage.file(f"workspace:/{question.file_name}")
        clue = closure_clue(
            stage.clue_id(CLOSURES),
            keeper(stage.company, question.scope).id,
            question,
            drawn.sheet,
            closed,
            csv,
            secret,
        )
        days = drawn.sheet.days
        return Scene(
            title=title(question, days),
            objective=objective(
                question,
                drawn.folder,
                path,
                model_of(question),
                days,
                len(drawn.sheet.employees),
            ),
            truth=Expected(path, question, answer(question, drawn.sheet, closed)),
            hints=HINTS,
            clues=(clue,),
            events=(
                *(Planned(FileAppears(path=path, text=text)) for path, text in files.items()),
                Planned(_WHEREABOUTS),
            ),
            outputs=(path,),
            requester=stage.employee.manager or "",
        )

    def _question(self, stage: Stage) -> Question:
        """What is asked; what no scenario has fixed is drawn."""
        draws = stage.stream("question")
        scope, mode = draws.choice(list(Scope)), draws.choice(list(Mode))
        percent, metric = draws.choice(_PERCENTS), draws.choice(list(Metric))
        asked = Question(self.type, self.department or scope)
        if self.type is Type.EXTREME:
            return replace(asked, mode=self.mode or mode)
        if self.type is Type.TOP:
            return replace(asked, percent=self.percent or percent, metric=self.metric or metric)
        return asked

    def _files(self, stage: Stage, question: Question, drawn: Drawn) -> Mapping[str, str]:
        """What lies in the folder: text by path."""
        month, folder = drawn.month, drawn.folder
        made = makes_up(self.level)
        texts = {
            NAME: manual(stage.company, question.scope, month.days[0], month.rules, made),
            "staff_roster.json": roster(month.staff),
            f"attendance_{month.days[0]:%Y-%m}.csv": punches(stage.stream("odd punches"), month),
        }
        if made:
            texts["approvals.json"] = approvals(month)
        return {stage.file(f"{folder}/{name}"): text for name, text in texts.items()}

    @staticmethod
    async def oracle(hands: Hands) -> None:
        """Read, ask, count."""
        await evaluate(hands)

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
    def figures_right(self, case: Case[Expected]) -> Verdict:
        """All figures together."""
        return figures_right(case, 0)

    @checkpoint(
        "The averages of late and early days are right, with the control total",
        where="In the manual: hours and grace of the department; closure days.",
        how="Compare each first in and last out with the department's own hours; divide by the "
        "number of employees on the roster.",
    )
    def days_right(self, case: Case[Expected]) -> Verdict:
        """The first figures of the statistics."""
        return figures_right(case, 0)

    @checkpoint(
        "Head-count, absent days, attendance rate and control total are right",
        where="In the roster, and in the manual: which days count, and when somebody is absent.",
        how="For each employee take the workdays of the month without the closure days of the "
        "department; each is a day present or an absent day.",
    )
    def presence_right(self, case: Case[Expected]) -> Verdict:
        """The other figures of the statistics."""
        return figures_right(case, 1)

    @checkpoint(
        "Exactly the employees asked for are listed",
        where="In the task: who is asked for, and what happens where several tie; in the manual: "
        "what counts, and what to leave out.",
        how="Leave out the closure days, count for everybody in question, then rank; list all "
        "who tie and nobody else, each once.",
    )
    def people_right(self, case: Case[Expected]) -> Verdict:
        """Precision and recall, by id and name."""
        return people_right(case)

    @checkpoint(
        "Each of them is listed with the right figures",
        where="In the manual: how days and minutes are counted.",
        how="Count the days of each person on your list once more by hand.",
    )
    def values_right(self, case: Case[Expected]) -> Verdict:
        """The figures of exactly the employees asked for."""
        return values_right(case)

    @checkpoint(
        "You were told the closure days",
        where="The manual's last part says who tells them; the chat has your conversations.",
        how="Ask that person in the chat for the closure days of the department and the month, "
        "wait a few minutes, and read the answer. If they ask back, answer them.",
    )
    def told(self, case: Case[Expected]) -> Verdict:
        """By the record of what was told."""
        told = case.released(CLOSURES) is not None
        return Verdict(told, "you were told" if told else "nobody has told you")


_WHEREABOUTS = Referral(
    topic="attendance rules",
    asks=(
        "Where are the attendance rules?",
        "Which rules hold for counting attendance?",
        "Is there a manual for attendance?",
        "How are punches counted?",
        "When is somebody counted as late or absent?",
        "Where can I read how working hours and overtime are counted?",
    ),
    text=f"That is in the manual that lies beside the punches on the drive, {NAME} in the folder "
    "attendance.",
)
