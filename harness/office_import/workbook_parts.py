"""Reads the parts of an .xlsx file: its features that get lost, and its stored results."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from xml.etree import ElementTree as ET

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.office_import.refusals import ItemRefused

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_STRICT = "http://purl.oclc.org/ooxml/spreadsheetml/main"
SHARED_TEXTS = "xl/sharedStrings.xml"
_OBJECTS = (
    ("xl/vbaProject.bin", "Its macros were left out."),
    ("xl/charts/", "Its charts were left out."),
    ("xl/chartsheets/", "Its chart sheets were left out."),
    ("xl/media/", "Its pictures were left out."),
    ("xl/comments", "Its comments were left out."),
    ("xl/threadedComments/", "Its discussions were left out."),
    ("xl/pivotTables/", "Its pivot tables became plain cells."),
    ("xl/externalLinks/", "Its links to other files were left out."),
    ("xl/embeddings/", "Its embedded files were left out."),
)


@dataclass(frozen=True)
class WorkbookFeatures:
    """The properties of a workbook that agents would not see; places are like Sheet1!B3."""

    hidden_sheets: tuple[str, ...]
    merged: tuple[str, ...]
    protected: tuple[str, ...]
    filtered_rows: int
    formulas: int
    without_result: tuple[str, ...]
    filled: tuple[str, ...]
    """Cells with a stored value."""
    stored_numbers: tuple[tuple[str, float], ...]
    """The stored results of formulas that are numbers, by their places."""
    since_1904: bool
    objects: tuple[str, ...]
    sheet_parts: tuple[str, ...]

    def notes(self) -> Iterator[str]:
        """Yield a sentence for each loss; nothing for a plain workbook."""
        if self.hidden_sheets:
            yield f"Its hidden sheets are visible now: {_listed(self.hidden_sheets)}."
        if self.filtered_rows:
            yield f"Visible now: {pluralize(self.filtered_rows, 'hidden row')}."
        if self.merged:
            yield (
                f"Merged cells were separated ({_listed(self.merged)}); the first cell of each has "
                "the value."
            )
        if self.protected:
            yield f"The protection of its sheets was removed: {_listed(self.protected)}."
        if self.since_1904:
            yield "Its days were counted from 1904; they are dates from 1900 now."
        yield from self.objects
        if self.without_result:
            yield (
                f"{pluralize(len(self.without_result), 'formula')} without a stored result, "
                f"calculated here: {_listed(self.without_result)}."
            )


def features_of(data: bytes, names: frozenset[str]) -> WorkbookFeatures:
    """Read the features of the workbook *data*, an archive with the parts *names*.

    Raises ItemRefused if it has no workbook.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if "xl/workbook.xml" not in names:
            raise ItemRefused(
                "There is no workbook in it. Open it in a spreadsheet program and save it as .xlsx."
            )
        workbook = ET.fromstring(archive.read("xl/workbook.xml"))  # noqa: S314 -- checked before
        parts = _sheet_parts(archive, workbook, names)
        strings = _filled_strings(archive, names)
        scanned = [
            _scan(archive.read(part), name, strings) for name, part, _ in parts if part in names
        ]
    properties = next(_elements(workbook, "workbookPr"), None)
    since_1904 = properties is not None and properties.get("date1904", "0") in ("1", "true", "on")
    return WorkbookFeatures(
        hidden_sheets=tuple(name for name, _, state in parts if state != "visible"),
        merged=tuple(place for sheet in scanned for place in sheet.merged),
        protected=tuple(sheet.name for sheet in scanned if sheet.protected),
        filtered_rows=sum(sheet.hidden_rows for sheet in scanned),
        formulas=sum(sheet.formulas for sheet in scanned),
        without_result=tuple(place for sheet in scanned for place in sheet.without_result),
        filled=tuple(place for sheet in scanned for place in sheet.filled),
        stored_numbers=tuple(result for sheet in scanned for result in sheet.stored_numbers),
        since_1904=since_1904,
        objects=tuple(
            said for prefix, said in _OBJECTS if any(name.startswith(prefix) for name in names)
        ),
        sheet_parts=tuple(part for _, part, _ in parts if part in names),
    )


def with_stored_results(data: bytes, features: WorkbookFeatures) -> bytes:
    """Return the workbook with results instead of formulas, and without defined names."""
    written = io.BytesIO()
    dropped = ("xl/calcChain.xml", "xl/externalLinks/", "xl/tables/", "xl/vbaProject.bin")
    with (
        zipfile.ZipFile(io.BytesIO(data)) as source,
        zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for part in source.infolist():
            if part.filename.startswith(dropped):
                continue
            content = source.read(part)
            if part.filename in features.sheet_parts:
                content = _rewritten(content, partial(_drop, gone=("f", "tableParts", "extLst")))
            elif part.filename == "xl/workbook.xml":
                content = _rewritten(
                    content, partial(_drop, gone=("definedNames", "externalReferences", "extLst"))
                )
            elif part.filename.endswith(".rels"):
                content = _rewritten(content, _drop_relations)
            elif part.filename == "[Content_Types].xml":
                content = _rewritten(content, partial(_drop_types, gone=dropped))
            target.writestr(zipfile.ZipInfo(part.filename), content, zipfile.ZIP_DEFLATED)
    return written.getvalue()


@dataclass(frozen=True)
class _ScannedSheet:
    name: str
    merged: tuple[str, ...]
    protected: bool
    hidden_rows: int
    formulas: int
    without_result: tuple[str, ...]
    filled: tuple[str, ...]
    stored_numbers: tuple[tuple[str, float], ...]


def _scan(part: bytes, name: str, strings: Sequence[bool]) -> _ScannedSheet:
    sheet = ET.fromstring(part)  # noqa: S314 -- the archive was checked for entities
    formulas, without, filled = 0, [], []
    numbers: list[tuple[str, float]] = []
    for cell in _elements(sheet, "c"):
        children = {_local(child.tag): child for child in cell}
        if _has_text(cell, children, strings):
            filled.append(f"{name}!{cell.get('r', '?')}")
        if "f" in children:
            formulas += 1
            if cell.get("t", "n") == "n" and "v" in children:
                with suppress(ValueError):
                    numbers.append(
                        (f"{name}!{cell.get('r', '?')}", float(children["v"].text or ""))
                    )
            if "v" not in children and "is" not in children:
                without.append(f"{name}!{cell.get('r', '?')}")
    return _ScannedSheet(
        name=name,
        merged=tuple(f"{name}!{area.get('ref', '?')}" for area in _elements(sheet, "mergeCell")),
        protected=any(True for _ in _elements(sheet, "sheetProtection")),
        hidden_rows=sum(row.get("hidden") in ("1", "true") for row in _elements(sheet, "row")),
        formulas=formulas,
        without_result=tuple(without),
        filled=tuple(filled),
        stored_numbers=tuple(numbers),
    )


def _has_text(cell: ET.Element, children: dict[str, ET.Element], strings: Sequence[bool]) -> bool:
    """Whether a cell has a stored value that is not empty."""
    if cell.get("t") == "s" and "v" in children:
        number = (children["v"].text or "").strip()
        is_known = number.isascii() and number.isdigit() and int(number) < len(strings)
        return strings[int(number)] if is_known else True
    kinds = [children[kind] for kind in ("v", "is") if kind in children]
    return any(text.strip() for element in kinds for text in element.itertext())


def _filled_strings(archive: zipfile.ZipFile, names: frozenset[str]) -> list[bool]:
    """Return, for each shared text of the workbook, whether it is not empty."""
    part = next((name for name in names if name.lower() == SHARED_TEXTS.lower()), "")
    if not part:
        return []
    root = ET.fromstring(archive.read(part))  # noqa: S314 -- as above
    return [
        any((text.text or "").strip() for text in _elements(entry, "t"))
        for entry in root
        if _local(entry.tag) == "si"
    ]


def _sheet_parts(
    archive: zipfile.ZipFile, workbook: ET.Element, names: frozenset[str]
) -> list[tuple[str, str, str]]:
    """Return the name, the part and the state of each sheet."""
    targets = {}
    if "xl/_rels/workbook.xml.rels" in names:
        relations = ET.fromstring(archive.read("xl/_rels/workbook.xml.rels"))  # noqa: S314 -- as above
        for relation in relations:
            target = relation.get("Target", "")
            targets[relation.get("Id", "")] = (
                target.lstrip("/") if target.startswith("/") else f"xl/{target}"
            )
    found = []
    for sheet in _elements(workbook, "sheet"):
        id = next((value for key, value in sheet.attrib.items() if key.endswith("}id")), "")
        found.append((sheet.get("name", "?"), targets.get(id, ""), sheet.get("state", "visible")))
    return found


def _elements(root: ET.Element, name: str) -> Iterator[ET.Element]:
    for space in (_MAIN, _STRICT):
        yield from root.iter(f"{{{space}}}{name}")


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _rewritten(part: bytes, change: partial[None] | object) -> bytes:
    root = ET.fromstring(part)  # noqa: S314 -- the archive was checked for entities
    assert callable(change)
    change(root)
    space = root.tag.partition("}")[0].lstrip("{")
    ET.register_namespace("", space)
    written: bytes = ET.tostring(root, encoding="UTF-8", xml_declaration=True)
    return written


def _drop(root: ET.Element, gone: tuple[str, ...]) -> None:
    for parent in list(root.iter()):
        for child in [child for child in parent if _local(child.tag) in gone]:
            parent.remove(child)


def _drop_relations(root: ET.Element) -> None:
    kinds = ("externalLink", "table", "vbaProject", "calcChain")
    for child in [child for child in root if child.get("Type", "").endswith(kinds)]:
        root.remove(child)


def _drop_types(root: ET.Element, gone: tuple[str, ...]) -> None:
    for child in [
        child for child in root if child.get("PartName", "").lstrip("/").startswith(gone)
    ]:
        root.remove(child)


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:5])
    return f"{shown} and {len(names) - 5:,} more" if len(names) > 5 else shown
