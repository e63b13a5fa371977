"""Records how model-drafted replies came about: the model's decision and whose wording was used.

The rows record how a world's state came about and are not part of its digest.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel

from trainee_bench.world.transaction import Transaction

SCHEMA = """
CREATE TABLE played (
    message INTEGER NOT NULL, colleague TEXT NOT NULL, decision TEXT NOT NULL,
    words TEXT NOT NULL, asked TEXT NOT NULL, told TEXT NOT NULL, flaw TEXT NOT NULL,
    PRIMARY KEY (message, colleague)
) STRICT, WITHOUT ROWID;
"""


class ModelDecision(StrEnum):
    """A model's decision compared with the matcher's decision for the same message."""

    RIGHT = "right"
    """The same decision."""
    OVERREACHED = "overreached"
    """It wanted to tell a clue that was not clearly asked for."""
    WITHHELD = "withheld"
    """It did not want to tell the clue that was clearly asked for."""
    OTHERWISE = "otherwise"
    """Another decision without a clue, such as a needless question back."""
    MALFORMED = "malformed"
    """Its output could not be parsed."""
    UNAVAILABLE = "unavailable"
    """It could not be asked."""


class WordingSource(StrEnum):
    """Whose wording a reply uses; a payload is always quoted verbatim."""

    MODEL = "model"
    SCRIPT = "script"
    """The script's, because code alone words such replies."""
    STAND_IN = "stand_in"
    """The script's, because the model's could not be used."""


class ReplyProvenance(BaseModel, frozen=True):
    """How one reply came about.

    ``asked`` is the clue that the message clearly asked for and that could be told, ``told`` the
    clue that was told; "" for none, and with a blank between them for two. ``flaw`` says why the
    model's wording was rejected.
    """

    decision: ModelDecision
    words: WordingSource
    asked: str = ""
    told: str = ""
    flaw: str = ""


class ReplyRecord(BaseModel, frozen=True):
    """A colleague's reply to a message, and how it came about."""

    message: int
    colleague: str
    played: ReplyProvenance


class ProvenanceLog:
    """The provenance of replies, within one transaction."""

    def __init__(self, tx: Transaction):
        self._tx = tx

    def record(self, message: int, colleague: str, played: ReplyProvenance) -> None:
        """Record how *colleague*'s reply to *message* came about."""
        self._tx.run(
            "INSERT INTO played VALUES (?, ?, ?, ?, ?, ?, ?)",
            message,
            colleague,
            played.decision,
            played.words,
            played.asked,
            played.told,
            played.flaw,
        )

    def all(self) -> tuple[ReplyRecord, ...]:
        """All model-drafted replies, oldest message first."""
        rows = self._tx.rows("SELECT * FROM played ORDER BY message, colleague")
        return tuple(
            ReplyRecord(
                message=row["message"],
                colleague=row["colleague"],
                played=ReplyProvenance.model_validate({**row}),
            )
            for row in rows
        )
