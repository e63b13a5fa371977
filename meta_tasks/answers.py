"""The rule that says when two answers are the same, for every field that is handed in.

A text field of a deliverable declares the kind of its text:

| type        | what it is                              | compared                              |
|-------------|-----------------------------------------|---------------------------------------|
| `Text`      | a label, such as a supplier             | folded (`text_key`)                   |
| `PersonRef` | somebody: a full name, id or address    | as the person, else folded            |
| `Code`      | a code that somebody gives              | folded, without dashes and spaces     |
| `ClockText` | an hour, such as "9:30"                 | as the hour                           |
| `RecordId`  | the id of a record                      | exactly                               |
| `PathText`  | a path                                  | exactly, but for slashes at its ends  |

Spaces around a text never count. `AnswerKeys` compares answers; nothing else should.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel

from trainee_bench.world.company.name_forms import exact_key, loose_key
from trainee_bench.world.company.people import Person
from trainee_bench.world.folding import MARKS


class TextKind(StrEnum):
    """The kinds of text in a deliverable."""

    TEXT = "text"
    PERSON = "person"
    CODE = "code"
    CLOCK = "clock"
    RECORD = "record"
    PATH = "path"


Text = Annotated[str, TextKind.TEXT]
"""A label. Case, accents, spaces and dashes do not count."""
PersonRef = Annotated[str, TextKind.PERSON]
"""A colleague, by full name, id or address, or anybody else, by name."""
Code = Annotated[str, TextKind.CODE]
"""A code that somebody gives. A tool accepts it in any spelling."""
ClockText = Annotated[str, TextKind.CLOCK]
"""An hour of the day."""
RecordId = Annotated[str, TextKind.RECORD]
"""The id of a record, such as a payment's or a customer's. Every character counts."""
PathText = Annotated[str, TextKind.PATH]
"""A path. Every character counts, except slashes at its ends."""

_ACCENTS = 200
"""The first of Unicode's combining classes for marks above, below or at a letter."""
_GAPS = re.compile(r"(?<=[^ -])[ -]+(?=[^ -])")
"""Spaces and dashes between words, perhaps with the sign of a number."""
_DIGITS = re.compile(r"\.?\d")


class _PlainCharacters(dict[int, str]):
    """A map of each character without case and accent, computed when it is first needed."""

    def __missing__(self, code: int) -> str:
        plain, folded = "", chr(code)
        while folded != plain:
            plain = folded
            letters = unicodedata.normalize("NFKD", plain).casefold()
            folded = "".join(map(_even, unicodedata.normalize("NFKD", letters)))
        self[code] = plain
        return plain


def _even(letter: str) -> str:
    """Return one kind of space and of dash for all kinds; "" for an accent or an invisible
    character."""
    if letter.isspace() or letter == "_":
        return " "
    kind = unicodedata.category(letter)
    if kind == "Pd" or letter == "\u2212":
        return "-"
    return "" if kind == "Cf" or unicodedata.combining(letter) >= _ACCENTS else letter


_PLAIN = _PlainCharacters()


def text_key(words: str) -> str:
    """Return the key of a label: its words without case, accents and width, separated by one space,
    whatever spaces, dashes or underscores are between them.

    Letters that only look alike stay different, and so do a number and its negative. A dash at
    either end stays: "- Ada" is a line of a list.
    """
    return _GAPS.sub(_one_blank, " ".join(folded(words).split()))


def folded(words: str) -> str:
    """Return words without case, accents, width and invisible characters, each kind of space and of
    dash as one; nothing is moved or joined."""
    return words.translate(_PLAIN)


def _one_blank(gap: re.Match[str]) -> str:
    """Return a space in place of *gap*, with the sign of the number after it if there is one."""
    attached = gap[0] == "-" and (gap.string[gap.start() - 1]).isalnum()
    signed = gap[0].endswith("-") and not attached and _DIGITS.match(gap.string, gap.end())
    return " -" if signed else " "


def same_text(written: str, meant: str) -> bool:
    """Return whether two labels, such as mail subjects, are the same."""
    return text_key(written) == text_key(meant)


def mentions(text: str, label: str) -> bool:
    """Return whether *text* has *label* as separate words."""
    wanted = re.escape(text_key(label))
    return re.search(rf"(?<!\w){wanted}(?![\w{MARKS}])", text_key(text)) is not None


class AnswerKeys:
    """Keys of answers in a company with these *people*: equal answers have equal keys."""

    def __init__(self, people: Iterable[Person] = ()):
        everybody = tuple(people)
        self._exact = _owners(exact_key, everybody)
        self._people = _owners(text_key, everybody)
        # "Soren" for "Søren", but only where it can mean nobody else
        self._loose = {
            called: person
            for called, person in _owners(loose_key, everybody).items()
            if called not in self._people
        }

    def person(self, written: str) -> str:
        """Return the id of the person whom *written* names, or the folded text if it does not name
        exactly one. An exact spelling counts first, then one with other accents."""
        called = text_key(written)
        exact = self._exact.get(exact_key(written))
        return exact or self._people.get(called) or self._loose.get(loose_key(written), called)

    def key(self, kind: TextKind, written: str) -> str:
        """Return the key of a text of this *kind*."""
        return self.person(written) if kind is TextKind.PERSON else _KEYS[kind](written)

    def of(self, row: BaseModel, *fields: str) -> tuple[Hashable, ...]:
        """Return the keys of these *fields* of *row* (all if none are given) and of the rows in it.
        In a list, order does not matter, but the number of equal items does."""
        kinds = text_kinds(type(row))
        names = fields or tuple(type(row).model_fields)
        return tuple(self._value(getattr(row, name), kinds.get(name)) for name in names)

    def differing(self, given: BaseModel, right: BaseModel) -> list[str]:
        """Return the names of the fields in which two deliverables of one model differ."""
        names = type(right).model_fields
        return [name for name in names if self.of(given, name) != self.of(right, name)]

    def _value(self, value: Any, kind: TextKind | None) -> Hashable:
        if isinstance(value, BaseModel):
            return self.of(value)
        if isinstance(value, list | tuple):
            return frozenset(Counter(self._value(item, kind) for item in value).items())
        if isinstance(value, str) and kind is not None:
            return self.key(kind, value)
        same: Hashable = value
        return same


def _owners(key: Callable[[str], str], people: Iterable[Person]) -> dict[str, str]:
    """Return the id of the only person who is called so, by the *key* of each name, id and
    address."""
    known: dict[str, set[str]] = {}
    for person in people:
        for called in (person.id, person.name, person.email):
            known.setdefault(key(called), set()).add(person.id)
    return {called: min(ids) for called, ids in known.items() if len(ids) == 1}


_KEYS: Mapping[TextKind, Callable[[str], str]] = {
    TextKind.TEXT: text_key,
    TextKind.CODE: lambda written: text_key(written).replace(" ", ""),
    TextKind.CLOCK: lambda written: text_key(written).zfill(len("09:30")),
    TextKind.RECORD: str.strip,
    TextKind.PATH: lambda written: written.strip().strip("/"),
}


# the kinds of a model's fields ----------------------------------------------------------------


@lru_cache(maxsize=1024)
def text_kinds(model: type[BaseModel]) -> Mapping[str, TextKind]:
    """Return the kind of each field of *model* that holds a text or a list of texts."""
    found = {}
    for name, field in model.model_fields.items():
        kind = _kind_in(field.metadata) or _kind_within(field.annotation)
        if kind is not None:
            found[name] = kind
    return MappingProxyType(found)


def texts_without_kind(model: type[BaseModel]) -> list[str]:
    """Return the fields of *model*, and of its rows, that hold texts without a kind."""
    found = []
    for name, field in model.model_fields.items():
        found += [f"{name}.{inner}" for row in _rows_in(field.annotation) for inner in
                  texts_without_kind(row)]  # fmt: skip
        if _kind_in(field.metadata) is None and _has_plain_text(field.annotation):
            found.append(name)
    return found


def _kind_in(metadata: Iterable[Any]) -> TextKind | None:
    return next((mark for mark in metadata if isinstance(mark, TextKind)), None)


def _kind_within(annotation: Any) -> TextKind | None:
    if get_origin(annotation) is Annotated:
        return _kind_in(annotation.__metadata__)
    return next(filter(None, map(_kind_within, get_args(annotation))), None)


def _has_plain_text(annotation: Any) -> bool:
    if get_origin(annotation) is Annotated and _kind_in(annotation.__metadata__):
        return False
    return annotation is str or any(map(_has_plain_text, get_args(annotation)))


def _rows_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    else:
        for inner in get_args(annotation):
            yield from _rows_in(inner)


# what grading reads ----------------------------------------------------------------------------

AnswerForm = type[BaseModel] | TextKind
"""The form in which a file is read: a deliverable (or rows) of this model, or a text on each
line."""
_READ: ContextVar[dict[str, AnswerForm] | None] = ContextVar("answers read", default=None)


@contextmanager
def collect_answer_forms() -> Iterator[Mapping[str, AnswerForm]]:
    """Collect, by path, the forms in which files are read while this context is active. For
    certificates."""
    forms: dict[str, AnswerForm] = {}
    token = _READ.set(forms)
    try:
        yield forms
    finally:
        _READ.reset(token)


def note_answer_form(path: str, form: AnswerForm) -> None:
    """Record that the file at *path* is read in this form, if anybody collects forms."""
    if (forms := _READ.get()) is not None:
        forms[path] = form
