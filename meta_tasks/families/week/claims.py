"""Expense claims are decided every day, by limits that are announced on Monday and change on
Wednesday.

Told once: the limits, in Monday's meeting. One of them changes by a mail on Wednesday, for that day
already. The claims of a day are in a file that the next day's replace, so Friday's report needs
what was noted on each day.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import time
from random import Random
from typing import ClassVar

from trainee_bench.meta_tasks.authoring import (
    Checkpoint,
    GradedPart,
    GradingContext,
    HiddenPart,
    Hints,
    PlannedEvent,
    TaskContext,
    TaskInstance,
    ToldPart,
    ToolClient,
    Verdict,
    hand_in,
    head_of,
    read_brief,
    read_text,
)
from trainee_bench.meta_tasks.families.week.claims_brief import (
    CHANGE_SUBJECT,
    CHANGED,
    CLAIMS,
    KINDS,
    OBJECTIVE,
    RULES,
    SAID,
    SUBJECT,
    ClaimsBrief,
    ClaimsReport,
    ExpenseClaim,
    ExpenseLimits,
    LimitChange,
)
from trainee_bench.meta_tasks.families.week.daily import DayDone, DutyDay, Mailed
from trainee_bench.meta_tasks.families.week.days import (
    FILES_COME,
    FRIDAY,
    MONDAY,
    WEDNESDAY,
    WEEKDAYS,
    at_clock,
    clock_by,
    gather,
    replaced_daily,
    said_clues,
    say_aloud,
    today,
    wait_for_clock,
    working_week,
)
from trainee_bench.meta_tasks.families.week.duty import (
    WeekDuty,
    each_day,
    fields_right,
    heard_in_meeting,
    mark,
)
from trainee_bench.meta_tasks.families.week.mails import DueMail, decision_lines
from trainee_bench.meta_tasks.families.week.people import draw_reader, draw_team
from trainee_bench.meta_tasks.work.achieving import MailSent
from trainee_bench.world.apps.mail import MailArrives

APPROVED, REJECTED = "approved", "rejected"
CLUE = "limits"
OPENINGS_OF_MAIL = (
    "Good morning, we have had to change something.",
    "A change from management that I pass on.",
    "Please note what follows before you decide anything today.",
)
CHANGE_COMES = time(11)
CHANGE_READ = time(11, 5)


@dataclass(frozen=True)
class ClaimsTruth:
    """The decisions by day, to whom they go, the mails, and the report."""

    decisions: tuple[Mapping[str, str], ...]
    approver: str
    mails: tuple[DueMail, ...]
    path: str
    report: ClaimsReport


def decide(claims: Iterable[ExpenseClaim], limits: ExpenseLimits) -> dict[str, str]:
    """The decision on each of *claims*, by its number."""
    return {
        one.claim: APPROVED if one.amount <= limits.of(one.kind) else REJECTED for one in claims
    }


def make_report(claims: Sequence[ExpenseClaim], decisions: Mapping[str, str]) -> ClaimsReport:
    """The report on all *claims* of a week, decided so."""
    paid = [one.amount for one in claims if decisions[one.claim] == APPROVED]
    return ClaimsReport(
        approved=len(paid), rejected=len(claims) - len(paid), approved_total=sum(paid)
    )


def _draw_claims(
    context: TaskContext, draws: Random, day: int, names: Sequence[str], change: LimitChange
) -> tuple[ExpenseClaim, ...]:
    """The claims of a day: two of each kind within what limits may be, and one that only the
    changed limit allows."""
    amounts = [(kind, draws.choice(around)) for kind, around in KINDS.items() for _ in range(2)]
    amounts.append((change.kind, draws.randrange(KINDS[change.kind].stop, change.limit + 1)))
    draws.shuffle(amounts)
    moment = context.week[day].starts.date()
    return tuple(
        ExpenseClaim(
            context.fresh_id("EXP", f"{day} {place}"), moment, draws.choice(names), kind, amount
        )
        for place, (kind, amount) in enumerate(amounts)
    )


# what is graded -------------------------------------------------------------------------------


def _decided(grading: GradingContext[ClaimsTruth], day: int) -> Verdict:
    truth, right = grading.truth, dict(grading.truth.decisions[day])
    return truth.mails[day].states_each(grading, truth.approver, right, "claims were decided")


def _reported(grading: GradingContext[ClaimsTruth]) -> Verdict:
    given = grading.read(grading.truth.path, ClaimsReport)
    return fields_right(grading, given, grading.truth.report)


class Claims(WeekDuty[ClaimsTruth]):
    """Decide each day's expense claims by the limits in force."""

    name: ClassVar[str] = "claims"
    policy_changes_on: ClassVar[int | None] = WEDNESDAY
    objective = OBJECTIVE
    rules = RULES
    hints: ClassVar[Hints] = Hints(
        strategy="The limits are said once and hold all week, but one of them changes. Write down "
        "what you hear, and each day what you decided and for how much: the claims are replaced.",
        where="In Monday's meeting, in the mails of the week, and in the file of each day.",
        how="Attend the meeting, note the limits in a file of your workspace, and decide each day "
        "after looking for mail. Keep the approved amounts of each day for Friday's report.",
    )

    def generate(self, context: TaskContext) -> TaskInstance[ClaimsTruth]:
        """Claims of five days, limits that are said, and one that changes."""
        working_week(context)
        context.claim("the week's expense claims")
        host = head_of(context.company, "Finance")
        department, _, team = draw_team(context, "claims", 6)
        approver = draw_reader(context, "approver", (host, *team))
        meeting = gather(context, "limits meeting", host, team[:5], (MONDAY,), 30)
        secret = context.secret_stream(CLUE)
        limits = ExpenseLimits(**{kind: secret.choice(around) for kind, around in KINDS.items()})
        draws = context.stream("claims")
        kind = draws.choice(tuple(KINDS))
        change = LimitChange(kind, KINDS[kind].stop + draws.randrange(8, 20))
        file = context.reserve_path("drive:/expenses/claims_of_the_day.csv")
        names = [person.name for person in team]
        days = [_draw_claims(context, draws, day, names, change) for day in range(5)]
        later = replace(limits, **{kind: change.limit})
        decisions = [
            decide(claims, limits if day < WEDNESDAY else later) for day, claims in enumerate(days)
        ]
        path, by = context.reserve_path("workspace:/claims_report.json"), clock_by(context, "by")
        brief = ClaimsBrief(
            department, file, approver.name, by, host.name, meeting.room, meeting.starts,
            meeting.ends, path, ClaimsReport,
        )  # fmt: skip
        said = [say_aloud(context, MONDAY, CLUE, SAID.render(limits))]
        mail = MailArrives(
            sender=host.id,
            to=(context.employee.id,),
            subject=CHANGE_SUBJECT,
            body=f"{draws.choice(OPENINGS_OF_MAIL)} {CHANGED.render(change)}",
        )
        texts = {day: CLAIMS.render(claims) for day, claims in enumerate(days)}
        decided = {id: word for one in decisions for id, word in one.items()}
        truth = ClaimsTruth(
            tuple(decisions),
            approver.id,
            tuple(DueMail(SUBJECT, at_clock(context, day, by)) for day in range(5)),
            path,
            make_report([one for claims in days for one in claims], decided),
        )
        return TaskInstance(
            ToldPart(
                title=f"The expense claims of {department}",
                objective=OBJECTIVE.render(brief),
                hints=self.hints,
                requester=host.id,
                deliverable_paths=(path,),
                must_know_by=meeting.known_by(context),
            ),
            HiddenPart(
                clues=said_clues(context, said),
                events=(
                    *replaced_daily(context, file, texts),
                    *meeting.events(context, f"{host.department}: expenses", said),
                    PlannedEvent(mail, at_clock(context, WEDNESDAY, CHANGE_COMES)),
                ),
            ),
            GradedPart(truth),
        )

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The decisions of each day, and the report."""
        daily = each_day(
            range(5),
            "On {day}, all claims of the day were decided by the limits in force, and mailed in "
            "time",
            _decided,
            needs="heard",
            where="The file of that day, Monday's meeting, and the mails that came until then.",
            how="Compare each amount with the limit of its kind, as it was on that day.",
        )
        report = mark(
            "report",
            "Friday's report counts the week's claims and adds up what was approved",
            _reported,
            weight=2,
            needs="heard",
            where="The files of five days, of which each replaced the one before.",
            how="Keep the numbers and amounts of each day; add them up on Friday.",
        )
        return (*daily, report, heard_in_meeting(CLUE, "report"))

    async def do(self, day: DutyDay[ClaimsBrief]) -> DayDone:
        """Decide by what is noted; note what Friday needs."""
        brief, today = day.brief, day.weekday
        if today == MONDAY:
            limits = await day.hear(brief.room, brief.starts, SAID)
        else:
            limits = ExpenseLimits(**{kind: await day.number(kind) for kind in KINDS})
        if today == WEDNESDAY:
            due = day.at(CHANGE_READ)
            change = await day.work(Mailed(CHANGE_SUBJECT, CHANGED, due))
            notes = await day.change(**{change.kind: change.limit})
            limits = ExpenseLimits(**{kind: int(str(notes[kind])) for kind in KINDS})
        claims = await day.rows(brief.file, CLAIMS)
        decisions = decide(claims, limits)
        own = make_report(claims, decisions)
        mail = MailSent((brief.approver,), SUBJECT, decision_lines(decisions))
        if today == FRIDAY:
            before = [ClaimsReport.model_validate(await day.noted(one)) for one in WEEKDAYS[:today]]
            return DayDone(mail, report=(brief.path, _sum([*before, own])))
        return DayDone(mail, {**asdict(limits), WEEKDAYS[today]: own.model_dump()})

    async def shortcut(self, client: ToolClient) -> None:
        """Approve everything."""
        brief = await read_brief(client, OBJECTIVE)
        await wait_for_clock(client, FILES_COME)
        claims = CLAIMS.parse(await read_text(client, brief.file))
        await _mail(client, brief, {one.claim: APPROVED for one in claims})
        if (await today(client)).weekday() == FRIDAY:
            approved = make_report(claims, {one.claim: APPROVED for one in claims})
            await hand_in(client, brief.path, _sum([approved] * 5))


async def _mail(client: ToolClient, brief: ClaimsBrief, decisions: Mapping[str, str]) -> None:
    await client.call(
        "mail_send", to=[brief.approver], subject=SUBJECT, body=decision_lines(decisions)
    )


def _sum(days: Sequence[ClaimsReport]) -> ClaimsReport:
    return ClaimsReport(
        approved=sum(one.approved for one in days),
        rejected=sum(one.rejected for one in days),
        approved_total=sum(one.approved_total for one in days),
    )
