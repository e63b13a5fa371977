"""Checks bearer tokens that people choose, so that no placeholder of an example opens a server."""

from __future__ import annotations

import re
from pathlib import Path

_VALID = re.compile(r"[\w.~+/=-]{16,}", re.ASCII)
_FEWEST_CHARACTERS = 6
"""Different characters of a token; `xxxxxxxxxxxxxxxx` and `0000000000000000` have fewer."""
_PLACEHOLDERS = frozenset(
    {"change", "changeme", "changethis", "dummy", "example", "insert"}
    | {"placeholder", "replace", "replaceme", "todo", "your"}
)
"""Words of texts that stand for a token."""


def check_token(token: str) -> str:
    """Return *token*. Raises ValueError with what is wrong if it is too short or a placeholder."""
    if not _VALID.fullmatch(token):
        raise ValueError(
            "a token has at least 16 letters, digits or characters of -._~+/=, and nothing else; "
            "`openssl rand -hex 32` writes one."
        )
    words = {word.lower() for word in re.split(r"[^A-Za-z0-9]+", token)}
    if words & _PLACEHOLDERS or len(set(token)) < _FEWEST_CHARACTERS:
        raise ValueError(
            "this text is a placeholder, which anybody can guess; put a secret one in its place, "
            "such as that of `openssl rand -hex 32`."
        )
    return token


def read_token(file: Path) -> str:
    """Return the bearer token in *file*. Raises ValueError with what is wrong."""
    try:
        token = file.read_text(encoding="utf-8").strip()
    except UnicodeDecodeError:
        token = ""
    except OSError as error:
        raise ValueError(f"{error.strerror}.") from None
    return check_token(token)
