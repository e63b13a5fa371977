"""Duties that take a whole week: a later day needs facts that somebody told only once before.

The desk shows all week which results are due and when. The facts to remember are announced in a
meeting, told by a person who leaves, mailed, or contained in a file that is replaced the next day.
Each duty has its own module; this module makes a family of them.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from trainee_bench.meta_tasks.authoring import (
    Checkpoint,
    Domain,
    MetaTask,
    Rule,
    SolverVariant,
    TaskContext,
    TaskInstance,
    ToolClient,
    ToolFailed,
    rules_of,
)
from trainee_bench.meta_tasks.authoring.solving import plain_objective
from trainee_bench.meta_tasks.families.week.appointment import Appointment
from trainee_bench.meta_tasks.families.week.budget import Budget
from trainee_bench.meta_tasks.families.week.claims import Claims
from trainee_bench.meta_tasks.families.week.duty import DailyDuty
from trainee_bench.meta_tasks.families.week.extract import Extract
from trainee_bench.meta_tasks.families.week.handover import Handover
from trainee_bench.meta_tasks.families.week.readings import CounterReadings
from trainee_bench.meta_tasks.families.week.rota import Rota
from trainee_bench.meta_tasks.tool_client import wait_for_task
from trainee_bench.meta_tasks.work.achieving import MailSent
from trainee_bench.meta_tasks.work.habits import Habit, around
from trainee_bench.meta_tasks.work.need import Work
from trainee_bench.meta_tasks.work.reading import Task

_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class OtherMails(Habit):
    """Sends different mails instead of the honest ones.

    *bodies* returns the texts to send in place of a mail's text, in this order. *subject* changes
    the subject.
    """

    bodies: Callable[[str], list[str]]
    subject: Callable[[str], str] = str
    name = "sends different mails"

    @around(MailSent)
    async def _sent(self, work: Work, need: MailSent, inner: Callable[[], Awaitable[None]]) -> None:
        for body in self.bodies(need.body):
            subject = self.subject(need.subject)
            await work.call("mail_send", to=[*need.to], subject=subject, body=body)


def _numbers_changed(body: str) -> str:
    return _NUMBER.sub(lambda found: str(int(found[0]) + 1).zfill(len(found[0])), body)


def _respelled(subject: str) -> str:
    return subject.upper().replace(" ", "\u2013")


def _politely(body: str) -> str:
    return f"Good afternoon,\n\n{body}\n\nBest regards,\nRobin Hale"


VARIANTS: tuple[tuple[str, bool, Habit], ...] = (
    ("wrong numbers in the mails", False, OtherMails(lambda body: [_numbers_changed(body)])),
    ("half of each mail", False, OtherMails(lambda body: [body[: len(body) // 2]])),
    ("a wrong subject", False, OtherMails(lambda body: [body], lambda subject: f"FYI {subject}")),
    ("right mails, then wrong ones", False, OtherMails(lambda own: [own, _numbers_changed(own)])),
    ("polite mails", True, OtherMails(lambda body: [_politely(body)])),
    ("each mail twice", True, OtherMails(lambda body: [body, body])),
    ("wrong mails, then right ones", True, OtherMails(lambda own: [_numbers_changed(own), own])),
    ("subjects spelled differently", True, OtherMails(lambda body: [body], _respelled)),
)
"""The name of each variant, whether it is harmless, and its habit."""


class DutyName(StrEnum):
    """The names of the duties."""

    READINGS = "readings"
    CLAIMS = "claims"
    BUDGET = "budget"
    ROTA = "rota"
    HANDOVER = "handover"
    EXTRACT = "extract"
    APPOINTMENT = "appointment"


DUTIES: Mapping[DutyName, DailyDuty[Any, Any]] = {
    DutyName(duty.name): duty
    for duty in (
        CounterReadings(), Claims(), Budget(), Rota(), Handover(), Extract(), Appointment(),
    )
}  # fmt: skip


class Week(MetaTask[Any]):
    """Perform a duty for a whole week, and remember facts from earlier days."""

    family = "week"
    domain = Domain.TIME
    whole_week = True

    duty: DutyName

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """One rule per duty, all of them hard."""
        return rules_of((cls(duty=name) for name in DutyName), hard=lambda rule: True)

    @property
    def rule_id(self) -> str:
        """The rule's id, such as ``week.claims``."""
        return f"{self.family}.{self.duty}"

    @property
    def repetition_works(self) -> str:
        """The duty's reason."""
        return DUTIES[self.duty].repetition_works

    @property
    def policy_changes_on(self) -> int | None:
        """The day on which the duty's policy changes, if any."""
        return DUTIES[self.duty].policy_changes_on

    def generate(self, context: TaskContext) -> TaskInstance[Any]:
        """Generate the duty's instance. Raises CompositionError unless the week has five days."""
        return DUTIES[self.duty].generate(context)

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The duty's checkpoints."""
        return DUTIES[self.duty].checkpoints()

    @classmethod
    def solver_variants(cls) -> tuple[SolverVariant, ...]:
        """Variants whose mails differ from honest ones, in something relevant or irrelevant."""
        return tuple(
            SolverVariant(name, harmless, cls.honest_work, (habit,))
            for name, harmless, habit in VARIANTS
        )

    @staticmethod
    async def honest_work(work: Work, task: str) -> None:
        """Do what the duty on the desk asks for today. The work starts again each morning."""
        stated = plain_objective((await work(Task(task))).objective)
        await _stated_duty(stated).honest_work(work, task)

    @staticmethod
    async def shortcut(client: ToolClient) -> None:
        """Act like a worker who neither listens nor asks."""
        stated = plain_objective(str((await wait_for_task(client))["objective"]))
        await _stated_duty(stated).shortcut(client)


def _stated_duty(stated: str) -> DailyDuty[Any, Any]:
    """The duty whose objective *stated* is. Raises ToolFailed if no duty has this text."""
    for duty in DUTIES.values():
        try:
            duty.desk.wording.parse(stated)
        except ValueError:
            continue
        return duty
    raise ToolFailed("the desk states no duty of the week")
