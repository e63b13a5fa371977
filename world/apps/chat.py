"""Chat: messages between people and in groups, and colleagues who answer them.

A message to a colleague schedules their answer for when they are there to give it; at once
comes an automatic reply in place of one who is away, or not there any more today. In a
group those answer who are addressed by name.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from pydantic import BaseModel, Field

from world import colleague, expecting, presence, referral
from world.colleague import Colleague
from world.directory import Directory
from world.drafted import Audience, Draft, DraftedBrain
from world.errors import Invalid, NotFound, Refused
from world.event import Event
from world.people import Person
from world.presence import Presence
from world.turn import NoticeKind, Turn

_MESSAGES = """
CREATE TABLE message (
    id INTEGER PRIMARY KEY, sender TEXT NOT NULL, recipient TEXT NOT NULL, text TEXT NOT NULL,
    at TEXT NOT NULL, automatic INTEGER NOT NULL, answers INTEGER NOT NULL
) STRICT;
CREATE INDEX message_recipient ON message (recipient, sender);
CREATE TABLE chat_group (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, creator TEXT NOT NULL
) STRICT;
CREATE TABLE chat_member (
    grp TEXT NOT NULL, person TEXT NOT NULL, PRIMARY KEY (grp, person)
) STRICT, WITHOUT ROWID;
"""
SCHEMA = presence.SCHEMA + referral.SCHEMA + expecting.SCHEMA + colleague.SCHEMA + _MESSAGES

LONGEST_MESSAGE = 4_000
LONGEST_NAME = 60
MOST_MEMBERS = 50
MOST_ADDRESSED = 5
"""Who is named beside more others than that feels that others will answer."""
NO_DRAFTS: Mapping[str, Draft] = {}
_PREVIEW = 240
_GROUP_ID = re.compile(r"[Gg](\d{1,6})")


class Message(BaseModel, frozen=True):
    """A message; ``to`` is a person's id or a group's ("G1")."""

    id: int
    sender: str
    to: str
    text: str
    at: datetime
    automatic: bool = False
    """Whether a mailbox wrote it, not a person."""
    answers: int = 0
    """The number of the message it answers; 0 for none."""


class Group(BaseModel, frozen=True):
    """A group; its members' ids include who made it."""

    id: str
    name: str
    members: tuple[str, ...]


class Chat:
    """The chat within one turn."""

    def __init__(self, turn: Turn):
        self._turn = turn
        self._directory = Directory(turn)

    # writing --------------------------------------------------------------------------

    def send(self, to: str, text: str, drafts: Mapping[str, Draft] = NO_DRAFTS) -> Message:
        """Write to a person (id, name or e-mail) or a group (id); colleagues will answer, those
        in *drafts* (by id) with what a model has drafted for them.

        Raises Invalid for an empty or overlong text, NotFound, and Refused for oneself.
        """
        recipient = self.recipient(to, text)
        message = self.write(self._turn.actor, recipient.id, text)
        for person in self.answering(message):
            self.expect_answer(message, person, drafts.get(person.id))
        return message

    def recipient(self, to: str, text: str) -> Person | Group:
        """To whom the actor may send *text*. Raises as send does."""
        if not text.strip():
            raise Invalid("The message is empty; say what it is about.")
        if len(text) > LONGEST_MESSAGE:
            raise Invalid(f"A message has at most {LONGEST_MESSAGE:,} characters; shorten it.")
        recipient = self.resolve(to)
        if recipient.id == self._turn.actor:
            raise Refused("That is you. Notes to yourself go to desk_write_note.")
        return recipient

    def answering(self, message: Message) -> tuple[Person, ...]:
        """Which colleagues a message asks to answer: whom it goes to, or, in a group, those
        it names, unless it names a crowd. The employee under test is no simulated colleague."""
        return self.addressed(self.resolve(message.to), message.sender, message.text)

    def addressed(self, to: Person | Group, sender: str, text: str) -> tuple[Person, ...]:
        """Which colleagues a message of this *text* would ask to answer."""
        addressed: tuple[Person, ...] = ()
        if isinstance(to, Person):
            addressed = (to,)
        else:
            members = (self._directory.person(member) for member in to.members)
            named = addressees(text, members)
            addressed = named if len(named) <= MOST_ADDRESSED else ()
        nobody = (sender, self._turn.employee)
        return tuple(person for person in addressed if person.id not in nobody)

    def write(
        self, sender: str, to: str, text: str, automatic: bool = False, answers: int = 0
    ) -> Message:
        """Put a message there and tell those it goes to; nobody answers it by that.

        *sender* and *to* are ids as they stand.
        """
        id = self._turn.run(
            "INSERT INTO message (sender, recipient, text, at, automatic, answers)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            sender,
            to,
            text,
            self._turn.now.isoformat(),
            int(automatic),
            answers,
        )
        name = self._directory.person(sender).name
        place = name
        readers: tuple[str, ...] = (to,)
        if _GROUP_ID.fullmatch(to):
            group = self.group(to)
            place, readers = f"{name} in {group.id} ({group.name})", group.members
        shown = text if len(text) <= _PREVIEW else f"{text[:_PREVIEW]}… (chat_read_history)"
        for reader in readers:
            if reader != sender:
                self._turn.notify(reader, NoticeKind.MESSAGE, f"Message {id} from {place}: {shown}")
        return self.message(id)

    def expect_answer(self, message: Message, person: Person, draft: Draft | None = None) -> None:
        """Let *person* answer when they are there, or their mailbox at once, or both."""
        there = Presence(self._turn)
        automatic = there.automatic_reply(person)
        if automatic is not None:
            self.write(person.id, _back(message), automatic, automatic=True, answers=message.id)
        due = there.answers_at(person)
        if due is not None:
            answers = ColleagueAnswers(message=message.id, person=person.id, draft=draft)
            self._turn.schedule(due, answers)

    def create_group(self, name: str, members: Sequence[str]) -> Group:
        """Make a group of the actor and *members* (ids, names or e-mails).

        Raises Invalid for no name or nobody else in it, NotFound.
        """
        name = " ".join(name.split())
        if not name or len(name) > LONGEST_NAME:
            raise Invalid(f"A group's name has 1 to {LONGEST_NAME} characters.")
        found = [self._directory.find(member).id for member in members[: MOST_MEMBERS + 1]]
        everybody = dict.fromkeys([self._turn.actor, *found])
        if not 2 <= len(everybody) <= MOST_MEMBERS:
            raise Invalid(f"A group has you and 1 to {MOST_MEMBERS - 1} others; name them.")
        number = self._turn.run(
            "INSERT INTO chat_group (name, creator) VALUES (?, ?)", name, self._turn.actor
        )
        members_of = [(f"G{number}", person) for person in everybody]
        self._turn.run_many("INSERT INTO chat_member VALUES (?, ?)", members_of)
        return self.group(f"G{number}")

    # reading --------------------------------------------------------------------------

    def message(self, id: int) -> Message:
        """The message of this number. Raises NotFound."""
        row = self._turn.row("SELECT * FROM message WHERE id = ?", id)
        if row is None:
            raise NotFound(f"There is no message {id}; chat_read_history shows those there are.")
        return _message(row)

    def history(self, peer: str = "", after: int = 0, before: int = 0) -> tuple[Message, ...]:
        """The actor's messages with a person or in a group, or all, oldest first: those with
        numbers above *after* and, unless it is 0, below *before*. Raises NotFound."""
        me = self._turn.actor or self._turn.employee
        here = "(sender = ?3 OR recipient = ?3 OR recipient IN (SELECT grp FROM chat_member"
        here += " WHERE person = ?3)) AND ?4 = ''"
        with_whom = ""
        if peer:
            recipient = self.resolve(peer)
            with_whom = recipient.id
            here = "(sender, recipient) IN ((?3, ?4), (?4, ?3))"
            if isinstance(recipient, Group):
                here = "recipient = ?4 AND ?3 <> ''"
        rows = self._turn.rows(
            f"SELECT * FROM message WHERE id > ?1 AND (?2 = 0 OR id < ?2) AND {here} ORDER BY id",
            after,
            before,
            me,
            with_whom,
        )
        return tuple(map(_message, rows))

    def most_readers(self, person: str) -> int:
        """To how many people the same words of *person* went, one by one or in groups."""
        row = self._turn.row(
            "SELECT count(DISTINCT coalesce(chat_member.person, recipient)) FROM message"
            " LEFT JOIN chat_member ON grp = recipient AND chat_member.person <> sender"
            " WHERE sender = ? GROUP BY text ORDER BY 1 DESC LIMIT 1",
            person,
        )
        return int(row[0]) if row is not None else 0

    def groups(self) -> tuple[Group, ...]:
        """The groups the actor is in, the oldest first."""
        rows = self._turn.rows(
            "SELECT number FROM chat_group JOIN chat_member ON grp = 'G' || number"
            " WHERE person = ? ORDER BY number",
            self._turn.actor,
        )
        return tuple(self.group(f"G{row['number']}") for row in rows)

    def group(self, id: str) -> Group:
        """The group of this id, whoever is in it. Raises NotFound."""
        matched = _GROUP_ID.fullmatch(id.strip())
        number = int(matched[1]) if matched else 0
        row = self._turn.row("SELECT name FROM chat_group WHERE number = ?", number)
        if row is None:
            raise NotFound(f"There is no group {id[:40]!r}; chat_list_groups shows yours.")
        members = self._turn.rows(
            "SELECT person FROM chat_member WHERE grp = ? ORDER BY person", f"G{number}"
        )
        ids = tuple(member["person"] for member in members)
        return Group(id=f"G{number}", name=row["name"], members=ids)

    def resolve(self, to: str) -> Person | Group:
        """Whom *to* means: a group the actor is in, or a person. Raises NotFound."""
        if not _GROUP_ID.fullmatch(to.strip()):
            return self._directory.find(to)
        group = self.group(to)
        if self._turn.actor and self._turn.actor not in group.members:
            raise NotFound(f"There is no group {group.id}; chat_list_groups shows yours.")
        return group


class ColleagueAnswers(Event):
    """A colleague has read a message and answers it, as a model has drafted it, if one has."""

    message: int
    person: str
    draft: Draft | None = Field(default=None, exclude_if=lambda draft: draft is None)

    def happen(self, turn: Turn) -> None:
        """They answer, unless they have left meanwhile: then again when they are back."""
        chat, person = Chat(turn), Directory(turn).person(self.person)
        message = chat.message(self.message)
        if Presence(turn).absence(person.id) is not None:
            chat.expect_answer(message, person, self.draft)
            return
        place, text = heard_by(person, message.to, message.text)
        brain = None
        if self.draft is not None:
            directory = Directory(turn)
            asker, everybody = directory.person(message.sender), tuple(directory.everybody())
            brain = DraftedBrain(self.draft, Audience(asker, everybody))
        said = Colleague(turn, person, message.sender, place).hear(message.id, text, brain)
        chat.write(person.id, _back(message), said, answers=message.id)


class MessageArrives(Event):
    """A colleague writes of their own accord to a person (id) or a group (id)."""

    sender: str
    to: str
    text: str

    def happen(self, turn: Turn) -> None:
        """The message is there."""
        Chat(turn).write(self.sender, self.to, self.text)


def heard_by(person: Person, to: str, text: str) -> tuple[str, str]:
    """Where *person* hears a message (a group's id, or "" in private), and what of its text."""
    return ("", text) if to == person.id else (to, without_address(text, person))


def addressees(text: str, people: Iterable[Person]) -> tuple[Person, ...]:
    """Those of *people* whom *text* names: by full name, id, or a first name only one has."""
    said = f" {_words(text)} "
    crowd = tuple(people)
    first_names = [_words(person.first_name) for person in crowd]
    return tuple(
        person
        for person, first in zip(crowd, first_names, strict=True)
        if any(f" {_words(name)} " in said for name in (person.name, person.id))
        or (first_names.count(first) == 1 and f" {first} " in said)
    )


def without_address(text: str, person: Person) -> str:
    """*text* without the name of *person* before it: "@Mara, yes" is a yes."""
    names = "|".join(re.escape(name) for name in (person.name, person.id, person.first_name))
    return re.sub(rf"\A\s*@?(?:{names})(?!\w)[\s,:;!–-]*", "", text, flags=re.IGNORECASE) or text


def _words(text: str) -> str:
    """Words only, in lower case; a possessive's s is a word of its own."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def _back(message: Message) -> str:
    """Where an answer to *message* goes: to its sender, or into its group."""
    return message.to if _GROUP_ID.fullmatch(message.to) else message.sender


def _message(row: sqlite3.Row) -> Message:
    return Message(
        id=row["id"],
        sender=row["sender"],
        to=row["recipient"],
        text=row["text"],
        at=row["at"],
        automatic=bool(row["automatic"]),
        answers=row["answers"],
    )
