"""Undoes the ways in which a text hides a name from its readers' programs: escapes of letters,
letters with spaces between, words divided at the end of a line, texts in base64."""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Callable

_BYTES = re.compile(r"(?:%[0-9A-Fa-f]{2}){1,200}|(?:=[89A-F][0-9A-F]){2,200}")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,31});")
_UNICODE = re.compile(r"\\u([0-9a-fA-F]{4})")
_DIVIDED = re.compile(r"([^\W\d_]{2,40})-(\r?\n[>| \t]{0,40})([^\W\d_]{2,40})")
_SPACED = re.compile(r"(?<![\w])[^\W\d_](?: [^\W\d_]){3,40}(?![\w])")
_BASE64 = re.compile(r"(?<![\w+/=@.-])[A-Za-z0-9+/]{20,4000}={0,2}(?![\w+/=@.-])")
_READABLE = re.compile(r"[\w .,:;!?@'’\"()/\r\n-]+")


def plain_letters(text: str) -> str:
    """Return *text* with escapes of letters that are not ASCII, and of @, as the letters."""
    if "%" in text or "=" in text:
        text = _BYTES.sub(_letters, text)
    if "&" in text:
        text = _ENTITY.sub(_entity, text)
    return _UNICODE.sub(_code_point, text) if "\\u" in text else text


def rejoined(text: str, replaced: Callable[[str], str | None]) -> str:
    """Return *text* with pseudonyms for names that are divided at line ends or widely spaced.

    *replaced* gives the pseudonym of a word, None if it is no name. Lines keep their numbers.
    """

    def divided(found: re.Match[str]) -> str:
        made = replaced(found[1] + found[3])
        return found.group() if made is None else made + found[2]

    def spaced(found: re.Match[str]) -> str:
        made = replaced(found.group().replace(" ", ""))
        return found.group() if made is None else " ".join(made)

    if "-\n" in text or "-\r\n" in text:
        text = _DIVIDED.sub(divided, text)
    return _SPACED.sub(spaced, text)


def inner_texts(text: str, changed: Callable[[str], str]) -> str:
    """Return *text*, in which what base64 hides is as *changed* makes it of the plain text."""

    def inner(found: re.Match[str]) -> str:
        try:
            plain = base64.b64decode(found.group(), validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            return found.group()
        if not _READABLE.fullmatch(plain) or not {" ", "@"} & set(plain):
            return found.group()
        made = changed(plain)
        return found.group() if made == plain else base64.b64encode(made.encode()).decode()

    return _BASE64.sub(inner, text)


def _letters(found: re.Match[str]) -> str:
    written = found.group()
    try:
        letters = bytes.fromhex(written.replace("%", "").replace("=", "")).decode()
    except UnicodeDecodeError:
        return written
    if letters == "@" or (not letters.isascii() and letters.isalpha()):
        return letters
    if written[0] == "%" and not letters.isascii():  # %20K%C3%A4the: letters among other signs
        return "".join(
            sign if sign == "@" or (not sign.isascii() and sign.isalpha())
            else "".join(f"%{byte:02X}" for byte in sign.encode())
            for sign in letters
        )  # fmt: skip
    return written


def _entity(found: re.Match[str]) -> str:
    letter = html.unescape(found.group())
    return letter if letter.isalpha() else found.group()


def _code_point(found: re.Match[str]) -> str:
    letter = chr(int(found[1], 16))
    return letter if letter.isalpha() else found.group()
