"""Other ways of working a mail or a meeting: harmless ones pass, plausible mistakes must fail."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from trainee_bench.meta_tasks.meta_task import SolverVariant
from trainee_bench.meta_tasks.offices.hand_ins import ANY, SMALLEST
from trainee_bench.meta_tasks.offices.honest_booking import HONEST, MeetingDraft
from trainee_bench.meta_tasks.offices.honest_way import HonestPlan
from trainee_bench.meta_tasks.offices.placeholders import PLACEHOLDER
from trainee_bench.meta_tasks.offices.task_file import MailHandIn
from trainee_bench.world.company.people import Company

_OUTSIDER = "somebody.else@elsewhere.example"


def mail_variants(
    plan: HonestPlan,
    mail: MailHandIn,
    wrong: tuple[str, ...],
    company: Company,
    computed: Collection[str],
) -> Iterator[SolverVariant]:
    """Yield the ways to write the mail: the author's wrong texts, other recipients, parts left
    out, and each *computed* value of its statements wrong or among many."""
    other = _somebody_else(plan, mail, company)
    text = mail.text
    yield _mail(plan, "a greeting and a signature", True, text=f"Hello,\n\n{text}\n\nKind regards")
    yield _mail(plan, "the text in one line", True, text=" ".join(text.split()))
    yield _mail(plan, "a line of thanks", True, text=f"{text}\nThank you for your patience.")
    yield _mail(plan, "spaces around the lines", True, text=text.replace("\n", "  \n  "))
    if mail.replies_to is None:
        yield _mail(plan, "the subject in capitals", True, subject=plan.subject.upper())
    else:
        yield _mail(plan, "the subject without Re", True, subject=plan.subject.removeprefix("Re: "))
        yield SolverVariant("sent as a new mail", True, replace(plan, answered="").work)
    for number, mistake in enumerate(wrong, 1):
        yield _mail(plan, f"wrong text {number}", False, text=mistake)
    yield _mail(plan, "a copy to somebody else", False, cc=(*mail.cc, other))
    yield _mail(plan, "sent to somebody else", False, to=(other,))
    yield _mail(plan, "another subject", False, subject="An answer")
    yield _mail(plan, "no facts", False, text="Thank you. We will look into it.")
    yield _mail(plan, "not submitted by mail", False, sends=False)
    for name in computed:
        yield SolverVariant(f"another {name}", False, replace(plan, mistaken=name).work)
        yield SolverVariant(f"every {name} of the files", False, replace(plan, hedged=name).work)
    for number in range(len(mail.cc)):
        copies = mail.cc[:number] + mail.cc[number + 1 :]
        yield _mail(plan, f"without copy {number + 1}", False, cc=copies)


def _somebody_else(plan: HonestPlan, mail: MailHandIn, company: Company) -> str:
    """Return somebody who does not get the mail; an outside address if code computes who does."""
    involved = {*mail.to, *mail.cc, plan.reply_to}
    if any(map(PLACEHOLDER.search, involved)):
        return _OUTSIDER
    return next(p.name for p in company.people if not {p.name, p.id, p.email} & involved)


def _mail(
    plan: HonestPlan,
    name: str,
    harmless: bool,
    *,
    text: str = "",
    cc: tuple[str, ...] | None = None,
    to: tuple[str, ...] = (),
    subject: str = "",
    sends: bool = True,
) -> SolverVariant:
    mail = plan.hand_in.mail
    assert mail is not None, "the result is a mail"
    changes: dict[str, object] = {"text": text} if text else {}
    changes |= {"cc": cc} if cc is not None else {}
    changes |= {"to": to} if to else {}
    hand_in = plan.hand_in.model_copy(update={"mail": mail.model_copy(update=changes)})
    changed = replace(
        plan,
        hand_in=hand_in,
        subject=subject or plan.subject,
        reply_to="" if to else plan.reply_to,
        answered="" if to or subject else plan.answered,
        sends=sends,
    )
    return SolverVariant(name, harmless, changed.work)


def meeting_variants(plan: HonestPlan) -> Iterator[SolverVariant]:
    """Yield the ways to book the meeting: other people, lengths, times, rooms and titles."""
    meeting = plan.hand_in.meeting
    assert meeting is not None, "the result is a meeting"
    people = meeting.with_

    def variant(name: str, harmless: bool, draft: MeetingDraft, **changes: object) -> SolverVariant:
        changed = plan.hand_in.model_copy(update={"meeting": meeting.model_copy(update=changes)})
        return SolverVariant(name, harmless, replace(plan, hand_in=changed, draft=draft).work)

    yield variant("an agenda", True, MeetingDraft(agenda="As asked."))
    yield variant("a quarter of an hour later", True, MeetingDraft(later=15))
    yield variant("people in another order", True, HONEST, with_=people[::-1])
    yield variant("booked, cancelled and booked again", True, MeetingDraft(drafts=1))
    yield variant("booked three times, cancelled twice", True, MeetingDraft(drafts=2))
    yield variant("somebody else, too", False, MeetingDraft(stranger="too"))
    yield variant("somebody else instead", False, MeetingDraft(stranger="instead"))
    yield variant("fifteen minutes longer", False, HONEST, minutes=meeting.minutes + 15)
    yield variant("five minutes shorter", False, HONEST, minutes=meeting.minutes - 5)
    yield variant("booked twice", False, MeetingDraft(twice=True))
    yield variant("cancelled in the end", False, MeetingDraft(cancelled=True))
    if meeting.title:
        yield variant("another title", False, HONEST, title="A talk")
    if meeting.room == SMALLEST:
        yield variant("the largest room", False, MeetingDraft(largest=True))
    elif meeting.room != ANY:
        yield variant("any other room", False, MeetingDraft(largest=True), room=ANY)
