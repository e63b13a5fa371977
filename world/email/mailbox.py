"""Stores mail, labels and attachments; reads and writes their rows as models.

A label row (owner, label, mail) puts a message into its owner's mailbox. Every message there has
the label "all". For a person, messages without such a row do not exist.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache

from pydantic import TypeAdapter

from trainee_bench.world.company.directory import Directory
from trainee_bench.world.email.message import (
    ALL,
    AttachmentFile,
    AttachmentInfo,
    MailAddress,
    MailboxEntry,
    MailMessage,
    MailSummary,
    mail_address,
)
from trainee_bench.world.email.rfc5322 import new_message_id
from trainee_bench.world.folding import folded
from trainee_bench.world.text_index import (
    FREQUENT,
    MAIL_SAMPLE,
    MAIL_TEXT,
    SAMPLED,
    TextIndex,
    trigram_query,
    trigrams_of,
)
from trainee_bench.world.transaction import Transaction

SCHEMA = """
CREATE TABLE mail (
    id INTEGER PRIMARY KEY, message_id TEXT NOT NULL UNIQUE, sender TEXT NOT NULL,
    sender_name TEXT NOT NULL, recipients TEXT NOT NULL, at TEXT NOT NULL,
    subject TEXT NOT NULL, body TEXT NOT NULL, replies_to INTEGER
) STRICT;
CREATE INDEX mail_sender ON mail (sender, id);
CREATE TABLE mail_forward (mail INTEGER PRIMARY KEY, passed_on INTEGER NOT NULL) STRICT;
CREATE TABLE mail_attachment (
    mail INTEGER NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
    content BLOB NOT NULL, PRIMARY KEY (mail, position)
) STRICT;
CREATE TABLE mail_label (
    owner TEXT NOT NULL, label TEXT NOT NULL, mail INTEGER NOT NULL,
    PRIMARY KEY (owner, label, mail)
) STRICT, WITHOUT ROWID;
CREATE INDEX mail_label_mail ON mail_label (owner, mail, label);
"""

_MESSAGE = """
m.*, (SELECT json_group_array(json_object('name', name, 'kind', kind, 'size', length(content)))
    FROM (SELECT * FROM mail_attachment WHERE mail = m.id ORDER BY position)) AS attachments,
(SELECT passed_on FROM mail_forward WHERE mail = m.id) AS forwards
"""
_LABELS = """
(SELECT group_concat(label, ' ') FROM mail_label WHERE owner = l.owner AND mail = m.id) AS labels
"""
_SUMMARY = f"""
m.id, m.at, m.sender, m.sender_name, m.recipients, m.subject,
(SELECT count(*) FROM mail_attachment WHERE mail = m.id) AS attachments, {_LABELS}
"""
_FILED = "FROM mail_label l JOIN mail m ON m.id = l.mail WHERE l.owner = ?1 AND l.label = ?2"
_OCCUR = """
 AND have_words(?, m.recipients, m.sender_name, m.subject, m.body, m.sender,
    (SELECT group_concat(name, char(10)) FROM mail_attachment WHERE mail = m.id))
"""
_FOUND = f"""
SELECT {_SUMMARY}
FROM mail_text t CROSS JOIN mail_label l ON l.mail = t.rowid JOIN mail m ON m.id = t.rowid
WHERE l.owner = ?1 AND l.label = ?2
"""
_FIND_IN_INDEX = (
    f"{_FOUND} AND t.rowid < ?3 AND mail_text MATCH ?5{_OCCUR.replace('?', '?6')}"
    " ORDER BY t.rowid DESC LIMIT ?4"
)
_LIST = f"SELECT {_SUMMARY} {_FILED} AND l.mail < ?3 AND l.mail >= ?4 ORDER BY l.mail DESC LIMIT ?5"
_FIND_BY_READING = _LIST.replace(" ORDER", f"{_OCCUR.replace('?', '?6')} ORDER")
_INDEXED_TEXT = """
SELECT id, indexed(subject), indexed(body), indexed(sender), indexed_name(sender_name),
    coalesce((SELECT group_concat(indexed_name(atom), char(10)) FROM json_tree(recipients)
        WHERE type = 'text'), ''),
    coalesce((SELECT group_concat(indexed(name), char(10)) FROM mail_attachment WHERE mail = m.id),
        '')
FROM mail m WHERE m.id > ? AND m.id <= ? AND m.id % {} = 0 ORDER BY m.id
"""
"""Selects the texts to index; of a sample, those with numbers divisible by its gap."""
_INDEXED_NEXT = """
SELECT coalesce(max(id) FILTER (WHERE characters <= ?3), min(id)) FROM (
    SELECT id, sum(length(body)) OVER (ORDER BY id) AS characters FROM (
        SELECT id, body FROM mail WHERE id > ?1 ORDER BY id LIMIT ?2))
"""
_INDEXED = ("subject", "body", "sender", "sender_name", "recipients", "attachments")
_READ_THROUGH = 500
"""A search reads this many of the newest mails instead of indexing them."""
_INDEXED_AT_ONCE = 2_000
_CHARACTERS_AT_ONCE = 1_000_000
"""One search indexes at most this many mails and characters, so that none takes long. A longer mail
is indexed alone."""
_READABLE = json.JSONEncoder(ensure_ascii=False)
_ATTACHMENTS = TypeAdapter(tuple[AttachmentInfo, ...])
_NEWEST = 2**63 - 1
"""SQLite's largest integer; no mail has this number."""


class Mailbox:
    """All mail, within one transaction. It checks no permissions."""

    def __init__(self, tx: Transaction):
        self._tx = tx

    def entry(self, owner: str, id: int) -> MailboxEntry | None:
        """Return the message in the mailbox of *owner*, None if it is not there."""
        row = self._tx.row(
            f"SELECT {_MESSAGE}, {_LABELS} {_FILED} AND m.id = ?3",
            owner,
            ALL,
            min(abs(id), _NEWEST),
        )
        return _filed(row) if row is not None and id > 0 else None

    def page(
        self, owner: str, label: str, words: Sequence[str], before: int | None, limit: int
    ) -> list[MailSummary]:
        """Return at most *limit* messages with *label* in which all *words* occur, newest first.

        Case does not matter, nor do accents in names of people. With *before*, only messages older
        than that one.
        """
        last = _NEWEST if before is None else max(0, min(before, _NEWEST))
        words = [folded(word) for word in words]
        trigrams = trigrams_of(words)
        indexed = self._indexed() if trigrams else 0
        found = self._read_through(owner, label, words, range(indexed + 1, last), limit)
        if indexed and len(found) < limit:
            if indexed > FREQUENT * SAMPLED:  # else no trigram can be frequent
                trigrams = TextIndex(self._tx, MAIL_SAMPLE, _INDEXED).rarest(trigrams)
            found += self._tx.rows(
                _FIND_IN_INDEX,
                owner,
                label,
                last,
                limit - len(found),
                trigram_query(trigrams),
                "\n".join(words),
            )
        return [_summary(*row) for row in found]

    def _read_through(
        self, owner: str, label: str, words: Sequence[str], among: range, limit: int
    ) -> list[sqlite3.Row]:
        """Return what `page` finds among the numbers *among*, without the index."""
        within = (owner, label, among.stop, among.start, limit)
        if not words:
            return self._tx.rows(_LIST, *within)
        return self._tx.rows(_FIND_BY_READING, *within, "\n".join(words))

    def _indexed(self) -> int:
        """Return the number of the newest mail in the index, after indexing some if many are
        missing."""
        newest = self._newest()
        if newest <= _READ_THROUGH:
            return 0
        index = TextIndex(self._tx, MAIL_TEXT, _INDEXED)
        done = index.newest
        if newest - done <= _READ_THROUGH or not self._tx.actor:
            return done
        found = self._tx.row(_INDEXED_NEXT, done, _INDEXED_AT_ONCE, _CHARACTERS_AT_ONCE)
        assert found is not None
        last = int(found[0])
        index.add_selected(_INDEXED_TEXT.format(1), done, last)
        TextIndex(self._tx, MAIL_SAMPLE, _INDEXED).add_selected(
            _INDEXED_TEXT.format(SAMPLED), done, last
        )
        return last

    def _newest(self) -> int:
        """Return the number of the newest mail; 0 if there is none."""
        found = self._tx.row("SELECT coalesce(max(id), 0) FROM mail")
        assert found is not None
        return int(found[0])

    def sent_from(self, address: str) -> list[MailMessage]:
        """Return every message sent from *address*, oldest first."""
        sql = f"SELECT {_MESSAGE} FROM mail m WHERE m.sender = ? ORDER BY m.id"
        return [_message(row) for row in self._tx.rows(sql, address)]

    def attachment_files(self, id: int) -> tuple[AttachmentFile, ...]:
        """Return the attachments of a message with their contents, in order."""
        rows = self._tx.rows(
            "SELECT name, kind, content FROM mail_attachment WHERE mail = ? ORDER BY position", id
        )
        return tuple(
            AttachmentFile(name=row["name"], kind=row["kind"], data=row["content"]) for row in rows
        )

    def references(self, id: int) -> tuple[str, ...]:
        """Return the message ids of the earlier messages in the thread, oldest first."""
        rows = self._tx.rows(
            "WITH RECURSIVE thread (id, depth) AS ("
            " SELECT replies_to, 1 FROM mail WHERE id = ? UNION ALL"
            " SELECT m.replies_to, depth + 1 FROM thread JOIN mail m ON m.id = thread.id)"
            " SELECT message_id FROM thread JOIN mail USING (id) ORDER BY depth DESC",
            id,
        )
        return tuple(row["message_id"] for row in rows)

    def number_of(self, message_id: str) -> int | None:
        """Return the number of the message with this message id; None if there is none."""
        row = self._tx.row("SELECT id FROM mail WHERE message_id = ?", message_id)
        return int(row["id"]) if row is not None else None

    def add_message(
        self,
        sender: MailAddress,
        to: Sequence[MailAddress],
        cc: Sequence[MailAddress],
        subject: str,
        body: str,
        enclosures: Sequence[AttachmentFile],
        replies_to: int | None,
        forwards: int | None = None,
        at: datetime | None = None,
        message_id: str = "",
    ) -> MailMessage:
        """Store a message that is sent now, or was sent earlier *at* a time, with a new
        *message_id* unless one is given. It is in no mailbox yet."""
        id, sent = self._newest() + 1, at.isoformat() if at else self._tx.timestamp
        domain = Directory(self._tx).domain
        message_id = message_id or new_message_id(id, sender.address, sent, domain=domain)
        self._tx.run(
            "INSERT INTO mail VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            id,
            message_id,
            sender.address,
            sender.name,
            _stored_recipients(tuple(to), tuple(cc)),
            sent,
            subject,
            body,
            replies_to,
        )
        if forwards is not None:
            self._tx.run("INSERT INTO mail_forward VALUES (?, ?)", id, forwards)
        if enclosures:
            self._tx.run_many(
                "INSERT INTO mail_attachment VALUES (?, ?, ?, ?, ?)",
                [(id, n, file.name, file.kind, file.data) for n, file in enumerate(enclosures)],
            )
        return MailMessage(
            id=id,
            message_id=message_id,
            sender=sender,
            to=tuple(to),
            cc=tuple(cc),
            at=at or self._tx.now,
            subject=subject,
            body=body,
            replies_to=replies_to,
            attachments=tuple(
                AttachmentInfo(name=file.name, kind=file.kind, size=len(file.data))
                for file in enclosures
            ),
            forwards=forwards,
        )

    def add_labels(self, owner: str, id: int, labels: Iterable[str]) -> None:
        """Add labels to a message in the mailbox of *owner*."""
        self.file(id, [(owner, label) for label in labels])

    def file(self, id: int, labels: Sequence[tuple[str, str]]) -> None:
        """Put a message into mailboxes. *labels* pairs each owner with a label."""
        if labels:  # one statement takes half the time of several
            rows = ", ".join(["(?, ?, ?)"] * len(labels))
            values = [value for owner, label in labels for value in (owner, label, id)]
            self._tx.run(f"INSERT OR IGNORE INTO mail_label VALUES {rows}", *values)

    def remove_labels(self, owner: str, id: int, labels: Iterable[str]) -> None:
        """Remove labels from a message in the mailbox of *owner*."""
        self._tx.run_many(
            "DELETE FROM mail_label WHERE owner = ? AND label = ? AND mail = ?",
            [(owner, label, id) for label in labels],
        )

    def has_label(self, owner: str, label: str) -> bool:
        """Whether any message in the mailbox of *owner* has *label*."""
        sql = "SELECT 1 FROM mail_label WHERE owner = ? AND label = ? LIMIT 1"
        return self._tx.row(sql, owner, label) is not None

    def labels(self, owner: str) -> dict[str, int]:
        """Return all labels in the mailbox of *owner* with the number of messages."""
        rows = self._tx.rows(
            "SELECT label, count(*) AS mails FROM mail_label WHERE owner = ?"
            " GROUP BY label ORDER BY label",
            owner,
        )
        return {row["label"]: row["mails"] for row in rows}


@lru_cache(maxsize=1024)
def _stored_recipients(to: tuple[MailAddress, ...], cc: tuple[MailAddress, ...]) -> str:
    """Encode To and Cc for storage; `_recipients` decodes them."""
    return _READABLE.encode(
        {
            "to": [[address.name, address.address] for address in to],
            "cc": [[address.name, address.address] for address in cc],
        }
    )


@lru_cache(maxsize=1024)
def _recipients(stored: str) -> tuple[tuple[MailAddress, ...], tuple[MailAddress, ...]]:
    """Decode stored To and Cc. Cached, because a mailbox repeats the same few people."""
    recipients = json.loads(stored)
    to, cc = (
        tuple(mail_address(name, address) for name, address in recipients[kind])
        for kind in ("to", "cc")
    )
    return to, cc


@lru_cache(maxsize=1024)
def _recipient_names(stored: str) -> tuple[str, ...]:
    """Return the short names of all stored recipients."""
    return tuple(address.short for group in _recipients(stored) for address in group)


_attachments = lru_cache(maxsize=256)(_ATTACHMENTS.validate_json)


def _message(row: sqlite3.Row) -> MailMessage:
    to, cc = _recipients(row["recipients"])
    return MailMessage(
        id=row["id"],
        message_id=row["message_id"],
        sender=mail_address(row["sender_name"], row["sender"]),
        to=to,
        cc=cc,
        at=row["at"],
        subject=row["subject"],
        body=row["body"],
        replies_to=row["replies_to"],
        attachments=_attachments(row["attachments"]),
        forwards=row["forwards"],
    )


def _filed(row: sqlite3.Row) -> MailboxEntry:
    return MailboxEntry(message=_message(row), labels=_in_order(row["labels"]))


@lru_cache(maxsize=2048)
def _summary(
    id: int,
    at: str,
    sender: str,
    sender_name: str,
    recipients: str,
    subject: str,
    attachments: int,
    labels: str,
) -> MailSummary:
    """Build a list entry from a row. Cached, because most mails are listed again."""
    return MailSummary(
        id,
        datetime.fromisoformat(at),
        sender_name or sender,
        _recipient_names(recipients),
        subject,
        attachments,
        _in_order(labels),
    )


def _in_order(labels: str) -> tuple[str, ...]:
    """Sort the labels that SQLite joined in no particular order."""
    return tuple(sorted(labels.split()))
