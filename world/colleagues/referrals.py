"""Public knowledge about whom to ask about a subject: "that is something for HR".

Referrals are the same for all colleagues, so a referral reveals nothing about who holds a clue.
"""

from __future__ import annotations

from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.company.name_forms import names_person
from trainee_bench.world.task_ids import is_task_id
from trainee_bench.world.transaction import Event, Transaction

SCHEMA = """
CREATE TABLE referral (topic TEXT PRIMARY KEY, person TEXT NOT NULL, body TEXT NOT NULL)
    STRICT, WITHOUT ROWID;
"""


class PublicTopic(BaseModel):
    """Subject for which everybody knows whom to ask.

    ``asks`` are five or more ways to ask about it, ``text`` is a colleague's reply. ``person`` is
    the id of the person whom the text names, or ""; that person says "ask me". ``about`` describes
    the subject in sentences, for example with those of its document. Nothing may depend on a
    clue's secret.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    topic: str
    asks: tuple[str, ...]
    text: str
    person: str = ""
    keys: tuple[str, ...] = ()
    about: tuple[str, ...] = ()


def may_name_keeper(topic: PublicTopic, clue: Clue, holder: str) -> bool:
    """Return whether *topic* may tell who holds *clue*.

    It must name the *holder* (a full name) and share a key with the clue. If neither has keys, the
    holder must be the topic's person. The ids of tasks are no such keys."""
    keys = {key for key in clue.keys if not is_task_id(key)}
    subjects = {key for key in topic.keys if not is_task_id(key)}
    if not subjects and not keys:
        return topic.person == clue.holder
    return names_person(topic.text, holder) and not subjects.isdisjoint(keys)


_topic = lru_cache(maxsize=8_192)(PublicTopic.model_validate_json)
"""Parses a stored topic. Cached, because each message to a colleague reads all of them."""


class Referrals:
    """The public topics of one transaction."""

    def __init__(self, tx: Transaction):
        self._tx = tx

    def add(self, topic: PublicTopic) -> None:
        """Add a topic. It replaces a topic of the same name."""
        self._tx.run(
            "INSERT OR REPLACE INTO referral VALUES (?, ?, ?)",
            topic.topic,
            topic.person,
            topic.model_dump_json(),
        )

    def all(self) -> tuple[PublicTopic, ...]:
        """Return the topics, sorted by name."""
        rows = self._tx.rows("SELECT body FROM referral ORDER BY topic")
        return tuple(_topic(row["body"]) for row in rows)


class ReferralPublished(Event):
    """Publication of a public topic. The fields are those of `PublicTopic`."""

    topic: str
    asks: tuple[str, ...]
    text: str
    person: str = ""
    keys: tuple[str, ...] = ()
    about: tuple[str, ...] = ()

    def fire(self, tx: Transaction) -> None:
        """Add the topic."""
        Referrals(tx).add(PublicTopic(**self.model_dump()))
