"""Records in two formats and units: the later ones are in a workbook with other formats."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from pydantic import JsonValue

from trainee_bench.meta_tasks.authoring.converters import PATH
from trainee_bench.meta_tasks.authoring.tables import csv_text
from trainee_bench.meta_tasks.authoring.text_template import TextTemplate
from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene
from trainee_bench.meta_tasks.meta_task import PlannedEvent
from trainee_bench.meta_tasks.scene_features import ColumnKind, RecordFile, SceneFeature
from trainee_bench.meta_tasks.work.habits import Habit, Inner, around
from trainee_bench.meta_tasks.work.need import Work
from trainee_bench.meta_tasks.work.reading import FileText, notes_of
from trainee_bench.meta_tasks.work.sources import Table
from trainee_bench.world.apps.sheets import WorkbookAppears
from trainee_bench.world.workbook.edits import CellInput

_CENTS, _DAY, _MOMENT = "_in_cents", "_dd.mm.yyyy", "_dd.mm.yyyy_hh.mm"
"""The endings of column titles in the workbook."""


@dataclass(frozen=True)
class Halves:
    """A file, and the workbook with the rest of its records."""

    path: str
    rest: str


NOTE = TextTemplate(
    Halves,
    "{path} has only the first part of the records; the rest is in {rest}, where the column "
    "titles say how the values are written.",
    {"path": PATH, "rest": PATH},
)


class JoinsHalves(Habit):
    """A habit: joins a file with the workbook that has the rest of its records, in the file's
    form."""

    name = "joins halves of records"

    @around(FileText)
    async def _joined(self, work: Work, file: FileText, inner: Inner[str]) -> str:
        text = await inner()
        for note in NOTE.find_all(await notes_of(work, file.task)):
            if note.path == file.path:
                titles, *rows = await work(Table(note.rest))
                text += _rest(list(map(str, titles)), rows)
        return text


class MixedFormats(Complication):
    """The later records are in a workbook, with another date format and amounts in cents."""

    name = "mixed_formats"
    kind = ComplicationKind.SOURCES
    stage = Stage.READING
    about = "Records in two formats and units have to be joined."
    requires = frozenset({SceneFeature.TYPED_RECORDS})
    habits = (JoinsHalves(),)

    def apply(self, scene: Scene) -> Complicated:
        """Keep the rows of the older version in each file, and put the rest into a workbook."""
        for record in scene.free_records():
            first, later = record.parts()
            title, *rows = csv.reader([first[0], *later])
            stem, _, _ = record.path.rpartition(".")
            rest = scene.context.reserve_path(f"{stem}_rest.xlsx")
            cells = [_titles(record, title), *(_cells(record, title, row) for row in rows)]
            later_half = WorkbookAppears(path=rest, sheets={"Records": cells})
            scene = (
                scene.with_file(record.path, "\n".join([*first, ""]))
                .with_events(PlannedEvent(later_half, scene.staged_at(record.path)))
                .with_note(NOTE.render(Halves(record.path, rest)), standing=False)
            )
        return Complicated(scene.taking_records())


def _rest(titles: Sequence[str], rows: Sequence[Sequence[JsonValue]]) -> str:
    """Return the *rows* of the workbook in the form of the first half."""
    return csv_text(
        [[_read(title, cell) for title, cell in zip(titles, row, strict=True)] for row in rows]
    )


def _titles(record: RecordFile, titles: Sequence[str]) -> list[CellInput]:
    endings = {
        ColumnKind.AMOUNT: _CENTS,
        ColumnKind.DATE: _DAY,
        ColumnKind.MOMENT: _MOMENT,
    }
    return [title + endings.get(record.columns.get(title, ColumnKind.TEXT), "") for title in titles]


def _cells(record: RecordFile, titles: Sequence[str], row: Sequence[str]) -> list[CellInput]:
    """Return a row as the workbook has it: cents as numbers, everything else as text."""
    cells: list[CellInput] = []
    for title, cell in zip(titles, row, strict=True):
        kind = record.columns.get(title, ColumnKind.TEXT)
        if kind is ColumnKind.AMOUNT:
            cells.append(int(Decimal(cell) * 100))
        elif kind is ColumnKind.DATE:
            cells.append(f"'{date.fromisoformat(cell):%d.%m.%Y}")
        elif kind is ColumnKind.MOMENT:
            cells.append(f"'{datetime.fromisoformat(cell):%d.%m.%Y %H.%M}")
        else:
            cells.append(f"'{cell}")
    return cells


def _read(title: str, cell: JsonValue) -> str:
    """Return a cell of the workbook in the form of the first half."""
    if title.endswith(_CENTS):
        return f"{Decimal(str(cell)) / 100:.2f}"
    if title.endswith(_MOMENT):
        return f"{datetime.strptime(str(cell), '%d.%m.%Y %H.%M'):%Y-%m-%dT%H:%M}"
    if title.endswith(_DAY):
        return f"{datetime.strptime(str(cell), '%d.%m.%Y'):%Y-%m-%d}"
    return "" if cell is None else str(cell)
