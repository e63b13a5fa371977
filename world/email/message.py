"""A mail message and its parts."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from trainee_bench.world.company.people import DOMAIN
from trainee_bench.world.filesystem.content import FileKind

INBOX, SENT, UNREAD, ALL = "inbox", "sent", "unread", "all"
PERMANENT_LABELS = frozenset({SENT, ALL})
"""Labels that the mailbox sets itself and nobody changes."""


class MailAddress(BaseModel, frozen=True):
    """A mail address and its owner's name, "" if unknown."""

    name: str
    address: str

    def __str__(self) -> str:
        return f"{self.name} <{self.address}>" if self.name else self.address

    @property
    def short(self) -> str:
        """The name, or the address where there is none."""
        return self.name or self.address

    @property
    def colleague(self) -> str:
        """The id of the colleague with this address, "" for an outside address."""
        id, _, domain = self.address.rpartition("@")
        return id if domain == DOMAIN else ""


@lru_cache(maxsize=4096)
def mail_address(name: str, address: str) -> MailAddress:
    """The same as MailAddress; kept, because a company's mail repeats the same few people."""
    return MailAddress(name=name, address=address)


class AttachmentInfo(BaseModel, frozen=True):
    """An attachment without its content; ``size`` is in bytes."""

    name: str
    kind: FileKind
    size: int


class AttachmentFile(BaseModel):
    """A file to be sent: its name, and its content (base64 in JSON)."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", ser_json_bytes="base64", val_json_bytes="base64"
    )

    name: str
    kind: FileKind
    data: bytes


class MailMessage(BaseModel, frozen=True):
    """A message as it was sent. ``replies_to`` is the number of the mail it answers, ``forwards``
    that of the mail it passes on."""

    id: int
    message_id: str
    sender: MailAddress
    to: tuple[MailAddress, ...]
    cc: tuple[MailAddress, ...]
    at: datetime
    subject: str
    body: str
    replies_to: int | None
    attachments: tuple[AttachmentInfo, ...]
    forwards: int | None = None

    @property
    def recipients(self) -> tuple[MailAddress, ...]:
        """Everybody in To and Cc."""
        return (*self.to, *self.cc)


class MailboxEntry(BaseModel, frozen=True):
    """A message in somebody's mailbox, with its labels there."""

    message: MailMessage
    labels: tuple[str, ...]

    @property
    def unread(self) -> bool:
        """Whether its owner has not read it yet."""
        return UNREAD in self.labels


class MailSummary(NamedTuple):
    """A message in a list of somebody's mailbox, without its text; people by their short names."""

    id: int
    at: datetime
    sender: str
    recipients: tuple[str, ...]
    subject: str
    attachments: int
    labels: tuple[str, ...]

    @property
    def unread(self) -> bool:
        """Whether its owner has not read it yet."""
        return UNREAD in self.labels
