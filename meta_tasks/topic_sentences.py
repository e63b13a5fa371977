"""What a page on the drive is about: its headings, and what its paragraphs begin with."""

from __future__ import annotations

import re

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])")
_MARKS = re.compile(r"^[-#*\d.\s]+|[*`]")
_PLACEHOLDER = re.compile(r"(?<!\{)\{+\w+\}+")
_BLOCK_END = re.compile(r"\n(?:[^\S\n]*\n)+|\n(?=[^\S\n]*(?:-|\d+\.)\s)")


def topic_sentences(page: str) -> tuple[str, ...]:
    """The headings of a page in Markdown and the first sentence of each paragraph and list item,
    in their order. Tables, indented formulas and the placeholders of templates are left out."""
    found = []
    for block in _BLOCK_END.split(page):
        if not block.strip() or block.startswith(("|", "    ")):
            continue
        first = _SENTENCE.split(" ".join(block.split()))[0]
        said = _PLACEHOLDER.sub("", _MARKS.sub("", first)).strip()
        if said:
            found.append(said)
    return tuple(found)
