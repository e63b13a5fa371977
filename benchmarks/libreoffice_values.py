"""Calculate formulas in LibreOffice: write a workbook, convert it without a window, read it back.

Every formula is an array formula, because our engine calculates all formulas as such.
"""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from tests.world.workbook.libreoffice import Value, calculate, for_file, named
from trainee_bench.world.workbook.addresses import CellAddress, parse_cell_address
from trainee_bench.world.workbook.inputs import CellKind, interpret

FIRST_ROW = 1
RESULT_COLUMN = 20
"""The column of the formulas; tables are left of it."""

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'


@dataclass(frozen=True)
class FormulaSheet:
    """A table as it was typed, and formulas over it."""

    cells: Mapping[str, str]
    formulas: Sequence[str]


def calculated(sheets: Sequence[FormulaSheet]) -> list[list[Value]]:
    """Return the values of the formulas of each sheet in LibreOffice. Needs `soffice`."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "formulas.xlsx"
        _write(source, sheets)
        tree = calculate(source, Path(folder))
        return list(_read(tree, [len(sheet.formulas) for sheet in sheets]))


def _write(path: Path, sheets: Sequence[FormulaSheet]) -> None:
    codes = sorted(
        {interpret(typed).format for sheet in sheets for typed in sheet.cells.values()} | {""}
    )
    numbers = range(1, len(sheets) + 1)
    overrides = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="application/vnd.'
        'openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>'
        for n in numbers
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-'
        'officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/styles.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>'
        f"{overrides}</Types>",
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{_RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><sheets>'
        + "".join(f'<sheet name="S{n}" sheetId="{n}" r:id="r{n}"/>' for n in numbers)
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        + "".join(
            f'<Relationship Id="r{n}" Type="{_RELATIONS}/worksheet" '
            f'Target="worksheets/sheet{n}.xml"/>'
            for n in numbers
        )
        + f'<Relationship Id="s" Type="{_RELATIONS}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": _styles(codes),
        **{
            f"xl/worksheets/sheet{n}.xml": _sheet(sheet, codes) for n, sheet in enumerate(sheets, 1)
        },
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, _HEAD + content)


def _styles(codes: Sequence[str]) -> str:
    formats = "".join(
        f'<numFmt numFmtId="{200 + at}" formatCode="{escape(code)}"/>'
        for at, code in enumerate(codes)
        if code
    )
    styles = "".join(
        f'<xf numFmtId="{200 + at if code else 0}" fontId="0" fillId="0" borderId="0" xfId="0" '
        'applyNumberFormat="1"/>'
        for at, code in enumerate(codes)
    )
    return (
        f'<styleSheet xmlns="{_MAIN}"><numFmts count="{len(codes) - 1}">{formats}</numFmts>'
        "<fonts><font/></fonts><fills><fill/></fills><borders><border/></borders>"
        f'<cellStyleXfs><xf/></cellStyleXfs><cellXfs count="{len(codes)}">{styles}</cellXfs>'
        "</styleSheet>"
    )


def _sheet(sheet: FormulaSheet, codes: Sequence[str]) -> str:
    rows: dict[int, list[tuple[int, str]]] = {}
    for address, typed in sheet.cells.items():
        at = parse_cell_address(address)
        rows.setdefault(at.row, []).append((at.column, _cell(address, typed, codes)))
    for row, formula in enumerate(sheet.formulas, FIRST_ROW):
        at = CellAddress(row, RESULT_COLUMN)
        written = escape(for_file(formula).removeprefix("="))
        cell = f'<c r="{at}"><f t="array" ref="{at}">{written}</f></c>'
        rows.setdefault(row, []).append((at.column, cell))
    lines = "".join(
        f'<row r="{row}">{"".join(cell for _, cell in sorted(cells))}</row>'
        for row, cells in sorted(rows.items())
    )
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{lines}</sheetData></worksheet>'


def _cell(address: str, typed: str, codes: Sequence[str]) -> str:
    content = interpret(typed)
    start = f'<c r="{address}" s="{codes.index(content.format)}"'
    match content.kind:
        case CellKind.NUMBER:
            return f"{start}><v>{content.value!r}</v></c>"
        case CellKind.BOOLEAN:
            return f'{start} t="b"><v>{int(content.value)}</v></c>'
        case CellKind.ERROR:
            return f'{start} t="e"><v>{content.value}</v></c>'
        case _:
            text = escape(str(content.value))
            return f'{start} t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'


def _read(tree: ElementTree.ElementTree, lengths: Sequence[int]) -> Iterator[list[Value]]:
    for table, length in zip(tree.iter(named("table", "table")), lengths, strict=True):
        found: list[Value] = [None] * length
        row = FIRST_ROW
        for table_row in table.iter(named("table", "table-row")):
            times = int(table_row.get(named("table", "number-rows-repeated"), "1"))
            cell = _cell_at(table_row, RESULT_COLUMN)
            for place in range(row, min(row + times, FIRST_ROW + length)):
                if cell is not None:
                    found[place - FIRST_ROW] = _value(cell)
            row += times
        yield found


def _cell_at(row: ElementTree.Element, column: int) -> ElementTree.Element | None:
    at = 1
    for cell in row:
        at += int(cell.get(named("table", "number-columns-repeated"), "1"))
        if at > column:
            return cell
    return None


def _value(cell: ElementTree.Element) -> Value:
    text = "".join("".join(paragraph.itertext()) for paragraph in cell.iter(named("text", "p")))
    if cell.get(named("calcext", "value-type")) == "error":
        return text if text.startswith("#") else f"Err:{text.removeprefix('Err:')}"
    match cell.get(named("office", "value-type")):
        case None:
            return None
        case "boolean":
            return cell.get(named("office", "boolean-value")) == "true"
        case "string":
            return cell.get(named("office", "string-value"), text)
        case _:
            return float(cell.attrib[named("office", "value")])
