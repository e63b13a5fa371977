"""A message as its listener hears it: read once, and shared by everything that asks about it."""

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
from trainee_bench.world.colleagues.understanding.ids import Id, ids_in
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

_SENTENCE_END = re.compile(r"[.!?;]\s|\n")


@dataclass(frozen=True)
class HeardMessage:
    """What somebody said. Each property is computed when it is first read.

    Which topics it asks for depends on what the listener knows: `interpreter` finds that out.
    """

    text: str
    between: tuple[str, ...] = ()
    """The names of the two who talk: nobody asks about those."""

    @cached_property
    def unnamed(self) -> str:
        """The text without the names of the two who talk."""
        parts = dict.fromkeys(part for name in self.between for part in (name, *name.split()))
        found = "|".join(re.escape(part) for part in parts if part)
        if not found:
            return self.text
        return re.sub(rf"(?<![^\W_])@?(?:{found})(?![^\W_])", "", self.text, flags=re.I)

    @cached_property
    def normalized(self) -> str:
        """That in plain signs, without salutation and closing: what is cut into clauses."""
        return without_courtesies(normalize_text(self.unnamed))

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The sentences of the text, and its lines."""
        return tuple(_SENTENCE_END.split(self.text))

    @cached_property
    def asking(self) -> Asking:
        """How surely it asks something."""
        return Asking.NOT if only_informs(self.text) else asking(self.text)

    @cached_property
    def wants_again(self) -> bool:
        """Whether it may wish to hear once more what was told."""
        return wants_again(self.text)

    @cached_property
    def uniform(self) -> str:
        """The text without differences in width, and without invisible characters."""
        return uniform_text(self.text)

    @cached_property
    def ids(self) -> tuple[Id, ...]:
        """What looks like an id in it, in its order."""
        return ids_in(self.uniform)

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Its words and numbers, as values are compared."""
        return pieces_of(self.uniform)

    @cached_property
    def numbers(self) -> frozenset[int]:
        """The whole numbers that it states."""
        return frozenset(stated_numbers(self.uniform))


@lru_cache(maxsize=1_024)
def hear(text: str, between: tuple[str, ...] = ()) -> HeardMessage:
    """The message of this *text* *between* two people, of these names if they matter."""
    return HeardMessage(text, between)
