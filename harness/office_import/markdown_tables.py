"""Writes rows as a Markdown table."""

from __future__ import annotations

from collections.abc import Sequence


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Return *rows* as a Markdown table whose head is the first row; "" for no rows."""
    width = max((len(row) for row in rows), default=0)
    if not width:
        return ""
    filled = [[_cell(text) for text in row] + [""] * (width - len(row)) for row in rows]
    lines = [f"| {' | '.join(row)} |" for row in filled]
    return "\n".join([lines[0], f"|{'---|' * width}", *lines[1:]])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
