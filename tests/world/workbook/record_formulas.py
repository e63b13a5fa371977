"""Records what LibreOffice makes of formulas: reads them from standard input, one a line.

    python -m tests.world.workbook.record_formulas < formulas.txt > recorded_formulas.json
    python -m tests.world.workbook.record_formulas criteria > recorded_criteria.json

The second command records the formulas of `criteria_tables` and reads no input.

Needs `soffice`; the tests need only what was recorded. Every formula is an array formula, since
that is how our engine calculates all of them.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from tests.world.workbook.criteria_tables import criteria_formulas, criteria_workbook
from tests.world.workbook.formula_tables import formula_workbook
from tests.world.workbook.libreoffice import NAMESPACES, Value, calculate, for_file, named
from trainee_bench.world.workbook.inputs import CellKind, interpret
from trainee_bench.world.workbook.model import Sheet, Workbook

LARGEST_RESULT = 16
"""Rows and columns that each formula may fill; what it leaves empty shows #N/A."""
LEFT_OF_RESULTS = 30


def recorded(formulas: Sequence[str], workbook: Workbook) -> dict[str, list[list[Value]]]:
    """What each formula comes to on the first sheet of *workbook*, row by row."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "formulas.fods"
        source.write_text(_document(formulas, workbook), encoding="utf-8")
        tree = calculate(source, Path(folder))
    rows = list(_rows(tree))
    return {
        formula: _result(rows[number * LARGEST_RESULT : (number + 1) * LARGEST_RESULT])
        for number, formula in enumerate(formulas)
    }


def _document(formulas: Sequence[str], workbook: Workbook) -> str:
    first, *others = workbook.sheets
    attributes = " ".join(f'xmlns:{name}="{uri}"' for name, uri in NAMESPACES.items())
    tables = _table(first, formulas) + "".join(_table(sheet, ()) for sheet in others)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document {attributes} office:version="1.3"'
        ' office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body>'
        '<office:spreadsheet><table:calculation-settings table:use-regular-expressions="false" '
        f'table:use-wildcards="true"/>{tables}</office:spreadsheet></office:body></office:document>'
    )


def _table(sheet: Sheet, formulas: Sequence[str]) -> str:
    used = sheet.used()
    assert used is not None
    written = [f"<table:table table:name={quoteattr(sheet.name)}>"]
    for row in range(1, used.bottom + 1):
        cells = (sheet.cells.get(f"{chr(64 + column)}{row}", "") for column in range(1, 13))
        written.append(f"<table:table-row>{''.join(map(_cell, cells))}</table:table-row>")
    if formulas:
        gap = 100 - used.bottom
        written.append(
            f'<table:table-row table:number-rows-repeated="{gap}"><table:table-cell/>'
            "</table:table-row>"
        )
    for formula in formulas:
        text = quoteattr("msoxl:=" + for_file(formula))
        written.append(
            "<table:table-row><table:table-cell "
            f'table:number-columns-repeated="{LEFT_OF_RESULTS}"/>'
            f"<table:table-cell table:formula={text} "
            f'table:number-matrix-columns-spanned="{LARGEST_RESULT}" '
            f'table:number-matrix-rows-spanned="{LARGEST_RESULT}"/></table:table-row>'
            f'<table:table-row table:number-rows-repeated="{LARGEST_RESULT - 1}">'
            "<table:table-cell/></table:table-row>"
        )
    return "".join(written) + "</table:table>"


def _cell(typed: str) -> str:
    if not typed:
        return "<table:table-cell/>"
    content = interpret(typed)
    if content.kind is CellKind.NUMBER:
        return f'<table:table-cell office:value-type="float" office:value="{content.value!r}"/>'
    if content.kind is CellKind.BOOLEAN:
        value = str(content.value).lower()
        return f'<table:table-cell office:value-type="boolean" office:boolean-value="{value}"/>'
    if content.kind is CellKind.FORMULA:
        formula = quoteattr("msoxl:" + for_file(typed))
        return f"<table:table-cell table:formula={formula}/>"
    text = escape(str(content.value))
    return (
        f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'
    )


def _rows(tree: ElementTree.ElementTree) -> Iterator[list[Value]]:
    """The rows from the first formula on, from its column on."""
    table = tree.find(".//table:table", NAMESPACES)
    assert table is not None
    number = 0
    for row in table.iter(named("table", "table-row")):
        repeated = int(row.get(named("table", "number-rows-repeated"), "1"))
        if number >= 100:
            cells: list[Value] = []
            for cell in row:
                times = int(cell.get(named("table", "number-columns-repeated"), "1"))
                cells += [_value(cell)] * min(times, 100)
            for _ in range(min(repeated, 10_000)):
                yield cells[LEFT_OF_RESULTS : LEFT_OF_RESULTS + LARGEST_RESULT]
        number += repeated


def _value(cell: ElementTree.Element) -> Value:
    text = "".join(cell.itertext()).strip()
    if cell.get(named("calcext", "value-type")) == "error":
        error = "".join(text.split())
        return error if error.startswith("#") else "#VALUE!"  # Err:502 and its kind
    match cell.get(named("office", "value-type")):
        case None:
            return None
        case "boolean":
            return cell.get(named("office", "boolean-value")) == "true"
        case "string":
            return text
        case "date" | "time":
            raise ValueError(f"{text} has a format; make it a number")
        case _:
            return float(f"{float(cell.get(named('office', 'value'), 'nan')):.13g}")


def _result(rows: list[list[Value]]) -> list[list[Value]]:
    """What the formula gave: one row or column is repeated to fill the rest, others show #N/A."""
    columns = _own(list(zip(*_own(rows), strict=True)))
    return [list(row) for row in zip(*columns, strict=True)]


def _own(rows: Sequence[Sequence[Value]]) -> Sequence[Sequence[Value]]:
    if all(row == rows[0] for row in rows):
        return rows[:1]
    while all(value == "#N/A" for value in rows[-1]):
        rows = rows[:-1]
    return rows


if __name__ == "__main__":
    if sys.argv[1:] == ["criteria"]:
        found = recorded(list(criteria_formulas()), criteria_workbook())
    else:
        wanted = [line for line in sys.stdin.read().splitlines() if line and line[0] != "#"]
        found = recorded(wanted, formula_workbook())
    json.dump(found, sys.stdout, ensure_ascii=False)
