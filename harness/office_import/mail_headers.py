"""Decodes headers of mails: RFC 2047, raw bytes, addresses, dates and message ids."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime
from typing import NamedTuple

from trainee_bench.harness.office_import.text_decoding import without_invisible
from trainee_bench.harness.support.text import printable

_MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,900}>")
_NOT_IN_ADDRESSES = frozenset('",:;<>()[]\\ ')
_MAX_HEADER_CHARACTERS = 100_000


class MailContact(NamedTuple):
    """A name, "" if unknown, and a mail address."""

    name: str
    address: str


def raw_header(mail: Message, name: str) -> str:
    """Return the header *name* as it is written, on one line; all of them if it occurs often.

    A header that is too long is cut, after a comma if there is one.
    """
    text = _whole_header(mail, name)
    if len(text) > _MAX_HEADER_CHARACTERS:
        beginning = text[:_MAX_HEADER_CHARACTERS]
        text = beginning.rpartition(",")[0] or beginning
    return " ".join(text.splitlines()).strip()


def is_cut(mail: Message, name: str) -> bool:
    """Whether `raw_header` returns only the beginning of the header *name*."""
    return len(_whole_header(mail, name)) > _MAX_HEADER_CHARACTERS


def _whole_header(mail: Message, name: str) -> str:
    found = [str(value) for key, value in mail.raw_items() if key.lower() == name.lower()]
    return ", ".join(found) if name.lower() in ("to", "cc", "bcc") else "".join(found[:1])


def decoded_header(raw: str) -> str:
    """Return the text of a header's value; unknown characters become U+FFFD."""
    try:
        pieces = decode_header(_from_bytes(raw))
    except (HeaderParseError, ValueError):
        return _one_line(_from_bytes(raw))
    words = []
    for word, charset in pieces:
        words.append(word if isinstance(word, str) else _decoded(word, charset))
    return _one_line("".join(words))


def mail_contacts(raw: str) -> tuple[MailContact, ...]:
    """Return the addresses of a header such as To, each once; groups without members have none."""
    found: dict[str, MailContact] = {}
    text = _from_bytes(raw)
    pairs = _pairs(text)
    if not any(address for _, address in pairs) and "@" in text:
        pairs = _pairs(decoded_header(raw), lenient=True) or pairs
    for name, address in pairs:
        shown, plain = decoded_header(name), _one_line(address)
        if "@" not in plain:
            inner = decoded_header(name or address)
            found_inner = _pairs(inner)[:1]
            if not found_inner or "@" not in found_inner[0][1]:
                continue
            shown, plain = found_inner[0]
        plain = plain.strip("'\"<>").replace(" ", "")
        if not _is_address(plain):
            continue
        shown = shown.strip("'\" ")
        found.setdefault(
            plain.lower(), MailContact("" if shown.lower() == plain.lower() else shown, plain)
        )
    return tuple(found.values())


def unread_addresses(raw: str) -> tuple[str, ...]:
    """Return the addresses of a header such as To that `mail_contacts` leaves out as damaged."""
    found = (_one_line(address) for _, address in _pairs(_from_bytes(raw)))
    return tuple(address for address in found if "@" in address and not _is_address(address))


def _pairs(text: str, *, lenient: bool = False) -> list[tuple[str, str]]:
    """Return names and addresses in *text*; none if its comments nest too deeply."""
    if lenient and not _HAS_STRICT:
        return []
    try:
        return getaddresses([text], strict=False) if lenient else getaddresses([text])
    except RecursionError:
        return []


def message_ids(raw: str) -> tuple[str, ...]:
    """Return the message ids in a header, with their brackets, each once."""
    return tuple(dict.fromkeys(_MESSAGE_ID.findall(raw)))


def mail_date(raw: str) -> tuple[datetime, bool] | None:
    """Return the moment of a Date header, and whether it names a zone; None if it is no date.

    A moment without a zone is taken for UTC.
    """
    try:
        moment = parsedate_to_datetime(raw)
        if not 1970 <= moment.year <= 2200:  # older zones have offsets that no mail can have
            return None
        if moment.tzinfo is None:
            return moment.replace(tzinfo=UTC), raw.rstrip().endswith("-0000")
        moment.astimezone(UTC)
    except (TypeError, ValueError, OverflowError, IndexError):
        return None
    return moment, True


def _is_address(text: str) -> bool:
    local, at, host = text.partition("@")
    is_plain = text.isascii() and text.isprintable() and not _NOT_IN_ADDRESSES & set(text)
    return bool(local and at and host) and "@" not in host and is_plain


def _from_bytes(raw: str) -> str:
    """Decode the bytes that are not ASCII, which the parser keeps as surrogates."""
    if raw.isascii():
        return raw
    data = raw.encode("utf-8", "surrogateescape")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _decoded(word: bytes, charset: str | None) -> str:
    for name in (charset or "utf-8", "utf-8"):
        try:
            return word.decode(name)
        except (LookupError, UnicodeError):
            continue
    return word.decode("cp1252", "replace")


def _one_line(text: str) -> str:
    return " ".join(printable(without_invisible(text)).split())


_HAS_STRICT = "strict" in getaddresses.__code__.co_varnames
"""Whether this Python's parser can be told to be lenient."""
