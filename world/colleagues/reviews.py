"""Colleagues who look over a file before it is handed in, and sign it off.

written to about the file ──► there is no such file: so they say
                          ──► first time: what they find fault with
                          ──► not changed since: the same again
                          ──► changed since: signed off
"""

from __future__ import annotations

import hashlib

from pydantic import BaseModel, ConfigDict

from trainee_bench.world.colleagues.knowledge import Knowledge
from trainee_bench.world.filesystem.paths import parse_file_path
from trainee_bench.world.filesystem.store import FileStore
from trainee_bench.world.transaction import Event, Transaction

SCHEMA = """
CREATE TABLE review (id TEXT PRIMARY KEY, reviewer TEXT NOT NULL, body TEXT NOT NULL)
    STRICT, WITHOUT ROWID;
CREATE TABLE reviewed (
    review TEXT NOT NULL, person TEXT NOT NULL, hash TEXT NOT NULL,
    PRIMARY KEY (review, person)
) STRICT, WITHOUT ROWID;
"""


class FileReview(BaseModel):
    """A file that *reviewer* (a person's id) looks over when they are written to about it.

    ``finding`` is what they find fault with; it is said only once the clues ``after`` have been
    told, and ``first`` until then. With it, clues (by id) get other payloads: ``revisions``.
    ``id`` is "task/name"; it counts as an expectation that is met when they sign off.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    reviewer: str
    path: str
    finding: str
    approval: str
    after: tuple[str, ...] = ()
    first: str = ""
    revisions: dict[str, str] = {}


class Reviews:
    """The reviews of one transaction."""

    def __init__(self, tx: Transaction):
        self._tx = tx

    def add(self, review: FileReview) -> None:
        """Let its reviewer expect the file."""
        self._tx.run(
            "INSERT INTO review VALUES (?, ?, ?)",
            review.id,
            review.reviewer,
            review.model_dump_json(),
        )

    def reply(self, colleague: str, person: str, text: str) -> str | None:
        """What *colleague* says to a message of *person* that names a file they review; None if it
        names none. Records what follows from it."""
        rows = self._tx.rows("SELECT body FROM review WHERE reviewer = ? ORDER BY id", colleague)
        for row in rows:
            review = FileReview.model_validate_json(row["body"])
            if review.path.rpartition("/")[2].casefold() in text.casefold():
                return self._look(review, person)
        return None

    def _look(self, review: FileReview, person: str) -> str:
        knowledge, now = Knowledge(self._tx), self._hash(review.path)
        if now is None:
            return f"I see no {review.path} yet. Write to me again when it is there."
        if not knowledge.preconditions_met(review.after, person):
            return review.first
        row = self._tx.row(
            "SELECT hash FROM reviewed WHERE review = ? AND person = ?", review.id, person
        )
        if row is None:
            for clue, payload in review.revisions.items():
                if knowledge.has_clue(clue):
                    known = knowledge.clue(clue)
                    knowledge.replace_clue(known.model_copy(update={"payload": payload}))
            self._tx.run("INSERT INTO reviewed VALUES (?, ?, ?)", review.id, person, now)
            return review.finding
        if row["hash"] == now and knowledge.heard_at(review.id, person) is None:
            return f"The file is as it was. {review.finding}"
        knowledge.record_heard(review.id, person)
        return review.approval

    def _hash(self, path: str) -> str | None:
        """A hash of the file's content, None if there is none or it is empty."""
        content = FileStore(self._tx).content(parse_file_path(path))
        if content is None or not content.data.strip():
            return None
        return hashlib.sha256(content.data).hexdigest()


class ReviewAdded(Event):
    """A colleague expects a file to look over."""

    review: FileReview

    def fire(self, tx: Transaction) -> None:
        """Store it."""
        Reviews(tx).add(self.review)
