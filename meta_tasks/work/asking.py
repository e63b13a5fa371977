"""Questions to colleagues, and what they tell.

    told = await work(Told(task, person.id, CancelledOrders(…)))     values by subject

A question is sent once for each subject that nobody has told. Equal questions to several people go
to a group if that takes less time. If somebody later tells something else about a subject, it
replaces what they told before.
"""

from __future__ import annotations

import contextlib
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Generic, TypeVar

from trainee_bench.meta_tasks.authoring.facts import HiddenFact, KnownFact
from trainee_bench.meta_tasks.authoring.text_template import Wording
from trainee_bench.meta_tasks.patience import (
    ANSWER_SOON,
    ANSWER_TAKES,
    LOOK_FOR_ANSWER_LATER,
    LOOK_FOR_ANSWER_SOON,
    QUESTION_ROUNDS,
)
from trainee_bench.meta_tasks.told_apart import about_task
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.meta_tasks.work.need import Achievement, ExtensionPoint, Need, Work
from trainee_bench.meta_tasks.work.reading import NeedsNaming, PersonCalled
from trainee_bench.meta_tasks.work.sources import Inbox, ReadMessage, ReadText

V = TypeVar("V")


class Question(ABC, Generic[V]):
    """A question and how its answer is read. Subclasses are frozen dataclasses of plain data."""

    daily: ClassVar[bool] = False
    """Whether answers hold only for the day on which they were given."""

    @property
    @abstractmethod
    def subjects(self) -> tuple[str, ...]:
        """The subjects to be told, with names so specific that no other task's answer has one of
        them."""

    @abstractmethod
    def ask(self, missing: Sequence[str]) -> str:
        """Return the text that asks for the subjects that are *missing*."""

    @abstractmethod
    def read(self, text: str) -> Mapping[str, V]:
        """Return what *text* tells, by subject."""

    @property
    def joins(self) -> str:
        """A key: questions with the same key may be put to several people as one; "" for none."""
        return ""

    @property
    def quoted(self) -> tuple[str, ...]:
        """Texts that a message must contain for its answer to count, if answers do not contain
        them."""
        return ()


@dataclass(frozen=True)
class FactQuestion(Question[V]):
    """A question for one fact. *about* fills in its placeholders; *wordings* are further ways in
    which it may be told."""

    name: str
    fact: HiddenFact[V] | KnownFact[V] = field(compare=False)
    about: tuple[tuple[str, str], ...] = ()
    wordings: tuple[Wording[V], ...] = field(default=(), compare=False)

    @property
    def subjects(self) -> tuple[str, ...]:
        """The fact's name, with what it is about."""
        return (self._subject,)

    @property
    def quoted(self) -> tuple[str, ...]:
        """The subject of the question: one person may tell the same fact of several things."""
        asked = self.ask(())
        return tuple(value for _, value in self.about if value in asked)

    @property
    def _subject(self) -> str:
        return " ".join([self.name, *(value for _, value in self.about)])

    def ask(self, missing: Sequence[str]) -> str:
        """Return the first of the fact's questions."""
        return self.fact.question(dict(self.about))

    def read(self, text: str) -> Mapping[str, V]:
        """Return the fact, if *text* tells it."""
        for wording in (self.fact.answer, *self.wordings):
            told = wording.search(text)
            if told is not None:
                return {self._subject: told}
        return {}


@dataclass(frozen=True)
class Successors(ExtensionPoint[tuple[str, ...]]):
    """The people (ids) who replace *person* as holders of what that person knew about a task."""

    task: str
    person: str
    nothing = ()


@dataclass(frozen=True)
class Holders(Need[tuple[str, ...]]):
    """The people (ids) who have been responsible for what *person* knew about a task. The last one
    is responsible now."""

    task: str
    person: str

    async def satisfy(self, work: Work) -> tuple[str, ...]:
        """Follow successors, who may have been replaced as well."""
        holders = [self.person]
        for person in holders:
            successors = await work(Successors(self.task, person))
            holders += [person for person in successors if person not in holders]
        return tuple(holders)


@dataclass(frozen=True)
class Unasked(ExtensionPoint[tuple[ReadMessage, ...]]):
    """The messages of a person about a task that count as told, though they answer no question."""

    task: str
    person: str
    nothing = ()


def naming_task(task: str) -> re.Pattern[str]:
    """Return what finds a *task* in a message: “A title (T1)”, or task T1."""
    return re.compile(rf"\({re.escape(task)}\)”|\btask {re.escape(task)}\b")


@dataclass(frozen=True)
class WrittenAbout(Need[tuple[ReadMessage, ...]]):
    """The messages about a task that answer no question."""

    task: str

    async def satisfy(self, work: Work) -> tuple[ReadMessage, ...]:
        """Look for the task's id, which ends its name among colleagues or stands for it."""
        named = naming_task(self.task)
        messages = await work(Inbox())
        return tuple(heard for heard in messages if not heard.answers and named.search(heard.text))


@dataclass(frozen=True)
class Says(Need[str]):
    """The content of a message, which may point elsewhere."""

    task: str
    message: ReadMessage

    async def satisfy(self, work: Work) -> str:
        """Return its text."""
        return self.message.text


@dataclass(frozen=True)
class Preface(ExtensionPoint[str]):
    """The text that *person* wants to hear with a question about a task; "" for nothing."""

    task: str
    person: str
    nothing = ""


@dataclass(frozen=True)
class MessageReceipt:
    """A message that was sent: its number, and when."""

    number: int
    at: datetime


@dataclass(frozen=True)
class Sent(Achievement[MessageReceipt]):
    """A message that was sent for a task. The *round* distinguishes messages that are meant to be
    sent again."""

    task: str
    to: str
    text: str
    round: str = ""

    async def satisfy(self, work: Work) -> MessageReceipt:
        """Send it."""
        done = await work.call("chat_send_message", to=self.to, text=self.text)
        return MessageReceipt(int(done.data["message"]["id"]), done.time)


@dataclass(frozen=True)
class TaskOfMessage(Need[str]):
    """The task for which this worker sent a message; "" if somebody else sent it."""

    number: int

    async def satisfy(self, work: Work) -> str:
        """Return "": the task is unknown, unless it was noted when the message was sent."""
        return ""


@dataclass(frozen=True)
class Asked(Achievement[MessageReceipt]):
    """A question that was put to somebody for a task, for the subjects that are *missing*."""

    task: str
    to: str
    preface: str
    question: Question[Any]
    missing: tuple[str, ...]
    round: int = 0
    named: bool = False
    """Whether the message has to name the task."""

    def text(self, missing: Sequence[str]) -> str:
        """Return the question for the subjects that are *missing*."""
        asked = self.question.ask(missing)
        return about_task(asked, self.task) if self.named else asked

    async def satisfy(self, work: Work) -> MessageReceipt:
        """Send it, perhaps together with equal questions to others."""
        text = f"{self.preface} {self.text(self.missing)}".strip()
        joint = JointQuestion(self) if self.question.joins and not self.preface else None
        done = await work.call("chat_send_message", joint, to=self.to, text=text)
        number = int(done.data["message"]["id"])
        work.note(TaskOfMessage(number), self.task)
        return MessageReceipt(number, done.time)


@dataclass(frozen=True)
class JointQuestion:
    """A question that may be put to several people as one."""

    asked: Asked


@dataclass(frozen=True)
class Told(Need[Mapping[str, V]]):
    """The facts that *person*, or the person responsible now, has told: a value for each subject of
    the question, and for further subjects that came with them."""

    task: str
    person: str
    question: Question[V]
    rounds: int = QUESTION_ROUNDS
    """The most times that they are asked for the same."""

    async def satisfy(self, work: Work) -> Mapping[str, V]:
        """Ask for what nobody has told. Raises ToolFailed if nobody answers."""
        known: dict[str, V] = {}
        missing: tuple[str, ...] = self.question.subjects
        holders = await work(Holders(self.task, self.person))
        for person in reversed(holders):
            latest = person == holders[-1]
            for number in range(self.rounds + 1):
                known = {**await self._told_by(work, person, latest), **known}
                missing = tuple(
                    subject for subject in self.question.subjects if subject not in known
                )
                if not missing:
                    return known
                if number == self.rounds:
                    break
                await self._ask(work, person, missing, number)
        raise ToolFailed(f"nobody has told {', '.join(missing)}")

    async def _told_by(self, work: Work, person: str, latest: bool) -> dict[str, V]:
        """Return what *person* has told. Only the *latest* holder's unasked messages count."""
        unasked = await work(Unasked(self.task, person)) if latest else ()
        told: dict[str, V] = {}
        heard = await work(Inbox())
        needed = self.question.quoted
        if await work(NeedsNaming(self.task)):
            needed = (*needed, about_task("", self.task).strip())
        asking = {
            message.id for message in heard if all(quoted in message.text for quoted in needed)
        }
        for message in heard:
            if self.question.daily and message.at.date() < work.worker.ends.date():
                continue
            own = message.sender == person and message.answers in asking
            if not message.automatic and (own or message in unasked):
                told |= self.question.read(await work(Says(self.task, message)))
        return told

    async def _ask(self, work: Work, person: str, missing: tuple[str, ...], number: int) -> None:
        preface = await work(Preface(self.task, person))
        named = await work(NeedsNaming(self.task))
        asked = Asked(self.task, person, preface, self.question, missing, number, named)
        sent = await work(asked)
        await work(Answered(person, sent))


async def fact_from(
    work: Work,
    task: str,
    name: str,
    fact: HiddenFact[V],
    about: Mapping[str, str] | None = None,
) -> V:
    """Return what the colleague of this full *name* tells of a *fact*. *about* fills in its
    placeholders. Raises ToolFailed if they do not tell it."""
    person = await work(PersonCalled(name))
    question = FactQuestion(fact.name, fact, tuple((about or {}).items()))
    (subject,) = question.subjects
    return (await work(Told(task, person.id, question)))[subject]


@dataclass(frozen=True)
class ToldByOne(Need[Mapping[str, V]]):
    """The facts told by the first of *persons* who knows them. They are asked one after the
    other."""

    task: str
    persons: tuple[str, ...]
    question: Question[V]

    async def satisfy(self, work: Work) -> Mapping[str, V]:
        """Ask each once. Raises ToolFailed if nobody knows."""
        for person in self.persons:
            with contextlib.suppress(ToolFailed):
                return await work(Told(self.task, person, self.question, rounds=1))
        raise ToolFailed(f"nobody knows {', '.join(self.question.subjects)}")


@dataclass(frozen=True)
class Answered(Need[ReadMessage]):
    """The answer of a person to a message that was sent."""

    person: str
    sent: MessageReceipt

    async def satisfy(self, work: Work) -> ReadMessage:
        """Wait for it. Raises ToolFailed if nobody answers."""
        return await _wait_for_answer(work, self.person, self.sent)


@dataclass(frozen=True)
class SentBack(Need[str]):
    """A complete file: it is sent back to its *author* while it has fewer *records* than it should.
    The header line is not a record. Its value is the news of the file: *news*, and the author's
    answer."""

    task: str
    path: str
    author: str
    records: int
    news: str

    async def satisfy(self, work: Work) -> str:
        """Count the records, and ask for the rest. Raises ToolFailed if nobody answers."""
        count = len((await work(ReadText(self.path, self.news))).splitlines()) - 1
        if count == self.records:
            return self.news
        author = await work(PersonCalled(self.author))
        file = self.path.rpartition("/")[2]
        short = f"There are only {count} of {self.records} records in {file}."
        answer = await work(Answered(author.id, await work(Sent(self.task, author.id, short))))
        return f"{self.news} {answer.id}".strip()


async def _wait_for_answer(work: Work, person: str, sent: MessageReceipt) -> ReadMessage:
    """Return the answer of *person* that is not automatic. Raises ToolFailed if none comes."""
    for message in await work(Inbox()):
        if message.answers == sent.number and message.sender == person and not message.automatic:
            return message
    often = LOOK_FOR_ANSWER_SOON if work.now < sent.at + ANSWER_SOON else LOOK_FOR_ANSWER_LATER
    await work.pause(sent.at + ANSWER_TAKES, often, since=sent.at)
    raise ToolFailed(f"{person} has not answered")
