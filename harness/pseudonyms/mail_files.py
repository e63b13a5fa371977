"""Mails: headers, texts and attachments of RFC 5322 messages."""

from __future__ import annotations

import base64
import email.policy
from collections.abc import Callable
from email import message_from_bytes
from email.errors import MessageError
from email.headerregistry import AddressHeader
from email.message import EmailMessage

from trainee_bench.harness.pseudonyms.meanings import Meaning
from trainee_bench.harness.pseudonyms.report import CannotPseudonymise
from trainee_bench.harness.pseudonyms.visitor import Place, Visitor

_POLICY = email.policy.default.clone(utf8=True, max_line_length=None)
_LAYOUT = frozenset(("mime-version", "content-type", "content-transfer-encoding", "date"))
_IDS = frozenset(("message-id", "in-reply-to", "references", "content-id"))

Attached = Callable[[bytes, str, Place], bytes]
"""Rewrites the content of an attachment with this file name."""


def rewrite(content: bytes, visitor: Visitor, attached: Attached, place: Place) -> bytes:
    """Return the mail *content* as *visitor* changes it, its attachments as *attached* does.

    A mail in which nothing changes keeps its bytes. Raises CannotPseudonymise if it is damaged.
    """
    line_end = "\r\n" if b"\r\n" in content[:2000] else "\n"
    try:
        message = message_from_bytes(content, policy=_POLICY.clone(linesep=line_end))
        assert isinstance(message, EmailMessage)
        changed = _headers(message, visitor, place)
        for part in message.walk():
            assert isinstance(part, EmailMessage)
            if part is not message:
                changed |= _headers(part, visitor, place)
            if not part.is_multipart():
                changed |= _content(part, visitor, attached, place)
        return message.as_bytes() if changed else content
    except (MessageError, LookupError, UnicodeError, ValueError) as error:
        raise CannotPseudonymise(
            f"{place.file} cannot be read as a mail ({error}): export it again or remove it"
        ) from error


def _headers(message: EmailMessage, visitor: Visitor, place: Place) -> bool:
    changed = False
    _decode_raw_headers(message)
    for at, (name, value) in enumerate(message.items()):
        if name.lower() in _LAYOUT:
            continue
        inside = Place(place.file, f"header {name}", 1)
        if name.lower() == "content-disposition":
            continue
        if isinstance(value, AddressHeader):
            made = _addresses(value, visitor, inside)
        elif name.lower() in _IDS:
            made = visitor.field(str(value), Meaning.MESSAGE_ID, inside)
        else:
            made = visitor.text(str(value), inside)
        if made != str(value):
            field = message.policy.header_store_parse(name, made)
            message._headers[at] = field  # type: ignore[attr-defined]
            changed = True
    return changed


def _decode_raw_headers(message: EmailMessage) -> None:
    """Read headers in plain UTF-8 as such: the parser takes their letters for single bytes."""
    for at, (name, raw) in enumerate(list(message.raw_items())):
        written = str(raw)
        if not written.isascii():
            decoded = written.encode("utf-8", "surrogateescape").decode("utf-8")
            field = message.policy.header_store_parse(name, " ".join(decoded.split()))
            message._headers[at] = field  # type: ignore[attr-defined]


def _addresses(header: AddressHeader, visitor: Visitor, place: Place) -> str:
    """Return the addresses of *header*; the names beside them are names of people or companies."""
    groups = []
    for group in header.groups:
        written = []
        for address in group.addresses:
            spec = visitor.text(address.addr_spec, place)
            name = address.display_name
            shown = visitor.field(name, Meaning.PERSON, place) if name else ""
            written.append(f"{_quoted(shown)} <{spec}>" if shown else spec)
        joined = ", ".join(written)
        if group.display_name is not None:
            joined = f"{_quoted(visitor.text(group.display_name, place))}: {joined};"
        groups.append(joined)
    return ", ".join(groups)


def _quoted(name: str) -> str:
    if all(letter.isalnum() or letter in " -_" or ord(letter) > 127 for letter in name):
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _content(part: EmailMessage, visitor: Visitor, attached: Attached, place: Place) -> bool:
    name = part.get_filename()
    if name is None and part.get_content_maintype() == "text":
        text = part.get_content()
        made = visitor.text(text, Place(place.file, "text", 1))
        if made == text:
            return False
        _set_text(part, made)
        return True
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return False
    inside = Place(place.file, f"attachment {name}" if name else "attachment", 1)
    made_bytes = attached(payload, name or "", inside)
    changed = made_bytes != payload
    if changed:
        _set_bytes(part, made_bytes)
    if name:
        stem, dot, ending = name.rpartition(".")
        new = (
            visitor.file_name(stem, inside) + dot + ending
            if dot
            else visitor.file_name(name, inside)
        )
        if new != name:
            part.set_param("filename", new, header="Content-Disposition", replace=True)
            if part.get_param("name") is not None:
                part.set_param("name", new, header="Content-Type", replace=True)
            changed = True
    return changed


def _set_text(part: EmailMessage, text: str) -> None:
    """Set the text of *part* and keep its other headers, as UTF-8."""
    kept = [(n, v) for n, v in part.items() if n.lower().startswith("content-")]
    subtype = part.get_content_subtype()
    disposition = next((v for n, v in kept if n.lower() == "content-disposition"), None)
    whole = "MIME-Version" in part
    part.set_content(text, subtype=subtype, charset="utf-8", cte="8bit")
    if not whole:
        del part["MIME-Version"]
    if disposition is not None and "Content-Disposition" not in part:
        part["Content-Disposition"] = disposition


def _set_bytes(part: EmailMessage, content: bytes) -> None:
    encoded = base64.encodebytes(content).decode("ascii")
    part.set_payload(encoded)
    if "Content-Transfer-Encoding" in part:
        part.replace_header("Content-Transfer-Encoding", "base64")
    else:
        part["Content-Transfer-Encoding"] = "base64"
