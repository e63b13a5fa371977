"""Counts the planted names that are left in an office, and the ordinary words that are gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass
from email import message_from_bytes, policy
from pathlib import Path

from trainee_bench.harness.pseudonyms.folding import WORD, key_of
from trainee_bench.world.workbook.xlsx import from_xlsx


@dataclass(frozen=True)
class Measured:
    """Planted words and capitalised ordinary words, and what became of them."""

    planted: int
    left: Counter[str]
    ordinary: int
    replaced: Counter[str]

    @property
    def recall(self) -> float:
        return 1 - self.left.total() / self.planted

    @property
    def false_share(self) -> float:
        return self.replaced.total() / self.ordinary


def readable(name: str, content: bytes) -> str:
    """The text that a reader of the file sees."""
    if name.endswith(".xlsx"):
        sheets = from_xlsx(content).sheets
        return "\n".join(typed for sheet in sheets for typed in sheet.cells.values())
    if name.endswith(".eml"):
        message = message_from_bytes(content, policy=policy.default)
        shown = [f"{message[header]}" for header in ("From", "To", "Subject") if message[header]]
        return "\n".join([*shown, message.get_content()])
    return content.decode().replace("\r\n ", "").replace("\n ", "").replace("\\,", ",")


def counted(text: str, *, capitals: bool = False) -> Counter[str]:
    words = WORD.findall(text)
    return Counter(
        key_of(word.removesuffix("'s")) for word in words if not capitals or word[0].isupper()
    )


def measured(
    before: Mapping[str, bytes], after: Mapping[str, bytes], planted: Set[str], ordinary: str
) -> Measured:
    """Compare the files of an office, by name, before and after.

    *planted* are the keys of planted words, *ordinary* a text that some files contain once.
    """
    plain, capitals = counted(ordinary), counted(ordinary, capitals=True)
    total, usual = 0, 0
    left, replaced = Counter[str](), Counter[str]()
    for name, content in before.items():
        old, new = readable(name, content), readable(name, after[name])
        free = plain if ordinary in old else Counter[str]()
        was, now = counted(old), counted(new)
        for word in planted:
            total += was[word] - free[word]
            left[word] += max(0, min(now[word] - free[word], was[word] - free[word]))
        if free:
            for word, count in capitals.items():
                usual += count
                replaced[word] += max(0, min(count, free[word] - now[word]))
    return Measured(total, +left, usual, +replaced)


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
