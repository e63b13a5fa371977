"""The information a model gets when it plays a colleague: the person, the chat and the topics.

It contains no payload that has not been told yet, and nothing derived from one.
"""

from __future__ import annotations

from dataclasses import dataclass

from trainee_bench.world.apps.chat import Chat, ChatGroup
from trainee_bench.world.colleagues.availability import Availability
from trainee_bench.world.colleagues.conversation import ColleagueConversation
from trainee_bench.world.colleagues.responder import topic_from_clue
from trainee_bench.world.colleagues.understanding import Topic
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.company.people import Person
from trainee_bench.world.errors import WorldError
from trainee_bench.world.transaction import Transaction

MAX_HISTORY_LINES = 12
"""Maximum earlier messages shown to the model."""
MAX_LINE_LENGTH = 1_000
"""Maximum characters of each of these messages."""


@dataclass(frozen=True)
class ChatLine:
    """One chat message; ``who`` is a name."""

    who: str
    text: str


@dataclass(frozen=True)
class ChatSituation:
    """A message that a colleague is to answer; ``group`` names the group it was sent to, if any.

    ``topics`` are the topics that the colleague can be asked about. ``asked_back`` are the ids of
    the topics in the colleague's last question back.
    """

    company: str
    colleague: Person
    asker: Person
    group: str
    talk: tuple[ChatLine, ...]
    text: str
    topics: tuple[Topic, ...]
    asked_back: tuple[str, ...]


def chat_situations(tx: Transaction, actor: str, to: str, text: str) -> tuple[ChatSituation, ...]:
    """Return one situation per colleague who will answer *text*, sent by *actor* to *to*.

    *to* is a person or a group. The result is empty if the message cannot be sent or nobody answers
    today.
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
    place, heard = Chat(tx).as_heard_by(person, tx.actor, to, text)
    context = ColleagueConversation(tx, person, tx.actor, place).reply_context(0, heard)
    directory = Directory(tx)
    return ChatSituation(
        company=directory.company_name,
        colleague=person,
        asker=directory.person(tx.actor),
        group=group,
        talk=talk,
        text=heard.text,
        topics=tuple(map(topic_from_clue, context.clues)),
        asked_back=context.asked_back,
    )


def _talk(tx: Transaction, peer: str) -> tuple[ChatLine, ...]:
    """Return the latest messages with *peer* (a person's id, or a group's), oldest first."""
    messages = Chat(tx).history(peer)[-MAX_HISTORY_LINES:]
    names = {person.id: person.name for person in Directory(tx).everybody()}
    return tuple(ChatLine(names[sent.sender], sent.text[:MAX_LINE_LENGTH]) for sent in messages)
