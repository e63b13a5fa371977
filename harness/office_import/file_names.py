"""Makes names of files that the office's drive accepts."""

from __future__ import annotations

import unicodedata

from trainee_bench.harness.support.text import printable
from trainee_bench.world.filesystem.paths import MAX_NAME_BYTES

_MAX_SLUG = 50
_RESERVED = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)))
)
"""Names that Windows gives to devices, with any ending."""


def drive_name(name: str) -> str:
    """Return *name* as one name that the drive and all systems can have.

    It is printable and not too long, and has no separators and no dot in front: offices leave out
    hidden files.
    """
    plain = unicodedata.normalize("NFC", printable(name.encode("utf-8", "replace").decode()))
    for separator in '/\\:*?"<>|':
        plain = plain.replace(separator, "-")
    plain = " ".join(plain.split()).strip(" ").lstrip(". ").rstrip(". ") or "file"
    if plain.partition(".")[0].rstrip().lower() in _RESERVED or plain == "__pycache__":
        plain = f"_{plain}"
    stem, dot, ending = plain.rpartition(".")
    if not dot or not stem or len(ending.encode()) > 20:
        stem, ending = plain, ""
    room = MAX_NAME_BYTES - len(ending.encode()) - 10
    while len(stem.encode()) > room:
        stem = stem[:-1]
    return f"{stem.rstrip()}.{ending}" if ending else stem.rstrip()


def slug(text: str) -> str:
    """Return *text* in lower case with single hyphens, in ASCII, for a file's name."""
    folded = text.replace("ß", "ss").replace("ø", "o").replace("Ø", "O")
    plain = unicodedata.normalize("NFKD", folded).encode("ascii", "ignore").decode().lower()
    words = "".join(c if c.isalnum() else " " for c in plain).split()
    return "-".join(words)[:_MAX_SLUG].rstrip("-") or "mail"


def unused_name(name: str, taken: set[str]) -> str:
    """Return *name*, with a number before its ending if *taken* has it."""
    stem, dot, ending = name.rpartition(".")
    if not dot or not stem:
        stem, ending = name, ""
    free, number = name, 2
    while free.casefold() in taken:
        free = f"{stem}-{number}.{ending}" if ending else f"{stem}-{number}"
        number += 1
    return free
