"""Names in scripts without spaces: Chinese, Japanese, Korean."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from trainee_bench.harness.pseudonyms.folding import UNSPACED
from trainee_bench.harness.pseudonyms.lexicon import name_lists

HONORIFICS = (
    "先生", "女士", "小姐", "经理", "老师", "主任", "总监", "总", "さん",
    "様", "さま", "氏", "くん", "씨",
    "님", "부장", "과장", "대리",
)  # fmt: skip
"""Titles that follow a name; with one, a family name alone is a mention."""
_LONGEST = 4


@cache
def _families() -> frozenset[str]:
    return frozenset(
        name
        for names in name_lists()
        if names.locale in {"zh_CN", "zh_TW", "ja_JP", "ko_KR"}
        for name in (*names.last_female, *names.last_male)
    )


def split_unspaced(name: str) -> tuple[str, str] | None:
    """Split *name* into family and given name; None for other scripts, given "" if not there."""
    if not UNSPACED.fullmatch(name) or "\u0e00" <= name[0] <= "\u0e7f":
        return None
    if len(name) == 1 or (name in _families() and len(name) < 3):
        return name, ""
    for size in (2, 1):
        if name[:size] in _families() and len(name) > size:
            return name[:size], name[size:]
    return name[:1], name[1:]


def honoured_names(line: str) -> Iterator[str]:
    """Yield the names in *line* that an honorific follows: 李雷 of 请问李雷先生."""
    if line.isascii():
        return
    for run in UNSPACED.findall(line):
        for honorific in HONORIFICS:
            at = run.find(honorific)
            while at > 0:
                before = run[max(0, at - _LONGEST) : at]
                yield from _name_at_end(before)
                at = run.find(honorific, at + len(honorific))


def _name_at_end(before: str) -> Iterator[str]:
    for size in (3, 4, 2, 1):
        if size <= len(before):
            name = before[-size:]
            family = 2 if name[:2] in _families() else 1 if name[:1] in _families() else 0
            if family and size <= family + 2:
                yield name
                return
