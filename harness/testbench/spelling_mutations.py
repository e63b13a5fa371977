"""Other spellings of the same answers, which must pass, and slightly changed ids, which must fail.

The model that reads a file gives the kind of each text in it (`TextKind`). Labels and people are
rewritten in every way that the rule for equal answers forgives, all at once. An id of a record, a
path or a digit is changed in one place.
"""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel

from trainee_bench.harness.testbench.mutations import Mutant
from trainee_bench.harness.testbench.workbook_mutations import Rows, rows_of, workbook_of
from trainee_bench.meta_tasks.answers import AnswerForm, TextKind, text_kinds
from trainee_bench.world.company.people import Person
from trainee_bench.world.workbook.model import Workbook

Spelling = Callable[[str], str]
_FOLDED = frozenset({TextKind.TEXT, TextKind.PERSON, TextKind.CODE})
_EXACT = frozenset({TextKind.RECORD, TextKind.PATH})
_VOWEL = re.compile("[aeiou]", re.IGNORECASE)
_DIGIT = re.compile(r"\d")


def _without_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


_SPELLINGS: Mapping[str, tuple[frozenset[TextKind], Spelling]] = {
    "upper case": (_FOLDED, str.upper),
    "lower case": (_FOLDED, str.lower),
    "another dash": (_FOLDED, lambda text: text.replace("-", "\u2011")),
    "dashes between words": (_FOLDED, lambda text: text.replace(" ", "\u2013")),
    "accents": (_FOLDED, lambda text: _VOWEL.sub(lambda found: f"{found[0]}\u0301", text, count=1)),
    "no accents": (_FOLDED, _without_accents),
    "no-break blanks": (_FOLDED, lambda text: text.replace(" ", "\u00a0")),
    "blanks around": (frozenset(TextKind), lambda text: f"\u00a0{text} "),
}
"""Other spellings of the same answer, and the kinds of text that they apply to."""
_CHANGES: Mapping[str, tuple[frozenset[TextKind], Spelling]] = {
    "an id in another case": (_EXACT, str.swapcase),
    "another dash within an id": (_EXACT, lambda text: text.replace("-", "\u2013")),
    "a digit changed": (
        frozenset(TextKind) - {TextKind.CLOCK},
        lambda text: _DIGIT.sub(lambda found: str((int(found[0]) + 1) % 10), text, count=1),
    ),
}
"""Changes of a single text that make it a wrong answer."""


@dataclass(frozen=True)
class _Place:
    """The place of a text: ``holder[key]``, in the column or field of this name."""

    holder: Any
    key: Any
    kind: TextKind
    column: str

    @property
    def text(self) -> str:
        return str(self.holder[self.key])


def spelling_mutants(
    path: str, text: str, form: AnswerForm, people: Sequence[Person]
) -> Iterator[tuple[bool, Mutant]]:
    """Yield the text file at *path*, read in this *form*, with respelt texts.

    Each comes with whether it is harmless. *people* are those of the company.
    """
    if isinstance(form, TextKind):
        lines = text.splitlines()
        places = [_Place(lines, at, form, "lines") for at, line in enumerate(lines) if line.strip()]
        for harmless, name in _respelt(places, people):
            yield harmless, Mutant(name, "".join(f"{line}\n" for line in lines))
    elif path.endswith(".csv"):
        rows = [*csv.reader(io.StringIO(text))]
        for harmless, name in _respelt(_places_in_table(form, rows), people):
            written = io.StringIO()
            csv.writer(written, lineterminator="\n").writerows(rows)
            yield harmless, Mutant(name, written.getvalue())
    else:
        data = json.loads(text)
        for harmless, name in _respelt([*_places(form, data)], people):
            yield harmless, Mutant(name, json.dumps(data))


def spelling_workbooks(
    workbook: Workbook, form: AnswerForm, people: Sequence[Person]
) -> Iterator[tuple[bool, str, Workbook]]:
    """Yield the same mutants of the first sheet of a workbook."""
    if isinstance(form, TextKind):
        return
    sheet = workbook.sheets[0]
    rows = rows_of(sheet)
    for harmless, name in _respelt(_places_in_table(form, rows), people):
        yield harmless, name, workbook.with_sheet(workbook_of(rows, sheet.name).sheets[0])


def _respelt(places: Sequence[_Place], people: Sequence[Person]) -> Iterator[tuple[bool, str]]:
    """Yield whether each change is harmless, and its name; it applies until the next one."""
    before = [place.text for place in places]
    for name, (kinds, spelling) in {**_SPELLINGS, **_names_of(people)}.items():
        for place, text in zip(places, before, strict=True):
            if place.kind in kinds:
                place.holder[place.key] = spelling(text)
        if [place.text for place in places] != before:
            yield True, name
        _restore(places, before)
    first = {place.column: place for place in reversed(places)}
    for column, place in first.items():
        text = place.text
        for name, (kinds, change) in _CHANGES.items():
            if place.kind in kinds and change(text) != text:
                place.holder[place.key] = change(text)
                yield False, f"{column}: {name}"
        place.holder[place.key] = text


def _names_of(people: Sequence[Person]) -> dict[str, tuple[frozenset[TextKind], Spelling]]:
    """Return the other ways to refer to a person."""
    only, named = frozenset({TextKind.PERSON}), {person.name: person for person in people}

    def by(called: Callable[[Person], str]) -> tuple[frozenset[TextKind], Spelling]:
        return only, lambda name: called(named[name]) if name in named else name

    return {
        "the id for the name": by(lambda person: person.id),
        "the address for the name": by(lambda person: person.email),
    }


def _restore(places: Sequence[_Place], before: Sequence[str]) -> None:
    for place, text in zip(places, before, strict=True):
        place.holder[place.key] = text


# where the texts are --------------------------------------------------------------------------


def _places(model: type[BaseModel], data: Any) -> Iterator[_Place]:
    """Yield the places of texts in *data*, which is read as *model*."""
    kinds = text_kinds(model)
    for name, field in model.model_fields.items():
        value = data.get(name) if isinstance(data, dict) else None
        if name in kinds and isinstance(value, list):
            yield from (_Place(value, at, kinds[name], name) for at in range(len(value)))
        elif name in kinds and isinstance(value, str):
            yield _Place(data, name, kinds[name], name)
        else:
            for inner in _models_in(field.annotation):
                for row in value if isinstance(value, list) else [value]:
                    yield from _places(inner, row)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    for part in (annotation, *get_args(annotation)):
        if isinstance(part, type) and issubclass(part, BaseModel):
            yield part


def _places_in_table(model: type[BaseModel], rows: Rows) -> list[_Place]:
    """Return the places of texts below the titles that *model* has."""
    kinds = {
        model.model_fields[name].alias or name: kind for name, kind in text_kinds(model).items()
    }
    return [
        _Place(row, at, kinds[str(title)], str(title))
        for at, title in enumerate(rows[0] if rows else [])
        if str(title) in kinds
        for row in rows[1:]
        if at < len(row) and row[at]
    ]
