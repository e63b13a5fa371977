"""Totals for each group of the records have to be handed in, too: too many to add up by eye.

records in files ──grouped by a column and a period──► workspace:/totals_T7.csv, a row for each
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any

from trainee_bench.meta_tasks.answers import AnswerKeys, TextKind
from trainee_bench.meta_tasks.authoring.converters import PATH, WORD, Converter, listed, one_of
from trainee_bench.meta_tasks.authoring.solving import check_rules
from trainee_bench.meta_tasks.authoring.tables import csv_text
from trainee_bench.meta_tasks.authoring.text_template import TextTemplate
from trainee_bench.meta_tasks.checkpoints import GradingContext, Verdict, checkpoint
from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene
from trainee_bench.meta_tasks.scene_features import ColumnKind, RecordFile, SceneFeature
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.meta_tasks.work.achieving import FileHas, MoreResults
from trainee_bench.meta_tasks.work.habits import Habit, Inner, around
from trainee_bench.meta_tasks.work.need import Need, Work
from trainee_bench.meta_tasks.work.reading import FileText, notes_of
from trainee_bench.world.apps.files import FileAppears, Files
from trainee_bench.world.triggers import TriggeredEvent

FEWEST, WANTED, MOST = 10, 120, 240
"""The least, the usual and the largest number of rows of the table."""


class Period(StrEnum):
    """The period by which records are grouped, besides a column."""

    ALL = "all"
    YEAR = "year"
    MONTH = "month"
    WEEK = "week"
    DAY = "day"

    def of(self, day: date) -> str:
        """Return the name of the period that contains *day*."""
        if self is Period.WEEK:
            return (day - timedelta(days=day.weekday())).isoformat()
        return day.isoformat()[: {Period.ALL: 0, Period.YEAR: 4, Period.MONTH: 7}.get(self, 10)]


_PERIODS = {
    Period.ALL: "",
    Period.YEAR: " and year (such as 2025)",
    Period.MONTH: " and month (such as 2025-09)",
    Period.WEEK: " and week (its Monday, such as 2025-09-01)",
    Period.DAY: " and day (such as 2025-09-30)",
}


@dataclass(frozen=True)
class Totals:
    """The table that is asked for: its file, whose records, and how they are grouped.

    Records are grouped by the column *group* and by the *period* of the column *moment*. Each row
    has the number of records and the sum of the column *amount* or, without *amount*, the first and
    last moment.
    """

    target: str
    paths: tuple[str, ...]
    group: str
    period: Period
    moment: str
    amount: str

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles of the table's columns."""
        period = () if self.period is Period.ALL else (str(self.period),)
        return (self.group, *period, "records", *(("total",) if self.amount else ("first", "last")))

    def keyed(
        self, keys: AnswerKeys, rows: Mapping[tuple[str, ...], tuple[str, ...]]
    ) -> dict[tuple[str, ...], tuple[str, ...]]:
        """Return *rows* with their groups as comparable keys. Raises ValueError for two rows of one
        group."""
        keyed = {
            (keys.key(_kind_of(self.group), row[0]), *row[1:]): values
            for row, values in rows.items()
        }
        if len(keyed) < len(rows):
            raise ValueError("two rows of one group")
        return keyed

    @property
    def files(self) -> str:
        """The files as the note lists them."""
        return listed(self.paths)

    def rows(self, lines: Iterable[dict[str, str]]) -> dict[tuple[str, ...], tuple[str, ...]]:
        """Return the values of each row by its group, for files with these *lines*. Raises KeyError
        or ValueError for files of another form."""
        grouped = dict[tuple[str, ...], list[dict[str, str]]]()
        for line in lines:
            period = self.period.of(datetime.fromisoformat(line[self.moment]).date())
            key = (line[self.group], *((period,) if period else ()))
            grouped.setdefault(key, []).append(line)
        return {key: self._values(group) for key, group in grouped.items()}

    def table(self, texts: Iterable[str]) -> str:
        """Return the table for files with these *texts*, as CSV."""
        rows = [[*key, *values] for key, values in sorted(self.rows(_lines(texts)).items())]
        return csv_text([self.titles, *rows])

    def _values(self, lines: Sequence[dict[str, str]]) -> tuple[str, ...]:
        if self.amount:
            return str(len(lines)), str(sum(Decimal(line[self.amount]) for line in lines))
        moments = sorted(line[self.moment] for line in lines)
        return str(len(lines)), moments[0], moments[-1]


_ASKS = "too: a CSV file with one row for each"
_FIRST = f"Hand in {{target}}, {_ASKS} {{group}}{{period}} with records in {{files}}. "
_COLUMNS = "Its columns are {columns}."
_SUMS = (
    "Each row gives the number of its records and the sum of their {amount}, to the cent. The "
    "date of a record is its {moment}."
)
_MOMENTS = "Each row gives the number of its records, and their first and last {moment}."
_LAST = "All records in the latest version of these files count."


@dataclass(frozen=True)
class _Note:
    """The values in the note."""

    target: str
    group: str
    period: Period
    files: str
    columns: str
    amount: str
    moment: str


_CONVERTERS: Mapping[str, Converter[Any]] = {
    "target": PATH,
    "group": WORD,
    "period": one_of({period: words for period, words in _PERIODS.items() if words}),
    "amount": WORD,
    "moment": WORD,
}


def _templates(sums: bool) -> tuple[TextTemplate[_Note], TextTemplate[_Note]]:
    """Return the templates of the note with and without a period."""
    text = f"{_FIRST}{_COLUMNS} {_SUMS if sums else _MOMENTS} {_LAST}"
    fixed: dict[str, object] = {} if sums else {"amount": ""}
    whole = {**fixed, "period": Period.ALL}
    return (
        TextTemplate(_Note, text, _CONVERTERS, fixed),
        TextTemplate(_Note, text.replace("{period}", ""), _CONVERTERS, whole),
    )


_TEMPLATES = {sums: _templates(sums) for sums in (True, False)}


class AddsTotals(Habit):
    """A habit: hands in the table of totals that a note asks for."""

    name = "adds totals"

    @around(MoreResults)
    async def _totals(
        self, work: Work, need: MoreResults, inner: Inner[tuple[Need[Any], ...]]
    ) -> tuple[Need[Any], ...]:
        results, notes = await inner(), await notes_of(work, need.task)
        if _ASKS not in notes:
            return results
        wanted = _parse(notes)
        texts = await work.all(FileText(path, need.task) for path in wanted.paths)
        return (*results, FileHas(wanted.target, wanted.table(texts)))


class GroupTotals(Complication):
    """A table of totals for each group of the records has to be handed in with the result."""

    name = "group_totals"
    kind = ComplicationKind.SIZE
    stage = Stage.HANDING_IN
    about = "Totals for each group of the records have to be handed in, too."
    requires = frozenset({SceneFeature.TYPED_RECORDS, SceneFeature.REPEATABLE})
    habits = (AddsTotals(),)

    def apply(self, scene: Scene) -> Complicated:
        """Add the note and nothing else. Raises CompositionError if the graded files will not be
        there, or if no grouping gives enough rows."""
        records = scene.hidden.records
        if not records or not all(_comes(scene, record) for record in records):
            raise CompositionError(
                "another complication has the records in other files; leave one of them out"
            )
        target = scene.context.reserve_path(f"workspace:/totals_{scene.context.task}.csv")
        people = (*scene.context.company.people, scene.context.employee)
        lines = list(_lines(record.text for record in records))
        wanted = _grouped(records, lines, target, AnswerKeys(people))
        rows = wanted.rows(lines)
        scene = scene.with_note(_render(wanted), standing=False)
        paths = (*scene.told.deliverable_paths, target)
        return Complicated(scene.with_told(deliverable_paths=paths), (wanted, rows))

    @checkpoint(
        "The table of totals has a row for each group of records, and no wrong value",
        where="The columns of the files, and how their rows are numbered and dated.",
        how="Let the sheets tools count and add up for each group. Compare the total number of "
        "records with that of the files as they are shortly before the task is due.",
    )
    def totals(
        self, grading: GradingContext[tuple[Totals, dict[tuple[str, ...], tuple[str, ...]]]]
    ) -> Verdict:
        """Check that each row is there with the right values, and that there are no other rows."""
        wanted, rows = grading.truth
        files = Files(grading.tx)
        if not files.exists(wanted.target):
            return Verdict(False, f"there is no file {wanted.target}")
        try:
            text = files.content(wanted.target).data.decode("utf-8-sig")
            found = wanted.keyed(grading.keys, _read(wanted, text))
        except (UnicodeDecodeError, csv.Error, KeyError, ValueError):
            return Verdict(False, f"no table with the columns {', '.join(wanted.titles)}")
        asked = wanted.keyed(grading.keys, rows)
        right = sum(_same(asked.get(key), values) for key, values in found.items())
        return Verdict(
            right == len(rows) == len(found),
            f"{right} of {len(rows)} rows are right, and there are {len(found)}",
        )


def _comes(scene: Scene, record: RecordFile) -> bool:
    """Return whether the graded version of *record* is there, at once or later."""
    for planned in scene.hidden.events:
        event = planned.event
        if isinstance(event, FileAppears) and (event.path, event.text) == (
            record.path,
            record.text,
        ):
            return True
        if isinstance(event, TriggeredEvent) and event.fields.get("path") == record.path:
            return True
    return False


def _lines(texts: Iterable[str]) -> Iterator[dict[str, str]]:
    """Yield the lines of CSV files with these *texts*, by the titles of their columns."""
    for text in texts:
        yield from csv.DictReader(io.StringIO(text))


def _grouped(
    records: Sequence[RecordFile], lines: Sequence[dict[str, str]], target: str, keys: AnswerKeys
) -> Totals:
    """Return the table of the *lines* of *records* whose number of rows is closest to `WANTED`. By
    *keys*, all its groups differ.

    Raises CompositionError if no grouping gives a fair number of rows.
    """
    columns = records[0].columns
    kinds = {kind: title for title, kind in columns.items()}
    moment = kinds.get(ColumnKind.MOMENT) or kinds.get(ColumnKind.DATE)
    if moment is None or not lines:
        raise CompositionError("its records have no dates; leave it out")
    titles = list[str]()
    for title in lines[0]:
        values = {line[title] for line in lines}
        if title in columns or "" in values or len(values) == len(lines):
            continue
        if len({keys.key(_kind_of(title), value) for value in values}) == len(values):
            titles.append(title)
    dates = [datetime.fromisoformat(line[moment]).date() for line in lines] if titles else []
    days, found = set(dates), list[tuple[int, str, Period]]()
    for period in Period:
        of = {day: period.of(day) for day in days}
        for title in titles:
            groups = {(line[title], of[day]) for line, day in zip(lines, dates, strict=True)}
            if FEWEST <= len(groups) <= MOST:
                found.append((abs(len(groups) - WANTED), title, period))
    if not found:
        raise CompositionError("its records cannot be grouped into a table of a fair size")
    _, title, chosen = min(found)
    paths = tuple(record.path for record in records)
    return Totals(target, paths, title, chosen, moment, kinds.get(ColumnKind.AMOUNT, ""))


def _kind_of(title: str) -> TextKind:
    """Return the kind of text in a column of this *title*: ids by their title, otherwise perhaps
    people."""
    return TextKind.RECORD if title.endswith(("id", "number")) else TextKind.PERSON


def _render(wanted: Totals) -> str:
    note = _Note(
        wanted.target,
        wanted.group,
        wanted.period,
        wanted.files,
        ", ".join(wanted.titles),
        wanted.amount,
        wanted.moment,
    )
    with_period, whole = _TEMPLATES[bool(wanted.amount)]
    return (whole if wanted.period is Period.ALL else with_period).render(note)


def _parse(notes: str) -> Totals:
    """Return the table that the *notes* under a task ask for. Raises ToolFailed if they ask for
    none."""
    for template in (*_TEMPLATES[True], *_TEMPLATES[False]):
        note = template.search(notes)
        if note is not None:
            paths = tuple(re.split(r", | and ", note.files))
            said = (_SUMS if note.amount else _MOMENTS).format(
                amount=note.amount, moment=note.moment
            )
            wanted = Totals(note.target, paths, note.group, note.period, note.moment, note.amount)
            columns = _COLUMNS.format(columns=", ".join(wanted.titles))
            check_rules("the task", notes, (columns, said, _LAST))
            return wanted
    raise ToolFailed("the task asks for no totals of its records")


def _read(wanted: Totals, text: str) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return the rows of the table in *text*, in the form of `Totals.rows`. Raises KeyError for a
    missing column, ValueError for two rows of one group."""
    found = dict[tuple[str, ...], tuple[str, ...]]()
    told_apart = len(wanted.titles) - (2 if wanted.amount else 3)
    for line in csv.DictReader(io.StringIO(text), skipinitialspace=True, strict=True):
        cells = {str(title).strip(): str(cell).strip() for title, cell in line.items()}
        row = tuple(cells[title] for title in wanted.titles)
        key, values = row[:told_apart], row[told_apart:]
        if key in found:
            raise ValueError(f"two rows for {key}")
        found[key] = values
    return found


def _same(right: tuple[str, ...] | None, found: tuple[str, ...]) -> bool:
    """Return whether the values are the same, however numbers and moments are written."""
    return right is not None and all(map(_equal, right, found))


def _equal(right: str, found: str) -> bool:
    for read in (Decimal, datetime.fromisoformat):
        try:
            return bool(read(right) == read(found))
        except (InvalidOperation, ValueError, TypeError):
            continue
    return right == found
