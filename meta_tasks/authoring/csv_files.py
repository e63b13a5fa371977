"""CSV files that are written and read back with one definition, row by row.

ORDERS = CsvFile(Order, ("order_id", "date", "amount"), {"cents": CENTS})
FileAppears(path=path, text=ORDERS.render(orders))           in the scene
orders = ORDERS.parse(await work(FileText(path, task)))      in honest work
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Generic, TypeVar, get_type_hints

from trainee_bench.meta_tasks.authoring.converters import Converter, converter_for
from trainee_bench.meta_tasks.authoring.text_template import NO_CONVERTERS

Row = TypeVar("Row")


class CsvFile(Generic[Row]):
    """A CSV file with a row for each value of the class *of*.

    *columns* are the titles of its fields, in their order. Each field is written and read by its
    converter in *converters*, or else by the one of its type. *numbered* is the title of a
    column before them that numbers the rows from 1, if there is one.
    """

    def __init__(
        self,
        of: Callable[..., Row],
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

    def render(self, rows: Iterable[Row]) -> str:
        """The file of these rows, in their order."""
        written = io.StringIO()
        writer = csv.writer(written, lineterminator="\n")
        titles = [title for title, _ in self._fields.values()]
        writer.writerow([self._numbered, *titles] if self._numbered else titles)
        written_as = [(attrgetter(name), one.render) for name, (_, one) in self._fields.items()]
        for number, row in enumerate(rows, start=1):
            cells = [render(value_of(row)) for value_of, render in written_as]
            writer.writerow([number, *cells] if self._numbered else cells)
        return written.getvalue()

    def parse(self, text: str) -> list[Row]:
        """The rows of a file. Raises KeyError or ValueError where it is not written so."""
        return [
            self._of(
                **{
                    name: converter.parse(line[title])
                    for name, (title, converter) in self._fields.items()
                }
            )
            for line in csv.DictReader(io.StringIO(text))
        ]
