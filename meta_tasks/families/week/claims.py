"""Expense claims are decided every day, by limits that are announced once and change on Wednesday.

Told once: the limits, in Monday's meeting. On Wednesday a mail changes one of them, starting with
that day's claims. Each day's claims replace the previous day's, so Friday's report needs notes of
every day.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time
from random import Random

from pydantic import Field

from trainee_bench.meta_tasks.authoring import (
    Checkpoint,
    CsvFile,
    Deliverable,
    Hints,
    TaskContext,
    TextTemplate,
    head_of,
    one_of,
)
from trainee_bench.meta_tasks.families.week.daily import Notes, Today, WorkOfDay
from trainee_bench.meta_tasks.families.week.days import MONDAY, WEDNESDAY
from trainee_bench.meta_tasks.families.week.desk import DeskText, MeetingBrief
from trainee_bench.meta_tasks.families.week.marks import each_day, heard_in_meeting, reported
from trainee_bench.meta_tasks.families.week.meeting_duty import Drawn, MeetingDuty, MeetingScene
from trainee_bench.meta_tasks.families.week.telling import Aloud, ByMail
from trainee_bench.world.company.people import Person

APPROVED, REJECTED = "approved", "rejected"
KINDS = {"meals": range(24, 56), "taxi": range(30, 62), "hotel": range(95, 160)}
"""The range of the announced limit for each kind of expense, in EUR."""


class ClaimsReport(Deliverable):
    """Friday's report."""

    approved: int = Field(description="how many of the week's claims were approved")
    rejected: int = Field(description="how many were rejected")
    approved_total: int = Field(description="the sum of all approved claims, in EUR")


@dataclass(frozen=True)
class ExpenseLimits:
    """The largest amount that is paid for a claim of each kind, in whole euros."""

    meals: int
    taxi: int
    hotel: int


@dataclass(frozen=True)
class LimitChange:
    """A kind of expense and its new limit, in whole euros."""

    kind: str
    limit: int


class _LimitMail(ByMail[LimitChange]):
    """The mail with the new limit, which replaces the noted one."""

    def note(self, value: LimitChange) -> Notes:
        """The new limit, named by its kind."""
        return {value.kind: value.limit}


LIMITS = Aloud(
    MONDAY,
    TextTemplate(
        ExpenseLimits,
        "From today on we pay at most EUR {meals} for meals, EUR {taxi} for a taxi and EUR {hotel} "
        "for a night in a hotel.",
    ),
    "limits",
)
CHANGE = _LimitMail(
    WEDNESDAY,
    TextTemplate(
        LimitChange,
        "The limit for {kind} is now EUR {limit}, starting with today's claims. The other limits "
        "stay the same.",
        {"kind": one_of({kind: kind for kind in KINDS})},
    ),
    time(11),
    "A change to the expense limits",
)
OPENINGS_OF_MAIL = (
    "Good morning, we have had to change something.",
    "I am passing on a change from management.",
    "Please read this before you decide anything today.",
)


@dataclass(frozen=True)
class ExpenseClaim:
    """An expense claim; *name* is the person who made it, *amount* is in whole euros."""

    claim: str
    day: date
    name: str
    kind: str
    amount: int


def _draw_claims(
    scene: MeetingScene, draws: Random, day: int, change: LimitChange
) -> list[ExpenseClaim]:
    """Draw the claims of a day.

    Two of each kind are in the range of possible limits, and one is allowed only by the changed
    limit.
    """
    amounts = [(kind, draws.choice(around)) for kind, around in KINDS.items() for _ in range(2)]
    amounts.append((change.kind, draws.randrange(KINDS[change.kind].stop, change.limit + 1)))
    draws.shuffle(amounts)
    names = [person.name for person in scene.team]
    cells = ((draws.choice(names), kind, amount) for kind, amount in amounts)
    return scene.rows(ExpenseClaim, "EXP", day, cells)


class Claims(MeetingDuty[MeetingBrief, ExpenseClaim]):
    """Decide each day's expense claims by the limits in force."""

    name = "claims"
    taken = "the week's expense claims"
    policy_changes_on = WEDNESDAY
    title = "The expense claims of {brief.department}"
    people, meeting, reader, topic = "claims", "limits meeting", "approver", "expenses"
    report_path = "workspace:/claims_report.json"
    file = CsvFile(ExpenseClaim, ("claim", "date", "name", "kind", "amount_eur"))
    file_path = "drive:/expenses/claims_of_the_day.csv"
    tellings = (LIMITS, CHANGE)
    subject = "Expense claims"
    desk = DeskText(
        MeetingBrief,
        "[This week you decide the expense claims of] {department}. Every morning at 09:00, from "
        "Monday to Friday, [that day's claims replace the previous day's in] {file}. Each day by "
        '{by}, mail {recipient} your decisions, with the subject "{subject}". [Write one line for '
        "each of the day's claims: its number, a colon, and approved or rejected. The last mail of "
        "the day counts.] [Approve a claim if its amount is not above the limit for its kind that "
        "applies on that day.] {host} announces the limits only in Monday's meeting {meeting}. "
        "[Changes are announced by mail.]",
        ClaimsReport,
    )
    hints = Hints(
        strategy="The limits are announced once for the whole week, but one of them changes. Write "
        "down what you hear. Each day, also write down your decisions and their amounts, because "
        "the claims are replaced.",
        where="In Monday's meeting, in the week's mails, and in each day's file.",
        how="Attend the meeting, note the limits in a file in your workspace, and check your mail "
        "each day before you decide. Note each day's approved amounts for Friday's report.",
    )

    def host_of(self, context: TaskContext, head: Person) -> Person:
        """The head of Finance, who announces the limits."""
        return head_of(context.company, "Finance")

    def draw_week(self, scene: MeetingScene) -> Drawn:
        """Draw the claims of five days, the limits, and the change of one limit."""
        secret = scene.context.secret_stream(LIMITS.clue)
        limits = ExpenseLimits(**{kind: secret.choice(around) for kind, around in KINDS.items()})
        draws = scene.context.stream("claims")
        kind = draws.choice(tuple(KINDS))
        change = LimitChange(kind, KINDS[kind].stop + draws.randrange(8, 20))
        rows = {day: _draw_claims(scene, draws, day, change) for day in range(5)}
        mail = CHANGE.event(scene.context, scene.host, change, draws.choice(OPENINGS_OF_MAIL))
        return Drawn({LIMITS: limits, CHANGE: change}, rows, (mail,))

    def result(self, today: Today[MeetingBrief, ExpenseClaim]) -> WorkOfDay:
        """Decide the claims by the limits that apply today, and count them."""
        limits = {kind: today.number(kind) for kind in KINDS}
        decisions = {
            claim.claim: APPROVED if claim.amount <= limits[claim.kind] else REJECTED
            for claim in today.rows
        }
        paid = [claim.amount for claim in today.rows if decisions[claim.claim] == APPROVED]
        own = ClaimsReport(
            approved=len(paid), rejected=len(decisions) - len(paid), approved_total=sum(paid)
        )
        return WorkOfDay(decisions, own.model_dump())

    def report(self, friday: Today[MeetingBrief, ExpenseClaim]) -> ClaimsReport:
        """The week's sums."""
        return ClaimsReport(**friday.totals())

    def guess(self, today: Today[MeetingBrief, ExpenseClaim]) -> Notes:
        """Assume limits that allow everything."""
        most = max(claim.amount for claim in today.rows)
        return dict.fromkeys(KINDS, most)

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Each day's decisions, the report, and Monday's meeting."""
        daily = each_day(
            range(5),
            "On {day}, you decided all of the day's claims by the limits that applied, and mailed "
            "them in time",
            "claims were decided",
            only_after="heard",
            where="That day's file, Monday's meeting, and the mails that arrived by then.",
            how="Compare each amount with the limit for its kind on that day.",
        )
        report = reported(
            "Friday's report has the right counts of the week's claims and the right sum of the "
            "approved ones",
            only_after="heard",
            where="The files of all five days, each of which replaced the one before.",
            how="Note each day's counts and amounts, and add them up on Friday.",
        )
        return (*daily, report, heard_in_meeting(LIMITS.clue, "report"))
