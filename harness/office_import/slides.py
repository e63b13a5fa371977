"""Reads the text of presentations: titles, texts, tables and notes."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from typing import Any

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.office_import.isolated_reading import ReadDocument
from trainee_bench.harness.office_import.limits import MAX_PAGES, office_archive_parts
from trainee_bench.harness.office_import.markdown_tables import markdown_table
from trainee_bench.harness.office_import.refusals import ItemRefused, extra_module

_MAX_GROUPS = 20


def read_slides(data: bytes) -> ReadDocument:
    """Return a presentation as Markdown with one section per slide.

    Raises ItemRefused if it is damaged, too long, or has no text.
    """
    office_archive_parts(data)
    pptx = extra_module("pptx")
    try:
        deck = pptx.Presentation(io.BytesIO(data))
        slides = list(deck.slides)
    except Exception as error:  # noqa: BLE001 -- a damaged file makes the library raise anything
        raise ItemRefused(
            f"The presentation is damaged ({str(error)[:100]}). Open it in its program and save it "
            "again."
        ) from None
    if len(slides) > MAX_PAGES:
        raise ItemRefused(
            f"It has {len(slides):,} slides; at most {MAX_PAGES:,} are read. Split it."
        )
    lost: Counter[str] = Counter()
    written, hidden, has_text = [], [], False
    for number, slide in enumerate(slides, 1):
        title = _title(slide)
        body = [text for shape in slide.shapes for text in _texts(shape, title, lost, 0) if text]
        notes = _notes_of(slide)
        has_text = has_text or bool(title or body or notes)
        heading = f"## Slide {number}" + (f": {title}" if title else "")
        parts = [heading, *body, *([f"Notes: {notes}"] if notes else [])]
        written.append("\n\n".join(parts))
        if slide._element.get("show") == "0":
            hidden.append(number)
    if not has_text and not lost:
        raise ItemRefused("Its slides have no text. Leave it out.")
    if not has_text:
        raise ItemRefused("Its slides have no text, only pictures. Save them as .png or .jpg.")
    said = ["Only its texts, tables and notes were kept; layout and animations were not."]
    said += [f"Left out: {pluralize(count, what)}." for what, count in sorted(lost.items())]
    if hidden:
        said.append(f"Hidden slides are shown like the others: {', '.join(map(str, hidden))}.")
    return ReadDocument("\n\n".join(written) + "\n", said, [])


def _title(slide: Any) -> str:
    shape = slide.shapes.title
    return (
        " ".join(shape.text_frame.text.split())
        if shape is not None and shape.has_text_frame
        else ""
    )


def _texts(shape: Any, title: str, lost: Counter[str], depth: int) -> Iterator[str]:
    if depth > _MAX_GROUPS:
        raise ItemRefused(
            f"Its groups nest deeper than {_MAX_GROUPS}. Ungroup them and save again."
        )
    if hasattr(shape, "shapes"):
        for inner in shape.shapes:
            yield from _texts(inner, title, lost, depth + 1)
    elif getattr(shape, "has_table", False) and shape.has_table:
        yield markdown_table([[cell.text for cell in row.cells] for row in shape.table.rows])
    elif getattr(shape, "has_chart", False) and shape.has_chart:
        yield _chart(shape.chart, lost)
    elif shape.has_text_frame:
        text = "\n".join(
            "  " * paragraph.level + ("- " if paragraph.level else "") + _line(paragraph)
            for paragraph in shape.text_frame.paragraphs
            if _line(paragraph)
        )
        if text and " ".join(text.split()) != title:
            yield text
    elif type(shape).__name__ == "Movie":
        lost["film"] += 1
    elif hasattr(shape, "image") or type(shape).__name__ == "Picture":
        lost["picture"] += 1
    elif type(shape).__name__ == "GraphicFrame":
        lost["diagram or embedded object"] += 1


def _chart(chart: Any, lost: Counter[str]) -> str:
    """Return the figures of a chart as a table, "" if it has none."""
    try:
        title = chart.chart_title.text_frame.text if chart.has_title else ""
        rows = []
        for plot in chart.plots:
            series = list(plot.series)
            rows.append(["", *(str(line.name) for line in series)])
            for number, category in enumerate(plot.categories):
                values = [
                    line.values[number] if number < len(line.values) else "" for line in series
                ]
                rows.append(
                    [str(category), *("" if value is None else str(value) for value in values)]
                )
    except (ValueError, KeyError, AttributeError, IndexError, NotImplementedError):
        lost["damaged chart"] += 1
        return ""
    table = markdown_table(rows)
    return f"Chart: {' '.join(title.split())}\n\n{table}" if title else f"Chart:\n\n{table}"


def _line(paragraph: Any) -> str:
    return paragraph.text.replace("\v", " ").strip()  # type: ignore[no-any-return]


def _notes_of(slide: Any) -> str:
    if not slide.has_notes_slide or slide.notes_slide.notes_text_frame is None:
        return ""
    return slide.notes_slide.notes_text_frame.text.strip()  # type: ignore[no-any-return]
