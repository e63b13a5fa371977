"""One instance of a task: facts, rules and files, drawn from a seed or as the folder has them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, make_dataclass
from decimal import Decimal
from itertools import zip_longest
from random import Random
from typing import Any

from trainee_bench.meta_tasks.authoring.converters import Converter
from trainee_bench.meta_tasks.authoring.text_template import TextTemplate
from trainee_bench.meta_tasks.offices.answer_code import Seen
from trainee_bench.meta_tasks.offices.mail_files import OfficeMail
from trainee_bench.meta_tasks.offices.placeholders import PLACEHOLDER, names_in
from trainee_bench.meta_tasks.offices.task_file import Draw, FactFile, TaskFile
from trainee_bench.meta_tasks.offices.values import (
    Value,
    converter_of,
    kind_of,
    parse_cells,
)
from trainee_bench.meta_tasks.task_context import TaskContext
from trainee_bench.world.workbook.inputs import CellKind
from trainee_bench.world.workbook.model import parse_workbook
from trainee_bench.world.workbook.values import calculate


@dataclass(frozen=True)
class TaskSource:
    """A task as its folder has it. ``pools`` are the texts of its CSV files, ``mails`` its mails,
    by file name; ``code`` is its `answer.py`, "" for none."""

    office: str
    name: str
    file: TaskFile
    code: str
    pools: Mapping[str, str]
    mails: Mapping[str, OfficeMail]


# pages with values ----------------------------------------------------------------------------


def page_template(text: str, values: Mapping[str, Value]) -> TextTemplate[Any]:
    """Return the template that reads the values from a page whose text in the folder is *text*.

    It knows the kinds of the values, not the values.
    """
    names = names_in(text, values)
    return text_template(text, {name: converter_of(kind_of(values[name])) for name in names})


def text_template(text: str, converters: Mapping[str, Converter[Any]]) -> TextTemplate[Any]:
    """Return the template of a text in which the names of *converters* are in braces; other braces
    are part of the text. Its values are objects with an attribute for each name."""
    names = [name for name in dict.fromkeys(PLACEHOLDER.findall(text)) if name in converters]
    holder = make_dataclass("Stated", [(name, object) for name in names], frozen=True)
    parts, place = list[str](), 0
    for named in PLACEHOLDER.finditer(text):
        if named[1] in converters:
            parts += [_escaped(text[place : named.start()]), named[0]]
            place = named.end()
    used = {name: converters[name] for name in names}
    return TextTemplate(holder, "".join([*parts, _escaped(text[place:])]), used)


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


# files as code gets them ----------------------------------------------------------------------


def seen_file(path: str, data: bytes) -> Seen | None:
    """Return a file as `answer` gets it; None for a picture, which nobody computes with."""
    ending = path.rpartition(".")[2].lower()
    if ending == "xlsx":
        return _rows(_workbook_lines(data))
    if ending in ("png", "jpg", "jpeg"):
        return None
    return seen_text(path, data.decode("utf-8-sig"))


def seen_text(path: str, text: str) -> Seen:
    """Return a text as `answer` gets it: the rows of a .csv file, or the text itself."""
    if path.lower().endswith(".csv"):
        return _rows(list(csv.reader(io.StringIO(text.removeprefix("\ufeff")))))
    return text


def seen_cells(cells: Iterable[Iterable[object]]) -> Seen:
    """Return the rows of a workbook's first sheet as a tool shows them, the header first."""
    return _rows([[_cell_text(cell) for cell in line] for line in cells])


def _rows(lines: Sequence[Sequence[str]]) -> list[dict[str, Value]]:
    filled = [line for line in lines if any(cell.strip() for cell in line)]
    if not filled:
        return []
    names = [name.strip() for name in filled[0]]
    return parse_cells(
        [
            {
                name: cell.strip()
                for name, cell in zip_longest(names, line[: len(names)], fillvalue="")
            }
            for line in filled[1:]
        ]
    )


def _workbook_lines(data: bytes) -> list[list[str]]:
    """Return the lines of the first sheet of a workbook in canonical JSON."""
    sheet = calculate(parse_workbook(data.decode()))[0]
    if sheet.used is None:
        return []
    return [
        ["" if cell is None else _shown(cell.kind, cell.value, cell.text) for cell in line]
        for line in sheet.grid(sheet.used)
    ]


def _shown(kind: CellKind, value: object, text: str) -> str:
    return _cell_text(value) if kind is CellKind.NUMBER else text


def _cell_text(cell: object) -> str:
    if isinstance(cell, float | int) and not isinstance(cell, bool):
        number = Decimal(repr(cell))
        return f"{number.to_integral_value() if number == int(number) else number:f}"
    return "" if cell is None else str(cell)


# drawing --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Instance:
    """One instance: values by name, and the contents of the files that the task stages itself."""

    facts: Mapping[str, Value]
    policy: Mapping[str, Value]
    staged: Mapping[str, bytes]


def literal_instance(source: TaskSource, policy: Mapping[str, Value]) -> Instance:
    """Return the instance that the folder states."""
    facts = {name: fact.value for name, fact in source.file.facts.items()}
    return Instance(facts, {**policy, **source.file.policy}, {})


def draw_instance(
    source: TaskSource, policy: Mapping[str, Value], context: TaskContext
) -> Instance:
    """Return the instance of a context. Facts are drawn from secret streams, all else openly."""
    file = source.file
    facts = {
        name: _fact(name, fact, file.vary.get(name), context) for name, fact in file.facts.items()
    }
    staged = {
        name: _sampled(source.pools[draw.of], draw.sample or 0, context.stream(f"rows of {name}"))
        for name, draw in file.vary.items()
        if draw.of
    }
    return Instance(facts, {**policy, **file.policy}, staged)


def _fact(name: str, fact: FactFile, draw: Draw | None, context: TaskContext) -> Value:
    draws = context.secret_stream(name)
    if draw is not None:
        return drawn_value(draw, draws)
    if not context.secret_seed_offsets.get(name) or not fact.otherwise:
        return fact.value
    return draws.choice(fact.otherwise)


def drawn_value(draw: Draw, draws: Random) -> Value:
    """Return a value of a range or a choice."""
    if draw.choose:
        return draws.choice(draw.choose)
    low, high, step = draw.from_, draw.to, draw.step
    assert isinstance(low, Decimal) and isinstance(high, Decimal) and isinstance(step, Decimal)
    return low + step * draws.randint(0, int((high - low) / step))


def _sampled(pool: str, count: int, draws: Random) -> bytes:
    """Return a CSV file with *count* lines of a pool, in the pool's order."""
    header, *lines = csv.reader(io.StringIO(pool))
    chosen = sorted(draws.sample(range(len(lines)), count))
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(
        [header, *(lines[place] for place in chosen)]
    )
    return written.getvalue().encode()
