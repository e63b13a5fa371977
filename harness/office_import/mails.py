"""Converts one mail (RFC 5322) to the office's form."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from datetime import datetime
from email import message_from_bytes
from email.message import Message

from trainee_bench.harness.office_import.agents_view import check_attachment, fitting_mail
from trainee_bench.harness.office_import.converted import ConvertedFile, RefusedPart
from trainee_bench.harness.office_import.file_conversion import converted_file
from trainee_bench.harness.office_import.file_kinds import SourceKind, kind_of_file
from trainee_bench.harness.office_import.file_names import drive_name, unused_name
from trainee_bench.harness.office_import.limits import (
    MAX_MAIL_DEPTH,
    MAX_MAIL_PARTS,
    check_size,
    check_text,
)
from trainee_bench.harness.office_import.mail_headers import (
    MailContact,
    decoded_header,
    is_cut,
    mail_contacts,
    mail_date,
    message_ids,
    raw_header,
    unread_addresses,
)
from trainee_bench.harness.office_import.mail_parts import AttachedFile, MailParts, take_apart
from trainee_bench.harness.office_import.mail_writing import CanonicalMail
from trainee_bench.harness.office_import.options import ImportOptions
from trainee_bench.harness.office_import.refusals import ItemRefused
from trainee_bench.harness.office_import.text_decoding import without_invisible
from trainee_bench.harness.support.text import printable


@dataclass(frozen=True)
class ConvertedMail:
    """A mail for the office, with notes, the attachments that were left out, and invitations."""

    mail: CanonicalMail
    notes: tuple[str, ...]
    refused_parts: tuple[RefusedPart, ...]
    invitations: tuple[AttachedFile, ...]


def convert_mail(data: bytes, options: ImportOptions) -> ConvertedMail:
    """Convert the mail *data*.

    An attachment that agents could not read is left out, with a line in the mail's text. Raises
    ItemRefused if the mail itself cannot be read: it is no mail, is encrypted, has no sender or
    date, or exceeds a limit. Raises CannotImport if the extra is not installed.
    """
    check_size(data, "The mail")
    parsed = _parsed(data)
    notes: list[str] = []
    at = _moment(parsed, options, notes)
    sender = _sender(parsed, notes)
    contents = take_apart(parsed, options.encoding)
    attachments = _Attachments(options)
    attachments.add(contents, 0)
    notes += [*contents.notes, *attachments.notes]
    body = _clean("\n\n".join(text.strip("\n") for text in attachments.texts(contents)))
    for part in attachments.refused:
        body += f"\n\n[An attachment was left out: {part.item}]"
    check_text(body)
    own_ids = message_ids(raw_header(parsed, "Message-ID"))
    if not own_ids:
        own_ids = (f"<{hashlib.sha256(data).hexdigest()[:24]}@imported.invalid>",)
        notes.append("It had no Message-ID and got one.")
    replied = message_ids(raw_header(parsed, "In-Reply-To"))
    mail = CanonicalMail(
        sender=sender,
        to=mail_contacts(raw_header(parsed, "To")),
        cc=mail_contacts(raw_header(parsed, "Cc")),
        bcc=mail_contacts(raw_header(parsed, "Bcc")),
        subject=decoded_header(raw_header(parsed, "Subject")),
        at=at,
        message_id=own_ids[0],
        in_reply_to=replied[0] if replied else "",
        references=message_ids(raw_header(parsed, "References")),
        body=body.strip("\n"),
        attachments=tuple(attachments.files),
    )
    for name in ("To", "Cc", "Bcc"):
        if damaged := unread_addresses(raw_header(parsed, name)):
            notes.append(f"Damaged addresses in {name} were left out: {', '.join(damaged)[:200]}.")
        if is_cut(parsed, name):
            notes.append(f"Its {name} is too long; only the first addresses were read.")
    if not (mail.to or mail.cc or mail.bcc):
        mail = _addressed(mail, parsed, options, notes)
    mail = fitting_mail(mail, notes)
    return ConvertedMail(
        mail,
        tuple(dict.fromkeys(notes)),
        tuple(attachments.refused),
        tuple(attachments.invitations),
    )


def _parsed(data: bytes) -> Message:
    try:
        mail = message_from_bytes(data)
    except (RecursionError, ValueError, LookupError, TypeError, AttributeError):
        raise ItemRefused(
            "Its structure is damaged. Export it again from your mail program."
        ) from None
    if not any(mail.get(name) for name in ("From", "Subject", "Date", "To", "Message-ID")):
        raise ItemRefused(
            "It has no headers of a mail, such as From and Date. Export it again as .eml, or "
            "name it .txt."
        )
    return mail


def _moment(mail: Message, options: ImportOptions, notes: list[str]) -> datetime:
    """Return the mail's date in the office's zone; without one, the date of its last delivery."""
    found = mail_date(raw_header(mail, "Date"))
    if found is None:
        for name in ("Delivery-Date", "Received"):
            found = mail_date(raw_header(mail, name).rpartition(";")[2].strip())
            if found is not None:
                notes.append("It had no readable date; the date of its delivery was taken.")
                break
    if found is None:
        raise ItemRefused(
            "It has no date that can be read. Add a line such as Date: Mon, 30 Nov 2026 09:00:00 "
            "+0100 to its headers."
        )
    moment, has_zone = found
    if not has_zone:
        notes.append("Its date named no zone and was taken for UTC.")
    try:
        return moment.astimezone(options.office_zone())
    except (OverflowError, ValueError):
        raise ItemRefused("Its date is out of range. Correct its Date header.") from None


def _sender(mail: Message, notes: list[str]) -> MailContact:
    for name in ("From", "Sender", "Reply-To", "Return-Path"):
        found = mail_contacts(raw_header(mail, name))
        if found:
            if name != "From":
                notes.append(f"It had no readable From; its {name} was taken.")
            elif len(found) > 1:
                notes.append("It had several senders; the first was kept.")
            return found[0]
    raise ItemRefused(
        "It has no sender's address. Add a line such as From: Ada Berg <ada@example.com>."
    )


def _addressed(
    mail: CanonicalMail, parsed: Message, options: ImportOptions, notes: list[str]
) -> CanonicalMail:
    """Return *mail* with a recipient: the mailbox that got it, or the owner of the export."""
    for name in ("Delivered-To", "X-Original-To", "Envelope-To"):
        found = mail_contacts(raw_header(parsed, name))
        if found:
            notes.append(f"It named no recipient; its {name} was taken for To.")
            return replace(mail, to=found[:1])
    if options.owner:
        notes.append("It named no recipient; the owner of the mailbox was taken for To.")
        return replace(mail, to=(MailContact("", options.owner),))
    raise ItemRefused(
        "It names no recipient, so it would be in nobody's mailbox. Import it with the address of "
        "the mailbox, such as --owner ada@example.com."
    )


def _clean(text: str) -> str:
    """Return *text* without trailing spaces, control characters and invisible signs."""
    text = without_invisible(text)
    return "\n".join(printable(line.replace("\t", "    ")).rstrip() for line in text.split("\n"))


@dataclass
class _Attachments:
    """Converts the attachments of a mail and of the mails attached to it."""

    options: ImportOptions
    files: list[ConvertedFile] = field(default_factory=list)
    refused: list[RefusedPart] = field(default_factory=list)
    invitations: list[AttachedFile] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _inner_texts: list[str] = field(default_factory=list)
    _names: set[str] = field(default_factory=set)
    _mails: int = 0

    def texts(self, contents: MailParts) -> list[str]:
        """Return the texts of the mail, then those of the mails attached to it."""
        return [*contents.texts, *self._inner_texts]

    def add(self, contents: MailParts, depth: int) -> None:
        """Convert all attachments of *contents*."""
        self.invitations += contents.invitations
        for file in contents.files:
            self._add_file(file, depth)
        for attached in contents.attached_mails:
            self._add_mail(attached, depth)

    def _add_file(self, file: AttachedFile, depth: int) -> None:
        try:
            kind = kind_of_file(file.name, file.data)
            if kind is SourceKind.CALENDAR:
                self.invitations.append(file)
                return
            if kind is SourceKind.MAIL:
                self._add_mail(file, depth)
                return
            if kind is SourceKind.MAILBOX:
                raise ItemRefused("It is a mailbox. Save it and import it as a file of its own.")
            found = converted_file(file.name, file.data, kind, self.options)
            check_attachment(found, self.files)
        except ItemRefused as error:
            self.refused.append(RefusedPart(drive_name(file.name), str(error)))
            return
        name = unused_name(found.name, self._names)
        self._names.add(name.casefold())
        self.files.append(replace(found, name=name))
        self.notes += [f"Attachment {file.name}: {note}" for note in found.notes]
        self.refused += [
            RefusedPart(f"{drive_name(file.name)}, {part.item}", part.reason)
            for part in found.refused_parts
        ]

    def _add_mail(self, attached: AttachedFile, depth: int) -> None:
        """Add the text of an attached mail to the text, and its attachments to the attachments."""
        self._mails += 1
        try:
            if depth >= MAX_MAIL_DEPTH or self._mails > MAX_MAIL_PARTS:
                raise ItemRefused(
                    f"More than {MAX_MAIL_DEPTH} mails are attached to each other. Export the "
                    "innermost on its own."
                )
            mail = _parsed(attached.data)
            contents = take_apart(mail, self.options.encoding)
        except ItemRefused as error:
            self.refused.append(RefusedPart(drive_name(attached.name), str(error)))
            return
        head = ["---------- Attached mail ----------"]
        for name in ("From", "To", "Cc", "Date", "Subject"):
            if text := decoded_header(raw_header(mail, name)):
                head.append(f"{name}: {text}")
        self._inner_texts.append("\n".join(head) + "\n\n" + "\n\n".join(contents.texts))
        self.notes.append(f"The attached mail {attached.name!r} became part of the text.")
        self.notes += contents.notes
        self.add(contents, depth + 1)
