"""Exact ids in a question: which known ones it quotes, and which look like them but are not."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from trainee_bench.world.colleagues.understanding.ids import IdKind, id_kind
from trainee_bench.world.colleagues.understanding.spelling import edit_distance

ID_MARK = "\ue000"
"""Stands before the number of a known id in marked text. Folding removes it from what people type,
so nobody can write it."""


class KnownIds:
    """The ids known to a listener."""

    def __init__(self, keys: Iterable[str]) -> None:
        self.keys: tuple[str, ...] = tuple(
            sorted({key.casefold() for key in keys}, key=lambda key: (-len(key), key))
        )
        self._patterns = tuple(
            re.compile(rf"(?<![^\W_])(?<!\d[-.]){re.escape(key)}(?![^\W_])(?![-.]\d)", re.I)
            for key in self.keys
        )

    def mark(self, folded: str) -> str:
        """The text with every exactly quoted id replaced by its mark and number."""
        low = folded.casefold()
        for number, (key, pattern) in enumerate(zip(self.keys, self._patterns, strict=True)):
            if key in low:
                folded = pattern.sub(f" {ID_MARK}{number} ", folded)
                low = folded.casefold()
        return folded

    def quoted(self, text: str) -> dict[str, int]:
        """The ids that *text* quotes exactly, in lower case, with where each is quoted first."""
        low = text.casefold()
        found = {
            key: pattern.search(text)
            for key, pattern in zip(self.keys, self._patterns, strict=True)
            if key in low
        }
        return {key: match.start() for key, match in found.items() if match}

    def marked(self, token: str) -> str | None:
        """The id that a token of marked text stands for."""
        return self.keys[int(token[1:])] if token.startswith(ID_MARK) else None


@lru_cache(maxsize=4_096)
def shape(literal: str) -> str:
    """Runs of letters and digits and the separators between: OLD482913 is a9, db-01 is a-9."""
    return re.sub(r"\d+", "9", re.sub(r"[^\W\d_]+", "a", literal))


def _bare(literal: str) -> str:
    return "".join(c for c in literal if c.isalnum())


@lru_cache(maxsize=4_096)
def likeness(literal: str, key: str) -> str:
    """How a literal that is no known id relates to one, both in lower case.

    "slip": one slip away, or the same digits: it may be what was meant. "other": of the same
    shape, so another id is meant. "akin": loosely of that sort. "": something else.
    """
    bare, plain = _bare(literal), _bare(key)
    digits = "".join(c for c in key if c.isdigit())
    if edit_distance(bare, plain, 1) <= 1 or (len(digits) >= 4 and bare == digits):
        return "slip"
    if key.isalpha():
        return "akin" if literal.isalpha() else ""
    if shape(literal) == shape(key) and not literal.isdigit():
        letters = sum(c.isalpha() for c in literal)
        if abs(len(literal) - len(key)) <= 3 or letters >= 2:
            return "other"
    ending = key.rpartition(".")[2]
    if "." in key and ending.isalpha() and literal.endswith("." + ending):
        return "other"
    if edit_distance(bare, plain, 2) <= 2 and len(plain) >= 6:
        return "other"
    if literal[0].isalpha() and literal[-1].isdigit() and key[0].isalpha() and key[-1].isdigit():
        return "akin" if len(literal) > 3 else ""
    return ""


def fits(keys: Sequence[str], quoted: Sequence[str], strangers: Sequence[str]) -> str:
    """Whether a topic with *keys* can be meant by a question with these ids.

    "exact": it quotes one. "open": it quotes no id of their sort. "doubt": only one that is
    nearly right, or the right file and an id that is not. "barred": another id of their shape is
    quoted, so another topic is meant.
    """
    own = [key for key in quoted if key in keys]
    if any(id_kind(key) is not IdKind.FILE for key in own):
        return "exact"
    rest = [key for key in keys if not own or id_kind(key) is not IdKind.FILE]
    found = {likeness(stranger, key) for stranger in strangers for key in rest}
    found |= {"other" for key in quoted if key not in keys and any(likeness(key, k) for k in rest)}
    if own:
        return "doubt" if found & {"slip", "other"} else "exact"
    if any(key not in keys and any(likeness(key, k) for k in keys) for key in quoted):
        return "barred"
    if "slip" in found:
        return "doubt"
    if "other" in found:
        return "barred"
    return "doubt" if "akin" in found else "open"
