"""Reads the text of Word documents: headings, lists, tables and links."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from typing import Any

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.office_import.isolated_reading import ReadDocument
from trainee_bench.harness.office_import.limits import office_archive_parts
from trainee_bench.harness.office_import.markdown_tables import markdown_table
from trainee_bench.harness.office_import.refusals import ItemRefused, extra_module

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_LOST = {
    "drawing": "picture",
    "pict": "picture",
    "object": "embedded object",
    "commentReference": "comment",
    "del": "tracked deletion",
}
_MAX_LIST_LEVEL = 8


def read_word(data: bytes) -> ReadDocument:
    """Return a document as Markdown. Raises ItemRefused if it is damaged or has no text."""
    parts = office_archive_parts(data)
    docx = extra_module("docx")
    try:
        document = docx.Document(io.BytesIO(data))
        reading = _Reading(document)
        blocks = list(reading.blocks(document.element.body))
    except ItemRefused:
        raise
    except Exception as error:  # noqa: BLE001 -- a damaged file makes the library raise anything
        raise ItemRefused(
            f"The document is damaged ({str(error)[:100]}). Open it in its program and save it "
            "again."
        ) from None
    blocks += reading.notes(parts)
    text = _joined(blocks)
    if not text.strip():
        if not reading.lost:
            raise ItemRefused("It has no text. Leave it out.")
        raise ItemRefused("It has no text, only pictures or drawings. Save those as .png or .jpg.")
    said = ["Only its text was kept; fonts and layout were not."]
    said += [f"Left out: {pluralize(count, what)}." for what, count in sorted(reading.lost.items())]
    if any(name.startswith(("word/header", "word/footer")) for name in parts):
        said.append("Headers and footers of its pages were left out.")
    if "word/vbaProject.bin" in parts:
        said.append("Its macros were left out.")
    return ReadDocument(text, said, [])


class _Reading:
    """Walks over a document's elements; ``lost`` counts the things that have no text."""

    def __init__(self, document: Any):
        self.lost: Counter[str] = Counter()
        self._document = document
        self._headings = dict(_heading_levels(document))

    def blocks(self, parent: Any) -> Iterator[tuple[str, bool]]:
        """Yield each paragraph or table as Markdown, and whether it belongs to a list."""
        for child in parent.iterchildren():
            if child.tag == f"{_W}p":
                text = self._paragraph(child)
                if text[0].strip():
                    yield text
            elif child.tag == f"{_W}tbl":
                table = markdown_table([list(self._cells(row)) for row in _rows(child)])
                if table:
                    yield table, False
            elif child.tag == f"{_W}sdt":
                for content in child.findall(f"{_W}sdtContent"):
                    yield from self.blocks(content)
            elif child.tag in (f"{_W}ins", f"{_W}customXml", f"{_W}smartTag"):
                yield from self.blocks(child)

    def notes(self, parts: frozenset[str]) -> list[tuple[str, bool]]:
        """Return the footnotes and endnotes as paragraphs."""
        found = []
        for part in self._document.part.package.iter_parts():
            name = str(part.partname).lstrip("/")
            if name in parts and name in ("word/footnotes.xml", "word/endnotes.xml"):
                etree = extra_module("lxml.etree")
                parser = etree.XMLParser(resolve_entities=False, no_network=True)
                for note in etree.fromstring(part.blob, parser):
                    text = " ".join(self._text(p) for p in note.iter(f"{_W}p")).strip()
                    if text:
                        found.append((f"[{note.get(f'{_W}id')}] {text}", False))
        return found

    def _cells(self, row: Any) -> Iterator[str]:
        for cell in row.iter(f"{_W}tc"):
            if next(cell.iterancestors(f"{_W}tr")) is row:
                inner = [text for text, _ in self.blocks(cell)]
                span = cell.find(f"{_W}tcPr/{_W}gridSpan")
                yield " / ".join(inner)
                width = span.get(f"{_W}val", "1") if span is not None else "1"
                yield from [""] * (min(int(width), 100) - 1 if width.isdigit() else 0)

    def _paragraph(self, paragraph: Any) -> tuple[str, bool]:
        text = self._text(paragraph)
        properties = paragraph.find(f"{_W}pPr")
        style = properties.find(f"{_W}pStyle") if properties is not None else None
        name = style.get(f"{_W}val", "") if style is not None else ""
        level = self._headings.get(name, 0)
        if level and text.strip():
            return f"{'#' * level} {' '.join(text.split())}", False
        depth = _list_level(properties, name)
        if depth is not None:
            return f"{'  ' * depth}- {text.strip()}", True
        return text.strip("\n"), False

    def _text(self, element: Any) -> str:
        written: list[str] = []
        for child in element.iterchildren():
            tag = child.tag if isinstance(child.tag, str) else ""
            name = tag.removeprefix(_W)
            if name in _LOST:
                self.lost[_LOST[name]] += 1
                if name in ("drawing", "pict"):  # a text box is a drawing with text
                    inner = [self._text(p) for p in child.iter(f"{_W}p")]
                    written += [f" {text} " for text in inner if text.strip()]
            elif name == "t":
                written.append(child.text or "")
            elif name in ("tab", "ptab"):
                written.append("\t")
            elif name in ("br", "cr"):
                written.append("\n")
            elif name == "noBreakHyphen":
                written.append("-")
            elif name in ("footnoteReference", "endnoteReference"):
                written.append(f"[{child.get(f'{_W}id')}]")
            elif name == "hyperlink":
                written.append(self._link(child))
            elif (
                name not in ("pPr", "rPr", "instrText", "delText", "moveFrom") and tag != _FALLBACK
            ):
                written.append(self._text(child))
        return "".join(written)

    def _link(self, link: Any) -> str:
        text, id = self._text(link), link.get(f"{_R}id")
        relations = self._document.part.rels
        if id not in relations or not relations[id].is_external:
            return text
        target = relations[id].target_ref
        return text if target in (text, f"mailto:{text}") else f"[{text}]({target})"


def _heading_levels(document: Any) -> Iterator[tuple[str, int]]:
    """Yield the id of each style of headings, with the level: 1 for a title."""
    for style in document.styles:
        name = (style.name or "").lower()
        if name == "title":
            yield style.style_id, 1
        elif name.startswith("heading ") and name[8:].isdigit():
            yield style.style_id, min(int(name[8:]), 6)


def _list_level(properties: Any, style: str) -> int | None:
    """Return the depth of a list's item, from 0 on; None for other paragraphs."""
    if properties is None:
        return None
    numbering = properties.find(f"{_W}numPr")
    if numbering is not None:
        id = numbering.find(f"{_W}numId")
        if id is not None and id.get(f"{_W}val") == "0":
            return None
        level = numbering.find(f"{_W}ilvl")
        value = level.get(f"{_W}val", "0") if level is not None else "0"
        return min(int(value), _MAX_LIST_LEVEL) if value.isdigit() else 0
    if style.startswith("List") and style != "ListParagraph":
        return int(style[-1]) - 1 if style[-1] in "2345" else 0
    return None


def _rows(table: Any) -> Iterator[Any]:
    for row in table.iter(f"{_W}tr"):
        if next(row.iterancestors(f"{_W}tbl")) is table:
            yield row


def _joined(blocks: list[tuple[str, bool]]) -> str:
    """Join paragraphs by empty lines, and items of a list by line ends."""
    written = ""
    before = False
    for text, in_list in blocks:
        if written:
            written += "\n" if in_list and before else "\n\n"
        written += text
        before = in_list
    return written + "\n" if written else ""
