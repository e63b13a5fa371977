"""How colleagues' answers came about that a model had drafted: what it decided, whose words it was.

Rows say how a world came about, not what is true in it, so they are no part of its digest.
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
    """What a model decided, beside what the matcher decided of the same message."""

    RIGHT = "right"
    """The same."""
    OVERREACHED = "overreached"
    """It would have told a clue that was not asked for clearly."""
    WITHHELD = "withheld"
    """It would not have told the clue that was asked for clearly."""
    OTHERWISE = "otherwise"
    """Something else without a clue, such as a question back where nothing was in doubt."""
    MALFORMED = "malformed"
    """What it said was no decision at all."""
    UNAVAILABLE = "unavailable"
    """It could not be asked."""


class WordingSource(StrEnum):
    """Whose words an answer is made of; a clue's payload is the clue's in any case."""

    MODEL = "model"
    SCRIPT = "script"
    """The script's, as always where code knows what is to be said."""
    STAND_IN = "stand_in"
    """The script's, in place of the model's, which could not be used."""


class ReplyProvenance(BaseModel, frozen=True):
    """How one answer came about.

    ``asked`` is the clue that the message asked for clearly and that could be told, ``told`` the
    one that was; "" for none. ``flaw`` says why words of the model's could not be used.
    """

    decision: ModelDecision
    words: WordingSource
    asked: str = ""
    told: str = ""
    flaw: str = ""


class ReplyRecord(BaseModel, frozen=True):
    """The answer of a colleague to a message, and how it came about."""

    message: int
    colleague: str
    played: ReplyProvenance


class ProvenanceLog:
    """What was played, within one turn."""

    def __init__(self, tx: Transaction):
        self._tx = tx

    def record(self, message: int, colleague: str, played: ReplyProvenance) -> None:
        """Write down how *colleague*'s answer to *message* came about."""
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
        """All answers that a model had drafted, oldest message first."""
        rows = self._tx.rows("SELECT * FROM played ORDER BY message, colleague")
        return tuple(
            ReplyRecord(
                message=row["message"],
                colleague=row["colleague"],
                played=ReplyProvenance.model_validate({**row}),
            )
            for row in rows
        )
