"""Public knowledge about whom to ask about a subject: "that is something for HR".

Referrals are the same for all colleagues, so a referral reveals nothing about who holds a clue.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.transaction import Event, Transaction

SCHEMA = """
CREATE TABLE referral (topic TEXT PRIMARY KEY, person TEXT NOT NULL, body TEXT NOT NULL)
    STRICT, WITHOUT ROWID;
"""


class PublicTopic(BaseModel):
    """A subject for which everybody knows whom to ask.

    ``asks`` are five or more ways to ask about it, ``text`` is a colleague's reply. ``person`` is
    whom the text names, if anybody; that person says "ask me". ``about`` says in sentences what
    belongs to the subject: what its document says, or what people have to do with it. Nothing may
    depend on a clue's secret.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    topic: str
    asks: tuple[str, ...]
    text: str
    person: str = ""
    keys: tuple[str, ...] = ()
    about: tuple[str, ...] = ()


def may_name_keeper(topic: PublicTopic, clue: Clue, holder: str) -> bool:
    """Whether *topic* may say who holds *clue*: it names the *holder* (a full name) and shares a
    key with the clue. If neither has keys, it must be the holder's own topic."""
    if not topic.keys and not clue.keys:
        return topic.person == clue.holder
    return holder in topic.text and not set(topic.keys).isdisjoint(clue.keys)


class Referrals:
    """The public topics of one transaction."""

    def __init__(self, tx: Transaction):
        self._tx = tx

    def add(self, topic: PublicTopic) -> None:
        """Add a topic; one of the same name is replaced."""
        self._tx.run(
            "INSERT OR REPLACE INTO referral VALUES (?, ?, ?)",
            topic.topic,
            topic.person,
            topic.model_dump_json(),
        )

    def all(self) -> tuple[PublicTopic, ...]:
        """The topics, by name. Whoever is named in one speaks of themselves."""
        rows = self._tx.rows("SELECT body FROM referral ORDER BY topic")
        return tuple(PublicTopic.model_validate_json(row["body"]) for row in rows)


class ReferralPublished(Event):
    """A public topic is published. Fields as in PublicTopic."""

    topic: str
    asks: tuple[str, ...]
    text: str
    person: str = ""
    keys: tuple[str, ...] = ()
    about: tuple[str, ...] = ()

    def fire(self, tx: Transaction) -> None:
        """Add the topic."""
        Referrals(tx).add(PublicTopic(**self.model_dump()))
