"""Converts .xlsx and .xlsm files to workbooks that the office's own reader accepts."""

from __future__ import annotations

from trainee_bench.harness.office_import.converted import ConvertedFile, with_ending
from trainee_bench.harness.office_import.limits import office_archive_parts
from trainee_bench.harness.office_import.refusals import ItemRefused
from trainee_bench.harness.office_import.workbook_parts import (
    WorkbookFeatures,
    features_of,
    with_stored_results,
)
from trainee_bench.world.errors import WorldError
from trainee_bench.world.workbook.xlsx import MAX_FILE_BYTES, from_xlsx, to_xlsx


def workbook_file(name: str, data: bytes) -> ConvertedFile:
    """Return the workbook *data* as an .xlsx file that agents can read.

    A plain workbook stays as it is. Otherwise the file is written again as agents will see it, and
    the notes name all that it loses. If a formula is not calculated here, all formulas become their
    stored results. Raises ItemRefused if no part of this is possible.
    """
    if len(data) > MAX_FILE_BYTES:
        raise ItemRefused(
            f"The workbook has {len(data):,} bytes; the office's workbooks can have "
            f"{MAX_FILE_BYTES:,}. Split it, or remove pictures from it."
        )
    features = features_of(data, office_archive_parts(data))
    notes = list(features.notes())
    try:
        workbook = from_xlsx(data)
    except (WorldError, ValueError) as error:
        workbook = None
        why = str(error)
    target = name if name.lower().endswith(".xlsx") else with_ending(name, ".xlsx")
    if workbook is not None and not notes and target == name:
        return ConvertedFile(name, data)
    if workbook is not None:
        if target != name:
            notes.append(f"It is now called {target}.")
        return ConvertedFile(target, to_xlsx(workbook), True, tuple(notes))
    written = _from_results(data, features, why)
    kept = (
        f"All {features.formulas:,} formulas became their stored results"
        if features.formulas
        else ("Its cells were read again without names and formulas")
    )
    notes.append(f"{kept}, because the workbook cannot be calculated here: {_short(why)}")
    return ConvertedFile(target, written, True, tuple(notes))


def _from_results(data: bytes, features: WorkbookFeatures, why: str) -> bytes:
    if features.without_result:
        places = ", ".join(features.without_result[:5])
        raise ItemRefused(
            f"It cannot be calculated here ({_short(why)}), and {len(features.without_result):,} "
            f"formulas have no stored result ({places}). Open it in a spreadsheet program, save it "
            "and import it again."
        )
    try:
        return to_xlsx(from_xlsx(with_stored_results(data, features)))
    except (WorldError, ValueError) as error:
        raise ItemRefused(
            f"The workbook cannot be read here: {_short(str(error))} Save each of its sheets as "
            ".csv and import those."
        ) from None


def _short(reason: str) -> str:
    text = " ".join(reason.split())
    return text if len(text) <= 300 else f"{text[:299]}…"
