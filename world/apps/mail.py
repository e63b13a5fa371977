"""Mail: sending, replying, forwarding, labels, and mails that arrive.

A mailbox has labels instead of folders. It sets "inbox", "sent", "unread" and "all" itself; its
owner may add more. Removing "inbox" archives a mail.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from trainee_bench.world.apps.files import Files
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.email import mailbox
from trainee_bench.world.email.mailbox import Mailbox
from trainee_bench.world.email.message import (
    ALL,
    INBOX,
    PERMANENT_LABELS,
    SENT,
    UNREAD,
    AttachmentFile,
    MailAddress,
    MailboxEntry,
    MailMessage,
    MailSummary,
    address_of,
    resolve_address,
    resolve_addresses,
)
from trainee_bench.world.email.rfc5322 import to_rfc5322
from trainee_bench.world.errors import Invalid, NotFound, Refused
from trainee_bench.world.filesystem.paths import parse_file_path
from trainee_bench.world.text_index import unprintable
from trainee_bench.world.transaction import Event, NoticeKind, Transaction

SCHEMA = mailbox.SCHEMA

MAX_SUBJECT_LENGTH = 200
MAX_BODY_LENGTH = 100_000
MAX_ATTACHMENTS = 10
MAX_ATTACHMENT_BYTES = 10_000_000
MAX_LABELS = 12
_OWN_LABELS = (INBOX, UNREAD, SENT, ALL)
"""The labels that every mailbox knows, even if no mail has them."""
_LABEL = re.compile(r"[a-z0-9][a-z0-9_-]{0,29}")
_FORWARDED = "---------- Forwarded mail ----------"


class ForwardedMail(NamedTuple):
    """The number of a mail that was forwarded, the forwarder's own words, and the time."""

    mail: int
    words: str
    at: datetime


class Mail:
    """Mail within one transaction, as the actor sees it."""

    def __init__(self, tx: Transaction):
        self._tx = tx
        self._mailbox = Mailbox(tx)
        self._directory = Directory(tx)

    # reading ------------------------------------------------------------------------------

    def mailbox_entry(self, id: int) -> MailboxEntry:
        """Return a message in the actor's mailbox, with its labels. Raises NotFound."""
        found = self._mailbox.entry(self._tx.actor, id)
        if found is None:
            raise NotFound(f"You have no mail {id}; find mails with mail_list or mail_search.")
        return found

    def page(
        self, label: str = INBOX, query: str = "", before: int | None = None, limit: int = 10
    ) -> list[MailSummary]:
        """Return at most *limit* of the actor's messages with *label*, newest first.

        With *query*, only messages in which each of its words occurs, in any case: in the subject,
        the text, names, addresses, or attachment names. *before* continues a list. Raises NotFound
        for a label that no mail has and the mailbox does not know.
        """
        wanted = label.strip().lower()
        found = self._mailbox.page(self._tx.actor, wanted, query.split(), before, limit)
        if not found and not self._knows_label(wanted):
            there = ", ".join(self.labels())
            raise NotFound(f"No mail is labelled {label[:40]!r}. The labels are {there}.")
        return found

    def labels(self) -> dict[str, int]:
        """Return the actor's labels, the mailbox's own first, and the number of messages
        with each."""
        used = self._mailbox.labels(self._tx.actor)
        return {label: used.get(label, 0) for label in _OWN_LABELS} | used

    def sent_by(self, person: str) -> list[MailMessage]:
        """Return every message that *person* (an id) has sent, oldest first. Raises NotFound."""
        return self._mailbox.sent_from(self._directory.person(person).email)

    def sent_from(self, address: str) -> list[MailMessage]:
        """Return every message that came from *address*, oldest first."""
        return self._mailbox.sent_from(address)

    def forwarded_to(self, colleague: str) -> tuple[ForwardedMail, ...]:
        """Return the mails that the actor has forwarded to *colleague* (an id), in order.

        For a forward of a forward, this is the original mail.
        """
        within, found = dict[int, int](), list[ForwardedMail]()
        for message in self.sent_by(self._tx.actor or self._tx.employee):
            if message.forwards is None:
                continue
            passed_on = within.get(message.forwards, message.forwards)
            within[message.id] = passed_on
            if colleague in self.colleagues_of(message):
                words = message.body.partition(_FORWARDED)[0]
                found.append(ForwardedMail(passed_on, words.strip(), message.at))
        return tuple(found)

    def colleagues_of(self, message: MailMessage) -> frozenset[str]:
        """Return the ids of the colleagues among the recipients of *message*."""
        owners = (self._directory.owner(address.address) for address in message.recipients)
        return frozenset(owners) - {""}

    def readers_of(self, message: MailMessage) -> frozenset[str]:
        """Return the recipients of *message*: ids of colleagues, and addresses of others."""
        addresses = (address.address for address in message.recipients)
        return frozenset(self._directory.owner(address) or address for address in addresses)

    def max_recipients(self, person: str) -> int:
        """Return the most recipients of one mail from *person*; 0 if they sent none."""
        return max((len(message.recipients) for message in self.sent_by(person)), default=0)

    def attachment_files(self, id: int) -> tuple[AttachmentFile, ...]:
        """Return the attachments of a message in anyone's mailbox, with their contents."""
        return self._mailbox.attachment_files(id)

    def attachment_file(self, id: int, name: str) -> AttachmentFile:
        """Return one attachment of one of the actor's messages. Raises NotFound, naming all
        attachments."""
        message = self.mailbox_entry(id).message
        for enclosure in self._mailbox.attachment_files(id):
            if enclosure.name == name:
                return enclosure
        names = ", ".join(attachment.name for attachment in message.attachments) or "none"
        raise NotFound(f"Mail {id} has no attachment {name[:80]!r}; it has: {names}.")

    def export(self, id: int) -> bytes:
        """Return one of the actor's messages in the standard format of internet mail. Raises
        NotFound."""
        message = self.mailbox_entry(id).message
        enclosures, references = self._mailbox.attachment_files(id), self._mailbox.references(id)
        return to_rfc5322(message, enclosures, references)

    # actions of the actor -------------------------------------------------------------------

    def read(self, id: int) -> MailboxEntry:
        """Return one of the actor's messages, and mark it as read. Raises NotFound."""
        found = self.mailbox_entry(id)
        if found.unread:
            self._mailbox.remove_labels(self._tx.actor, id, [UNREAD])
        return found

    def send(
        self,
        to: Sequence[str],
        subject: str,
        body: str,
        cc: Sequence[str] = (),
        attachments: Sequence[str] = (),
    ) -> MailMessage:
        """Send a mail from the actor. People are ids, names or addresses; attachments are paths.

        Raises Invalid, NotFound or Refused if the mail cannot be sent or a file cannot be attached.
        """
        enclosures = self._enclose(attachments)
        return self._send_message(
            self._me(), self._resolve(to), self._resolve(cc), subject, body, enclosures
        )

    def reply(
        self,
        id: int,
        body: str,
        everybody: bool = False,
        attachments: Sequence[str] = (),
        cc: Sequence[str] = (),
    ) -> MailMessage:
        """Answer the sender of a mail (the recipients, if it is one's own), or *everybody* on it,
        with copies to *cc*.

        Raises as send does.
        """
        me, answered = self._me(), self.mailbox_entry(id).message
        mine = answered.sender == me
        to = answered.to if mine else (answered.sender,)
        others = (*answered.to, *answered.cc) if everybody else ()
        copies = [address for address in others if address != me and address not in to]
        copies += self._resolve(cc)
        subject = answered.subject
        if not subject.lower().startswith("re:"):
            subject = f"Re: {subject}"[:MAX_SUBJECT_LENGTH]
        return self._send_message(
            me,
            to,
            tuple(dict.fromkeys(copies)),
            subject,
            body,
            self._enclose(attachments),
            answered.id,
        )

    def forward(self, id: int, to: Sequence[str], body: str = "") -> MailMessage:
        """Forward a mail with its text and attachments, below *body*.

        Raises as send does.
        """
        passed = self.mailbox_entry(id).message
        header = [
            f"From: {passed.sender}",
            f"Date: {passed.at:%Y-%m-%d %H:%M}",
            f"To: {', '.join(map(str, passed.to))}",
            *([f"Cc: {', '.join(map(str, passed.cc))}"] if passed.cc else []),
            f"Subject: {passed.subject}",
        ]
        parts = [body] if body.strip() else []
        parts += ["\n".join([_FORWARDED, *header]), passed.body]
        subject = passed.subject
        if not subject.lower().startswith("fwd:"):
            subject = f"Fwd: {subject}"[:MAX_SUBJECT_LENGTH]
        enclosures = self._mailbox.attachment_files(id)
        return self._send_message(
            self._me(),
            self._resolve(to),
            (),
            subject,
            "\n\n".join(parts),
            enclosures,
            forwards=passed.id,
        )

    def label(self, id: int, add: Iterable[str], remove: Iterable[str]) -> MailboxEntry:
        """Add labels to a mail and remove others. Raises NotFound, Invalid, Refused."""
        self.mailbox_entry(id)
        added, removed = [_label(text) for text in add], [_label(text) for text in remove]
        if not added and not removed:
            raise Invalid("Give labels to add or to remove.")
        self._mailbox.remove_labels(self._tx.actor, id, removed)
        self._mailbox.add_labels(self._tx.actor, id, added)
        found = self.mailbox_entry(id)
        if len(found.labels) > MAX_LABELS:
            raise Refused(f"A mail can have at most {MAX_LABELS} labels; remove some.")
        return found

    # arriving mails -------------------------------------------------------------------------

    def deliver(
        self,
        sender: str,
        to: Sequence[str],
        subject: str,
        body: str,
        cc: Sequence[str] = (),
        attachments: Sequence[AttachmentFile] = (),
    ) -> MailMessage:
        """Send a mail from a colleague (id) or an outsider ("Name <name@company.com>").

        Raises as send does.
        """
        origin = resolve_address(self._directory, sender)
        return self._send_message(
            origin, self._resolve(to), self._resolve(cc), subject, body, attachments
        )

    # helpers --------------------------------------------------------------------------------

    def _knows_label(self, label: str) -> bool:
        return label in _OWN_LABELS or self._mailbox.has_label(self._tx.actor, label)

    def _me(self) -> MailAddress:
        return address_of(self._directory.person(self._tx.actor))

    def _resolve(self, people: Sequence[str]) -> tuple[MailAddress, ...]:
        return resolve_addresses(self._directory, people)

    def _enclose(self, paths: Sequence[str]) -> tuple[AttachmentFile, ...]:
        """Read the files at *paths* as attachments. Raises Invalid, NotFound, Refused."""
        if not paths:
            return ()
        files = Files(self._tx)
        found = tuple(
            AttachmentFile(name=parse_file_path(path).name, kind=content.kind, data=content.data)
            for path in dict.fromkeys(paths)
            for content in (files.content(path),)
        )
        names = [enclosure.name for enclosure in found]
        if len(set(names)) < len(names):
            raise Invalid(
                "Two attachments have the same name; copy one of them to another name first."
            )
        return found

    def _send_message(
        self,
        sender: MailAddress,
        to: Sequence[MailAddress],
        cc: Sequence[MailAddress],
        subject: str,
        body: str,
        enclosures: Sequence[AttachmentFile],
        replies_to: int | None = None,
        forwards: int | None = None,
    ) -> MailMessage:
        """Check a mail, store it, and put it into the mailboxes of its recipients at the
        company."""
        _check(to, subject, body, enclosures)
        cc = tuple(address for address in cc if address not in to)
        sent = self._mailbox.add_message(
            sender, to, cc, subject, body, enclosures, replies_to, forwards
        )
        filed: list[tuple[str, str]] = []
        if mine := self._directory.owner(sender.address):
            filed += [(mine, label) for label in (ALL, SENT)]
        for address in (*to, *cc):
            if owner := self._directory.owner(address.address):
                filed += [(owner, label) for label in (ALL, INBOX, UNREAD)]
            if owner and owner != mine:
                news = f"Mail {sent.id} from {sender.short}: {subject}"
                self._tx.notify(owner, NoticeKind.MAIL, news)
        self._mailbox.file(sent.id, filed)
        return sent


class MailArrives(Event):
    """A mail arrives from a colleague (id) or an outsider ("Name <name@company.com>")."""

    sender: str
    to: tuple[str, ...]
    subject: str
    body: str
    cc: tuple[str, ...] = ()
    attachments: tuple[AttachmentFile, ...] = ()

    def fire(self, tx: Transaction) -> None:
        """Put the mail into the mailboxes and tell their owners."""
        Mail(tx).deliver(self.sender, self.to, self.subject, self.body, self.cc, self.attachments)


def _check(
    to: Sequence[MailAddress], subject: str, body: str, enclosures: Sequence[AttachmentFile]
) -> None:
    """Raise Invalid or Refused for a mail that cannot be sent."""
    if not to:
        raise Invalid("A mail needs at least one recipient in to.")
    if not subject.strip():
        raise Invalid("A mail needs a subject.")
    character = unprintable(subject)
    if character or len(subject) > MAX_SUBJECT_LENGTH:
        step = f" Leave {character} out." if character else ""
        raise Invalid(
            f"A subject is one printable line of at most {MAX_SUBJECT_LENGTH} characters.{step}"
        )
    if len(body) > MAX_BODY_LENGTH:
        raise Invalid(
            f"A mail can have at most {MAX_BODY_LENGTH:,} characters; attach a file instead."
        )
    if len(enclosures) > MAX_ATTACHMENTS:
        raise Refused(f"A mail can have at most {MAX_ATTACHMENTS} attachments; send several mails.")
    if sum(len(enclosure.data) for enclosure in enclosures) > MAX_ATTACHMENT_BYTES:
        raise Refused(
            "A mail can have at most 10 MB of attachments; put the files on the drive instead."
        )


def _label(text: str) -> str:
    """Parse *text* as a label. Raises Invalid if it is none, Refused if the mailbox sets it
    itself."""
    label = text.strip().lower()
    if not _LABEL.fullmatch(label):
        raise Invalid(f"{text[:40]!r} is not a label; use up to 30 letters, digits, - and _.")
    if label in PERMANENT_LABELS:
        raise Refused(f"Only the mailbox sets the label {label!r}; choose another.")
    return label
