"""Reviews: colleagues look over a file before it is handed in, and sign it off.

message about the file ──► there is no such file: they say so
                       ──► the content is right: they sign off this content
                       ──► the content is wrong: they tell their finding
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime

from pydantic import BaseModel, ConfigDict

from trainee_bench.world.colleagues.knowledge import Knowledge
from trainee_bench.world.colleagues.phrasing import sentences
from trainee_bench.world.colleagues.understanding import HeardMessage
from trainee_bench.world.filesystem.content import words_and_numbers
from trainee_bench.world.filesystem.paths import parse_file_path
from trainee_bench.world.filesystem.store import FileStore
from trainee_bench.world.transaction import Event, Transaction

SCHEMA = """
CREATE TABLE review (id TEXT PRIMARY KEY, reviewer TEXT NOT NULL, body TEXT NOT NULL)
    STRICT, WITHOUT ROWID;
CREATE TABLE reviewed (
    review TEXT NOT NULL, person TEXT NOT NULL, wording TEXT NOT NULL,
    PRIMARY KEY (review, person)
) STRICT, WITHOUT ROWID;
CREATE TABLE signature (
    review TEXT NOT NULL, person TEXT NOT NULL, wording TEXT NOT NULL, at TEXT NOT NULL,
    PRIMARY KEY (review, person, wording)
) STRICT, WITHOUT ROWID;
"""
_ROUNDING = 0.06
"""The greatest difference of a fractional number from the right number."""


class ChangedWording(BaseModel):
    """Words and numbers that a reviewer looks for in a file after a change.

    Each word of ``has`` must occur at least as often as stated, each word of ``had`` at most as
    often."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    has: dict[str, int]
    had: dict[str, int] = {}

    @classmethod
    def between(cls, before: str, now: str) -> ChangedWording:
        """Return the difference between *now* and *before*; all of *now* if nothing was added."""
        old, new = (words_and_numbers(text.encode()) for text in (before, now))
        return cls(has=dict((new - old) or new), had={word: new[word] for word in old - new})

    def is_in(self, data: bytes) -> bool:
        """Return whether a file with this content has the changed wording."""
        said = words_and_numbers(data)
        if any(said[word] > most for word, most in self.had.items()):
            return False
        return all(
            sum(said[other] for other in said if _same(word, other)) >= count
            for word, count in self.has.items()
        )


class FileReview(BaseModel):
    """Review of a file by ``reviewer`` (a person's id), who looks when a message names the file.

    They sign off a file with one of the wordings ``right``. About any other content they say
    ``finding``, but only after the clues ``after`` have been told; until then they say ``first``.
    Their first look replaces the payloads of the clues in ``revisions`` (by id). ``id`` is
    "task/name"; it counts as an expectation that is met when they sign off.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    reviewer: str
    path: str
    finding: str
    approval: str
    right: tuple[ChangedWording, ...]
    after: tuple[str, ...] = ()
    first: str = ""
    revisions: dict[str, str] = {}


class Reviews:
    """Reviews of one transaction."""

    def __init__(self, tx: Transaction):
        self._tx = tx

    def add(self, review: FileReview) -> None:
        """Store the review, so that its reviewer expects the file."""
        self._tx.run(
            "INSERT INTO review VALUES (?, ?, ?)",
            review.id,
            review.reviewer,
            review.model_dump_json(),
        )

    def reply(self, colleague: str, person: str, message: HeardMessage) -> str | None:
        """Return the reply of *colleague* to a *message* of *person* that names a file they review.

        Return None if the message names no such file. Record the effects of the look."""
        rows = self._tx.rows("SELECT body FROM review WHERE reviewer = ? ORDER BY id", colleague)
        for row in rows:
            review = FileReview.model_validate_json(row["body"])
            if review.path.rpartition("/")[2].casefold() in message.text.casefold():
                return self._look(review, person)
        return None

    def signed_at(self, id: str, person: str) -> datetime | None:
        """Return when review *id* signed the present content for *person*, or None."""
        row = self._tx.row("SELECT body FROM review WHERE id = ?", id)
        data = self._content(FileReview.model_validate_json(row["body"]).path) if row else None
        if data is None:
            return None
        signed = self._tx.row(
            "SELECT at FROM signature WHERE review = ? AND person = ? AND wording = ?",
            id,
            person,
            _stored(data),
        )
        return datetime.fromisoformat(signed["at"]) if signed is not None else None

    def _look(self, review: FileReview, person: str) -> str:
        knowledge, data = Knowledge(self._tx), self._content(review.path)
        if data is None:
            return sentences().reviews.no_file.format(path=review.path)
        if not knowledge.preconditions_met(review.after, person):
            return review.first
        before, now = self._seen(review, person), _stored(data)
        if before is None:
            self._revise(review)
        self._tx.run("INSERT OR REPLACE INTO reviewed VALUES (?, ?, ?)", review.id, person, now)
        if any(wording.is_in(data) for wording in review.right):
            self._sign(review, person, now)
            return review.approval
        if before == now:
            return sentences().reviews.unchanged.format(finding=review.finding)
        if before is None:
            return review.finding
        return sentences().reviews.still_wrong.format(finding=review.finding)

    def _seen(self, review: FileReview, person: str) -> str | None:
        """Return the hash of the content that *person* showed last, or None."""
        row = self._tx.row(
            "SELECT wording FROM reviewed WHERE review = ? AND person = ?", review.id, person
        )
        return str(row["wording"]) if row is not None else None

    def _revise(self, review: FileReview) -> None:
        """Give the clues their revised payloads."""
        knowledge = Knowledge(self._tx)
        for clue, payload in review.revisions.items():
            if knowledge.has_clue(clue):
                known = knowledge.clue(clue)
                knowledge.replace_clue(known.model_copy(update={"payload": payload}))

    def _sign(self, review: FileReview, person: str, wording: str) -> None:
        self._tx.run(
            "INSERT OR IGNORE INTO signature VALUES (?, ?, ?, ?)",
            review.id,
            person,
            wording,
            self._tx.now.isoformat(),
        )
        Knowledge(self._tx).record_heard(review.id, person)

    def _content(self, path: str) -> bytes | None:
        """Return the file's content, or None if it is missing or empty."""
        content = FileStore(self._tx).content(parse_file_path(path))
        return content.data if content is not None and content.data.strip() else None


def _stored(data: bytes) -> str:
    """Return a hash of the words and numbers of a file."""
    said = json.dumps(sorted(words_and_numbers(data).items()))
    return hashlib.sha256(said.encode()).hexdigest()


def _same(word: str, other: str) -> bool:
    """Return whether two words are equal, or numbers that differ by rounding only."""
    if word == other:
        return True
    try:
        first, second = float(word), float(other)
    except ValueError:
        return False
    return not first.is_integer() and abs(first - second) <= _ROUNDING


class ReviewAdded(Event):
    """Beginning of a colleague's wait for a file to review."""

    review: FileReview

    def fire(self, tx: Transaction) -> None:
        """Store the review."""
        Reviews(tx).add(self.review)
