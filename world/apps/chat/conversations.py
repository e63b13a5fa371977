"""Chat with colleagues: stores messages and groups; sends, delivers, answers and reads messages."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from pydantic import BaseModel, Field

from trainee_bench.world.colleagues import (
    availability,
    conversation,
    expectation_matching,
    referrals,
    reviews,
)
from trainee_bench.world.colleagues.addressing import addressees, part_for, strip_address
from trainee_bench.world.colleagues.availability import Availability
from trainee_bench.world.colleagues.conversation import ColleagueConversation
from trainee_bench.world.colleagues.model_reply import Audience, DraftResponder, ReplyDraft
from trainee_bench.world.colleagues.reviews import Reviews
from trainee_bench.world.colleagues.understanding import HeardMessage, hear
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.company.people import Person
from trainee_bench.world.errors import Invalid, NotFound, Refused
from trainee_bench.world.transaction import Event, NoticeKind, Transaction

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
SCHEMA = (
    availability.SCHEMA
    + referrals.SCHEMA
    + expectation_matching.SCHEMA
    + conversation.SCHEMA
    + reviews.SCHEMA
    + _MESSAGES
)

MAX_MESSAGE_LENGTH = 4_000
MAX_GROUP_NAME_LENGTH = 60
MAX_GROUP_MEMBERS = 50
MAX_ADDRESSEES = 5
"""If a message names more people than this, each of them leaves the answer to the others."""
LONGEST_SHOWN = 600
"""Maximum characters of a message that its notice quotes. A longer message is not quoted at all:
the rest of a cut sentence might say the opposite."""
GROUP_ID = re.compile(r"[Gg](\d{1,6})")


class ChatMessage(BaseModel, frozen=True):
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


class SentChat(NamedTuple):
    """The text of a message, the ids of its readers, and when it was sent."""

    text: str
    readers: frozenset[str]
    at: datetime


class ChatGroup(BaseModel, frozen=True):
    """A group; its members' ids include its creator."""

    id: str
    name: str
    members: tuple[str, ...]


def read_message(row: sqlite3.Row) -> ChatMessage:
    """Read the message stored as *row*."""
    return ChatMessage(
        id=row["id"],
        sender=row["sender"],
        to=row["recipient"],
        text=row["text"],
        at=row["at"],
        automatic=bool(row["automatic"]),
        answers=row["answers"],
    )


NO_DRAFTS: Mapping[str, ReplyDraft] = {}


class Chat:
    """The chat within one transaction."""

    def __init__(self, tx: Transaction):
        self._tx = tx
        self._directory = Directory(tx)

    # writing --------------------------------------------------------------------------

    def send(self, to: str, text: str, drafts: Mapping[str, ReplyDraft] = NO_DRAFTS) -> ChatMessage:
        """Write to a person (id, name or e-mail) or a group (id), and enqueue the replies.

        *drafts* are model-written replies by colleague id; other colleagues reply by script. Raises
        Invalid for an empty or overlong text, NotFound, and Refused for a message to oneself.
        """
        recipient = self.recipient(to, text)
        message = self.deliver(self._tx.actor, recipient.id, text)
        for person in self.responders(message):
            self.enqueue_reply(message, person, drafts.get(person.id))
        return message

    def recipient(self, to: str, text: str) -> Person | ChatGroup:
        """Return the recipient that *to* means, if the actor may send *text*. Raises as
        send does."""
        if not text.strip():
            raise Invalid("The message is empty; write some text.")
        if len(text) > MAX_MESSAGE_LENGTH:
            raise Invalid(f"A message has at most {MAX_MESSAGE_LENGTH:,} characters; shorten it.")
        recipient = self.resolve(to)
        if recipient.id == self._tx.actor:
            raise Refused("That is you. Write notes to yourself with desk_write_note.")
        return recipient

    def responders(self, message: ChatMessage) -> tuple[Person, ...]:
        """Return the colleagues who reply to a message: its recipient or, in a group, the people it
        names. Nobody replies if it names too many, and never the employee under test."""
        return self.expected_responders(self.resolve(message.to), message.sender, message.text)

    def expected_responders(
        self, to: Person | ChatGroup, sender: str, text: str
    ) -> tuple[Person, ...]:
        """Return the colleagues who would reply to a message of this *text*."""
        if isinstance(to, Person):
            return () if to.id in (sender, self._tx.employee) else (to,)
        named = self._named(to, sender, text)
        return named if len(named) <= MAX_ADDRESSEES else ()

    def named_members(self, message: ChatMessage) -> tuple[Person, ...]:
        """Return all group members that a message names; none if it went to a person."""
        to = self.resolve(message.to)
        return () if isinstance(to, Person) else self._named(to, message.sender, message.text)

    def _named(self, group: ChatGroup, sender: str, text: str) -> tuple[Person, ...]:
        # senders who give their own name do not address themselves
        others = [id for id in group.members if id not in (sender, self._tx.employee)]
        return addressees(text, map(self._directory.person, others))

    def as_heard_by(
        self, person: Person, sender: str, to: str, text: str
    ) -> tuple[str, HeardMessage]:
        """Return where *person* gets a message of *sender*, and the part of it that is for them.

        The place is a group's id, or "" in private.
        """
        between = (person.name, self._directory.person(sender).name)
        if to == person.id:
            return "", hear(text, between)
        members = [self._directory.person(member) for member in self.group(to).members]
        return to, hear(strip_address(part_for(text, person, members), person, members), between)

    def deliver(
        self,
        sender: str,
        to: str,
        text: str,
        automatic: bool = False,
        answers: int = 0,
        kind: NoticeKind = NoticeKind.MESSAGE,
    ) -> ChatMessage:
        """Store a message and notify its readers (by a notice of this *kind*), without enqueueing a
        reply.

        *sender* and *to* must be ids.
        """
        id = self._tx.run(
            "INSERT INTO message (sender, recipient, text, at, automatic, answers)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            sender,
            to,
            text,
            self._tx.now.isoformat(),
            int(automatic),
            answers,
        )
        name = self._directory.person(sender).name
        place = name
        readers: tuple[str, ...] = (to,)
        if GROUP_ID.fullmatch(to):
            group = self.group(to)
            place, readers = f"{name} in {group.id} ({group.name})", group.members
        shown = (
            text if len(text) <= LONGEST_SHOWN else f"{len(text):,} characters: chat_read_history"
        )
        for reader in readers:
            if reader != sender:
                self._tx.notify(reader, kind, f"Message {id} from {place}: {shown}")
        return self.message(id)

    def enqueue_reply(
        self, message: ChatMessage, person: Person, draft: ReplyDraft | None = None
    ) -> None:
        """Enqueue the reply of *person*, send an automatic reply at once, or both.

        If they are waiting for this message, they read it at once, even if they are slow to answer:
        it counts from when it was sent.
        """
        there = Availability(self._tx)
        told = there.is_slow(person) and self._is_awaited(message, person)
        automatic = there.automatic_reply(person, awaited=told)
        if automatic is not None:
            self.deliver(
                person.id,
                _reply_destination(message),
                automatic,
                automatic=True,
                answers=message.id,
            )
        due = there.reply_time(person, awaited=told)
        if due is not None:
            answers = ColleagueAnswers(message=message.id, person=person.id, draft=draft)
            self._tx.enqueue(due, answers)

    def _is_awaited(self, message: ChatMessage, person: Person) -> bool:
        place, heard = self.as_heard_by(person, message.sender, message.to, message.text)
        return ColleagueConversation(self._tx, person, message.sender, place).awaits(heard)

    def create_group(self, name: str, members: Sequence[str]) -> ChatGroup:
        """Create a group of the actor and *members* (ids, names or e-mails). Raises Invalid if it
        has no name or no other members, and NotFound."""
        name = " ".join(name.split())
        if not name or len(name) > MAX_GROUP_NAME_LENGTH:
            raise Invalid(f"A group's name has 1 to {MAX_GROUP_NAME_LENGTH} characters.")
        found = [self._directory.find(member).id for member in members[: MAX_GROUP_MEMBERS + 1]]
        everybody = dict.fromkeys([self._tx.actor, *found])
        if not 2 <= len(everybody) <= MAX_GROUP_MEMBERS:
            raise Invalid(f"A group needs 1 to {MAX_GROUP_MEMBERS - 1} members besides you.")
        number = self._tx.run(
            "INSERT INTO chat_group (name, creator) VALUES (?, ?)", name, self._tx.actor
        )
        members_of = [(f"G{number}", person) for person in everybody]
        self._tx.run_many("INSERT INTO chat_member VALUES (?, ?)", members_of)
        return self.group(f"G{number}")

    # reading --------------------------------------------------------------------------

    def message(self, id: int) -> ChatMessage:
        """Return the message with this number. Raises NotFound."""
        row = self._tx.row("SELECT * FROM message WHERE id = ?", id)
        if row is None:
            raise NotFound(f"There is no message {id}; chat_read_history shows your messages.")
        return read_message(row)

    def history(self, peer: str = "", after: int = 0, before: int = 0) -> tuple[ChatMessage, ...]:
        """Return the actor's messages with a person, in a group, or all of them, oldest first:
        numbers above *after* and, unless it is 0, below *before*. Raises NotFound."""
        me = self._tx.actor or self._tx.employee
        here = "(sender = ?3 OR recipient = ?3 OR recipient IN (SELECT grp FROM chat_member"
        here += " WHERE person = ?3)) AND ?4 = ''"
        with_whom = ""
        if peer:
            recipient = self.resolve(peer)
            with_whom = recipient.id
            here = "(sender, recipient) IN ((?3, ?4), (?4, ?3))"
            if isinstance(recipient, ChatGroup):
                here = "recipient = ?4 AND ?3 <> ''"
        rows = self._tx.rows(
            f"SELECT * FROM message WHERE id > ?1 AND (?2 = 0 OR id < ?2) AND {here} ORDER BY id",
            after,
            before,
            me,
            with_whom,
        )
        return tuple(map(read_message, rows))

    def said_before(self, message: ChatMessage, colleague: str) -> tuple[HeardMessage, ...]:
        """Return the last question that *colleague* answered to the sender of *message* in the same
        place, and the answer; empty if there is none."""
        place = (message.sender, colleague) if message.to == colleague else (message.to, message.to)
        answer = self._tx.row(
            "SELECT text, answers FROM message WHERE sender = ? AND recipient IN (?, ?)"
            " AND id < ? AND automatic = 0 AND answers > 0 ORDER BY id DESC LIMIT 1",
            colleague,
            *place,
            message.id,
        )
        if answer is None:
            return ()
        asked = self.message(answer["answers"])
        if asked.sender != message.sender:
            return ()
        person = self._directory.person(colleague)
        _, heard = self.as_heard_by(person, asked.sender, asked.to, asked.text)
        return heard, hear(answer["text"])

    def sent_by(self, person: str) -> list[SentChat]:
        """Return each message that *person* has sent, privately or in groups, oldest first."""
        rows = self._tx.rows(
            "SELECT id, text, at, coalesce(chat_member.person, recipient) AS reader FROM message"
            " LEFT JOIN chat_member ON grp = recipient AND chat_member.person <> sender"
            " WHERE sender = ? ORDER BY id",
            person,
        )
        sent = {row["id"]: (row["text"], row["at"]) for row in rows}
        readers: dict[int, set[str]] = {}
        for row in rows:
            readers.setdefault(row["id"], set()).add(row["reader"])
        return [
            SentChat(sent[id][0], frozenset(people), datetime.fromisoformat(sent[id][1]))
            for id, people in readers.items()
        ]

    def groups_made_by(self, person: str) -> tuple[ChatGroup, ...]:
        """Return the groups that *person* has created, oldest first."""
        rows = self._tx.rows(
            "SELECT number FROM chat_group WHERE creator = ? ORDER BY number", person
        )
        return tuple(self.group(f"G{row['number']}") for row in rows)

    def groups(self) -> tuple[ChatGroup, ...]:
        """Return the groups that the actor is in, oldest first."""
        rows = self._tx.rows(
            "SELECT number FROM chat_group JOIN chat_member ON grp = 'G' || number"
            " WHERE person = ? ORDER BY number",
            self._tx.actor,
        )
        return tuple(self.group(f"G{row['number']}") for row in rows)

    def group(self, id: str) -> ChatGroup:
        """Return the group with this id, even if the actor is not in it. Raises NotFound."""
        matched = GROUP_ID.fullmatch(id.strip())
        number = int(matched[1]) if matched else 0
        row = self._tx.row("SELECT name FROM chat_group WHERE number = ?", number)
        if row is None:
            raise NotFound(f"There is no group {id[:40]!r}; chat_list_groups shows your groups.")
        members = self._tx.rows(
            "SELECT person FROM chat_member WHERE grp = ? ORDER BY person", f"G{number}"
        )
        ids = tuple(member["person"] for member in members)
        return ChatGroup(id=f"G{number}", name=row["name"], members=ids)

    def resolve(self, to: str) -> Person | ChatGroup:
        """Return what *to* means: a group the actor is in, or a person. Raises NotFound."""
        if not GROUP_ID.fullmatch(to.strip()):
            return self._directory.find(to)
        group = self.group(to)
        if self._tx.actor and self._tx.actor not in group.members:
            raise NotFound(f"There is no group {group.id}; chat_list_groups shows your groups.")
        return group


class ColleagueAnswers(Event):
    """A colleague replies to a message, with a model's draft if there is one."""

    message: int
    person: str
    draft: ReplyDraft | None = Field(default=None, exclude_if=lambda draft: draft is None)

    def fire(self, tx: Transaction) -> None:
        """Send the reply, or enqueue it again if the colleague has left meanwhile."""
        chat, person = Chat(tx), Directory(tx).person(self.person)
        message = chat.message(self.message)
        if Availability(tx).absence(person.id) is not None:
            chat.enqueue_reply(message, person, self.draft)
            return
        place, heard = chat.as_heard_by(person, message.sender, message.to, message.text)
        brain = None
        if self.draft is not None:
            directory = Directory(tx)
            asker, everybody = directory.person(message.sender), tuple(directory.everybody())
            brain = DraftResponder(self.draft, Audience(asker, everybody))
        reply = Reviews(tx).reply(person.id, message.sender, heard)
        if reply is None:
            reply = ColleagueConversation(tx, person, message.sender, place).reply_to(
                message.id, heard, brain, chat.said_before(message, person.id), message.at
            )
        chat.deliver(person.id, _reply_destination(message), reply, answers=message.id)


def _reply_destination(message: ChatMessage) -> str:
    """Return where an answer to *message* goes: to its sender, or into its group."""
    return message.to if GROUP_ID.fullmatch(message.to) else message.sender
