"""The differences between two files: lines of a text, cells of a table.

The two files may come from different steps, paths or episodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from pydantic import BaseModel

from trainee_bench.harness.studio.views.files import every_file
from trainee_bench.harness.studio.views.sheets import is_table
from trainee_bench.mcp_servers.serving.result_text import CellData, cell_data
from trainee_bench.world.apps.files import Files
from trainee_bench.world.apps.sheets import Sheets
from trainee_bench.world.errors import WorldError
from trainee_bench.world.filesystem.content import FileKind
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.workbook.addresses import CellAddress

_AROUND = 3
"""The number of unchanged lines shown around each difference."""
_MOST_LINES, _MOST_CELLS, _MOST_COMPARED = 600, 400, 4_000
"""The most lines and cells that are shown, and the most lines that two compared texts may have
together."""
_LONGEST = 2_000
"""The most characters of a line or cell."""


class LineKind(StrEnum):
    """The kind of a line: in both files, in the first or the second only, or a gap for omitted
    lines."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"
    LEFT_OUT = "left out"


class ComparedLine(BaseModel):
    """A line, with its numbers in the two files; None if it is not in that file."""

    kind: LineKind
    before: int | None
    after: int | None
    text: str


class ComparedCell(BaseModel):
    """A cell that differs, with both values."""

    sheet: str
    cell: str
    before: CellData
    after: CellData


SheetCells = dict[str, dict[CellAddress, CellData]]
"""The filled cells of a table, by sheet and address."""


@dataclass(frozen=True)
class ComparedContent:
    """The content of a file: the ``lines`` of a text or the ``cells`` of a table; both None if the
    file is missing or neither. ``flaw`` says why it cannot be compared."""

    lines: tuple[str, ...] | None = None
    cells: SheetCells | None = None
    flaw: str = ""


class FileDifference(BaseModel):
    """The difference of two files. ``flaw`` says why they are not compared, ``more`` counts the
    lines or cells beyond those given, ``same`` says that nothing differs."""

    same: bool
    lines: tuple[ComparedLine, ...] = ()
    cells: tuple[ComparedCell, ...] = ()
    more: int = 0
    flaw: str = ""


def read_content(tx: Transaction, path: str) -> ComparedContent:
    """Return the content of the file at *path*; empty if there is no such file."""
    found = next((info for info in every_file(tx) if info.path == path), None)
    if found is None:
        return ComparedContent()
    if is_table(found):
        return _cells(tx, path)
    if found.kind is not FileKind.TEXT:
        return ComparedContent(flaw=f"{path} is neither a text nor a table.")
    return ComparedContent(lines=tuple(Files(tx).text(path).split("\n")))


def _cells(tx: Transaction, path: str) -> ComparedContent:
    sheets = Sheets(tx)
    found: SheetCells = {}
    try:
        for info in sheets.sheets(path):
            shown = sheets.values(path, info.name)
            used = shown.used
            values = (value for row in shown.grid(used) for value in row) if used else ()
            found[info.name] = {
                place: cell_data(value)
                for place, value in zip(used.places() if used else (), values, strict=True)
                if value is not None
            }
    except WorldError as error:  # the agent broke this table
        return ComparedContent(flaw=str(error))
    return ComparedContent(cells=found)


def compare_contents(before: ComparedContent, after: ComparedContent) -> FileDifference:
    """Return how *after* differs from *before*; a missing file counts as empty."""
    flaw = before.flaw or after.flaw
    if flaw:
        return FileDifference(same=False, flaw=flaw)
    if before.cells is not None or after.cells is not None:
        if before.lines is not None or after.lines is not None:
            return FileDifference(same=False, flaw="A text and a table cannot be compared.")
        return _compare_cells(before.cells or {}, after.cells or {})
    return _compare_lines(before.lines or (), after.lines or ())


def _compare_cells(before: SheetCells, after: SheetCells) -> FileDifference:
    found = [
        ComparedCell(
            sheet=name, cell=str(place), before=_cut(old.get(place)), after=_cut(new.get(place))
        )
        for name, old, new in _pairs(before, after)
        for place in sorted({*old, *new})
        if old.get(place) != new.get(place)
    ]
    return FileDifference(
        same=not found, cells=tuple(found[:_MOST_CELLS]), more=max(0, len(found) - _MOST_CELLS)
    )


def _pairs(
    before: SheetCells, after: SheetCells
) -> Iterator[tuple[str, dict[CellAddress, CellData], dict[CellAddress, CellData]]]:
    """Yield the sheets to compare, by name. Two files with one sheet each are compared whatever the
    names of their sheets."""
    if len(before) == len(after) == 1:
        ((name, cells),) = after.items()
        yield name, next(iter(before.values())), cells
        return
    for name in dict.fromkeys([*before, *after]):
        yield name, before.get(name, {}), after.get(name, {})


def _cut(value: CellData) -> CellData:
    return value[:_LONGEST] if isinstance(value, str) else value


def _compare_lines(before: Sequence[str], after: Sequence[str]) -> FileDifference:
    if len(before) + len(after) > _MOST_COMPARED:
        flaw = f"Together the files have more than {_MOST_COMPARED:,} lines."
        return FileDifference(same=tuple(before) == tuple(after), flaw=flaw)
    if tuple(before) == tuple(after):
        return FileDifference(same=True)
    lines = list(_hunks(before, after))
    beyond = [line for line in lines[_MOST_LINES:] if line.kind is not LineKind.SAME]
    return FileDifference(same=False, lines=tuple(lines[:_MOST_LINES]), more=len(beyond))


def _hunks(before: Sequence[str], after: Sequence[str]) -> Iterator[ComparedLine]:
    """Yield the lines that differ, with some context."""
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for number, group in enumerate(matcher.get_grouped_opcodes(_AROUND)):
        if number or group[0][1] or group[0][3]:
            yield ComparedLine(kind=LineKind.LEFT_OUT, before=None, after=None, text="")
        for kind, a1, a2, b1, b2 in group:
            if kind == "equal":
                for a, b in zip(range(a1, a2), range(b1, b2), strict=True):
                    yield _line(LineKind.SAME, a, b, before[a])
                continue
            for a in range(a1, a2):
                yield _line(LineKind.REMOVED, a, None, before[a])
            for b in range(b1, b2):
                yield _line(LineKind.ADDED, None, b, after[b])


def _line(kind: LineKind, a: int | None, b: int | None, text: str) -> ComparedLine:
    return ComparedLine(
        kind=kind,
        before=None if a is None else a + 1,
        after=None if b is None else b + 1,
        text=text[:_LONGEST],
    )


def likeliest_source(tx: Transaction, path: str) -> str:
    """Return the file that the one at *path* was most likely made from: the one with the same
    extension and the most similar name; "" if there is none."""
    name, ending = _name(path)
    others = [info.path for info in every_file(tx) if info.path != path]
    likeness = {
        other: SequenceMatcher(None, name, _name(other)[0], autojunk=False).ratio()
        for other in others
        if _name(other)[1] == ending
    }
    return max(likeness, key=lambda other: (likeness[other], other), default="")


def _name(path: str) -> tuple[str, str]:
    """Return the name of a file without folders and extension, and its extension."""
    name, _, ending = path.rpartition("/")[2].rpartition(".")
    return name.casefold(), ending.casefold()
