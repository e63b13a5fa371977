"""What everybody in the company knows about who knows: "that is something for HR".

Referrals are public. They are the same for all colleagues, so an answer from one tells
nothing about who holds a clue.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from trainee_bench.world.transaction import Event, Transaction

SCHEMA = """
CREATE TABLE referral (topic TEXT PRIMARY KEY, person TEXT NOT NULL, body TEXT NOT NULL)
    STRICT, WITHOUT ROWID;
"""


class PublicTopic(BaseModel):
    """A subject of which everybody knows where to turn with it.

    ``asks`` are five or more ways to ask, ``text`` is what a colleague says then. ``person``
    is whom the text names, if anybody: they themselves do not say it. Nothing of it may be
    drawn from a clue's secret.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    topic: str
    asks: tuple[str, ...]
    text: str
    person: str = ""
    keys: tuple[str, ...] = ()


class Referrals:
    """The public topics of one transaction."""

    def __init__(self, tx: Transaction):
        self._tx = tx

    def add(self, topic: PublicTopic) -> None:
        """Everybody knows this from now on; a topic of the same name is replaced."""
        self._tx.run(
            "INSERT OR REPLACE INTO referral VALUES (?, ?, ?)",
            topic.topic,
            topic.person,
            topic.model_dump_json(),
        )

    def known_to(self, person: str) -> tuple[PublicTopic, ...]:
        """What *person* refers others with: all but what names themself, by topic."""
        rows = self._tx.rows("SELECT body FROM referral WHERE person <> ? ORDER BY topic", person)
        return tuple(PublicTopic.model_validate_json(row["body"]) for row in rows)


class ReferralPublished(Event):
    """It becomes common knowledge where to turn with a subject. Fields as in PublicTopic."""

    topic: str
    asks: tuple[str, ...]
    text: str
    person: str = ""
    keys: tuple[str, ...] = ()

    def fire(self, tx: Transaction) -> None:
        """Everybody knows."""
        Referrals(tx).add(PublicTopic(**self.model_dump()))
