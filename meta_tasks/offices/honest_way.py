"""Honest work of a task in an own office, derived from its file without the answer.

`HonestPlan` has no value of a fact, no rule's value and no right row: the work reads, asks, calls
`answer` on what it saw, or takes the stated answer if the words it rests on are there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Any

from trainee_bench.meta_tasks import needs
from trainee_bench.meta_tasks.authoring.facts import HiddenFact
from trainee_bench.meta_tasks.authoring.text_template import TextTemplate
from trainee_bench.meta_tasks.offices.answer_code import Row, Seen, answer_code
from trainee_bench.meta_tasks.offices.hand_ins import SMALLEST, table_cells
from trainee_bench.meta_tasks.offices.instance import fill, seen_cells, seen_text
from trainee_bench.meta_tasks.offices.task_file import HandInFile, MailHandIn, MeetingHandIn
from trainee_bench.meta_tasks.offices.values import Value, parse_value
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.meta_tasks.work.need import Work

OUTPUT = "output"
"""The name of the submitted table's path in a request."""
_STEP = timedelta(minutes=15)
_EARLIEST_START, _LATEST_START = time(9), time(17)


@dataclass(frozen=True)
class PlannedFile:
    """A file that the work reads: its path, or the subject of the mail that has it.

    ``page`` reads the values of rules from it, if it has any.
    """

    path: str
    subject: str = ""
    page: TextTemplate[Any] | None = None
    because: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlannedFact:
    """A fact that the work asks for, and the full name of its holder."""

    who: str
    fact: HiddenFact[Value]


@dataclass(frozen=True)
class MeetingDraft:
    """How a meeting is booked: so many minutes *later* than the first free hour, in the *largest*
    room, after so many *drafts* that are cancelled, *twice*, or *cancelled* in the end."""

    agenda: str = ""
    later: int = 0
    largest: bool = False
    drafts: int = 0
    twice: bool = False
    cancelled: bool = False


HONEST = MeetingDraft()


@dataclass(frozen=True)
class HonestPlan:
    """The part of a task that honest work knows beforehand."""

    request: TextTemplate[Any]
    rules: tuple[str, ...]
    files: Mapping[str, PlannedFile]
    facts: Mapping[str, PlannedFact]
    hand_in: HandInFile
    code: str
    rows: tuple[Mapping[str, Value], ...]
    reply_to: str = ""
    """The address or id to which a reply goes."""
    subject: str = ""
    sends: bool = True
    """Whether a mail is sent at all; not in a variant."""
    draft: MeetingDraft = HONEST

    async def work(self, work: Work, task: str) -> None:
        """Do the task of this id. Raises ToolFailed where something is not as the file says."""
        brief = await work(needs.TaskBrief(task, self.request, self.rules))
        stated = vars(brief)
        texts: dict[str, Seen] = {}
        policy = {name: value for name, value in stated.items() if name not in self.files}
        for name, file in self.files.items():
            texts[name], values = await _read(work, task, file, stated.get(name, file.path))
            policy |= values
        facts = await self._facts(work, task)
        values = {**policy, **facts}
        if self.hand_in.table is not None:
            path = str(policy.pop(OUTPUT))
            rows = self.computed_rows(texts, facts, policy)
            cells = table_cells(self.hand_in.table, rows)
            await work(needs.HandedIn(task, (needs.TableHas(path, cells),)))
        elif self.hand_in.mail is not None:
            mails = (self.mail(self.hand_in.mail, values),) if self.sends else ()
            await work(needs.HandedIn(task, mails))
        elif self.hand_in.meeting is not None:
            booking = await _booking(work, task, self.hand_in.meeting, values, self.draft)
            await work(needs.HandedIn(task, await _booked(work, booking, self.draft)))

    async def _facts(self, work: Work, task: str) -> dict[str, Value]:
        people = [await work(needs.PersonCalled(planned.who)) for planned in self.facts.values()]
        questions = [needs.FactQuestion(name, planned.fact) for name, planned in self.facts.items()]
        asked = [
            needs.Told(task, person.id, question)
            for person, question in zip(people, questions, strict=True)
        ]
        told = await work.all(asked)
        return {
            question.name: answer[question.subjects[0]]
            for question, answer in zip(questions, told, strict=True)
        }

    def computed_rows(
        self, texts: Mapping[str, Seen], facts: Mapping[str, Value], policy: Mapping[str, Value]
    ) -> Sequence[Row]:
        """Return the rows that follow from files, facts and rules as they were seen."""
        if self.code:
            return answer_code(self.code).rows(texts, facts, policy)
        return stated_rows(self.rows, {**policy, **facts})

    def mail(self, mail: MailHandIn, values: Mapping[str, Value]) -> needs.MailSent:
        """Return the mail that states these values."""
        to = (self.reply_to,) if self.reply_to else mail.to
        return needs.MailSent(to, self.subject, fill(mail.text, values), mail.cc)


def stated_rows(
    rows: Sequence[Mapping[str, Value]], values: Mapping[str, Value]
) -> list[dict[str, Value]]:
    """Return stated rows with facts and rules in place of their names in braces."""
    return [
        {
            title: parse_value(fill(cell, values)) if isinstance(cell, str) else cell
            for title, cell in row.items()
        }
        for row in rows
    ]


async def _read(
    work: Work, task: str, file: PlannedFile, path: str
) -> tuple[Seen, dict[str, Value]]:
    """Read a file; return it as `answer` gets it, and the values of rules that it states."""
    if path.lower().endswith(".xlsx"):
        cells = await work(needs.Table(path))
        return seen_cells(cells), {}
    if path.lower().endswith((".png", ".jpg", ".jpeg")):
        await work(needs.ViewedPicture(path))
        return "", {}
    text = await (
        _mail_text(work, file.subject) if file.subject else work(needs.FileText(path, task))
    )
    for words in file.because:
        if _on_one_line(words) not in _on_one_line(text):
            raise ToolFailed(f"{path} does not say: {words}")
    values = vars(file.page.parse(text)) if file.page is not None else {}
    return seen_text(path, text), values


def _on_one_line(text: str) -> str:
    """Return a text without its line breaks, which mean nothing in a paragraph."""
    return " ".join(text.split())


async def _mail_text(work: Work, subject: str) -> str:
    """Return the text of the mail with a subject. Raises ToolFailed if there is none."""
    for mail in await work(needs.MailSearch(subject)):
        if mail.subject == subject:
            shown = await work(needs.ToolReading("mail_read", (("mail", mail.id),)))
            return str(shown["text"])
    raise ToolFailed(f"there is no mail with the subject {subject}")


@dataclass(frozen=True)
class BusyInCalendars(needs.Source[tuple[tuple[datetime, datetime], ...]]):
    """The spans in which one of several people (full names) is busy, according to calendars."""

    people: tuple[str, ...]
    day: date
    fixed = True

    async def satisfy(self, work: Work) -> tuple[tuple[datetime, datetime], ...]:
        """Look at their calendars."""
        shown = await work.call(
            "calendar_find_busy", people=[*self.people], day=self.day.isoformat()
        )
        return tuple(
            (datetime.fromisoformat(span["starts"]), datetime.fromisoformat(span["ends"]))
            for spans in shown.data["busy"].values()
            for span in spans
        )


async def _booked(
    work: Work, booking: needs.Booked, draft: MeetingDraft
) -> tuple[needs.Need[Any], ...]:
    """Book, with the drafts of a variant; return what is handed in."""
    for number in range(draft.drafts):
        made = await work(replace(booking, task=f"{booking.task}, draft {number}"))
        await work(needs.Once("calendar_cancel", (("meeting", made),)))
    if draft.twice:
        length = booking.ends - booking.starts
        later = replace(booking, task=f"{booking.task}, again", starts=booking.starts + length)
        return (booking, replace(later, ends=booking.ends + length))
    if draft.cancelled:
        made = await work(booking)
        return (needs.Once("calendar_cancel", (("meeting", made),)),)
    return (booking,)


async def _booking(
    work: Work,
    task: str,
    meeting: MeetingHandIn,
    values: Mapping[str, Value],
    draft: MeetingDraft,
) -> needs.Booked:
    """Find the first hour at which everybody and a fitting room are free."""
    people = [await work(needs.PersonCalled(name)) for name in meeting.with_]
    day = work.now.date()
    earliest = _moment(day_start(work), meeting.not_before, values)
    latest = _moment(day_end(work), meeting.not_after, values)
    length = timedelta(minutes=meeting.minutes)
    names = tuple(person.name for person in people)
    spans = await work(BusyInCalendars(names, day))
    own = await work(needs.Meetings(day))
    soonest = max(earliest, work.now + timedelta(minutes=10))
    start = _rounded(soonest) + timedelta(minutes=draft.later)
    while start + length <= latest and start.time() <= _LATEST_START:
        ends = start + length
        blocked = any(begins < ends and start < over for begins, over in spans)
        mine = any(listed.starts < ends and start <= listed.starts for listed in own)
        if not blocked and not mine:
            hours = ("starts", f"{start:%H:%M}"), ("ends", f"{ends:%H:%M}")
            seats = ("people", len(people) + 1)
            free = await work(needs.ToolReading("calendar_find_rooms", (*hours, seats)))
            rooms: dict[str, int] = free["rooms"]
            room = list(rooms)[-1] if draft.largest else _chosen_room(meeting.room, rooms)
            if room:
                title = meeting.title or f"Meeting about {task}"
                invited = tuple(person.id for person in people)
                return needs.Booked(task, title, room, start, ends, invited, draft.agenda)
        start += _STEP
    raise ToolFailed("there is no hour at which everybody and a room are free")


def day_start(work: Work) -> datetime:
    """Return the earliest start of a meeting on the present day."""
    return datetime.combine(work.now.date(), _EARLIEST_START)


def day_end(work: Work) -> datetime:
    """Return the latest end of a meeting on the present day."""
    return datetime.combine(work.now.date(), time(18))


def _moment(usual: datetime, given: str, values: Mapping[str, Value]) -> datetime:
    if not given:
        return usual
    value = values.get(given, parse_value(given))
    assert isinstance(value, time), "the file was checked"
    return datetime.combine(usual.date(), value)


def _rounded(moment: datetime) -> datetime:
    """Return the next quarter of an hour."""
    over = timedelta(minutes=moment.minute % 15, seconds=moment.second)
    return moment - over + (_STEP if over else timedelta())


def _chosen_room(wanted: str, free: Mapping[str, int]) -> str:
    """Return the wanted room if it is free, or the smallest; "" if there is none."""
    if wanted in free:
        return wanted
    if not free or wanted not in (SMALLEST, "any"):
        return ""
    return min(free, key=lambda room: free[room])
