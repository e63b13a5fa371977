"""Thousands of rows over several files, of which only the booked ones count."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from random import Random

from trainee_bench.meta_tasks.authoring.converters import PATH, separated
from trainee_bench.meta_tasks.authoring.tables import csv_text
from trainee_bench.meta_tasks.authoring.text_template import TextTemplate
from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene
from trainee_bench.meta_tasks.meta_task import PlannedEvent
from trainee_bench.meta_tasks.scene_features import ColumnKind, RecordFile, SceneFeature
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.meta_tasks.tool_client import ToolClient, read_text
from trainee_bench.meta_tasks.work.habits import Habit, Inner, around
from trainee_bench.meta_tasks.work.need import Work
from trainee_bench.meta_tasks.work.reading import FileText, notes_of
from trainee_bench.meta_tasks.work.sources import ReadText
from trainee_bench.world.apps.files import FileAppears

ROWS = 2_400
"""The least number of rows in all, for each file of the family."""
PARTS = 3
_TRIES = 50
"""The number of attempts to draw other rows that lead to a different answer."""
STATE, BOOKED = "state", "booked"
_OTHER_STATES = ("draft", "reversed", "test", "booked twice")


@dataclass(frozen=True)
class Parts:
    """A file, and the parts that replace it."""

    path: str
    parts: tuple[str, ...]


NOTE = TextTemplate(
    Parts,
    "The records of {path} no longer fit in one file. They are in {parts}, in this order; only "
    "rows whose state is “booked” count.",
    {"path": PATH, "parts": separated(PATH, ", ")},
)


class SelectsBooked(Habit):
    """A habit: reads all parts of a file that was split, and takes the rows that count."""

    name = "selects what is booked"

    @around(FileText)
    async def _booked(self, work: Work, file: FileText, inner: Inner[str]) -> str:
        for note in NOTE.find_all(await notes_of(work, file.task)):
            if file.path in (note.path, *note.parts):
                return _booked_of(await work.all(ReadText(part) for part in note.parts))
        return await inner()


class ManyRecords(Complication):
    """The records are hidden among thousands of others that look like them and do not count."""

    name = "many_records"
    kind = ComplicationKind.SIZE
    stage = Stage.READING
    takes = 45  # to read them
    about = "Thousands of rows over several files, of which only some count: beyond reading by eye."
    requires = frozenset({SceneFeature.TYPED_RECORDS})
    habits = (SelectsBooked(),)

    def apply(self, scene: Scene) -> Complicated:
        """Split each file into several. Raises CompositionError if the answer is the same whichever
        records count."""
        for record in scene.free_records():
            draws = scene.context.stream(f"{self.name} {record.path}")
            title, *rows = csv.reader(io.StringIO(record.text))
            parts = _misleading_parts(draws, record, title, rows)
            stem = record.path.rpartition(".")[0]
            paths = [
                scene.context.reserve_path(f"{stem}_part_{number}.csv")
                for number in range(1, PARTS + 1)
            ]
            comes = scene.staged_at(record.path)
            events = [
                PlannedEvent(FileAppears(path=path, text=csv_text([[*title, STATE], *part])), comes)
                for path, part in zip(paths, parts, strict=True)
            ]
            superseded = scene.hidden.superseded | {record.path}
            scene = (
                scene.without_file(record.path)
                .with_hidden(superseded=superseded)
                .with_events(*events)
                .with_note(NOTE.render(Parts(record.path, tuple(paths))), standing=False)
            )
        return Complicated(scene.taking_records())


async def _booked(client: ToolClient, file: Parts) -> str:
    """Return the rows that count, as a file in the family's own form."""
    return _booked_of([await read_text(client, part) for part in file.parts])


def _booked_of(parts: Sequence[str]) -> str:
    """Return the rows in these texts that count."""
    found: list[list[str]] = []
    for part in parts:
        titles, *rows = csv.reader(io.StringIO(part))
        found += [titles[:-1]] if not found else []
        found += [row[:-1] for row in rows if row[-1] == BOOKED]
    return csv_text(found)


def _misleading_parts(
    draws: Random, record: RecordFile, titles: Sequence[str], rows: Sequence[Sequence[str]]
) -> list[list[list[str]]]:
    """Return the rows of each part. The answer is a different one if all rows count, or those of
    one part."""
    for _ in range(_TRIES):
        among = _among(draws, record, titles, rows)
        size = -(-len(among) // PARTS)
        parts = [among[place * size : (place + 1) * size] for place in range(PARTS)]
        if record.misleads is None or all(
            record.misleads(csv_text([titles, *(row[:-1] for row in readable)]))
            for readable in (among, *parts)
        ):
            return parts
    raise CompositionError("its answer is the same whichever records count; leave it out")


def _among(
    draws: Random, record: RecordFile, titles: Sequence[str], rows: Sequence[Sequence[str]]
) -> list[list[str]]:
    """Return *rows*, in their order, mixed with others that resemble them and do not count."""
    count = max(ROWS - len(rows), len(rows) // 3)
    places = sorted(draws.sample(range(len(rows) + count), len(rows)))
    kinds = [record.columns.get(title, ColumnKind.TEXT) for title in titles]
    read = [list(map(_value, kinds, row)) for row in rows]
    real = iter([[*row, BOOKED] for row in rows])
    taken = set(places)
    return [
        next(real) if place in taken else _other(draws, draws.choice(read))
        for place in range(len(rows) + count)
    ]


def _value(kind: ColumnKind, cell: str) -> str | Decimal | date:
    """Return the value of a cell of this kind: an amount, a day, a moment (a datetime) or text."""
    if kind is ColumnKind.AMOUNT:
        return Decimal(cell)
    if kind is ColumnKind.DATE:
        return date.fromisoformat(cell)
    return datetime.fromisoformat(cell) if kind is ColumnKind.MOMENT else cell


def _other(draws: Random, row: Sequence[str | Decimal | date]) -> list[str]:
    """Return a row like *row*, with another day, amount and state."""
    cells = []
    for value in row:
        if isinstance(value, str):
            cells.append(value)
        elif isinstance(value, Decimal):
            cells.append(f"{value * draws.randrange(80, 125) / 100:.2f}")
        elif isinstance(value, datetime):
            moved = timedelta(days=draws.randint(-3, 3), minutes=draws.randint(-90, 90))
            cells.append((value + moved).isoformat(timespec="minutes"))
        else:
            cells.append(f"{value + timedelta(days=draws.randint(-9, 9))}")
    return [*cells, draws.choice(_OTHER_STATES)]
