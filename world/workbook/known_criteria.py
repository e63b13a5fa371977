"""Alternatives for criteria whose texts are known before a formula is calculated.

Every alternative reads a whole range once more, so those that cannot match are left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trainee_bench.world.workbook.criteria_functions import NO_TEXT, NUMBERS_ONLY, SOME_TEXT
from trainee_bench.world.workbook.inputs import CellKind, interpret
from trainee_bench.world.workbook.like_numbers import (
    is_numeral,
    is_truth,
    looks_like_value,
    may_be_date,
)
from trainee_bench.world.workbook.typed_cells import Held

Alternative = Sequence[str]
"""Criteria, as written in a formula, that a cell of one range must all match."""

_WILDCARD = re.compile(r"[*?]")
_ISO_DATE = "yyyy-mm-dd"


def may_need_alternatives(text: str) -> bool:
    """Whether the criterion *text* may need to be rewritten."""
    wanted = _wanted(text)
    if not wanted or wanted[0] == "#" or _WILDCARD.search(wanted):
        return False
    return text.startswith("<>") or (looks_like_value(wanted) and not is_numeral(wanted))


def alternatives(text: str, held: Held, criterion: str) -> list[Alternative]:
    """Return the alternatives for the criterion *text*, for cells that hold what *held* says.

    No cell matches two of them. The formula has the criterion as *criterion*, which is the only
    alternative if the engine reads it correctly.
    """
    usual: list[Alternative] = [[criterion]]
    if not may_need_alternatives(text):
        return usual
    if text.startswith("<>"):
        return _unequal(text[2:], held, criterion) or usual
    return _equal(_wanted(text), held, criterion) or usual


def _wanted(text: str) -> str:
    return text[2:] if text.startswith("<>") else text.removeprefix("=")


def _equal(wanted: str, held: Held, criterion: str) -> list[Alternative]:
    """Return the alternatives for equal cells, none if the engine finds them."""
    found: list[Alternative] = []
    reads_value = is_truth(wanted) or _is_iso_date(wanted)
    if held.texts and _is_read_as_value(wanted):
        found.append([f'">{_before(wanted)}"', f'"<{_behind(wanted)}"'])
    elif held.texts:
        found.append([criterion])
    if held.values:
        value = wanted if is_truth(wanted) else _number(wanted) or f'tb_number("{wanted}")'
        if held.texts:
            found.append([value] if is_truth(wanted) else [value, NUMBERS_ONLY])
        elif not reads_value:
            found.append([value])
    return found


def _unequal(wanted: str, held: Held, criterion: str) -> list[Alternative]:
    """Return the alternatives for unequal cells, none if the engine finds them."""
    is_like = looks_like_value(wanted)
    reads_value = is_numeral(wanted) or is_truth(wanted) or _is_iso_date(wanted)
    if reads_value and not held.texts:
        return []
    no_text = [NO_TEXT]
    if is_like and held.values:
        number = _number(wanted)
        unequal = f"<>{number or wanted}"
        no_text.append(f'"{unequal}"' if number or reads_value else f'tb_other("{wanted}")')
    if is_like and (is_numeral(wanted) or _is_read_as_value(wanted)):
        return [no_text, [SOME_TEXT, f'"<{_before(wanted)}"'], [f'">{_behind(wanted)}"']]
    return [no_text, [SOME_TEXT, criterion]]


def _is_read_as_value(wanted: str) -> bool:
    """Whether the engine may compare only numbers or truth values with *wanted*."""
    return is_truth(wanted) or may_be_date(wanted)


def _before(wanted: str) -> str:
    """Return a text just before *wanted* in the engine's order of texts."""
    return f"{wanted[:-1]}{chr(ord(wanted[-1].lower()) - 1)}\N{REPLACEMENT CHARACTER}"


def _behind(wanted: str) -> str:
    """Return a text just behind *wanted* in the engine's order of texts."""
    return f"{wanted}\x01"


def _number(text: str) -> str | None:
    """Return the number that *text* would be if it were typed in a cell; None if it were none."""
    content = interpret(text)
    return repr(content.value) if content.kind is CellKind.NUMBER else None


def _is_iso_date(text: str) -> bool:
    content = interpret(text)
    return content.kind is CellKind.NUMBER and content.format == _ISO_DATE
