"""Honest work of a task in an own office, derived from its file without the answer.

`HonestPlan` has no value of a fact, no rule's value and no right row. The work reads and asks. Then
it calls `answer` on what it saw, or takes the stated answer if its grounds are there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from trainee_bench.meta_tasks import needs
from trainee_bench.meta_tasks.authoring.facts import HiddenFact
from trainee_bench.meta_tasks.authoring.text_template import TextTemplate
from trainee_bench.meta_tasks.offices.answer_code import Row, Seen, answer_code
from trainee_bench.meta_tasks.offices.hand_ins import word_count
from trainee_bench.meta_tasks.offices.honest_booking import HONEST, MeetingDraft, booked, booking
from trainee_bench.meta_tasks.offices.instance import seen_cells, seen_text
from trainee_bench.meta_tasks.offices.named_values import people_named
from trainee_bench.meta_tasks.offices.placeholders import fill
from trainee_bench.meta_tasks.offices.table_answer import table_cells
from trainee_bench.meta_tasks.offices.task_file import HandInFile, MailHandIn
from trainee_bench.meta_tasks.offices.values import Listed, Value, parse_value, write_value
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.meta_tasks.work.need import Work

OUTPUT = "output"
"""The name of the submitted table's path in a request."""
_SOME_DAY = date(2026, 3, 2)


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
    answered: str = ""
    """The subject of the mail that is answered with mail_reply; "" if a new mail is sent."""
    sends: bool = True
    """Whether a mail is sent at all; not in a variant."""
    mistaken: str = ""
    """The computed value that is stated wrongly in a variant."""
    hedged: str = ""
    """The computed value beside which a variant states all others that the files offer."""
    draft: MeetingDraft = HONEST

    async def work(self, work: Work, task: str) -> None:
        """Do the task of this id. Raises ToolFailed where something is not as the file says."""
        brief = await work(needs.TaskBrief(task, self.request, self.rules))
        stated = vars(brief)
        texts: dict[str, Seen] = {}
        policy = {name: value for name, value in stated.items() if name not in self.files}
        for name, file in self.files.items():
            texts[name], read = await _read(work, task, file, stated.get(name, file.path))
            policy |= read
        facts = await self._facts(work, task)
        if self.hand_in.table is not None:
            path = str(policy.pop(OUTPUT))
            rows = self.computed_rows(texts, facts, policy)
            cells = table_cells(self.hand_in.table, rows)
            await work(needs.HandedIn(task, (needs.TableHas(path, cells),)))
            return
        values = self.computed_values(texts, facts, policy)
        if self.mistaken:
            values |= {self.mistaken: _mistaken(values[self.mistaken])}
        if (mail := self.hand_in.mail) is not None:
            if self.hedged:
                mail = _hedged(mail, values[self.hedged], texts.values())
            mails = (await self._mail(work, mail, values),) if self.sends else ()
            await work(needs.HandedIn(task, mails))
        elif self.hand_in.meeting is not None:
            meeting = await booking(work, task, self.hand_in.meeting, values, self.draft)
            await work(needs.HandedIn(task, await booked(work, meeting, self.draft)))

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

    def computed_values(
        self, texts: Mapping[str, Seen], facts: Mapping[str, Value], policy: Mapping[str, Value]
    ) -> dict[str, Listed]:
        """Return all values that a mail or a meeting can name: facts and rules as they were seen,
        and what the code computes from them."""
        code = answer_code(self.code).values(texts, facts, policy) if self.code else {}
        return {**policy, **facts, **code}

    def mail(self, mail: MailHandIn, values: Mapping[str, Listed]) -> needs.MailSent:
        """Return the mail that states these values."""
        to = (self.reply_to,) if self.reply_to else people_named(mail.to, values)
        copies = people_named(mail.cc, values)
        return needs.MailSent(to, self.subject, fill(mail.text, values), copies)

    async def _mail(
        self, work: Work, mail: MailHandIn, values: Mapping[str, Listed]
    ) -> needs.MailSent | needs.MailReplied:
        """Return the mail as it is sent: as a reply where the office has a tool for that."""
        sent = self.mail(mail, values)
        if not self.answered:
            return sent
        number = (await _mail_called(work, self.answered)).id
        return needs.MailReplied(number, sent.body, sent.cc)


def _hedged(mail: MailHandIn, value: Listed, seen: Iterable[Seen]) -> MailHandIn:
    """Return a mail which also states the other values of the columns that have *value*, as many as
    its words allow; one that states nothing if no table has such a column."""
    right = value if isinstance(value, tuple) else (value,)
    columns = [
        [row.get(title, "") for row in table]
        for table in seen
        if table and not isinstance(table, str)
        for title in table[0]
    ]
    others = [
        write_value(cell)
        for column in columns
        if {*right} & {*column}
        for cell in dict.fromkeys(column)
        if cell not in right
    ]
    text = mail.text if others else "Thank you."
    for other in others:
        if word_count(longer := f"{text} {other}") > mail.max_words:
            break
        text = longer
    return mail.model_copy(update={"text": text})


def _mistaken(value: Listed) -> Listed:
    """Return another value of the same kind, close to the right one."""
    if isinstance(value, tuple):
        return value[1:] if value else ("nothing",)
    if isinstance(value, Decimal):
        return value + 1
    if isinstance(value, time):
        moment = datetime.combine(_SOME_DAY, value)
        return (moment + timedelta(minutes=30)).time()
    return value + timedelta(days=1) if isinstance(value, date) else "nobody knows"


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
    mail = await _mail_called(work, subject)
    shown = await work(needs.ToolReading("mail_read", (("mail", mail.id),)))
    return str(shown["text"])


async def _mail_called(work: Work, subject: str) -> needs.FoundMail:
    """Return the newest mail with a subject. Raises ToolFailed if there is none."""
    for mail in await work(needs.MailSearch(subject)):
        if mail.subject == subject:
            return mail
    raise ToolFailed(f"there is no mail with the subject {subject}")
