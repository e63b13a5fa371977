"""Samples of output in the documentation, and whether their commands still print them.

A sample is the block after a comment `<!-- ci: printed by COMMAND -->`, or after `<!-- ci: printed
-->` if the block above it has the command. The command must print all lines of the sample, one
directly after the other; a line `…` matches any number of lines. Only empty lines, blanks at the
ends of lines, and the order in which episodes end may differ.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(
    r"(?:<!-- ci: (?P<name>[^\n]+?) -->\n)?```(?P<kind>\w*)\n(?P<body>.*?)```", re.DOTALL
)
PRINTED = "printed"
_BY = f"{PRINTED} by "
_ANYTHING = "…"
_EPISODE = re.compile(r"\[\d+(/\d+\] .*)")


def documents() -> list[Path]:
    """Return the README and all documents, in a fixed order."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def is_sample(name: str | None) -> bool:
    """Whether a block of this *name* is a sample."""
    return name is not None and (name == PRINTED or name.startswith(_BY))


def command_of(name: str) -> str | None:
    """Return the command of the sample of this *name*; None for the command of the block
    above it."""
    return name.removeprefix(_BY) if name.startswith(_BY) else None


def samples_of(document: Path, command: str) -> list[str]:
    """Return the samples in *document* of the output of *command*."""
    text = document.read_text(encoding="utf-8")
    return [block["body"] for block in BLOCK.finditer(text) if block["name"] == _BY + command]


def find_difference(sample: str, output: str) -> str | None:
    """Return how *sample* differs from *output*; None if the output has it."""
    lines, place = _normalized(output), 0
    for part in _parts(_normalized(sample)):
        found = _place_of(part, lines, place)
        if found is None:
            wrong = next((line for line in part if line not in lines), part[0])
            return f"the output lacks this, or has it elsewhere: {wrong}"
        place = found + len(part)
    return None


def _normalized(text: str) -> list[str]:
    """Return the lines of *text* that are not empty.

    Lines of episodes lose their numbers, and successive ones are sorted.
    """
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    made: list[str] = []
    ended: list[str] = []
    for line in [*lines, ""]:
        if episode := _EPISODE.fullmatch(line):
            ended.append(f"[n{episode[1]}")
            continue
        made += sorted(ended)
        ended = []
        made.append(line)
    return made[:-1]


def _parts(sample: Sequence[str]) -> list[list[str]]:
    """Return the groups of lines that the lines `…` separate."""
    parts: list[list[str]] = [[]]
    for line in sample:
        if line.strip() == _ANYTHING:
            parts.append([])
        else:
            parts[-1].append(line)
    return [part for part in parts if part]


def _place_of(part: Sequence[str], lines: Sequence[str], start: int) -> int | None:
    places = range(start, len(lines) - len(part) + 1)
    return next((n for n in places if lines[n : n + len(part)] == list(part)), None)
