"""Workbooks as deliverables: as text, and as the calls that write them.

They are for cheats and scripted models, which know only a path and a text for each file.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import JsonValue

from trainee_bench.world.workbook.model import Workbook
from trainee_bench.world.workbook.values import calculate

Calls = Callable[..., Awaitable[Any]]
"""A way to call tools: ``await call(tool, **arguments)``."""
_ENDING = ".xlsx"
_TABLES = (_ENDING, ".csv", ".tsv")


def is_workbook(path: str) -> bool:
    """Whether *path* ends like a workbook."""
    return path.endswith(_ENDING)


def sheets_as_json(workbook: Workbook) -> str:
    """Return the values of each sheet, row by row, by the sheet's name."""
    sheets: dict[str, JsonValue] = {}
    for shown in calculate(workbook):
        rows = shown.grid(shown.used) if shown.used else []
        sheets[shown.name] = [[None if cell is None else cell.value for cell in r] for r in rows]
    return json.dumps(sheets, indent=1)


def rows_in(text: str) -> list[JsonValue]:
    """Return the rows in *text*.

    These are the first sheet's rows if `sheets_as_json` wrote it, or a JSON list of rows; otherwise
    a row for each line.
    """
    try:
        data = json.loads(text)
    except ValueError:
        return [[line] for line in text.splitlines() if line.strip()]
    rows = next(iter(data.values()), []) if isinstance(data, dict) else data
    return [row if isinstance(row, list) else [json.dumps(row)] for row in _listed(rows)]


def _listed(data: JsonValue) -> list[JsonValue]:
    return data if isinstance(data, list) else [data]


async def write_as(call: Calls, path: str, text: str) -> None:
    """Write *text* to *path*: as a text file, or as a workbook if the name says so."""
    if not is_workbook(path):
        await call("files_write", path=path, text=text)
        return
    await call("sheets_create", path=path, rows=rows_in(text))


async def copy_as(call: Calls, source: str, target: str) -> None:
    """Copy a file; convert a table to the format in the name of *target*."""
    converts = is_workbook(source) is not is_workbook(target)
    if converts and source.endswith(_TABLES) and target.endswith(_TABLES):
        await call("sheets_convert", source=source, target=target)
        return
    await call("files_copy", source=source, target=target)
