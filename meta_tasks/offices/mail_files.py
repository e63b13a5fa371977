"""`mail/*.eml` and the mails of tasks: internet mails (RFC 5322) as events of a world."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from email.message import EmailMessage
from email.utils import getaddresses, parsedate_to_datetime
from pathlib import Path

from trainee_bench.meta_tasks.offices.file_contents import file_content
from trainee_bench.meta_tasks.offices.placeholders import fill
from trainee_bench.meta_tasks.offices.source import OfficeError, read_bytes
from trainee_bench.meta_tasks.offices.values import Value
from trainee_bench.world.apps.mail import (
    MAX_ATTACHMENT_BYTES,
    MAX_ATTACHMENTS,
    MAX_BODY_LENGTH,
    MAX_SUBJECT_LENGTH,
    MailArrives,
)
from trainee_bench.world.company.people import Company
from trainee_bench.world.email.earlier_mail import EarlierMail
from trainee_bench.world.email.message import (
    MAX_RECIPIENTS,
    AttachmentFile,
    is_mail_address,
)

MAX_MAIL_BYTES = 15_000_000
_IMPORT = "use `trainee-bench office import` to convert it"


@dataclass(frozen=True)
class OfficeMail:
    """A mail of an office. People are ids of colleagues or outside addresses with names.

    ``at`` is None without a Date. ``message_id`` and ``answers`` are without angle brackets.
    """

    name: str
    at: datetime | None
    message_id: str
    answers: str
    sender: str
    to: tuple[str, ...]
    cc: tuple[str, ...]
    subject: str
    body: str
    attachments: tuple[AttachmentFile, ...]

    def filled(self, values: Mapping[str, Value]) -> OfficeMail:
        """Return the mail with the *values* of rules in place of their names in braces."""
        return replace(self, body=fill(self.body, values))

    def earlier(self, before: datetime) -> EarlierMail:
        """Return the event that puts it into the mailboxes. A mail of the last day *before* the
        world begins is unread."""
        assert self.at is not None, "a mail of the mailbox has a date"
        return EarlierMail(
            at=self.at,
            message_id=self.message_id,
            sender=self.sender,
            to=self.to,
            cc=self.cc,
            subject=self.subject,
            body=self.body,
            attachments=self.attachments,
            answers=self.answers,
            read=(before - self.at).days >= 1,
        )

    def arrival(self) -> MailArrives:
        """Return the event by which it arrives."""
        return MailArrives(
            sender=self.sender,
            to=self.to,
            cc=self.cc,
            subject=self.subject,
            body=self.body,
            attachments=self.attachments,
        )


def read_mail(path: Path, company: Company) -> OfficeMail:
    """Return the mail in an .eml file. Raises OfficeError for a mail that an agent could not read
    whole."""
    data = read_bytes(path, MAX_MAIL_BYTES)
    try:
        return _read(path, data, company)
    except (LookupError, AttributeError, RecursionError, ValueError, TypeError) as error:
        flaw = f"it is damaged ({type(error).__name__}); {_IMPORT}"
        raise OfficeError(path, flaw) from None


def _read(path: Path, data: bytes, company: Company) -> OfficeMail:
    parsed = email.message_from_bytes(data, policy=email.policy.default)
    assert isinstance(parsed, EmailMessage), "the default policy makes these"
    known = {person.email.casefold(): person.id for person in (*company.people, company.trainee)}

    def people(header: str) -> tuple[str, ...]:
        values = [str(value) for value in parsed.get_all(header, [])]
        found = []
        for name, address in getaddresses(values):
            if address and not is_mail_address(address):
                flaw = f"{header} has {address[:80]!r}, which is no mail address"
                raise OfficeError(path, f"{flaw}; write it as Name <name@company.example>")
            if address:
                outside = f"{name} <{address}>" if name else address
                found.append(known.get(address.casefold(), outside))
        return tuple(found)

    sender, to = people("From"), people("To")
    if len(sender) != 1 or not to:
        raise OfficeError(path, "it needs one address in From and at least one in To; add them")
    everybody = (*sender, *to, *people("Cc"))
    if len(everybody) > MAX_RECIPIENTS:
        raise OfficeError(path, f"it has more than {MAX_RECIPIENTS} people; leave some out")
    for address in everybody:
        if address.casefold().rstrip(">").endswith(f"@{company.domain}"):
            raise OfficeError(
                path, f"{address} is not in people.csv; add the person, or the address"
            )
    subject = " ".join(str(parsed["Subject"] or "").split())
    body, attachments = _parts(path, parsed)
    fits = 0 < len(subject) <= MAX_SUBJECT_LENGTH and subject.isprintable()
    if not fits or len(body) > MAX_BODY_LENGTH:
        raise OfficeError(
            path,
            f"it needs a printable subject of at most {MAX_SUBJECT_LENGTH} characters, and a text "
            f"of at most {MAX_BODY_LENGTH:,}",
        )
    return OfficeMail(
        name=path.name,
        at=_date(path, parsed),
        message_id=_id(parsed, "Message-ID") or f"{path.stem}@{company.domain}",
        answers=_id(parsed, "In-Reply-To"),
        sender=sender[0],
        to=to,
        cc=people("Cc"),
        subject=subject,
        body=body,
        attachments=attachments,
    )


def _date(path: Path, parsed: EmailMessage) -> datetime | None:
    """Return the Date in the clock of its own zone: simulated time has no zone."""
    if parsed["Date"] is None:
        return None
    try:
        return parsedate_to_datetime(str(parsed["Date"])).replace(tzinfo=None, microsecond=0)
    except ValueError:
        raise OfficeError(path, f"the Date {str(parsed['Date'])!r} cannot be read") from None


def _id(parsed: EmailMessage, header: str) -> str:
    return str(parsed[header] or "").strip().strip("<>")


def _parts(path: Path, parsed: EmailMessage) -> tuple[str, tuple[AttachmentFile, ...]]:
    """Return the text and the attachments."""
    text: str | None = None
    attachments: list[AttachmentFile] = []
    for part in parsed.walk():
        if part.is_multipart():
            if part.get_content_subtype() not in ("mixed", "plain"):
                kind = part.get_content_type()
                raise OfficeError(path, f"a mail is text with attachments, not {kind}; {_IMPORT}")
            continue
        if part.get_filename() is None and part.get_content_type() == "text/plain" and text is None:
            text = _decoded(path, part.get_content)
            continue
        name = part.get_filename()
        if name is None:
            kind = part.get_content_type()
            raise OfficeError(path, f"it has a part of type {kind} without a name; {_IMPORT}")
        data = part.get_payload(decode=True)
        content = file_content(path, name, data if isinstance(data, bytes) else b"")
        attachments.append(AttachmentFile(name=name, kind=content.kind, data=content.data))
    if text is None:
        raise OfficeError(path, f"it has no text/plain part; {_IMPORT}")
    size = sum(len(attachment.data) for attachment in attachments)
    if len(attachments) > MAX_ATTACHMENTS or size > MAX_ATTACHMENT_BYTES:
        raise OfficeError(
            path, f"it has more than {MAX_ATTACHMENTS} attachments or 10 MB; put them on the drive"
        )
    return text.replace("\r\n", "\n").strip("\n") + "\n", tuple(attachments)


def _decoded(path: Path, content: Callable[[], object]) -> str:
    try:
        return str(content())
    except (LookupError, UnicodeError) as error:
        raise OfficeError(path, f"its text cannot be decoded ({error}); {_IMPORT}") from None
