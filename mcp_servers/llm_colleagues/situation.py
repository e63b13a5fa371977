"""What a model knows when it answers for a colleague: who they are, the talk, what can be asked.

A payload that was not told yet is nowhere in it, nor anything that was drawn from one.
"""

from __future__ import annotations

from dataclasses import dataclass

from trainee_bench.world.apps.chat import Chat, ChatGroup, as_received_by
from trainee_bench.world.colleagues.availability import Availability
from trainee_bench.world.colleagues.conversation import ColleagueConversation
from trainee_bench.world.colleagues.responder import topic_from_clue
from trainee_bench.world.colleagues.understanding import Topic
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.company.people import Person
from trainee_bench.world.errors import WorldError
from trainee_bench.world.transaction import Transaction

MAX_HISTORY_LINES = 12
"""Messages of the talk so far that a model is shown."""
MAX_LINE_LENGTH = 1_000
"""Characters of each of them."""


@dataclass(frozen=True)
class ChatLine:
    """One message of the talk; ``who`` is a name."""

    who: str
    text: str


@dataclass(frozen=True)
class ChatSituation:
    """A message before a colleague; ``group`` names the group it was written in, if in one.

    ``topics`` is what the colleague can be asked about, ``asked_back`` the ids of those they
    have just asked back about.
    """

    colleague: Person
    asker: Person
    superior: Person | None
    group: str
    talk: tuple[ChatLine, ...]
    text: str
    topics: tuple[Topic, ...]
    asked_back: tuple[str, ...]


def chat_situations(tx: Transaction, actor: str, to: str, text: str) -> tuple[ChatSituation, ...]:
    """Where *actor* sends *text* to a person or a group *to*: one for each who will answer.

    None at all where the message cannot be sent, or nobody answers it today.
    """
    tx.actor = actor
    if tx.now >= tx.day.ends:
        return ()
    chat, there = Chat(tx), Availability(tx)
    try:
        recipient = chat.recipient(to, text)
    except WorldError:
        return ()
    answering = chat.expected_responders(recipient, actor, text)
    talk = _talk(tx, recipient.id)
    group = recipient.name if isinstance(recipient, ChatGroup) else ""
    return tuple(
        _situation(tx, person, recipient.id, group, talk, text)
        for person in answering
        if there.reply_time(person) is not None
    )


def _situation(
    tx: Transaction, person: Person, to: str, group: str, talk: tuple[ChatLine, ...], text: str
) -> ChatSituation:
    place, heard = as_received_by(person, to, text)
    context = ColleagueConversation(tx, person, tx.actor, place).reply_context(0, heard)
    return ChatSituation(
        colleague=person,
        asker=Directory(tx).person(tx.actor),
        superior=context.superior,
        group=group,
        talk=talk,
        text=heard,
        topics=tuple(map(topic_from_clue, context.clues)),
        asked_back=context.asked_back,
    )


def _talk(tx: Transaction, peer: str) -> tuple[ChatLine, ...]:
    """The latest messages with *peer* (a person's id, or a group's), oldest first."""
    messages = Chat(tx).history(peer)[-MAX_HISTORY_LINES:]
    names = {person.id: person.name for person in Directory(tx).everybody()}
    return tuple(ChatLine(names[one.sender], one.text[:MAX_LINE_LENGTH]) for one in messages)
