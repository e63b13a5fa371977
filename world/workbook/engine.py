"""Calculates workbooks with a real spreadsheet engine.

The engine runs in a subprocess (see engine_process.py), one for each of our processes, started on
first use. `inputs` decides what a typed text means; the engine calculates formulas.
"""

from __future__ import annotations

import atexit
import base64
import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trainee_bench.world.errors import Invalid
from trainee_bench.world.workbook.addresses import LAST_ROW, CellAddress, parse_cell_address
from trainee_bench.world.workbook.array_arguments import formula_for_engine, may_spill
from trainee_bench.world.workbook.array_rewriting import OUR_NAMES, free_prefix
from trainee_bench.world.workbook.criteria_functions import CRITERIA_FUNCTIONS
from trainee_bench.world.workbook.date_arithmetic import numbers_among_dates
from trainee_bench.world.workbook.formats import GENERAL
from trainee_bench.world.workbook.inputs import CellContent, CellKind, interpret
from trainee_bench.world.workbook.model import Sheet, Workbook
from trainee_bench.world.workbook.typed_cells import TypedCells, TypedSheet

_SCRIPT = Path(__file__).with_name("engine_process.py")
GAVE_UP = (
    "The spreadsheet engine gave up: a formula takes too much time or memory. Use smaller "
    "ranges and shorter texts, and do not double a text from cell to cell."
)

_KINDS = {kind.value: kind for kind in CellKind}
_REMEMBERED = 8
_MOST_SPILLED = 40_000
"""Maximum cells that formulas may fill; the engine's process refuses more."""
UNREADABLE = (
    "This is not an .xlsx file that can be read: {}. Save the workbook again as .xlsx, with only "
    "what is needed."
)

Json = Any  # the frames to and from the process, which only this module reads


@dataclass(frozen=True)
class CalculatedCell:
    """A cell as the engine calculates it: kind, value, and its text in its number format."""

    content: CellContent
    formatted: str


@dataclass(frozen=True)
class LoadedCell:
    """A cell of an .xlsx file: its place, its value, and its formula or None."""

    sheet: int
    place: CellAddress
    content: CellContent
    formula: str | None


@dataclass(frozen=True)
class LoadedWorkbook:
    """The contents of an .xlsx file."""

    sheets: tuple[str, ...]
    cells: tuple[LoadedCell, ...]
    names: Mapping[str, str]
    doubtful: tuple[str, ...]
    """Formulas, as in the file, that may refer to tables or other files."""
    since_1904: bool
    """Whether its days count from 1904 instead of 1900."""


def calculate(workbook: Workbook) -> tuple[Mapping[CellAddress, CalculatedCell], ...]:
    """Return, for each sheet, the cells that formulas fill, including spilled ones.

    Raises Invalid if the engine cannot calculate the workbook.
    """
    found: tuple[dict[CellAddress, CalculatedCell], ...] = tuple({} for _ in workbook.sheets)
    if workbook.has_formulas():
        for kind, value, text, code, sheet, row, column in _ask("calculate", workbook)["cells"]:
            found[sheet][CellAddress(row, column)] = CalculatedCell(
                _content(kind, value, code), text
            )
    return found


def export(workbook: Workbook) -> bytes:
    """Write the workbook as .xlsx with the engine. Raises Invalid."""
    return base64.b64decode(_ask("export", workbook)["file"])


def with_sheet_renamed(workbook: Workbook, sheet: str, name: str) -> Workbook:
    """Rename the sheet called exactly *sheet* to *name*; formulas follow.

    Raises Invalid.
    """
    index = [known.name for known in workbook.sheets].index(sheet)
    answer = _ask("rename", workbook, sheet=index, name=name)
    cells = [dict(known.cells) for known in workbook.sheets]
    for number, row, column, formula in answer["formulas"]:
        cells[number][str(CellAddress(row, column))] = formula
    sheets = tuple(
        Sheet(name=name if old.name == sheet else old.name, cells=cell, formats=old.formats)
        for old, cell in zip(workbook.sheets, cells, strict=True)
    )
    return Workbook(sheets=sheets, names=dict(answer["names"]))


def load(file: bytes) -> LoadedWorkbook:
    """Read the contents of an .xlsx file. Raises Invalid if the engine cannot read it."""
    answer = _ENGINE.ask({"do": "load", "file": base64.b64encode(file).decode()})
    if "unreadable" in answer:
        raise Invalid(UNREADABLE.format(answer["unreadable"]))
    return LoadedWorkbook(
        sheets=tuple(answer["sheets"]),
        cells=tuple(
            LoadedCell(sheet, CellAddress(row, column), _content(kind, value, code), formula)
            for kind, value, _, code, sheet, row, column, formula in answer["cells"]
        ),
        names=dict(answer["names"]),
        doubtful=tuple(answer["doubtful"]),
        since_1904=bool(answer["since_1904"]),
    )


def _content(kind: str, value: float | str | bool, code: str) -> CellContent:
    code = GENERAL if code.lower() == "general" else code
    return CellContent(_KINDS[kind], value, code)


@contextmanager
def patient() -> Iterator[None]:
    """Let calculations take as long as repeating an earlier calculation needs.

    A machine's speed must not decide whether a record can be repeated. Use this only for repeating
    records, in which `GAVE_UP` may itself be recorded.
    """
    _PATIENCE.append(True)
    try:
        yield
    finally:
        _PATIENCE.pop()


_PATIENCE: list[bool] = []
"""Not empty while a record is repeated, on any thread."""


def _ask(do: str, workbook: Workbook, **more: str | int) -> Json:
    numbers, formulas = numbers_among_dates(workbook), _Formulas(workbook)
    request = {
        "do": do,
        "sheets": [
            _sheet(sheet, formulas, {at for number, at in numbers if number == index})
            for index, sheet in enumerate(workbook.sheets)
        ],
        "names": [
            [name, meaning, formulas.for_engine(meaning, None)]
            for name, meaning in sorted(workbook.names.items())
        ],
    }
    return _ENGINE.ask({**request, "functions": formulas.functions(), **more})


class _Formulas:
    """The formulas of a workbook, in a form that the engine calculates correctly."""

    def __init__(self, workbook: Workbook) -> None:
        self._names = workbook.names
        formulas = [
            [(at, typed) for at, typed in sheet.places.items() if typed.startswith("=")]
            for sheet in workbook.sheets
        ]
        spilling = [
            [at for at, typed in found if may_spill(typed, workbook.names)] for found in formulas
        ]
        last = max((at.row for sheet in workbook.sheets for at in sheet.places), default=1)
        self._rows = min(last + _MOST_SPILLED if any(spilling) else last, LAST_ROW)
        """The number of rows that have filled cells, or that spilling may fill."""
        self._typed = TypedCells(
            {
                sheet.name.casefold(): TypedSheet(sheet.places, _corner(places))
                for sheet, places in zip(workbook.sheets, spilling, strict=True)
            }
        )
        self._prefix = free_prefix(
            [*workbook.names, *workbook.names.values(), *(f for on in formulas for _, f in on)]
        )
        self._calls_ours = False

    def for_engine(self, formula: str, here: Sheet | None) -> str:
        """Return *formula* for the engine, on the sheet *here* (None: on any)."""
        typed = self._typed.on(here.name) if here else self._typed
        found = formula_for_engine(formula, self._names, self._rows, typed, self._prefix)
        self._calls_ours |= found != formula and any(
            self._ours(f"{name}(") in found for name in CRITERIA_FUNCTIONS
        )
        return found

    def functions(self) -> list[tuple[str, str]]:
        """Return our functions with their names, if a formula so far calls one."""
        if not self._calls_ours:
            return []
        return [
            (self._ours(name), f"={self._ours(meaning)}")
            for name, meaning in CRITERIA_FUNCTIONS.items()
        ]

    def _ours(self, text: str) -> str:
        return text.replace(OUR_NAMES, self._prefix)


def _corner(places: Sequence[CellAddress]) -> CellAddress | None:
    """Return the corner from which on formulas at these places may fill cells."""
    if not places:
        return None
    return CellAddress(min(at.row for at in places), min(at.column for at in places))


def _sheet(sheet: Sheet, rewriting: _Formulas, numbers: Collection[CellAddress]) -> Json:
    formats = {parse_cell_address(address): code for address, code in sheet.formats.items()}
    cells, formulas, input_formats, formula_formats = [], [], [], []
    for at, typed in sheet.places.items():
        content = interpret(typed)
        code = formats.get(at, content.format)
        if content.kind is CellKind.FORMULA:
            formulas.append([*at, typed, rewriting.for_engine(typed, sheet)])
            if at in numbers:
                formula_formats.append([*at, "general"])
            elif code:
                formula_formats.append([*at, code])
        else:
            cells.append([*at, content.kind, content.value])
            if code:
                input_formats.append([*at, code])
    return {
        "name": sheet.name,
        "cells": cells,
        "formulas": formulas,
        "formats": input_formats,
        "formula_formats": formula_formats,
    }


class _Engine:
    """The subprocess and the pipe to it, which carries one request at a time.

    The last answers are cached: a tool asks once before it locks the world, and once while it does.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._inherited: list[subprocess.Popen[bytes]] = []
        self._recent: dict[bytes, Json] = {}

    def ask(self, request: Json) -> Json:
        """Return the answer to *request*. Raises Invalid if it makes the engine refuse, panic or
        die."""
        body = json.dumps(request).encode()
        key = hashlib.sha256(body).digest()
        if _PATIENCE:
            body = json.dumps({**request, "patient": True}).encode()
        with self._lock:
            answer = self._recent.pop(key, None)
            if answer is None or (_PATIENCE and "heavy" in answer):
                try:
                    answer = self._exchange(self._running(), body)
                except BaseException:  # interrupted between request and answer
                    self.close()
                    raise
            if request["do"] in ("calculate", "rename"):
                self._recent[key] = answer
            while len(self._recent) > _REMEMBERED:
                del self._recent[next(iter(self._recent))]
        if "refused" in answer:
            raise Invalid(f"The spreadsheet engine refuses this: {answer['refused'][:200]}.")
        if "panic" in answer:
            raise Invalid(
                "The spreadsheet engine cannot calculate this: an argument of a formula is far "
                f"out of range ({answer['panic'][:100]})."
            )
        if "heavy" in answer:
            raise Invalid(GAVE_UP)
        if "bug" in answer:
            raise RuntimeError(f"the engine's process failed:\n{answer['bug']}")
        return answer

    def close(self) -> None:
        """End the subprocess, if this process started one."""
        self._recent.clear()
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def forget(self) -> None:
        """Leave the subprocess to the parent after a fork, and start another when needed."""
        self._lock = threading.Lock()
        if self._process is not None:
            self._inherited.append(self._process)
            self._process = None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is not None:
            self.close()
        if self._process is None:
            self._process = subprocess.Popen(  # noqa: S603 -- our own script
                [sys.executable, "-P", str(_SCRIPT)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        return self._process

    def _exchange(self, process: subprocess.Popen[bytes], body: bytes) -> Json:
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(len(body).to_bytes(8, "big") + body)
            process.stdin.flush()
            length = process.stdout.read(8)
            if len(length) == 8:
                answer = process.stdout.read(int.from_bytes(length, "big"))
                return json.loads(answer)
        except BrokenPipeError:
            pass
        process.communicate()
        died = -process.returncode
        self._process = None
        if died in _DEATHS:
            return {"heavy": True}
        raise RuntimeError(f"the engine's process ended with {process.returncode}")


# Out of processor time; out of memory (Rust aborts); out of stack.
_DEATHS = frozenset(
    getattr(signal, name)
    for name in ("SIGPROF", "SIGABRT", "SIGSEGV", "SIGBUS")
    if hasattr(signal, name)
)
_ENGINE = _Engine()
atexit.register(_ENGINE.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_ENGINE.forget)
