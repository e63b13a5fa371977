"""``python -m trainee_bench.harness.office_import.document_process KIND``: reads one document.

The document comes on standard input, the answer goes to standard output as JSON. Limits of
processor time and memory end this process instead of the import.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence

from trainee_bench.harness.office_import.calendar_reading import CalendarRequest, read_calendar
from trainee_bench.harness.office_import.isolated_reading import (
    CPU_SECONDS,
    MEMORY_BYTES,
    ReadDocument,
)
from trainee_bench.harness.office_import.limits import MAX_TEXT_BYTES
from trainee_bench.harness.office_import.pdf_documents import read_pdf
from trainee_bench.harness.office_import.refusals import CannotImport, ItemRefused
from trainee_bench.harness.office_import.slides import read_slides
from trainee_bench.harness.office_import.word_documents import read_word

READERS: Mapping[str, Callable[[bytes], ReadDocument]] = {
    "pdf": read_pdf,
    "slides": read_slides,
    "word": read_word,
}


def main() -> None:
    """Read the document on standard input and write the answer."""
    _limit()
    warnings.simplefilter("ignore")
    logging.disable()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a library that prints must not get into the answer
    kind, *arguments = sys.argv[1:]
    answer = _answer(kind, sys.stdin.buffer.read(), arguments)
    answers.write(json.dumps(answer).encode())
    answers.flush()


def _answer(kind: str, data: bytes, arguments: Sequence[str]) -> Mapping[str, object]:
    try:
        if kind == "calendar":
            return {"series": read_calendar(data, CalendarRequest(*arguments))}
        read = READERS[kind](data)
    except ItemRefused as error:
        return {"refused": str(error)}
    except CannotImport as error:
        return {"missing": str(error)}
    text = read.text.encode("utf-8", "replace").decode()
    if len(text.encode()) > MAX_TEXT_BYTES:
        return {
            "refused": f"Its text has {len(text.encode()):,} bytes; a text in the office can have "
            f"{MAX_TEXT_BYTES:,}. Split the file into several."
        }
    parts = [[part.item, part.reason] for part in read.refused]
    return {"text": text, "notes": list(read.notes), "parts": parts}


def _limit() -> None:
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    if sys.platform == "linux":  # only Linux enforces this limit
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
