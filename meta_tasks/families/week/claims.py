"""Expense claims are decided every day, by limits that are announced on Monday and change on
Wednesday.

Told once: the limits, in Monday's meeting. One of them changes by a mail on Wednesday, for that day
already. The claims of a day are in a file that the next day's replace, so Friday's report needs
what was noted on each day.
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
"""Within what the limits that are announced lie."""


class ClaimsReport(Deliverable):
    """Friday's report."""

    approved: int = Field(description="how many claims of the week were approved")
    rejected: int = Field(description="how many were rejected")
    approved_total: int = Field(description="the amounts of all approved claims together, in EUR")


@dataclass(frozen=True)
class ExpenseLimits:
    """The most that is paid for a claim of each kind, in whole euros."""

    meals: int
    taxi: int
    hotel: int


@dataclass(frozen=True)
class LimitChange:
    """The new limit of one kind."""

    kind: str
    limit: int


class _LimitMail(ByMail[LimitChange]):
    """The new limit takes the place of the noted one."""

    def note(self, value: LimitChange) -> Notes:
        """It is called like its kind."""
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
        "The limit for {kind} is EUR {limit} now, for today's claims already. The other limits "
        "stay as they are.",
        {"kind": one_of({kind: kind for kind in KINDS})},
    ),
    time(11),
    "Another limit for expenses",
)
OPENINGS_OF_MAIL = (
    "Good morning, we have had to change something.",
    "A change from management that I pass on.",
    "Please note what follows before you decide anything today.",
)


@dataclass(frozen=True)
class ExpenseClaim:
    """A claim: its number, who made it, for what kind of expense, and how much in whole euros."""

    claim: str
    day: date
    name: str
    kind: str
    amount: int


def _draw_claims(
    scene: MeetingScene, draws: Random, day: int, change: LimitChange
) -> list[ExpenseClaim]:
    """The claims of a day: two of each kind within what limits may be, and one that only the
    changed limit allows."""
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
        "Monday to Friday, the claims [of the day replace those of the day before in] {file}. "
        'Each day by {by}, mail {recipient}, with the subject "{subject}", a line for each of '
        "the day's claims, [with its number, a colon, and approved or rejected. The last mail of "
        "the day counts.] A claim is approved [if its amount is not above the limit for its kind "
        "that is in force on that day.] {host} announces the limits in Monday's meeting "
        "{meeting}, and nowhere else; [changes are announced by mail.]",
        ClaimsReport,
    )
    hints = Hints(
        strategy="The limits are said once and hold all week, but one of them changes. Write down "
        "what you hear, and each day what you decided and for how much: the claims are replaced.",
        where="In Monday's meeting, in the mails of the week, and in the file of each day.",
        how="Attend the meeting, note the limits in a file of your workspace, and decide each day "
        "after looking for mail. Keep the approved amounts of each day for Friday's report.",
    )

    def host_of(self, context: TaskContext, head: Person) -> Person:
        """Limits are announced by Finance."""
        return head_of(context.company, "Finance")

    def draw_week(self, scene: MeetingScene) -> Drawn:
        """Claims of five days, limits that are said, and one that changes."""
        secret = scene.context.secret_stream(LIMITS.clue)
        limits = ExpenseLimits(**{kind: secret.choice(around) for kind, around in KINDS.items()})
        draws = scene.context.stream("claims")
        kind = draws.choice(tuple(KINDS))
        change = LimitChange(kind, KINDS[kind].stop + draws.randrange(8, 20))
        rows = {day: _draw_claims(scene, draws, day, change) for day in range(5)}
        mail = CHANGE.event(scene.context, scene.host, change, draws.choice(OPENINGS_OF_MAIL))
        return Drawn({LIMITS: limits, CHANGE: change}, rows, (mail,))

    def result(self, today: Today[MeetingBrief, ExpenseClaim]) -> WorkOfDay:
        """Decisions by the limits in force, and what they come to."""
        limits = {kind: today.number(kind) for kind in KINDS}
        decisions = {
            one.claim: APPROVED if one.amount <= limits[one.kind] else REJECTED
            for one in today.rows
        }
        paid = [one.amount for one in today.rows if decisions[one.claim] == APPROVED]
        own = ClaimsReport(
            approved=len(paid), rejected=len(decisions) - len(paid), approved_total=sum(paid)
        )
        return WorkOfDay(decisions, own.model_dump())

    def report(self, friday: Today[MeetingBrief, ExpenseClaim]) -> ClaimsReport:
        """The sums over the days."""
        return ClaimsReport(**friday.totals())

    def guess(self, today: Today[MeetingBrief, ExpenseClaim]) -> Notes:
        """Everything is approved."""
        most = max(one.amount for one in today.rows)
        return dict.fromkeys(KINDS, most)

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The decisions of each day, and the report."""
        daily = each_day(
            range(5),
            "On {day}, all claims of the day were decided by the limits in force, and mailed in "
            "time",
            "claims were decided",
            only_after="heard",
            where="The file of that day, Monday's meeting, and the mails that came until then.",
            how="Compare each amount with the limit of its kind, as it was on that day.",
        )
        report = reported(
            "Friday's report counts the week's claims and adds up what was approved",
            only_after="heard",
            where="The files of five days, of which each replaced the one before.",
            how="Keep the numbers and amounts of each day; add them up on Friday.",
        )
        return (*daily, report, heard_in_meeting(LIMITS.clue, "report"))
