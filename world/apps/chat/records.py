"""Messages and groups, as they are stored, and their limits."""

from __future__ import annotations

import re
import sqlite3
from datetime import datetime

from pydantic import BaseModel

from trainee_bench.world.colleagues import (
    availability,
    conversation,
    expectation_matching,
    referrals,
    reviews,
)

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
"""If a message names more people than this, each leaves the answer to the others."""
LONGEST_SHOWN = 600
"""Characters of a message up to which its notice quotes it. It quotes all or nothing: the rest
of a cut sentence might say the opposite."""
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


class ChatGroup(BaseModel, frozen=True):
    """A group; its members' ids include who made it."""

    id: str
    name: str
    members: tuple[str, ...]


def read_message(row: sqlite3.Row) -> ChatMessage:
    """The message that is stored as *row*."""
    return ChatMessage(
        id=row["id"],
        sender=row["sender"],
        to=row["recipient"],
        text=row["text"],
        at=row["at"],
        automatic=bool(row["automatic"]),
        answers=row["answers"],
    )
