"""Calendars: the lines of iCalendar files, unfolded, with their texts without escapes."""

from __future__ import annotations

import re

from trainee_bench.harness.pseudonyms.meanings import Meaning
from trainee_bench.harness.pseudonyms.visitor import Place, Visitor

_FOLD = re.compile(r"\r?\n[ \t]")
_TEXTS = frozenset("SUMMARY DESCRIPTION LOCATION COMMENT CONTACT CATEGORIES NOTE TITLE".split())
_NAMES = frozenset(("N", "FN", "ORG", "NICKNAME"))
_EMBEDDED = frozenset(("PHOTO", "LOGO", "SOUND", "KEY"))
_COMMON_NAME = re.compile(r"(;CN=)(\"[^\"]*\"|[^;:\"]*)", re.IGNORECASE)
_ESCAPED = re.compile(r"\\([\\;,nN])")
_LONGEST = 75


def rewrite(text: str, visitor: Visitor, place: Place) -> str:
    """Return the calendar or card *text* as *visitor* changes it; lines are folded anew if so.

    Embedded pictures, sounds, keys and files are left out: a face is no better than a name.
    """
    end = "\r\n" if "\r\n" in text else "\n"
    lines = _FOLD.sub("", text).splitlines()
    made = [
        _line(line, visitor, Place(place.file, place.part, number))
        for number, line in enumerate(lines, 1)
        if not _is_embedded(line)
    ]
    return text if made == lines else "".join(_folded(line, end) + end for line in made)


def _is_embedded(line: str) -> bool:
    """Whether *line* holds a picture or another file instead of a text."""
    head, _, value = _divided(line)
    name, *parameters = head.upper().split(";")
    if name.rpartition(".")[2] in _EMBEDDED:
        return True
    encoded = any(said in ("ENCODING=B", "ENCODING=BASE64", "VALUE=BINARY") for said in parameters)
    return encoded or value[:5].lower() == "data:"


def _line(line: str, visitor: Visitor, place: Place) -> str:
    head, colon, value = _divided(line)
    name = head.partition(";")[0].upper()

    def common_name(found: re.Match[str]) -> str:
        quoted = found[2].startswith('"')
        made = visitor.field(found[2].strip('"'), Meaning.PERSON, place)
        return found[1] + (f'"{made}"' if quoted else made)

    head = _COMMON_NAME.sub(common_name, head)
    if name == "BDAY":
        return head + colon + visitor.field(value, Meaning.BIRTH, place)
    if name not in _TEXTS | _NAMES:
        return head + colon + visitor.text(value, place)
    plain = _ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], value)
    if name in _NAMES:
        separated = plain.replace(";", " ; ") if name == "N" else plain
        meaning = Meaning.COMPANY if name == "ORG" else Meaning.PERSON
        made = visitor.field(separated, meaning, place)
        return head + colon + (made.replace(" ; ", ";") if name == "N" else _escaped(made))
    made = visitor.text(plain, place)
    return line if made == plain and head in line else head + colon + _escaped(made)


def _divided(line: str) -> tuple[str, str, str]:
    """Split a line at the first colon outside quotes."""
    quoted = False
    for at, letter in enumerate(line):
        if letter == '"':
            quoted = not quoted
        elif letter == ":" and not quoted:
            return line[:at], ":", line[at + 1 :]
    return line, "", ""


def _escaped(text: str) -> str:
    for letter in "\\;,":
        text = text.replace(letter, f"\\{letter}")
    return text.replace("\n", "\\n")


def _folded(line: str, end: str) -> str:
    """Fold *line* so that no part has more than 75 bytes."""
    parts = [""]
    size = 0
    for letter in line:
        more = len(letter.encode())
        if size + more > _LONGEST:
            parts.append(" ")
            size = 1
        parts[-1] += letter
        size += more
    return end.join(parts)
