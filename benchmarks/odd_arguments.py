"""Odd calls for `odd_calls.py`: arguments from a tool's schema, then mutated by a seed.

About a third of the calls are valid. The rest have nulls, other types, JSON in texts, invisible
characters, endless figures, unknown or missing names, and paths that lead out of the world.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any

from odd_words import (
    HUGE_TEXTS,
    KNOWN,
    LONG_TEXTS,
    MARKS,
    ODD_NUMBERS,
    ODD_TEXTS,
    SHAPES,
    SOUND_CALLS,
    UNCARRIED,
    UNSAFE_NUMBERS,
)

Schema = Mapping[str, Any]
Call = tuple[str, dict[str, Any]]

MOST_KNOWN = 600
SELDOM = {"desk_finish_day": 0.04, "desk_wait": 0.3, "calendar_attend": 0.5}
TERMINAL_SHARE = 0.06
"""The relative frequency of a tool; a command in the sandbox takes long."""


def nested(depth: int, kind: str) -> Any:
    """A list in a list, or an object in an object, and so on."""
    inner: Any = [] if kind == "list" else {}
    for _ in range(depth):
        inner = [inner] if kind == "list" else {"a": inner}
    return inner


class OddCalls:
    """Calls of *tools*, whose input schemas are given by name, drawn from *rng*.

    *carried* leaves out values that no message can carry, *finite* those that clients alter: NaN.
    """

    def __init__(
        self, rng: random.Random, tools: Mapping[str, Schema], *, carried: bool, finite: bool
    ):
        self._rng = rng
        self._tools = tools
        self._names = sorted(tools)
        self._weights = [
            TERMINAL_SHARE if name.startswith("terminal_") else SELDOM.get(name, 1.0)
            for name in self._names
        ]
        self._carried = carried
        numbers = UNSAFE_NUMBERS[3:] if finite else UNSAFE_NUMBERS
        self._unsafe = numbers if carried else (*numbers, *UNCARRIED)
        self._known: list[str] = list(KNOWN)
        self._sound: dict[str, list[dict[str, Any]]] = {}
        for name, arguments in SOUND_CALLS:
            self._sound.setdefault(name, []).append(arguments)

    def learn(self, data: Any) -> None:
        """Remember the short texts in *data* from an answer."""
        for text in _texts(data):
            if 0 < len(text) <= 80:
                self._known.append(text)
        if len(self._known) > MOST_KNOWN:
            self._rng.shuffle(self._known)
            self._known = [*KNOWN, *self._known[: MOST_KNOWN // 2]]

    def call(self) -> Call:
        """The next call."""
        rng = self._rng
        name = rng.choices(self._names, self._weights)[0]
        schema = self._tools[name]
        if name in self._sound and rng.random() < 0.6:
            arguments = self._filled_in(deepcopy(rng.choice(self._sound[name])))
        else:
            arguments = self._object(schema)
        if rng.random() < 0.4:
            return name, arguments
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            self._spoil(arguments, schema)
        if rng.random() < 0.01:
            name = rng.choice(
                (name.upper(), name + "\u200d", name[:-1], "", "x" * 9_000, f" {name}")
            )
        return name, arguments

    def _filled_in(self, value: Any) -> Any:
        """*value* with people for "{person}", and the numbers of other things."""
        rng = self._rng
        match value:
            case "{person}":
                return self._text("people")
            case bool():
                return value
            case int() if rng.random() < 0.3:
                return rng.randint(1, 12)
            case list():
                return [self._filled_in(inner) for inner in value]
            case dict():
                return {name: self._filled_in(inner) for name, inner in value.items()}
        return value

    # valid arguments -------------------------------------------------------------------------

    def _object(self, schema: Schema) -> dict[str, Any]:
        needed = schema.get("required", ())
        return {
            name: self._value(name, spec)
            for name, spec in schema.get("properties", {}).items()
            if name in needed or self._rng.random() < 0.35
        }

    def _value(self, name: str, spec: Schema) -> Any:
        rng = self._rng
        if "enum" in spec:
            return rng.choice(spec["enum"])
        if "anyOf" in spec:
            return self._value(name, rng.choice(spec["anyOf"]))
        match spec.get("type", "string"):
            case "array":
                return [self._value(name, spec.get("items", {})) for _ in range(rng.randint(0, 3))]
            case "object":
                return self._object(spec)
            case "integer" | "number":
                least = spec.get("minimum", 0)
                return rng.randint(least, least + rng.choice((1, 3, 8, 60)))
            case "boolean":
                return rng.random() < 0.5
            case "null":
                return None
        return self._text(name)

    def _text(self, name: str) -> str:
        rng = self._rng
        if rng.random() < 0.85:
            shape = next((shape for names, shape in SHAPES.items() if re.search(names, name)), ".*")
            for _ in range(30):
                text = rng.choice(self._known)
                if re.fullmatch(shape, text, re.DOTALL):
                    return text
        return rng.choice(self._known)

    # mutated arguments -----------------------------------------------------------------------

    def _spoil(self, arguments: dict[str, Any], schema: Schema) -> None:
        rng = self._rng
        names = list(schema.get("properties", ()))
        if not names or rng.random() < 0.06:
            unknown = rng.choice(("x", "bcc", "Path", "self", "tx", "", "\u200d", "a.b", "k" * 900))
            arguments[unknown] = self._anything()
            return
        name = rng.choice(names)
        if rng.random() < 0.08:
            arguments.pop(name, None)
            return
        value = arguments.get(name)
        if value is None:
            value = self._value(name, schema["properties"][name])
        arguments[name] = self._odd(value)

    def _odd(self, value: Any) -> Any:
        rng = self._rng
        if rng.random() < 0.22:
            return self._anything()
        if isinstance(value, str):
            ways: tuple[Callable[[str], Any], ...] = (
                *(self._marked, self._marked, self._marked, self._addressed, self._addressed),
                *(str.upper, str.title, str.strip, _padded, _listed, _as_json, self._repeated),
                *(_numbered, self._elsewhere, self._elsewhere),
            )
            return rng.choice(ways)(value)
        if isinstance(value, list | dict):
            return self._odd_collection(value)
        if not isinstance(value, int) or abs(value) > 2**53:
            return rng.choice(ODD_NUMBERS)
        spelt = (str(value), f" {value} ", f"{value}.0", json.dumps(value), [value], f'"{value}"')
        return rng.choice((*spelt, float(value), rng.choice(ODD_NUMBERS), not value, None))

    def _odd_collection(self, value: Any) -> Any:
        rng = self._rng
        way = rng.randrange(8)
        if way < 3:
            return _spelt(value, ensure_ascii=rng.random() < 0.5, indent=rng.choice((None, 1)))
        if way == 3:
            return json.dumps(_spelt(value))
        if way == 4:
            return _spelt(value)[:-1] if rng.random() < 0.5 else [value]
        if isinstance(value, dict):
            return list(value.values())
        if way == 5 or not value:
            return rng.choice((value * 40, value[:1] * 400, {"0": value}, value[0] if value else 1))
        place = rng.randrange(len(value))
        inner = value[place]
        odd = _spelt(inner) if rng.random() < 0.3 else self._odd(inner)
        return [*value[:place], odd, *value[place + 1 :]]

    def _anything(self) -> Any:
        rng = self._rng
        draw = rng.random()
        if draw < 0.15:
            return None
        if draw < 0.5:
            return rng.choice(ODD_TEXTS)
        if draw < 0.7:
            return rng.choice(ODD_NUMBERS)
        if draw < 0.75:
            return rng.choice(self._unsafe)
        if draw < 0.80:
            return rng.choice(LONG_TEXTS) if rng.random() < 0.97 else rng.choice(HUGE_TEXTS)
        if draw < 0.88:
            deepest = 120 if self._carried else 1_500
            return nested(rng.choice((1, 5, 31, 32, 33, deepest)), rng.choice(("list", "object")))
        return rng.choice((True, False, [], {}, [None], [[]], {"a": None}, {"old": "x"}, [1, "2"]))

    def _marked(self, text: str) -> str:
        place = self._rng.randint(0, len(text))
        return text[:place] + self._rng.choice(MARKS) + text[place:]

    def _addressed(self, text: str) -> str:
        name = text.replace(".", " ").title()
        forms = (f"{name} <{text}>", f"<{text}>", f'"{name}" <{text}>', f"{name} ({text})")
        more = (f"{name} <{text}@tessel.example>", f"{text}; {text}", f"{text}, {text}", f"@{text}")
        return self._rng.choice(forms + more)

    def _repeated(self, text: str) -> str:
        return text * self._rng.choice((2, 50, 2_000 // (len(text) + 1) + 1))

    def _elsewhere(self, text: str) -> str:
        head, _, tail = text.rpartition("/")
        forms = (f"{head}/../{tail}", f"{head}//{tail}", f"/{text}", text.replace(":", ""))
        return self._rng.choice(
            (*forms, f"{text}/", f"{text}/..", text.replace("/", "\\"), text + "\0")
        )


def _spelt(value: Any, **how: Any) -> str:
    """*value* as JSON; something else if that is nested too deeply, or has too many figures."""
    try:
        return json.dumps(value, **how)
    except (RecursionError, ValueError):
        return "[" * 999


def _padded(text: str) -> str:
    return f"  {text}\u00a0\n"


def _listed(text: str) -> list[str]:
    return [text]


def _as_json(text: str) -> str:
    return json.dumps([text])


def _numbered(text: str) -> int:
    return len(text)


def _texts(data: Any) -> Iterator[str]:
    """Every text in *data*, which came from JSON."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for inner in data.values() if isinstance(data, dict) else data:
            yield from _texts(inner)
