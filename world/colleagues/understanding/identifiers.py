"""Exact ids in a question: known ids that it quotes, and other ids that resemble them."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from trainee_bench.world.colleagues.understanding.ids import IdKind, id_kind
from trainee_bench.world.colleagues.understanding.spelling import edit_distance
from trainee_bench.world.task_ids import is_task_id

ID_MARK = "\ue000"
"""The character before the number of a known id in marked text. Folding removes it from
messages, so nobody can write it."""


class KnownIds:
    """Ids known to a listener."""

    def __init__(self, keys: Iterable[str]) -> None:
        self.keys: tuple[str, ...] = tuple(
            sorted({key.casefold() for key in keys}, key=lambda key: (-len(key), key))
        )
        self._patterns = tuple(
            re.compile(rf"(?<![^\W_])(?<!\d[-.]){re.escape(key)}(?![^\W_])(?![-.]\d)", re.I)
            for key in self.keys
        )

    def mark(self, folded: str) -> str:
        """Return the text with every exactly quoted id replaced by its mark and number."""
        low = folded.casefold()
        for number, (key, pattern) in enumerate(zip(self.keys, self._patterns, strict=True)):
            if key in low:
                folded = pattern.sub(f" {ID_MARK}{number} ", folded)
                low = folded.casefold()
        return folded

    def quoted(self, text: str) -> dict[str, int]:
        """Return the ids that *text* quotes exactly, in lower case, each with its first place."""
        low = text.casefold()
        found = {
            key: pattern.search(text)
            for key, pattern in zip(self.keys, self._patterns, strict=True)
            if key in low
        }
        return {key: match.start() for key, match in found.items() if match}

    def marked(self, token: str) -> str | None:
        """Return the id behind a token of marked text, or None."""
        return self.keys[int(token[1:])] if token.startswith(ID_MARK) else None


@lru_cache(maxsize=4_096)
def shape(literal: str) -> str:
    """Return the shape of an id, such as a9 for OLD482913 and a-9 for db-01."""
    return re.sub(r"\d+", "9", re.sub(r"[^\W\d_]+", "a", literal))


def _bare(literal: str) -> str:
    return "".join(c for c in literal if c.isalnum())


@lru_cache(maxsize=4_096)
def likeness(literal: str, key: str) -> str:
    """Return how a literal that is no known id relates to a known one, both in lower case.

    "slip": one slip away, or the same digits, so the known id may be meant. "other": of the same
    shape, so another id is meant. "akin": loosely similar. "": something else.
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
    """Return how well a question with these ids fits a topic with *keys*.

    "exact": it quotes a key. "open": it quotes no id of their sort. "doubt": it quotes only a
    nearly right id, or the right file and a wrong id. "barred": it quotes another id of their
    shape, so another topic is meant. The id of another task bars the topics of a task, whatever
    else the question quotes.
    """
    tasks, others = _parted(keys)
    named, rest = _parted(quoted)
    unknown, words = _parted(strangers)
    if not tasks:
        return _fits(keys, rest, words)
    own = not named.isdisjoint(tasks)
    if (named or unknown) and not own:
        return "barred"
    found = _fits(others, rest, words) if others else "open"
    return "exact" if own and found == "open" else found


def _parted(words: Iterable[str]) -> tuple[frozenset[str], list[str]]:
    """Return the ids of tasks among *words*, and the rest."""
    tasks = frozenset(word for word in words if is_task_id(word))
    return tasks, [word for word in words if word not in tasks]


def _fits(keys: Sequence[str], quoted: Sequence[str], strangers: Sequence[str]) -> str:
    """Return the same for a topic and a question without ids of tasks."""
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
