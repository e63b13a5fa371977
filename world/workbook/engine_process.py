"""Runs the spreadsheet engine as a subprocess that answers requests on standard input.

A formula can make the engine loop for hours, take all memory, overflow the stack or panic
(`=FACT(1E9)`, a chain of `=A1&A1`, thousands of brackets, `=EDATE(1,1E300)`). The process in which
this happens cannot catch it. So it happens here, under limits: the subprocess dies, and the caller
is told that the calculation was too heavy.

A frame is a length of eight bytes (big endian) and JSON. This script is started by its path and
imports nothing from the project, so it starts quickly.
"""

from __future__ import annotations

import base64
import io
import json
import os
import re
import signal
import sys
import tempfile
import traceback
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO
from xml.parsers import expat

import ironcalc

if sys.platform != "win32":
    import resource

CPU_SECONDS = 1.0
"""Maximum processor time of a request: a tool call should take two seconds at most."""
PATIENT_CPU_SECONDS = 60.0
"""The same for repeating a record, perhaps on a slower or busier machine."""
MEMORY_BYTES = 1 << 30
MAX_RESULTS = 40_000
MAX_TEXT_LENGTH = 32_767
MAX_CELLS = 100_000
MAX_CONTENT_BYTES = 50_000_000
MAX_PARTS = 2_000
MAX_FORMAT_LENGTH = 255
_LONGEST_FORMULA = 8_192
_CELL_FORMULA = re.compile(rb'(<c r="([A-Z]+[0-9]+)"[^<>]*><f[^<>]*>)([^<]*)')

_SINCE_1904 = re.compile(rb"""\bdate1904\s?=\s?["'](?:1|true|on)["']""")
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OSError,
)
"""The errors that zipfile raises for damage. RuntimeError: encrypted parts."""
_RELATIONS = "xl/_rels/workbook.xml.rels"
_TARGET = re.compile(r'Target="([^"<>]*)"')

Json = Any  # the JSON edge of this process: requests and answers are checked by engine.py


def main() -> None:
    """Answer requests until standard input is closed."""
    _limit_memory()
    requests = sys.stdin.buffer
    # The engine prints warnings about files, which must not get between the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while (request := _receive(requests)) is not None:
        _limit_time(PATIENT_CPU_SECONDS if request.get("patient") else CPU_SECONDS)
        body = _answer(request)
        _limit_time(0)
        answers.write(len(body).to_bytes(8, "big") + body)
        answers.flush()


def _answer(request: Json) -> bytes:
    answer: dict[str, str | bool]
    try:
        return json.dumps(OPERATIONS[request["do"]](request)).encode()
    except ironcalc.WorkbookError as error:
        answer = {"refused": str(error)}
    except MemoryError:
        answer = {"heavy": True}
    except BaseException as error:  # noqa: BLE001 -- the caller raises it
        # A panic of the engine derives from BaseException, and its class has no public name.
        panicked = type(error).__name__ == "PanicException"
        answer = {"panic": str(error)} if panicked else {"bug": traceback.format_exc()}
    return json.dumps(answer).encode()


def calculate(request: Json) -> Json:
    """Return every cell that is not a plain input: formulas and the cells into which they spill."""
    model = _model(request, rewritten=True)
    typed = [{(row, column) for row, column, _, _ in sheet["cells"]} for sheet in request["sheets"]]
    wanted = [
        (sheet, row, column)
        for sheet, row, column in model.get_all_cells()
        if (row, column) not in typed[sheet]
    ]
    if len(wanted) > MAX_RESULTS:
        return {"refused": f"formulas fill {len(wanted)} cells; the maximum is {MAX_RESULTS}"}
    return {"cells": [[*_seen(model, *place), *place] for place in wanted]}


def export(request: Json) -> Json:
    """Write the workbook as an .xlsx file, with formulas as typed and their values."""
    file = _model(request, rewritten=True).to_xlsx()
    formulas = [formula for sheet in request["sheets"] for formula in sheet["formulas"]]
    if any(formula[-2] != formula[-1] for formula in (*formulas, *request["names"])):
        file = _with_formulas(file, _model(request, rewritten=False).to_xlsx())
    return {"file": base64.b64encode(file).decode()}


def rename(request: Json) -> Json:
    """Return the formulas and names after a sheet was renamed."""
    model = _model(request, rewritten=False)
    model.rename_sheet(request["sheet"], request["name"])
    formulas = [
        [index, row, column, model.get_cell_content(index, row, column)]
        for index, sheet in enumerate(request["sheets"])
        for row, column, _, _ in sheet["formulas"]
    ]
    return {"formulas": formulas, "names": _names(model)}


def load(request: Json) -> Json:
    """Return the contents of an .xlsx file, with formulas as the engine reads them.

    An agent may have made the file, so not even its list of parts is read in another process.
    """
    file = base64.b64decode(request["file"])
    try:
        doubtful, since_1904 = _check_archive(file)
    except _DAMAGED as error:
        return {"unreadable": f"it is damaged ({str(error)[:80]})"}
    except _Unreadable as error:
        return {"unreadable": str(error)}
    # The engine loads only from a path.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "workbook.xlsx"
        path.write_bytes(file)
        try:
            user = ironcalc.create_user_model_from_xlsx(str(path), "en", "UTC", "en")
        except BaseException as error:  # noqa: BLE001 -- a panic has no public class
            return {"unreadable": _cause(file) or f"the engine says: {str(error)[:160]}"}
    model = ironcalc.load_from_bytes(user.to_bytes(), "en")
    model.evaluate()
    sheets = [sheet["name"] for sheet in model.get_worksheets_properties()]
    cells: list[Json] = []
    spilled: set[tuple[int, int, int]] = set()
    # Row by row: a formula spills to the right and down, so it comes before its spill.
    for sheet, row, column in sorted(model.get_all_cells()):
        formula = model.get_cell_formula(sheet, row, column)
        if formula is not None:
            height, width = _spill(user.get_cell_array_structure(sheet, row, column))
            spilled |= {
                (sheet, row + down, column + right)
                for down in range(height)
                for right in range(width)
                if down or right
            }
        empty = model.get_cell_value(sheet, row, column) is None  # formatted, but empty
        if formula is not None or not (empty or (sheet, row, column) in spilled):
            cells.append([*_seen(model, sheet, row, column), sheet, row, column, formula])
            if len(cells) > MAX_CELLS:
                return {"refused": f"there are more than {MAX_CELLS} cells in it"}
    found = {"sheets": sheets, "cells": cells, "names": _names(model)}
    return {**found, "doubtful": doubtful, "since_1904": since_1904}


class _Unreadable(Exception):
    """The file is not a readable .xlsx file; the text says why."""


def _check_archive(file: bytes) -> tuple[list[str], bool]:
    """Return the formulas that may refer to a table or another file, which the engine misreads, and
    whether the workbook counts its days from 1904.

    Raises _Unreadable, and zipfile's errors for a damaged file.
    """
    with zipfile.ZipFile(io.BytesIO(file)) as archive:
        parts = archive.infolist()
        size = sum(part.file_size for part in parts)
        if size > MAX_CONTENT_BYTES or len(parts) > MAX_PARTS:
            raise _Unreadable(
                f"unpacked, it has {size} bytes in {len(parts)} parts; the maximum is "
                f"{MAX_CONTENT_BYTES} bytes in {MAX_PARTS} parts"
            )
        names = [part.filename for part in parts]
        if "xl/workbook.xml" not in names:
            raise _Unreadable("there is no workbook in it")
        since_1904 = _counts_from_1904(archive.read("xl/workbook.xml"))
        if not any(name.startswith(("xl/tables/", "xl/externalLinks/")) for name in names):
            return [], since_1904
        sheets = [name for name in names if name.startswith("xl/worksheets/")]
        found = [formula for name in sheets for formula in _bracketed(archive.read(name))]
        return found[:1_000], since_1904


def _counts_from_1904(workbook: bytes) -> bool:
    """Whether the properties of a workbook count days from 1904."""
    tags = (piece.partition(b">")[0] for piece in workbook.split(b"<"))
    return any(b"workbookPr" in tag and _SINCE_1904.search(tag) for tag in tags)


def _cause(file: bytes) -> str:
    """Return what is wrong with the parts of a workbook that the engine cannot read, "" if
    unknown."""
    with zipfile.ZipFile(io.BytesIO(file)) as archive:
        names = archive.namelist()
        for name in names:
            if name.endswith((".xml", ".rels")) and (flaw := _flaw(archive, name)):
                return f"its part {name} is damaged ({flaw})"
        if _RELATIONS not in names:
            return f"its part {_RELATIONS} is missing"
        targets = _TARGET.findall(archive.read(_RELATIONS).decode(errors="replace"))
    parts = [target.removeprefix("/xl/") for target in targets if target.endswith(".xml")]
    needed = [f"xl/{part}" for part in dict.fromkeys([*parts, "styles.xml"])]
    missing = [name for name in needed if name not in names]
    return f"its part {missing[0]} is missing" if missing else ""


def _flaw(archive: zipfile.ZipFile, part: str) -> str:
    """Return why *part* is not XML, "" if it is."""
    reader = expat.ParserCreate()
    reader.EntityDeclHandler = _refuse_entities
    try:
        reader.Parse(archive.read(part), True)
    except (expat.ExpatError, _Unreadable, *_DAMAGED) as error:
        return str(error)
    return ""


def _refuse_entities(*_: object) -> None:
    raise _Unreadable("it declares entities")


def _bracketed(sheet: bytes) -> Iterator[str]:
    """Yield the texts of a sheet's ``<f>`` elements that contain a square bracket, in one pass."""
    for piece in sheet.split(b"<"):
        tag, closed, text = piece.partition(b">")
        if closed and b"[" in text and not tag.endswith(b"/"):
            name = tag.split(None, 1)[0] if tag.strip() else b""
            if name.rpartition(b":")[2] == b"f":
                yield text[:_LONGEST_FORMULA].decode(errors="replace")


OPERATIONS = {"calculate": calculate, "export": export, "rename": rename, "load": load}


def _with_formulas(calculated: bytes, typed: bytes) -> bytes:
    """Return the file *calculated* with the formulas of *typed*; the engine has written both."""
    written = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(calculated)) as source,
        zipfile.ZipFile(io.BytesIO(typed)) as other,
        zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for part in source.infolist():
            content = source.read(part)
            if part.filename.startswith("xl/worksheets/sheet"):
                content = _with_cell_formulas(content, other.read(part.filename))
            elif part.filename == "xl/workbook.xml":  # the defined names
                content = other.read(part.filename)
            target.writestr(part, content)
    return written.getvalue()


def _with_cell_formulas(calculated: bytes, typed: bytes) -> bytes:
    formulas = {place: formula for _, place, formula in _CELL_FORMULA.findall(typed)}
    return _CELL_FORMULA.sub(lambda found: found[1] + formulas[found[2]], calculated)


def _model(request: Json, *, rewritten: bool) -> ironcalc.Model:
    sheets = request["sheets"]
    model = ironcalc.create("Workbook", "en", "UTC", "en")
    model.rename_sheet(0, sheets[0]["name"])
    for sheet in sheets[1:]:
        model.add_sheet(sheet["name"])
    for name, *formulas in request["names"]:
        model.new_defined_name(name, None, formulas[rewritten])
    for name, function in request["functions"] if rewritten else ():
        model.new_defined_name(name, None, function)
    style = model.get_cell_style(0, 1, 1)
    for index, sheet in enumerate(sheets):
        for row, column, kind, value in sheet["cells"]:
            if kind == "number":
                model.update_cell_with_number(index, row, column, value)
            elif kind == "text":
                model.update_cell_with_text(index, row, column, value)
            elif kind == "boolean":
                model.update_cell_with_bool(index, row, column, value)
            else:
                model.set_user_input(index, row, column, value)
        for row, column, code in sheet["formats"]:
            model.set_cell_style(index, row, column, {**style, "num_fmt": code})
    # After all inputs: the engine gives a formula the format of the cells it reads.
    for index, sheet in enumerate(sheets):
        for row, column, *formulas in sheet["formulas"]:
            model.set_user_input(index, row, column, formulas[rewritten])
        for row, column, code in sheet["formula_formats"]:
            model.set_cell_style(index, row, column, {**style, "num_fmt": code})
    model.evaluate()
    return model


def _seen(model: ironcalc.Model, sheet: int, row: int, column: int) -> list[Json]:
    """Return a cell's kind, value, formatted text and number format."""
    value = model.get_cell_value(sheet, row, column)
    if isinstance(value, str) and len(value) > MAX_TEXT_LENGTH:
        return ["error", "#VALUE!", "#VALUE!", "general"]  # the engine does not enforce this limit
    if isinstance(value, str):
        error = model.get_cell_type(sheet, row, column) == ironcalc.CellType.ErrorValue
        kind = "error" if error else "text"
    else:
        kind = "boolean" if isinstance(value, bool) else "number"
    code = model.get_cell_style(sheet, row, column)["num_fmt"]
    return [
        kind,
        0.0 if value is None else value,
        model.get_formatted_cell_value(sheet, row, column),
        code if len(code) <= MAX_FORMAT_LENGTH else "general",
    ]


def _names(model: ironcalc.Model) -> list[Json]:
    return [[known["name"], known["formula"]] for known in model.get_defined_name_list()]


def _spill(structure: Json) -> tuple[int, int]:
    """Return how many rows and columns a formula fills."""
    for anchor in ("ArrayAnchor", "DynamicAnchor"):
        if isinstance(structure, dict) and anchor in structure:
            width, height = structure[anchor]
            return height, width
    return 1, 1


def _receive(stream: BinaryIO) -> Json:
    length = stream.read(8)
    if len(length) < 8:
        return None
    return json.loads(stream.read(int.from_bytes(length, "big")))


def _limit_memory() -> None:
    # Only Linux enforces this limit.
    if sys.platform == "linux":
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _limit_time(seconds: float) -> None:
    # Processor time does not depend on how busy the machine is.
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)


if __name__ == "__main__":
    main()
