"""Analysis of a message, made once and shared by all listeners."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from trainee_bench.world.colleagues.understanding.asking import (
    Asking,
    asking,
    only_informs,
    wants_again,
)
from trainee_bench.world.colleagues.understanding.ids import Id, IdKind, id_kind, ids_in
from trainee_bench.world.colleagues.understanding.normalise import (
    normalize_text,
    without_courtesies,
)
from trainee_bench.world.colleagues.understanding.said_values import (
    Piece,
    pieces_of,
    stated_numbers,
    uniform_text,
)
from trainee_bench.world.company.name_forms import is_plain, name_pattern, parts_of_name

_SENTENCE_END = re.compile(r"[.!?;]\s|\n")
_CODE = r"(?<![\w-])[^\W_]{1,20}(?:-[^\W_]{1,20}){0,3}(?![\w-])"
_QUOTED = r"(?:“[^“”\n?]{2,80}”|\"[^\"\n?]{2,80}\"|‘[^‘\n?]{2,80}’(?!\w)|'[^'\n?]{2,80}'(?!\w))"
_TITLES = (
    re.compile(rf"(?P<code>{_CODE})(?P<link>[^\w\n“\"‘'.?!]{{1,4}})(?P<title>{_QUOTED})"),
    re.compile(rf"(?<!\w)(?P<title>{_QUOTED})(?P<link>[^\w\n.?!]{{1,4}})(?P<code>{_CODE})"),
)
"""Patterns of a quoted title directly after or before a code: *OLD482913, 'Risks by cost'*."""


@dataclass(frozen=True)
class HeardMessage:
    """Message with its analysis. Each property is computed when it is first read.

    The topics that it asks for depend on the listener's knowledge: see `interpreter`.
    """

    text: str
    between: tuple[str, ...] = ()
    """The names of the writer and the listener, about whom nobody asks."""

    @cached_property
    def unnamed(self) -> str:
        """The text without the names of writer and listener."""
        parts = dict.fromkeys(
            part for name in self.between if name for part in (name, *parts_of_name(name))
        )
        if not all(map(is_plain, parts)):  # "Müller" may begin the name of the other
            parts = dict.fromkeys(sorted(parts, key=len, reverse=True))
        found = "|".join(
            name_pattern(part) + ("" if is_plain(part) else "s?")  # "Jörgs surcharge"
            for part in parts
        )
        if not found:
            return self.text
        return re.sub(rf"(?<![^\W_])@?(?:{found})(?![^\W_])", "", self.text, flags=re.I)

    @cached_property
    def normalized(self) -> str:
        """The unnamed text in plain signs, without salutation and closing, to be split."""
        return without_courtesies(normalize_text(_without_titles(self.unnamed)))

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The sentences and lines of the text."""
        return tuple(_SENTENCE_END.split(self.text))

    @cached_property
    def asking(self) -> Asking:
        """How surely it asks something."""
        return Asking.NOT if only_informs(self.text) else asking(self.text)

    @cached_property
    def wants_again(self) -> bool:
        """Whether it may ask to hear something once more."""
        return wants_again(self.text)

    @cached_property
    def uniform(self) -> str:
        """The text without differences in width, and without invisible characters."""
        return uniform_text(self.text)

    @cached_property
    def ids(self) -> tuple[Id, ...]:
        """The possible ids in the text, in its order."""
        return ids_in(self.uniform)

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Its words and numbers, for the comparison of values."""
        return pieces_of(self.uniform)

    @cached_property
    def numbers(self) -> frozenset[int]:
        """The whole numbers that it states."""
        return frozenset(stated_numbers(self.uniform))


def _without_titles(text: str) -> str:
    """Return *text* without quoted titles beside codes: the code says what is meant, and the words
    of a title ask nothing."""
    for pattern in _TITLES:
        text = pattern.sub(_without_title, text)
    return text


def _without_title(found: re.Match[str]) -> str:
    title = found["title"][1:-1]
    if id_kind(found["code"]) is not IdKind.CODE or not title[0].isupper() or ids_in(title):
        return found[0]
    return found[0].replace(found["title"], "")


@lru_cache(maxsize=1_024)
def hear(text: str, between: tuple[str, ...] = ()) -> HeardMessage:
    """Return the message of this *text*; *between* are the names of writer and listener."""
    return HeardMessage(text, between)
