"""How a tool's result reaches a client: as text alone, or also as structured content."""

from __future__ import annotations

from enum import StrEnum


class ResultView(StrEnum):
    """What a result consists of. What was worked in one view is not comparable to the other.

    Many clients show a model only the structured content if there is any: it costs 1.4 to 1.75
    times the tokens of the text.
    """

    TEXT = "text"
    """The text that is written for models, and a picture if there is one."""
    STRUCTURED = "structured"
    """The same, and the same facts as structured content, which programs read. With a picture
    they are in the result's ``_meta``, because such clients would not show the picture."""
