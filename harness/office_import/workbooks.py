"""Converts .xlsx and .xlsm files to workbooks that the office's own reader accepts."""

from __future__ import annotations

import math
from xml.etree import ElementTree as ET

from trainee_bench.harness.office_import.converted import ConvertedFile, with_ending
from trainee_bench.harness.office_import.limits import office_archive_parts
from trainee_bench.harness.office_import.refusals import ItemRefused
from trainee_bench.harness.office_import.workbook_mending import mended_workbook
from trainee_bench.harness.office_import.workbook_parts import (
    WorkbookFeatures,
    features_of,
    with_stored_results,
)
from trainee_bench.world.errors import WorldError
from trainee_bench.world.workbook.engine import calculate
from trainee_bench.world.workbook.inputs import CellKind
from trainee_bench.world.workbook.model import Workbook
from trainee_bench.world.workbook.xlsx import MAX_FILE_BYTES, from_xlsx, to_xlsx

_ONLY_CELLS = "Only its cells and number formats were kept; layout and authors were not."


def workbook_file(name: str, data: bytes) -> ConvertedFile:
    """Return the workbook *data* as an .xlsx file that agents can read.

    The file is written again as agents will see it, and the notes name all that it loses. Authors,
    the path on the author's disk and the like are lost in any case. If a formula is not calculated
    here, all formulas become their stored results. Raises ItemRefused if no part of this is
    possible.
    """
    if len(data) > MAX_FILE_BYTES:
        raise ItemRefused(
            f"The workbook has {len(data):,} bytes; the office's workbooks can have "
            f"{MAX_FILE_BYTES:,}. Split it, or remove pictures from it."
        )
    names = office_archive_parts(data)
    try:
        features = features_of(data, names)
    except (ET.ParseError, KeyError) as error:
        raise ItemRefused(
            f"The workbook is damaged ({str(error)[:100]}). Open it in its program and save it "
            "again."
        ) from None
    mended, mendings = mended_workbook(data, features.since_1904)
    notes = [*features.notes(), *mendings]
    workbook, why = _read(mended, features)
    target = name if name.lower().endswith(".xlsx") else with_ending(name, ".xlsx")
    if workbook is not None and (others := _other_results(workbook, features)):
        shown = ", ".join(others[:5])
        notes.append(f"Some formulas give other results here than the stored ones: {shown}.")
    if workbook is not None and not notes and target == name:
        written = to_xlsx(workbook)
        said = () if written == data else (_ONLY_CELLS,)
        return ConvertedFile(name, written, written != data, said)
    if target != name:
        notes.append(f"It is now called {target}.")
    if workbook is not None:
        return ConvertedFile(target, to_xlsx(workbook), True, tuple(notes))
    written = _from_results(mended, features, why)
    kept = (
        f"All {features.formulas:,} formulas became their stored results"
        if features.formulas
        else "Its cells were read again without names and formulas"
    )
    notes.append(f"{kept}, because the workbook cannot be calculated here: {_short(why)}")
    return ConvertedFile(target, written, True, tuple(notes))


def _read(data: bytes, features: WorkbookFeatures) -> tuple[Workbook | None, str]:
    """Read *data* as agents will; None, and the reason, if that fails or loses a cell."""
    try:
        workbook = from_xlsx(data)
    except (WorldError, ValueError) as error:
        return None, str(error)
    read = {f"{sheet.name}!{address}" for sheet in workbook.sheets for address in sheet.cells}
    lost = [place for place in features.filled if place not in read and "?" not in place]
    unknown = [
        f"{sheet.name}!{address}"
        for sheet in workbook.sheets
        for address, typed in sheet.cells.items()
        if typed == "#N/IMPL!"
    ]
    if lost or unknown:
        places = ", ".join([*lost, *unknown][:5])
        return None, f"its cells {places} would not be read."
    return workbook, ""


def _other_results(workbook: Workbook, features: WorkbookFeatures) -> list[str]:
    """Return the places of formulas whose number here is not the stored one, with both."""
    calculated = {
        f"{sheet.name}!{place}": cell.content
        for sheet, cells in zip(workbook.sheets, calculate(workbook), strict=True)
        for place, cell in cells.items()
    }
    found = []
    for place, stored in features.stored_numbers:
        here = calculated.get(place)
        if here is None:
            continue
        is_same = here.kind is CellKind.NUMBER and math.isclose(
            float(here.value), stored, rel_tol=1e-9, abs_tol=1e-9
        )
        if not is_same:
            found.append(f"{place} is {str(here.value)[:30]}, not {stored:g}")
    return found


def _from_results(data: bytes, features: WorkbookFeatures, why: str) -> bytes:
    if features.without_result:
        places = ", ".join(features.without_result[:5])
        raise ItemRefused(
            f"It cannot be calculated here ({_short(why)}), and {len(features.without_result):,} "
            f"formulas have no stored result ({places}). Open it in a spreadsheet program, save it "
            "and import it again."
        )
    workbook, why = _read(with_stored_results(data, features), features)
    if workbook is None:
        raise ItemRefused(
            f"The workbook cannot be read here: {_short(why)} Save each of its sheets as .csv and "
            "import those."
        )
    return to_xlsx(workbook)


def _short(reason: str) -> str:
    text = " ".join(reason.split())
    return text if len(text) <= 300 else f"{text[:299]}…"
