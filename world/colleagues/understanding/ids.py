"""Kinds of ids, in messages and among the keys of topics."""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import lru_cache
from typing import NamedTuple

from trainee_bench.world.task_ids import TASK_ID

FILE_ENDINGS = frozenset(
    "csv md txt xlsx xls json pdf docx doc png jpg jpeg svg html htm db sql py pptx zip log yaml "
    "toml eml ics com org net io example test".split()
)
_MARK = "\ue000"
"""The first character of a known id's mark (see `identifiers`)."""
_ID = re.compile(rf"[^\W_]+(?:[-_][^\W_]+)*(?:\.(?:{'|'.join(sorted(FILE_ENDINGS))})(?!\w))?", re.I)
_TASK = re.compile(TASK_ID)


class IdKind(Enum):
    """Kind of an id."""

    NONE = auto()
    """An ordinary word or a name."""
    CODE = auto()
    """Letters and digits: OLD482913, web-03."""
    TASK = auto()
    """The id of a task: T2b."""
    NUMBER = auto()
    """Digits and separators: 2024, 14:30."""
    FILE = auto()
    """The name of a file, or an address: budget_guide.md."""
    JOINED = auto()
    """Joined words that occur in no sentence: chart_ids, drive/sales/books."""


class Id(NamedTuple):
    """An id in a text."""

    text: str
    kind: IdKind


NUMBERED = frozenset({IdKind.CODE, IdKind.TASK, IdKind.NUMBER})
"""Kinds that identify a single thing. A file, in contrast, may be about many things."""
QUOTABLE = frozenset({IdKind.CODE, IdKind.FILE})
"""Kinds that are always quotations. A word or a number may have another reason."""


@lru_cache(maxsize=20_000)
def id_kind(word: str) -> IdKind:
    """Return the kind of id that *word* is."""
    _, dot, ending = word.rpartition(".")
    if dot and ending.casefold() in FILE_ENDINGS:
        return IdKind.FILE
    if any(char.isdigit() for char in word):
        if _TASK.fullmatch(word):
            return IdKind.TASK
        return IdKind.CODE if any(char.isalpha() for char in word) else IdKind.NUMBER
    joined = word[:1] == _MARK or "_" in word or word.count("/") > 1
    return IdKind.JOINED if joined else IdKind.NONE


def ids_in(text: str) -> tuple[Id, ...]:
    """Return the ids in *text*, in its order."""
    found = (Id(word, id_kind(word)) for word in _ID.findall(text))
    return tuple(id for id in found if id.kind is not IdKind.NONE)
