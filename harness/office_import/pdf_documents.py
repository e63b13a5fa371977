"""Reads the text of PDF files, page by page."""

from __future__ import annotations

import io
from typing import Any

from trainee_bench.harness.office_import.converted import RefusedPart
from trainee_bench.harness.office_import.isolated_reading import ReadDocument
from trainee_bench.harness.office_import.limits import MAX_PAGES
from trainee_bench.harness.office_import.refusals import ItemRefused, extra_module

_OCR = "Run text recognition (OCR) over it, or import the page as a picture."


def read_pdf(data: bytes) -> ReadDocument:
    """Return the text of a PDF; each page begins with its number if there are several.

    Raises ItemRefused if it is locked, damaged, too long, or has no text at all.
    """
    pypdf = extra_module("pypdf")
    try:
        reader = pypdf.PdfReader(io.BytesIO(data), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise ItemRefused(
                "It is locked with a password. Open it, remove the password and save it again."
            )
        count = len(reader.pages)
    except ItemRefused:
        raise
    except RecursionError:
        raise ItemRefused(
            "Its pages refer to each other in a circle. Print it to a new PDF."
        ) from None
    except Exception as error:  # noqa: BLE001 -- a damaged file makes the library raise anything
        raise ItemRefused(
            f"The PDF is damaged ({_said(error)}). Open it and print it to a new PDF."
        ) from None
    if count > MAX_PAGES:
        raise ItemRefused(f"It has {count:,} pages; at most {MAX_PAGES:,} are read. Split it.")
    return _read_pages(reader, count)


def _read_pages(reader: Any, count: int) -> ReadDocument:
    written: list[str] = []
    refused: list[RefusedPart] = []
    empty: list[int] = []
    has_text = False
    for number in range(1, count + 1):
        text, why = _page(reader, number)
        heading = f"--- Page {number} ---\n\n" if count > 1 else ""
        if text:
            has_text = True
            written.append(f"{heading}{text}\n")
        elif why:
            refused.append(RefusedPart(f"page {number}", f"Page {number} {why} {_OCR}"))
            written.append(f"{heading}[Page {number} {why}]\n")
        else:
            empty.append(number)
    if not has_text:
        reasons = "; ".join(f"{part.item} {_why(part.reason)}" for part in refused[:5])
        raise ItemRefused(
            f"It has no text that can be read: {reasons or 'all pages are empty'}. {_OCR}"
        )
    notes = ["Only its text was kept; layout, pictures and drawings were not."]
    if empty:
        shown = ", ".join(map(str, empty[:10]))
        notes.append(f"Empty pages were left out: {shown}{' and more' if len(empty) > 10 else ''}.")
    try:
        if reader.get_fields():
            notes.append("The values in its form fields were kept only if the page draws them.")
    except Exception:  # noqa: BLE001 -- damaged forms are no reason to lose the text
        notes.append("Its form fields are damaged and were left out.")
    return ReadDocument("\n".join(written), notes, refused)


def _page(reader: Any, number: int) -> tuple[str, str]:
    """Return the text of a page, and why it has none ("" for an empty page)."""
    try:
        page = reader.pages[number - 1]
        text = "\n".join(line.rstrip() for line in page.extract_text().splitlines()).strip()
    except (MemoryError, KeyboardInterrupt):
        raise
    except Exception as error:  # noqa: BLE001 -- as above
        return "", f"is damaged ({_said(error)})."
    if text:
        return text.replace("\0", ""), ""
    try:
        has_pictures = len(page.images) > 0
    except Exception:  # noqa: BLE001 -- a picture that cannot be read is one
        has_pictures = True
    if has_pictures:
        return "", "has only a picture."
    try:
        contents = page.get_contents()
        is_drawn = contents is not None and len(contents.get_data().strip()) > 20
    except Exception as error:  # noqa: BLE001 -- as above
        return "", f"is damaged ({_said(error)})."
    return "", "has only drawings without text." if is_drawn else ""


def _why(reason: str) -> str:
    return reason.partition(".")[0].split(" ", 2)[2]


def _said(error: Exception) -> str:
    return (" ".join(str(error).split()) or type(error).__name__)[:100]
