"""What a model knows when it answers for a colleague: who they are, the talk, what can be asked.

A payload that was not told yet is nowhere in it, nor anything that was drawn from one.
"""

from __future__ import annotations

from dataclasses import dataclass

from world.apps.chat import Chat, Group, heard_by
from world.brain import topic_of
from world.colleague import Colleague
from world.directory import Directory
from world.errors import WorldError
from world.people import Person
from world.presence import Presence
from world.turn import Turn
from world.understanding import Topic

LATEST = 12
"""Messages of the talk so far that a model is shown."""
LONGEST_LINE = 1_000
"""Characters of each of them."""


@dataclass(frozen=True)
class Line:
    """One message of the talk; ``who`` is a name."""

    who: str
    text: str


@dataclass(frozen=True)
class Situation:
    """A message before a colleague; ``group`` names the group it was written in, if in one.

    ``topics`` is what the colleague can be asked about, ``asked_back`` the ids of those they
    have just asked back about.
    """

    colleague: Person
    asker: Person
    superior: Person | None
    group: str
    talk: tuple[Line, ...]
    text: str
    topics: tuple[Topic, ...]
    asked_back: tuple[str, ...]


def situations(turn: Turn, actor: str, to: str, text: str) -> tuple[Situation, ...]:
    """Where *actor* sends *text* to a person or a group *to*: one for each who will answer.

    None at all where the message cannot be sent, or nobody answers it today.
    """
    turn.actor = actor
    if turn.now >= turn.day.ends:
        return ()
    chat, there = Chat(turn), Presence(turn)
    try:
        recipient = chat.recipient(to, text)
    except WorldError:
        return ()
    answering = chat.addressed(recipient, actor, text)
    talk = _talk(turn, recipient.id)
    group = recipient.name if isinstance(recipient, Group) else ""
    return tuple(
        _situation(turn, person, recipient.id, group, talk, text)
        for person in answering
        if there.answers_at(person) is not None
    )


def _situation(
    turn: Turn, person: Person, to: str, group: str, talk: tuple[Line, ...], text: str
) -> Situation:
    place, heard = heard_by(person, to, text)
    hearing = Colleague(turn, person, turn.actor, place).hearing(0, heard)
    return Situation(
        colleague=person,
        asker=Directory(turn).person(turn.actor),
        superior=hearing.superior,
        group=group,
        talk=talk,
        text=heard,
        topics=tuple(map(topic_of, hearing.clues)),
        asked_back=hearing.asked_back,
    )


def _talk(turn: Turn, peer: str) -> tuple[Line, ...]:
    """The latest messages with *peer* (a person's id, or a group's), oldest first."""
    messages = Chat(turn).history(peer)[-LATEST:]
    names = {person.id: person.name for person in Directory(turn).everybody()}
    return tuple(Line(names[one.sender], one.text[:LONGEST_LINE]) for one in messages)
