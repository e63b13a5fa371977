"""Record how model-drafted replies came about: the model's decision and the source of the wording.

The rows tell the history of a world's state, and are not part of its digest.
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
    """Comparison of a model's decision with the matcher's decision for the same message."""

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
    """Source of a reply's wording; a payload is always quoted verbatim."""

    MODEL = "model"
    SCRIPT = "script"
    """The script, because only code words such replies."""
    STAND_IN = "stand_in"
    """The script, because the model's wording could not be used."""


class ReplyProvenance(BaseModel, frozen=True):
    """Provenance of one reply.

    ``asked`` is the id of the clue that the message clearly asked for and that could be told,
    ``told`` that of the clue that was told. Each is "" for no clue, and has a blank between the ids
    of several. ``flaw`` says why the model's wording was rejected.
    """

    decision: ModelDecision
    words: WordingSource
    asked: str = ""
    told: str = ""
    flaw: str = ""


class ReplyRecord(BaseModel, frozen=True):
    """Provenance of a colleague's reply to a message."""

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
        """Return the records of all model-drafted replies, the oldest message first."""
        rows = self._tx.rows("SELECT * FROM played ORDER BY message, colleague")
        return tuple(
            ReplyRecord(
                message=row["message"],
                colleague=row["colleague"],
                played=ReplyProvenance.model_validate({**row}),
            )
            for row in rows
        )
