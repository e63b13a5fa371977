"""The text of a result: cells, the view that a client gets, and an estimate of its tokens."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from trainee_bench.world.workbook.addresses import CellRange
from trainee_bench.world.workbook.inputs import CellKind, interpret
from trainee_bench.world.workbook.values import CellValue

_CHEAP = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ \n"


def estimate_tokens(text: str) -> float:
    """Estimate tokens generously: one per four letters or per two other bytes."""
    encoded = text.encode()
    dear = len(encoded.translate(None, _CHEAP))
    return (len(encoded) - dear) / 4 + dear / 2


PAGE_TOKENS = 2_000
_LAST_PAGE = 1.1
"""How many times longer than PAGE_TOKENS a page may be if nothing follows it."""
MAX_CELL_LENGTH = 400
"""Maximum characters of a cell shown among others."""
MAX_SINGLE_CELL_LENGTH = 1_900
"""Maximum characters of a cell read alone."""

_PLAIN = re.compile(r"-?[0-9]{1,30}(?:\.[0-9]+)?")

CellData = str | int | float | bool | None
"""A cell in structured results: numbers as numbers, dates and times as text."""


@dataclass(frozen=True)
class CellPage:
    """The part of an area that fits into a page, its lines, and the ranges left below and to the
    right."""

    area: CellRange
    lines: tuple[str, ...]
    below: CellRange | None
    right: CellRange | None
    longest: int


def paginate_cells(area: CellRange, texts: Sequence[Sequence[str]]) -> CellPage:
    """Return the first rows of *texts*, with fewer columns if one row is too long.

    *texts* are the texts of *area*, or of the part of it that was read.
    """
    longest = MAX_SINGLE_CELL_LENGTH if area.height == area.width == 1 else MAX_CELL_LENGTH
    width = _fitting([estimate_tokens(csv_line([text], longest)) for text in texts[0]])
    lines = [
        f"{number}: {csv_line(row[:width], longest)}" for number, row in enumerate(texts, area.top)
    ]
    height = _fitting([estimate_tokens(line) for line in lines])
    shown = CellRange(area.top, area.left, area.top + height - 1, area.left + width - 1)
    below = right = None
    if height < area.height:
        below = CellRange(shown.bottom + 1, area.left, area.bottom, shown.right)
    if width < area.width:
        right = CellRange(area.top, shown.right + 1, area.bottom, area.right)
    return CellPage(shown, tuple(lines[:height]), below, right, longest)


def first_lines(lines: Sequence[str]) -> list[str]:
    """Return as many of the first lines as fit into a page, at least one if there are any."""
    return list(lines[: _fitting([estimate_tokens(line) for line in lines])])


def csv_line(texts: Iterable[str], longest: int = MAX_CELL_LENGTH) -> str:
    """Format one row as CSV, with long cells truncated."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow([truncate(text, longest) for text in texts])
    return line.getvalue()


def truncate(text: str, longest: int = MAX_CELL_LENGTH) -> str:
    """Return *text*, or its beginning and its length if it is too long."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… ({len(text):,} characters in all; use MID to read a part)"


def cell_text(value: CellValue | None) -> str:
    """Return a cell's exact text, "" for an empty cell."""
    return "" if value is None else value.text


def cell_data(value: CellValue | None, longest: int = MAX_SINGLE_CELL_LENGTH) -> CellData:
    """Return a cell as structured data; a text may be truncated."""
    if value is None:
        return None
    if value.kind is CellKind.BOOLEAN:
        return bool(value.value)
    if value.kind is CellKind.NUMBER and _PLAIN.fullmatch(value.text):
        return float(value.text) if "." in value.text else int(value.text)
    if value.kind is CellKind.NUMBER and not _is_moment(value.text):
        number = float(f"{float(value.value):.15g}")
        return int(number) if number.is_integer() and abs(number) < 1e15 else number
    return truncate(value.text, longest)


def _is_moment(text: str) -> bool:
    return ":" in text or interpret(text).format.startswith("yyyy")


def _fitting(costs: Sequence[float]) -> int:
    """Count the first items that fit into a page, at least one if there are any.

    All items fit if they are hardly longer than a page, since a last page of one row is easily
    missed.
    """
    if sum(costs) <= PAGE_TOKENS * _LAST_PAGE:
        return len(costs)
    left = float(PAGE_TOKENS)
    for count, cost in enumerate(costs):
        left -= cost
        if left < 0 and count:
            return count
    return len(costs)


class ResultView(StrEnum):
    """The form of a result. Days worked in different views are not comparable.

    Many clients show a model only the structured content, if there is any. It costs 1.4 to 1.75
    times the tokens of the text.
    """

    TEXT = "text"
    """The text written for models, and a picture if there is one."""
    STRUCTURED = "structured"
    """The same, with the same facts as structured content for programs. If there is a picture, the
    facts are in the result's ``_meta``, because such clients would not show the picture."""
