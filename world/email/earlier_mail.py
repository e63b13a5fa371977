"""Mails that are in people's mailboxes when a world begins."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from trainee_bench.world.company.directory import Directory
from trainee_bench.world.email.mailbox import Mailbox
from trainee_bench.world.email.message import (
    ALL,
    INBOX,
    SENT,
    UNREAD,
    AttachmentFile,
    resolve_address,
    resolve_addresses,
)
from trainee_bench.world.transaction import Event, Transaction


class EarlierMail(Event):
    """A mail that was sent before the world begins, with the time and the message id that it had.

    ``answers`` is the message id of the mail that it answers, "" for none. A mail that nobody has
    ``read`` is unread in its recipients' mailboxes.
    """

    at: datetime
    message_id: str
    sender: str
    to: tuple[str, ...]
    subject: str
    body: str
    cc: tuple[str, ...] = ()
    attachments: tuple[AttachmentFile, ...] = ()
    answers: str = ""
    read: bool = True

    def fire(self, tx: Transaction) -> None:
        """Put the mail into the mailboxes of the people in the directory."""
        directory, mailbox = Directory(tx), Mailbox(tx)
        sender = resolve_address(directory, self.sender)
        to, cc = resolve_addresses(directory, self.to), resolve_addresses(directory, self.cc)
        sent = mailbox.add_message(
            sender,
            to,
            tuple(address for address in cc if address not in to),
            self.subject,
            self.body,
            self.attachments,
            mailbox.number_of(self.answers),
            at=self.at,
            message_id=self.message_id,
        )
        received = (ALL, INBOX) if self.read else (ALL, INBOX, UNREAD)
        labels = [*_labels(directory.owner(sender.address), (ALL, SENT))]
        for address in sent.recipients:
            labels += _labels(directory.owner(address.address), received)
        mailbox.file(sent.id, list(dict.fromkeys(labels)))


def _labels(owner: str, labels: Iterable[str]) -> list[tuple[str, str]]:
    """Return the owner with each label; none for an outside address."""
    return [(owner, label) for label in labels] if owner else []
