"""A mail message and its parts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from email.utils import parseaddr
from functools import lru_cache
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from trainee_bench.world.company.directory import Directory
from trainee_bench.world.company.people import Person
from trainee_bench.world.errors import Invalid
from trainee_bench.world.filesystem.content import FileKind

INBOX, SENT, UNREAD, ALL = "inbox", "sent", "unread", "all"
PERMANENT_LABELS = frozenset({SENT, ALL})
"""Labels that only the mailbox itself sets."""


class MailAddress(BaseModel, frozen=True):
    """A mail address and its owner's name, "" if unknown."""

    name: str
    address: str

    def __str__(self) -> str:
        return f"{self.name} <{self.address}>" if self.name else self.address

    @property
    def short(self) -> str:
        """The name, or the address if there is no name."""
        return self.name or self.address


@lru_cache(maxsize=4096)
def mail_address(name: str, address: str) -> MailAddress:
    """Create a MailAddress. Cached, because a company's mail repeats the same few people."""
    return MailAddress(name=name, address=address)


class AttachmentInfo(BaseModel, frozen=True):
    """An attachment without its content; ``size`` is in bytes."""

    name: str
    kind: FileKind
    size: int


class AttachmentFile(BaseModel):
    """A file to send: its name and its content (base64 in JSON)."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", ser_json_bytes="base64", val_json_bytes="base64"
    )

    name: str
    kind: FileKind
    data: bytes


class MailMessage(BaseModel, frozen=True):
    """A message as sent. ``replies_to`` is the number of the mail it answers, ``forwards`` of the
    mail it forwards."""

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
        """All addresses in To and Cc."""
        return (*self.to, *self.cc)


class MailboxEntry(BaseModel, frozen=True):
    """A message in a person's mailbox, with its labels there."""

    message: MailMessage
    labels: tuple[str, ...]

    @property
    def unread(self) -> bool:
        """Whether its owner has not read it yet."""
        return UNREAD in self.labels


class MailSummary(NamedTuple):
    """A message in a mailbox's list, without its text; people have their short names."""

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


MAX_RECIPIENTS = 100
_OUTSIDE = re.compile(
    r"(?=[^@]{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
    r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,24}"
)


def is_mail_address(address: str) -> bool:
    """Return whether *address* alone, without a name, is one to which mails can go."""
    return _OUTSIDE.fullmatch(address) is not None


def address_of(person: Person) -> MailAddress:
    """Return a colleague's address."""
    return mail_address(person.name, person.email)


def resolve_address(directory: Directory, who: str) -> MailAddress:
    """Return the address that an id, a colleague's name or address, or an outside address means.

    Raises NotFound for an unknown colleague, Invalid for a malformed address.
    """
    name, address = parseaddr(who) if "<" in who else ("", who.strip())
    inside = address.lower().endswith(f"@{directory.domain}") or bool(directory.owner(address))
    if "@" not in address or inside:
        return address_of(directory.find(address if inside else who))
    if not _OUTSIDE.fullmatch(address):
        raise Invalid(f"{who[:80]!r} is not a mail address; write name@company.com.")
    return MailAddress(name=" ".join(name.split()), address=address)


def resolve_addresses(directory: Directory, people: Iterable[str]) -> tuple[MailAddress, ...]:
    """Return the addresses that *people* mean, each once, in order.

    Raises the errors of resolve_address, and Invalid for too many.
    """
    if isinstance(people, str):  # otherwise each letter would be looked up
        raise TypeError("recipients must be several texts, not one")
    found = {
        address.address.lower(): address
        for address in (resolve_address(directory, w) for w in people)
    }
    if len(found) > MAX_RECIPIENTS:
        raise Invalid(f"A mail can have at most {MAX_RECIPIENTS} recipients, not {len(found)}.")
    return tuple(found.values())
