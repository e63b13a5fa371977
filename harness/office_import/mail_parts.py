"""Takes a mail apart: its text, its attachments, its invitations, and mails attached to it."""

from __future__ import annotations

import codecs
from dataclasses import dataclass, field
from email.message import Message

from trainee_bench.harness.office_import.html_text import html_to_text
from trainee_bench.harness.office_import.limits import MAX_MAIL_DEPTH, MAX_MAIL_PARTS
from trainee_bench.harness.office_import.mail_headers import decoded_header, raw_header
from trainee_bench.harness.office_import.refusals import ItemRefused
from trainee_bench.harness.office_import.text_decoding import decode_text

_SIGNATURES = frozenset(
    {
        "application/pkcs7-signature", "application/x-pkcs7-signature",
        "application/pgp-signature", "application/pgp-keys",
    }
)  # fmt: skip
_ENCRYPTED = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
_ENDING_OF_TYPE = {
    "text/plain": ".txt", "text/html": ".html", "text/csv": ".csv", "application/json": ".json",
    "application/pdf": ".pdf", "image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif",
    "image/bmp": ".bmp", "image/tiff": ".tif", "image/webp": ".webp",
}  # fmt: skip
_FIELDS = frozenset(
    {"message/delivery-status", "message/disposition-notification", "message/feedback-report"}
)
"""Parts that consist of header fields, which say what became of another mail."""
_BODY_TYPES = ("text/plain", "text/html", "text/enriched")


@dataclass(frozen=True)
class AttachedFile:
    """A part of a mail with a name, not converted yet."""

    name: str
    data: bytes


@dataclass
class MailParts:
    """The contents of a mail so far; the walk over its parts adds to it."""

    texts: list[str] = field(default_factory=list)
    files: list[AttachedFile] = field(default_factory=list)
    invitations: list[AttachedFile] = field(default_factory=list)
    attached_mails: list[AttachedFile] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    count: int = 0


def take_apart(mail: Message, encoding: str = "") -> MailParts:
    """Return the contents of *mail*.

    Raises ItemRefused if it is encrypted, or has too many or too deeply nested parts.
    """
    found = MailParts()
    _walk(mail, found, encoding, 0)
    return found


def _walk(part: Message, found: MailParts, encoding: str, depth: int) -> None:
    found.count += 1
    if found.count > MAX_MAIL_PARTS or depth > MAX_MAIL_DEPTH:
        raise ItemRefused(
            f"It has more than {MAX_MAIL_PARTS} parts, or nests them deeper than {MAX_MAIL_DEPTH}. "
            "Forward its text in a new mail and export that."
        )
    kind = part.get_content_type()
    if kind == "multipart/encrypted" or (kind in _ENCRYPTED and not _is_only_signed(part)):
        raise ItemRefused("It is encrypted. Decrypt it in your mail program and export it again.")
    if kind == "multipart/alternative" and part.is_multipart():
        _alternative(part, found, encoding, depth)
    elif kind == "message/rfc822" and part.is_multipart():
        _attached_mail(part, found)
    elif kind == "message/partial":
        raise ItemRefused(
            "It is one piece of a mail that was sent in pieces. Export the mail that your mail "
            "program has made of them."
        )
    elif kind in _FIELDS:
        found.texts.append(_fields(part))
    elif part.is_multipart():
        for child in _children(part):
            _walk(child, found, encoding, depth + 1)
    elif kind == "text/calendar":
        found.invitations.append(AttachedFile(_name(part, found, "invite.ics"), _payload(part)))
    elif kind in _SIGNATURES:
        found.notes.append("Its electronic signature was left out.")
    elif kind in _BODY_TYPES and not _is_attachment(part):
        text = _body(part, found, encoding)
        if text.strip():
            found.texts.append(text)
    else:
        data = _payload(part)
        if data or part.get_filename():
            found.files.append(AttachedFile(_name(part, found, ""), data))


def _alternative(part: Message, found: MailParts, encoding: str, depth: int) -> None:
    """Take the plain text of a choice if there is one, else the text of its HTML."""
    readings = []
    for child in _children(part):
        inner = MailParts(count=found.count)
        _walk(child, inner, encoding, depth + 1)
        found.count = inner.count
        known = {(file.name, file.data) for file in found.files}
        found.files += [file for file in inner.files if (file.name, file.data) not in known]
        found.invitations += inner.invitations
        found.attached_mails += inner.attached_mails
        if inner.texts:
            readings.append((_has_plain(child), inner))
    if readings:
        chosen = next((inner for plain, inner in readings if plain), readings[-1][1])
        found.texts += chosen.texts
        found.notes += chosen.notes


def _has_plain(part: Message) -> bool:
    return any(
        inner.get_content_type() == "text/plain" and not _is_attachment(inner)
        for inner in part.walk()
    )


def _attached_mail(part: Message, found: MailParts) -> None:
    for child in _children(part):
        subject = decoded_header(raw_header(child, "Subject"))[:60] or "attached mail"
        found.attached_mails.append(AttachedFile(subject, _bytes_of(child)))


def _fields(part: Message) -> str:
    blocks = []
    for child in _children(part):
        names = dict.fromkeys(name for name, _ in child.raw_items())
        lines = [f"{name}: {decoded_header(raw_header(child, name))}" for name in names]
        lines.append(_payload(child).decode("utf-8", "replace").strip())
        blocks.append("\n".join(line for line in lines if line))
    return "\n\n".join(block for block in blocks if block)


def _bytes_of(mail: Message) -> bytes:
    try:
        return mail.as_bytes()
    except (LookupError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ItemRefused(
            "A mail attached to it is damaged. Forward its text in a new mail and export that."
        ) from None


def _children(part: Message) -> list[Message]:
    payload = part.get_payload()
    return (
        [child for child in payload if isinstance(child, Message)]
        if isinstance(payload, list)
        else []
    )


def _is_only_signed(part: Message) -> bool:
    return str(part.get_param("smime-type", "")).lower() in ("signed-data", "certs-only")


def _is_attachment(part: Message) -> bool:
    disposition = str(part.get("Content-Disposition", "")).strip().lower()
    return disposition.startswith("attachment") or (
        bool(part.get_filename()) and part.get_content_type() != "text/html"
    )


def _payload(part: Message) -> bytes:
    try:
        payload = part.get_payload(decode=True)
    except (ValueError, LookupError, AssertionError):
        payload = None
    return payload if isinstance(payload, bytes) else b""


def _name(part: Message, found: MailParts, otherwise: str) -> str:
    try:
        name = decoded_header(part.get_filename() or "")
    except (TypeError, ValueError, LookupError):
        name = ""
    if name:
        return name
    if otherwise:
        return otherwise
    kind = part.get_content_type()
    stem = "image" if kind.startswith("image/") else "attachment"
    return f"{stem}-{len(found.files) + 1}{_ENDING_OF_TYPE.get(kind, '')}"


def _body(part: Message, found: MailParts, encoding: str) -> str:
    charset = str(part.get_content_charset() or "")
    text = _decoded(_payload(part), charset, found, encoding)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if part.get_content_type() != "text/plain":
        text, notes = html_to_text(text)
        found.notes += ["Its HTML became plain text.", *notes]
    elif str(part.get_param("format", "")).lower() == "flowed":
        text = _unflowed(text, str(part.get_param("delsp", "")).lower() == "yes")
    return text


def _decoded(data: bytes, charset: str, found: MailParts, encoding: str) -> str:
    if charset not in ("", "us-ascii"):
        try:
            return data.decode(codecs.lookup(charset).name)
        except (LookupError, UnicodeError, ValueError):
            found.notes.append(f"Its text is not in the charset that it names ({charset[:40]}).")
    decoded = decode_text(data, encoding)
    found.notes += [note for note in decoded.notes if charset]
    return decoded.text


def _unflowed(text: str, joins_words: bool) -> str:
    """Join the lines that format=flowed has broken (RFC 3676); quoted lines stay."""
    written: list[str] = []
    flows = False
    for line in text.split("\n"):
        quoted = line.startswith(">")
        plain = line[1:] if line.startswith(" ") else line
        if flows and not quoted:
            written[-1] += plain
        else:
            written.append(plain)
        flows = plain.endswith(" ") and not quoted and plain != "-- "
        if flows and joins_words:
            written[-1] = written[-1][:-1]
    return "\n".join(written)
