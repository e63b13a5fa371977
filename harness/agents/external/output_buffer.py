"""Output of a program, limited in length and without the secrets that the program was given."""

from __future__ import annotations

import os
from collections.abc import Mapping

_HEAD_BYTES, _TAIL_BYTES = 65_536, 196_608
"""Bytes kept from the beginning and from the end."""
_MIN_SECRET_BYTES = 4
"""The shortest secret that is replaced; a shorter value would match everywhere."""


class OutputBuffer:
    """Output of a program; the values of *secrets*, given by name, are replaced."""

    def __init__(self, secrets: Mapping[str, str]):
        self._secrets: dict[bytes, bytes] = {}
        for name, value in secrets.items():
            self.redact(name, value)
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    def redact(self, name: str, value: str) -> None:
        """Replace *value* by *name* everywhere in the output."""
        secret = os.fsencode(value)
        if len(secret) >= _MIN_SECRET_BYTES:
            self._secrets[secret] = name.encode()

    def feed(self, chunk: bytes) -> None:
        """Add the next part of the output."""
        room = _HEAD_BYTES - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        beyond = len(self._tail) - _TAIL_BYTES
        if beyond > 0:
            self._dropped += beyond
            del self._tail[:beyond]

    @property
    def text(self) -> str:
        """Return the output, or its beginning and its end if it was too long."""
        if not self._dropped:
            return _text(self._clean(self._head + self._tail))
        # The cut may go through a secret, so as many bytes as the longest secret has are left out
        # there.
        edge = max(map(len, self._secrets), default=0)
        head, tail = self._clean(self._head), self._clean(self._tail)
        cut = self._dropped + 2 * edge
        begun = _text(head[: len(head) - edge])
        return f"{begun}\n[{cut} bytes are left out here]\n{_text(tail[edge:])}"

    @property
    def last_line(self) -> str:
        """The last line that is not empty, shortened; "" if there is none."""
        lines = [line for line in self.text.splitlines() if line.strip()]
        return lines[-1].strip()[-300:] if lines else ""

    def _clean(self, output: bytearray) -> bytes:
        whole = bytes(output)
        for value in sorted(self._secrets, key=lambda value: (-len(value), value)):
            whole = whole.replace(value, b"[" + self._secrets[value] + b"]")
        return whole


def _text(output: bytes) -> str:
    return output.decode(errors="replace")
