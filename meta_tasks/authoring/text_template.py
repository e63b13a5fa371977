"""Texts that one definition writes and reads back.

    @dataclass(frozen=True)
    class Brief:
        department: str
        year: int

    OBJECTIVE = TextTemplate(Brief, "Count the orders of {department} in {year}.")
    text = OBJECTIVE.render(Brief("Sales_1", 2024))
    assert OBJECTIVE.parse(text) == Brief("Sales_1", 2024)

A family writes its objective and its colleagues' answers with such templates. Honest work reads
them with the same ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from string import Formatter
from typing import Any, Generic, Protocol, TypeVar, get_type_hints

from trainee_bench.meta_tasks.authoring.converters import LINE, TEXT, Converter, converter_for

T = TypeVar("T")
NO_CONVERTERS: Mapping[str, Converter[Any]] = {}
NOTHING_FIXED: Mapping[str, object] = {}


class TextTemplate(Generic[T]):
    """A text with ``{placeholders}`` for the attributes of a value; ``{{`` is a brace.

    *of* is the class of the value, *text* the template. Each placeholder is written and read by its
    converter in *converters*, or else by the converter of its type. A placeholder may also name a
    property: when it is read, it has to say what the other fields imply. *fixed* are fields that
    the words of the template imply; it renders only values with these.
    """

    def __init__(
        self,
        of: Callable[..., T],
        text: str,
        converters: Mapping[str, Converter[Any]] = NO_CONVERTERS,
        fixed: Mapping[str, object] = NOTHING_FIXED,
    ):
        self._of = of
        self._fixed = dict(fixed)
        self._types: dict[str, object] = get_type_hints(of)
        self._parts = [(words, name) for words, name, _, _ in Formatter().parse(text)]
        names = [name for _, name in self._parts if name is not None]
        self._converters = {name: converters.get(name) or self._usual(name) for name in names}
        self._check_separate()

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        """The expression for the whole text. Composing writes most texts and reads none, so it is
        compiled for the first text that is read."""
        return re.compile(self._pattern(captures=True))

    def _check_separate(self) -> None:
        """Raise ValueError for two open-ended placeholders with no words between them."""
        for (_, first), (words, second) in pairwise(self._parts):
            open_ended = [
                name for name in (first, second) if name and self._converters[name] in (LINE, TEXT)
            ]
            if not words and len(open_ended) == 2:
                raise ValueError(f"words must separate {first} from {second}, or it cannot be read")

    def fits(self, value: T) -> bool:
        """Return whether *value* has the fields that the words of this template imply."""
        return all(getattr(value, name) == fixed for name, fixed in self._fixed.items())

    def render(self, value: T) -> str:
        """Return the text of *value*. Raises ValueError if it does not have the fixed fields."""
        if not self.fits(value):
            raise ValueError(f"{value!r} does not have {self._fixed}")
        return "".join(
            words + (self._converters[name].render(getattr(value, name)) if name else "")
            for words, name in self._parts
        )

    def parse(self, text: str) -> T:
        """Return the value whose whole text is *text*. Raises ValueError if there is none."""
        match = self._regex.fullmatch(text)
        found = self._value(match) if match else None
        if found is None:
            raise ValueError(f"this is not written as {self._regex.pattern!r}: {text}")
        return found

    def search(self, text: str) -> T | None:
        """Return the value that the first such text within *text* states, if there is one."""
        return next(self.find_all(text), None)

    def find_all(self, text: str) -> Iterator[T]:
        """Yield the values that the texts of this kind within *text* state, in order."""
        return (value for _, value in self.find_places(text))

    def find_places(self, text: str) -> Iterator[tuple[int, T]]:
        """Yield the values of `find_all`, each with the place where its text begins."""
        for match in self._regex.finditer(text):
            found = self._value(match)
            if found is not None:
                yield match.start(), found

    def converter(self) -> Converter[T]:
        """Return this template as a slot of another."""
        return Converter(self._pattern(captures=False), self.parse, self.render)

    def _usual(self, name: str) -> Converter[Any]:
        """Return the converter of a field's type. A property may say anything that `_value`
        confirms."""
        return converter_for(self._types[name]) if name in self._types else TEXT

    def _pattern(self, captures: bool) -> str:
        pattern, seen = "", set[str]()
        for words, name in self._parts:
            pattern += re.escape(words)
            if name is None:
                continue
            inner = self._converters[name].pattern
            named = f"(?P<{name}>{inner})" if name not in seen else f"(?P={name})"
            pattern += named if captures else f"(?:{inner})"
            seen.add(name)
        return pattern

    def _value(self, match: re.Match[str]) -> T | None:
        """Return the value that *match* states; None if no value has this very text."""
        try:
            read = {
                name: self._converters[name].parse(text)
                for name, text in match.groupdict().items()
                if name in self._types and name not in self._fixed
            }
            value = self._of(**read, **self._fixed)
            return value if self.render(value) == match.group() else None
        except (ValueError, KeyError):
            return None


class Wording(Protocol[T]):
    """The interface that `TextTemplate`, `ValueTemplate` and `FirstOf` share."""

    def render(self, value: T) -> str:
        """Return the text of *value*."""

    def parse(self, text: str) -> T:
        """Return the value whose text is *text*. Raises ValueError."""

    def search(self, text: str) -> T | None:
        """Return the value that the first such text within *text* states, if there is one."""

    def find_all(self, text: str) -> Iterator[T]:
        """Yield the value of each such text within *text*, in order."""

    def converter(self) -> Converter[T]:
        """Return this as a slot of a template."""


@dataclass(frozen=True)
class _Single(Generic[T]):
    value: T


class ValueTemplate(Generic[T]):
    """A text with one placeholder, ``{value}``, for a value that *converter* writes and reads:

    ValueTemplate("The approval limit in force is EUR {value}.", INTEGER)
    """

    def __init__(self, text: str, converter: Converter[T]):
        self._template = TextTemplate[_Single[T]](_Single, text, {"value": converter})

    def render(self, value: T) -> str:
        """Return the text of *value*."""
        return self._template.render(_Single(value))

    def parse(self, text: str) -> T:
        """Return the value whose text is *text*. Raises ValueError if there is none."""
        return self._template.parse(text).value

    def search(self, text: str) -> T | None:
        """Return the value that the first such text within *text* states, if there is one."""
        found = self._template.search(text)
        return found.value if found else None

    def find_all(self, text: str) -> Iterator[T]:
        """Yield the value of each such text within *text*, in order."""
        return (found.value for found in self._template.find_all(text))

    def converter(self) -> Converter[T]:
        """Return this as a slot of a template."""
        return Converter(self._template.converter().pattern, self.parse, self.render)


@dataclass(frozen=True)
class FirstOf(Generic[T]):
    """Several templates of one type. The first one that fits writes a value; the first one that
    matches reads a text."""

    templates: Sequence[TextTemplate[T]]

    def render(self, value: T) -> str:
        """Return the text of *value*. Raises ValueError if no template fits it."""
        for template in self.templates:
            if template.fits(value):
                return template.render(value)
        raise ValueError(f"no template fits {value!r}")

    def parse(self, text: str) -> T:
        """Return the value whose text is *text*. Raises ValueError if no template matches."""
        for template in self.templates:
            try:
                return template.parse(text)
            except ValueError:
                continue
        raise ValueError(f"this is written in none of the {len(self.templates)} templates: {text}")

    def search(self, text: str) -> T | None:
        """Return the value of the first text within *text* that any template matches. If several
        match there, the first template counts."""
        firsts = (next(template.find_places(text), None) for template in self.templates)
        found = [first for first in firsts if first is not None]
        return min(found, key=lambda first: first[0])[1] if found else None

    def find_all(self, text: str) -> Iterator[T]:
        """Yield the value of each text within *text* that a template matches, in order. If several
        match at one place, the first template counts."""
        places = dict[int, T]()
        for template in self.templates:
            for place, value in template.find_places(text):
                places.setdefault(place, value)
        return (places[place] for place in sorted(places))

    def converter(self) -> Converter[T]:
        """Return this as a slot of a template."""
        patterns = (template.converter().pattern for template in self.templates)
        return Converter(f"(?:{'|'.join(patterns)})", self.parse, self.render)
