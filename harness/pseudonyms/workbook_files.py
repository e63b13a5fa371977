"""Workbooks: cells, names of sheets, and both of them in formulas."""

from __future__ import annotations

import re
from collections.abc import Mapping

from trainee_bench.harness.pseudonyms.meanings import Meaning
from trainee_bench.harness.pseudonyms.table_files import column_meanings
from trainee_bench.harness.pseudonyms.visitor import Place, Visitor
from trainee_bench.world.workbook.inputs import CellKind, interpret, text_input
from trainee_bench.world.workbook.model import MAX_SHEET_NAME_LENGTH, Sheet, Workbook
from trainee_bench.world.workbook.xlsx import from_xlsx, to_xlsx

_QUOTED = re.compile(
    r"\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*'|(?<![\w.])[^\W\d][\w.]*!|(?<![\w.$:])[0-9]{5,15}(?![\w.:(])"
)
"""In a formula: texts, names of sheets, and numbers that may be codes."""
_DATED = frozenset({Meaning.BIRTH})
_SAMPLE = 200


def rewrite_xlsx(content: bytes, visitor: Visitor, place: Place) -> bytes:
    """Return the workbook *content* as *visitor* changes it.

    It keeps values, formulas and number formats, as all workbooks of an office do. Its properties
    are left out, since they name authors; a workbook without them whose cells stay keeps its bytes.
    Raises Invalid or Refused if the office could not open it either.
    """
    workbook = from_xlsx(content)
    titles = _titles(workbook, visitor, place)
    sheets = tuple(_sheet(sheet, titles, visitor, place) for sheet in workbook.sheets)
    names = {
        name: _formula(target, titles, visitor, place) for name, target in workbook.names.items()
    }
    return to_xlsx(Workbook(sheets=sheets, names=names))


def _titles(workbook: Workbook, visitor: Visitor, place: Place) -> dict[str, str]:
    titles = dict[str, str]()
    for sheet in workbook.sheets:
        made = visitor.file_name(sheet.name, place)[:MAX_SHEET_NAME_LENGTH]
        taken = {title.casefold() for title in titles.values()}
        number = 2
        while made.casefold() in taken:
            made = f"{made[: MAX_SHEET_NAME_LENGTH - 4]} {number}"
            number += 1
        titles[sheet.name] = made
    return titles


def _sheet(sheet: Sheet, titles: Mapping[str, str], visitor: Visitor, place: Place) -> Sheet:
    rows: dict[int, dict[int, str]] = {}
    for at, typed in sheet.places.items():
        rows.setdefault(at.row, {})[at.column] = typed
    header = _header(rows)
    width = max((column for row in rows.values() for column in row), default=-1) + 1
    shown = [
        [_content(rows[at].get(column, "")) for column in range(width)]
        for at in sorted(rows)[: _SAMPLE + 1]
    ]
    first = [_content(rows[header].get(column, "")) for column in range(width)] if rows else []
    meanings = column_meanings(first, shown)
    cells = {}
    for at, typed in sheet.places.items():
        meaning = meanings[at.column] if at.row > header else Meaning.TEXT
        inside = Place(place.file, f"sheet {sheet.name}", at.row + 1)
        cells[str(at)] = _cell(typed, meaning, titles, visitor, inside)
    return Sheet(name=titles[sheet.name], cells=cells, formats=sheet.formats)


def _header(rows: Mapping[int, Mapping[int, str]]) -> int:
    """Return the first row with two texts or more, which a title above a table has not."""
    for at in sorted(rows)[:10]:
        texts = [typed for typed in rows[at].values() if interpret(typed).kind is CellKind.TEXT]
        if len(texts) > 1:
            return at
    return min(rows, default=0)


def _content(typed: str) -> str:
    content = interpret(typed)
    return str(content.value) if content.kind is CellKind.TEXT else typed


def _cell(
    typed: str, meaning: Meaning, titles: Mapping[str, str], visitor: Visitor, place: Place
) -> str:
    content = interpret(typed)
    if content.kind is CellKind.FORMULA:
        return _formula(typed, titles, visitor, place)
    if content.kind is CellKind.TEXT:
        text = str(content.value)
        if meaning is Meaning.TEXT:
            made = visitor.text(text, place)
        else:
            made = visitor.field(text, meaning, place)
        return typed if made == text else text_input(made)
    if meaning in {Meaning.CODE, Meaning.PHONE, Meaning.BIRTH, Meaning.POSTCODE}:
        return visitor.field(typed, meaning, place)
    if meaning is Meaning.TEXT and typed.isascii() and typed.isdigit():
        return visitor.text(typed, place)  # a number that is a code elsewhere
    return typed


def _formula(formula: str, titles: Mapping[str, str], visitor: Visitor, place: Place) -> str:
    """Return *formula* with the new names of sheets and with pseudonyms in its texts."""

    def changed(found: re.Match[str]) -> str:
        token = found.group()
        if token.isdigit():
            return visitor.text(token, place)
        if token.endswith("!"):
            title = titles.get(token[:-1], token[:-1])
            return f"{title}!" if title == token[:-1] else f"'{title}'!"
        mark, inner = token[0], token[1:-1].replace(token[0] * 2, token[0])
        made = titles.get(inner, inner) if mark == "'" else visitor.text(inner, place)
        return mark + made.replace(mark, mark * 2) + mark

    return _QUOTED.sub(changed, formula)
