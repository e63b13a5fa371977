"""Duties that take a whole week: what is said on one day is needed on another, and said once.

The desk says all week what has to be delivered and when. What has to be remembered is said aloud in
a meeting, told by somebody who leaves, mailed, or stands in a file that the next day replaces.
Each duty is a module of its own; this one makes a family of them.
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
    """Sends other mails than honest work asks for: *bodies* of a mail's text, in this order, under
    another *subject*."""

    bodies: Callable[[str], list[str]]
    subject: Callable[[str], str] = str
    name = "sends other mails"

    @around(MailSent)
    async def _sent(self, work: Work, need: MailSent, inner: Callable[[], Awaitable[None]]) -> None:
        for body in self.bodies(need.body):
            subject = self.subject(need.subject)
            await work.call("mail_send", to=[*need.to], subject=subject, body=body)


def _numbers_changed(body: str) -> str:
    return _NUMBER.sub(lambda found: str(int(found[0]) + 1).zfill(len(found[0])), body)


def _respelt(subject: str) -> str:
    return subject.upper().replace(" ", "\u2013")


def _politely(body: str) -> str:
    return f"Good afternoon,\n\n{body}\n\nBest regards,\nRobin Hale"


VARIANTS: tuple[tuple[str, bool, Habit], ...] = (
    ("other numbers in the mails", False, OtherMails(lambda body: [_numbers_changed(body)])),
    ("half of each mail", False, OtherMails(lambda body: [body[: len(body) // 2]])),
    ("another subject", False, OtherMails(lambda body: [body], lambda subject: f"FYI {subject}")),
    ("right mails, then wrong ones", False, OtherMails(lambda b: [b, _numbers_changed(b)])),
    ("polite mails", True, OtherMails(lambda body: [_politely(body)])),
    ("each mail twice", True, OtherMails(lambda body: [body, body])),
    ("wrong mails, then right ones", True, OtherMails(lambda b: [_numbers_changed(b), b])),
    ("subjects spelt otherwise", True, OtherMails(lambda body: [body], _respelt)),
)
"""Name, whether it is harmless, and the habit of whoever works so."""


class DutyName(StrEnum):
    """What a duty is called."""

    READINGS = "readings"
    CLAIMS = "claims"
    BUDGET = "budget"
    ROTA = "rota"
    HANDOVER = "handover"
    EXTRACT = "extract"
    APPOINTMENT = "appointment"


DUTIES: Mapping[DutyName, DailyDuty[Any, Any]] = {
    DutyName(one.name): one
    for one in (
        CounterReadings(), Claims(), Budget(), Rota(), Handover(), Extract(), Appointment(),
    )
}  # fmt: skip


class Week(MetaTask[Any]):
    """Keep a duty over a whole week, remembering what was said on the days before."""

    family = "week"
    domain = Domain.TIME
    whole_week = True

    duty: DutyName

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """One for each duty, all of them hard."""
        return rules_of((cls(duty=name) for name in DutyName), hard=lambda one: True)

    @property
    def rule_id(self) -> str:
        """Such as ``week.claims``."""
        return f"{self.family}.{self.duty}"

    @property
    def policy_changes_on(self) -> int | None:
        """The duty's."""
        return DUTIES[self.duty].policy_changes_on

    def generate(self, context: TaskContext) -> TaskInstance[Any]:
        """The duty's instance. Raises CompositionError for a week that has not five days."""
        return DUTIES[self.duty].generate(context)

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The duty's."""
        return DUTIES[self.duty].checkpoints()

    @classmethod
    def solver_variants(cls) -> tuple[SolverVariant, ...]:
        """Mails that differ from honest ones in what matters, or in what does not."""
        return tuple(
            SolverVariant(name, harmless, cls.honest_work, (habit,))
            for name, harmless, habit in VARIANTS
        )

    @staticmethod
    async def honest_work(work: Work, task: str) -> None:
        """Do what the duty on the desk asks for today; the work begins anew each morning."""
        stated = plain_objective((await work(Task(task))).objective)
        await _stated_duty(stated).honest_work(work, task)

    @staticmethod
    async def shortcut(client: ToolClient) -> None:
        """What somebody does who neither listens nor asks."""
        stated = plain_objective(str((await wait_for_task(client))["objective"]))
        await _stated_duty(stated).shortcut(client)


def _stated_duty(stated: str) -> DailyDuty[Any, Any]:
    """The duty that the desk states. Raises ToolFailed for a text that no duty has."""
    for duty in DUTIES.values():
        try:
            duty.desk.wording.parse(stated)
        except ValueError:
            continue
        return duty
    raise ToolFailed("the desk states no duty of the week")
