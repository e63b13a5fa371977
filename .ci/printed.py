"""Samples in the documentation of what a command prints, and whether it still does.

A sample is the block after a comment `<!-- ci: printed by COMMAND -->`, or after
`<!-- ci: printed -->` if the block above it has the command. The command must print all lines of
the sample, one directly after the other; a line `…` matches any number of lines. Only empty lines,
blanks at the ends of lines, and the order in which episodes end may differ.
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
    """The README and all documents, in a fixed order."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def is_sample(name: str | None) -> bool:
    """Whether a block of this *name* is a sample."""
    return name is not None and (name == PRINTED or name.startswith(_BY))


def command_of(name: str) -> str | None:
    """The command of the sample of this *name*; None for that of the block above it."""
    return name.removeprefix(_BY) if name.startswith(_BY) else None


def samples_of(document: Path, command: str) -> list[str]:
    """The samples in *document* of what *command* prints."""
    text = document.read_text(encoding="utf-8")
    return [block["body"] for block in BLOCK.finditer(text) if block["name"] == _BY + command]


def find_difference(sample: str, output: str) -> str | None:
    """Why *sample* is not what was printed as *output*; None if it is."""
    lines, place = _normalized(output), 0
    for part in _parts(_normalized(sample)):
        found = _place_of(part, lines, place)
        if found is None:
            wrong = next((line for line in part if line not in lines), part[0])
            return f"it is not printed, or not there: {wrong}"
        place = found + len(part)
    return None


def _normalized(text: str) -> list[str]:
    """The lines of *text* that say something, those of episodes without their numbers, in order of
    the alphabet where they follow each other."""
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
