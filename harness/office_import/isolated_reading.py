"""Reads documents in another process with limits, since a hostile one may hang its reader."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from trainee_bench.harness.office_import.converted import RefusedPart
from trainee_bench.harness.office_import.refusals import CannotImport, ItemRefused

if TYPE_CHECKING:
    from collections.abc import Sequence

CPU_SECONDS = 20
WALL_SECONDS = 120
MEMORY_BYTES = 1 << 30
Json = Any  # the answers of our own process
_MODULE = "trainee_bench.harness.office_import.document_process"


class ReadDocument:
    """The text of a document, notes on losses, and the parts that could not be read."""

    def __init__(self, text: str, notes: Sequence[str], refused: Sequence[RefusedPart]):
        self.text, self.notes, self.refused = text, tuple(notes), tuple(refused)


def read_document(kind: str, data: bytes) -> ReadDocument:
    """Read *data* in another process; *kind* is a key of `document_process.READERS`.

    Raises ItemRefused if the document is refused or exceeds the limits, CannotImport if the extra
    is not installed.
    """
    answer = ask_process(kind, data)
    return ReadDocument(
        answer["text"],
        answer["notes"],
        [RefusedPart(item, reason) for item, reason in answer["parts"]],
    )


def ask_process(kind: str, data: bytes, *arguments: str) -> Json:
    """Return the answer of `document_process` to *data*. Raises as `read_document` does."""
    try:
        done = subprocess.run(  # noqa: S603 -- our own module
            [sys.executable, "-P", "-m", _MODULE, kind, *arguments],
            input=data,
            capture_output=True,
            timeout=WALL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ItemRefused(_too_heavy()) from None
    if done.returncode != 0 or not done.stdout:
        if b"MemoryError" in done.stderr or done.returncode < 0:
            raise ItemRefused(_too_heavy())
        said = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["no reason"]
        raise ItemRefused(
            f"The document is damaged ({said[0][:150]}). Open it in its program and save it again."
        )
    answer = json.loads(done.stdout)
    if "missing" in answer:
        raise CannotImport(answer["missing"])
    if "refused" in answer:
        raise ItemRefused(answer["refused"])
    return answer


def _too_heavy() -> str:
    return (
        f"Reading it took more than {CPU_SECONDS} seconds of processor time or "
        f"{MEMORY_BYTES >> 20:,} MiB of memory. Save it again in its program, or split it."
    )
