"""Reads and writes workbooks as .xlsx files.

Sheets and their order, values, formulas, number formats and defined names are kept. Fonts, colours,
widths, merged cells, hidden sheets, comments, charts, pictures and macros are not. The written
bytes depend only on the workbook.
"""

from __future__ import annotations

import html
import io
import zipfile
from collections.abc import Sequence

from trainee_bench.world.errors import Invalid
from trainee_bench.world.workbook import engine
from trainee_bench.world.workbook.formats import (
    DAYS_TO_1904,
    GENERAL,
    is_date_format,
    is_time_format,
)
from trainee_bench.world.workbook.formulas import refers_to_tables, without_added_operators
from trainee_bench.world.workbook.inputs import CellKind, number_input, text_input
from trainee_bench.world.workbook.model import Sheet, Workbook, check_formula, check_workbook

MAX_FILE_BYTES = 10_000_000

_PROPERTIES = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<cp:coreProperties xmlns:cp='
    '"http://schemas.openxmlformats.org/package/2006/metadata/core-properties"/>'
)


def from_xlsx(file: bytes) -> Workbook:
    """Read the workbook in *file*.

    Raises Invalid if it is not an .xlsx file, is damaged or exceeds a limit, Refused for a formula
    that is not calculated here.
    """
    _check_beginning(file)
    loaded = engine.load(file)
    _check_references(loaded.doubtful)
    later = _days_to_1904(loaded)
    cells: list[dict[str, str]] = [{} for _ in loaded.sheets]
    formats: list[dict[str, str]] = [{} for _ in loaded.sheets]
    implied: list[dict[str, str]] = [{} for _ in loaded.sheets]
    names = {name.upper() for name in loaded.names}
    for cell in loaded.cells:
        address, content = str(cell.place), cell.content
        if cell.formula is not None:
            check_formula(cell.formula, f"{loaded.sheets[cell.sheet]}!{address}", loaded.names)
            cells[cell.sheet][address] = without_added_operators(cell.formula, names)
            implied[cell.sheet][address] = content.format
            continue
        typed, code = str(content.value), GENERAL
        if content.kind is CellKind.NUMBER:
            dated = is_date_format(content.format) and not is_time_format(content.format)
            number = float(content.value) + (later if dated else 0)
            typed, code = number_input(number, content.format)
        elif content.kind is CellKind.BOOLEAN:
            typed = "TRUE" if content.value else "FALSE"
        elif content.kind is CellKind.TEXT:
            typed = text_input(typed)
        if typed:
            cells[cell.sheet][address] = typed
        if code:
            formats[cell.sheet][address] = code
    workbook = check_workbook(_workbook(loaded, cells, formats))
    # A formula's format is kept only if the formula does not get it by itself.
    for index, results in enumerate(engine.calculate(workbook)):
        for place, result in results.items():
            code = implied[index].get(str(place), GENERAL)
            if code != result.content.format and code != GENERAL:
                formats[index][str(place)] = code
    return _workbook(loaded, cells, formats)


def to_xlsx(workbook: Workbook) -> bytes:
    """Write the workbook as an .xlsx file. Raises Invalid if it cannot be calculated."""
    written = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(engine.export(workbook))) as source,
        zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for part in source.infolist():
            # The engine would write the current time into the properties.
            properties = part.filename == "docProps/core.xml"
            content = _PROPERTIES.encode() if properties else source.read(part)
            target.writestr(zipfile.ZipInfo(part.filename), content, zipfile.ZIP_DEFLATED)
    return written.getvalue()


def _workbook(
    loaded: engine.LoadedWorkbook, cells: list[dict[str, str]], formats: list[dict[str, str]]
) -> Workbook:
    sheets = tuple(
        Sheet(name=name, cells=cell, formats=code)
        for name, cell, code in zip(loaded.sheets, cells, formats, strict=True)
    )
    return Workbook(sheets=sheets, names=loaded.names)


def _check_beginning(file: bytes) -> None:
    if len(file) > MAX_FILE_BYTES:
        raise Invalid(
            f"A workbook's file can have at most {MAX_FILE_BYTES} bytes, not {len(file)}."
        )
    if not file.startswith((b"PK", b"\xd0\xcf\x11\xe0")):
        why = "it is another kind of file" if file else "the file is empty"
        raise Invalid(engine.UNREADABLE.format(why))
    if file.startswith(b"\xd0\xcf\x11\xe0"):
        raise Invalid(engine.UNREADABLE.format("it is an old .xls or locked with a password"))


def _days_to_1904(loaded: engine.LoadedWorkbook) -> int:
    """Return the days between day zero of the workbook and ours.

    Raises Invalid if formulas may count from its own day zero.
    """
    if not loaded.since_1904:
        return 0
    for cell in loaded.cells:
        if cell.formula is not None:
            raise Invalid(
                "This workbook counts its days from 1904 (date1904) and has formulas "
                f"({loaded.sheets[cell.sheet]}!{cell.place}), which would give other days here. "
                "Save it with dates from 1900, or without formulas."
            )
    return DAYS_TO_1904


def _check_references(formulas: Sequence[str]) -> None:
    """Raise Invalid for references such as Sales[Amount], which the engine misreads."""
    for written in formulas:
        formula = html.unescape(written)
        if refers_to_tables(formula):
            raise Invalid(
                f"The formula ={formula[:60]} refers to a table or another file, which is not "
                "calculated here. Write ranges such as B2:B9 instead and save again."
            )
