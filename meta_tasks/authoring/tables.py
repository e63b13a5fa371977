"""Rows in files. One definition writes CSV files and reads them back:

ORDERS = CsvFile(Order, ("order_id", "date", "amount"), {"cents": CENTS})
FileAppears(path=path, text=ORDERS.render(orders))           in the scene
orders = ORDERS.parse(await work(FileText(path, task)))      in honest work

Tables are handed in as workbooks (.xlsx) or CSV files. A model describes them and reads them:

class Line(TableRow):
    item: Text = Field(description="as in the list")
    pieces: int = Field(description="how many")

f"Hand in {path}, a workbook whose first sheet has these columns:\\n{Line.describe()}"
lines = read_table(case, path, Line)                           in a checkpoint
await needs.hand_in_table(work, task, path, lines, Line)       in honest work
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from operator import attrgetter
from typing import Any, Generic, TypeVar, get_type_hints

from pydantic import JsonValue, ValidationError
from pydantic.fields import FieldInfo

from trainee_bench.meta_tasks.answers import note_answer_form
from trainee_bench.meta_tasks.authoring.converters import Converter, converter_for
from trainee_bench.meta_tasks.authoring.text_template import NO_CONVERTERS
from trainee_bench.meta_tasks.checkpoints import FoundResult, GradingContext, Unreadable
from trainee_bench.meta_tasks.deliverable import Deliverable, InvalidDeliverable
from trainee_bench.world.apps.sheets import Sheets
from trainee_bench.world.errors import WorldError, first_flaw
from trainee_bench.world.workbook.values import CellValue, SheetValues

Record = TypeVar("Record")


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Return a CSV file of these rows, which include the header."""
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(rows)
    return written.getvalue()


class CsvFile(Generic[Record]):
    """A CSV file with a row for each value of the class *of*.

    *columns* are the titles of its fields, in their order. Each field is written and read by its
    converter in *converters*, or else by the converter of its type. *numbered* is the title of a
    first column that numbers the rows from 1, if there is one.
    """

    def __init__(
        self,
        of: Callable[..., Record],
        columns: Sequence[str],
        converters: Mapping[str, Converter[Any]] = NO_CONVERTERS,
        numbered: str = "",
    ):
        self._of = of
        self._numbered = numbered
        self._fields = {
            name: (title, converters.get(name) or converter_for(kind))
            for title, (name, kind) in zip(columns, get_type_hints(of).items(), strict=True)
        }

    def render(self, rows: Iterable[Record]) -> str:
        """Return the file of these rows, in their order."""
        rows = tuple(rows)
        titles = [title for title, _ in self._fields.values()]
        columns: list[Iterable[object]] = [
            map(converter.render, map(attrgetter(name), rows))
            for name, (_, converter) in self._fields.items()
        ]
        if self._numbered:
            titles, columns = [self._numbered, *titles], [count(1), *columns]
        return csv_text([titles, *zip(*columns, strict=False)])

    def parse(self, text: str) -> list[Record]:
        """Return the rows of a file. Raises KeyError or ValueError if it has another form."""
        return [
            self._of(
                **{
                    name: converter.parse(line[title])
                    for name, (title, converter) in self._fields.items()
                }
            )
            for line in csv.DictReader(io.StringIO(text))
        ]


_NUMERIC = (int, float, bool)


class TableRow(Deliverable):
    """A row of a table. Each field is a column, whose title is the field's alias or its name."""

    @classmethod
    def columns(cls) -> tuple[str, ...]:
        """Return the titles, from left to right."""
        return tuple(_title(name, field) for name, field in cls.model_fields.items())


Row = TypeVar("Row", bound=TableRow)


def read_table(
    grading: GradingContext[Any], path: str, model: type[Row], sheet: str = ""
) -> list[Row]:
    """Return the rows of the table in a sheet (the first for "") of the workbook or CSV file at
    *path*.

    Its first used row has the titles, in any order. Raises Unreadable, which ends the checkpoint,
    if there is no such table.
    """
    note_answer_form(path, model)
    grading.results[path] = FoundResult(False)
    try:
        shown = Sheets(grading.tx).values(path, sheet)
    except WorldError as error:
        raise Unreadable(InvalidDeliverable(str(error))) from None
    if shown.used is None:
        raise Unreadable(InvalidDeliverable(f"{path} is empty"))
    titles, *lines = _grid(shown)
    names = [str(title.text).strip() if title else "" for title in titles]
    if sorted(names) != sorted(model.columns()):
        raise Unreadable(
            InvalidDeliverable(f"{path} does not have the columns asked for, each once")
        )
    filled = [(number, line) for number, line in enumerate(lines, start=2) if any(line)]
    rows = [_row(model, dict(zip(names, line, strict=True)), number) for number, line in filled]
    grading.results[path] = FoundResult(bool(rows))
    return rows


def cells_of(rows: Sequence[TableRow], model: type[TableRow]) -> list[JsonValue]:
    """Return titles and rows in the form that the sheets tools write."""
    lines = [[value for _, value in row.model_dump(mode="json").items()] for row in rows]
    return [list(model.columns()), *lines]


def _title(name: str, field: FieldInfo) -> str:
    return field.alias or name


def _grid(shown: SheetValues) -> list[list[CellValue | None]]:
    assert shown.used is not None, "an empty sheet has no grid"
    try:
        return shown.grid(shown.used)
    except WorldError as error:
        raise Unreadable(InvalidDeliverable(str(error))) from None


def _row(model: type[Row], cells: dict[str, CellValue | None], number: int) -> Row:
    """Return one row: numbers as calculated, everything else as text."""
    data: dict[str, str | float | None] = {}
    for name, field in model.model_fields.items():
        cell = cells[_title(name, field)]
        data[_title(name, field)] = (
            None if cell is None else cell.value if field.annotation in _NUMERIC else cell.text
        )
    try:
        return model.model_validate(data)
    except ValidationError as error:
        column, flaw = first_flaw(error)
        raise Unreadable(InvalidDeliverable(f"row {number}, {column}: {flaw}")) from None
