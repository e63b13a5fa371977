"""Splits mailboxes (mbox) into mails, without holding the whole file in memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from trainee_bench.harness.office_import.limits import MAX_FILE_BYTES

_HEADER = re.compile(rb"[!-9;-~]{1,200}:|>?From ")
_QUOTED = re.compile(rb">+From ")
_LONGEST_READ = 1 << 20


def mails_of_mailbox(mailbox: Path) -> Iterator[bytes | None]:
    """Yield each mail of the file, without its "From " line; None for a mail that is too large.

    Lines that programs have quoted (">From ") are as they were. Raises OSError.
    """
    with mailbox.open("rb") as file:
        lines: list[bytes] = []
        size = 0
        has_mail = False
        for line, begins in _marked(file):
            if begins:
                if has_mail:
                    yield _joined(lines, size)
                lines, size, has_mail = [], 0, True
                continue
            has_mail = has_mail or bool(line.strip())
            size += len(line)
            if size <= MAX_FILE_BYTES:
                lines.append(line[1:] if _QUOTED.match(line) else line)
            else:
                lines.clear()
        if has_mail:
            yield _joined(lines, size)


def _joined(lines: list[bytes], size: int) -> bytes | None:
    return b"".join(lines) if size <= MAX_FILE_BYTES else None


def _marked(file: BinaryIO) -> Iterator[tuple[bytes, bool]]:
    """Yield each line, and whether it begins a mail: a header must follow it."""
    before = b"\n"
    line = file.readline(_LONGEST_READ).removeprefix(b"\xef\xbb\xbf")
    while line:
        after = file.readline(_LONGEST_READ)
        begins = (
            line.startswith(b"From ") and not before.strip() and _HEADER.match(after) is not None
        )
        yield line, begins
        before, line = line, after
