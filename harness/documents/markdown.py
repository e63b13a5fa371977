"""Documents as Markdown. Every text is escaped here once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from trainee_bench.harness.documents.document import (
    Block,
    Bullet,
    Bullets,
    Charts,
    Document,
    Facts,
    Grid,
    Medium,
    Paragraph,
    Section,
)
from trainee_bench.harness.support.text import printable

_MARKS = re.compile(r"[\\`*\[\]~]|(?<![^\W_])_|_(?![^\W_])")
_BLOCK_MARK = re.compile(r"^(\d*)([#+-]|(?<=\d)[.)])")


def render_markdown(document: Document) -> str:
    """Return the whole document, ending in a newline; its charts are files beside it."""
    head = [f"# {escape_markdown(document.title)}", _paragraph(document.lead)]
    return "\n\n".join(_present([*head, *_blocks(document.blocks, 2)])) + "\n"


def escape_markdown(text: str) -> str:
    """Return *text* on one line, with all Markdown and HTML in it escaped."""
    line = " ".join(printable(text).split())
    return _MARKS.sub(r"\\\g<0>", escape(line, quote=False))


def _blocks(blocks: Sequence[Block], depth: int) -> list[str]:
    return _present(_block(block, depth) for block in blocks)


def _block(block: Block, depth: int) -> str:
    match block:
        case Paragraph():
            text = _paragraph(block.text)
            return f"**{text}**" if block.tone == "warning" and text else text
        case Facts():
            return "\n".join(
                f"- **{escape_markdown(name)}**: {escape_markdown(value)}"
                for name, value in block.items
            )
        case Grid():
            return _table(block.shown_in(Medium.MARKDOWN))
        case Charts():
            return "\n\n".join(
                f"![{escape_markdown(chart.title)}]({chart.name}.svg)" for chart in block.items
            )
        case Bullets():
            return "\n".join(line for item in block.items for line in _bullet(item, ""))
        case Section():
            return _section(block, depth) if Medium.MARKDOWN in block.media else ""


def _section(section: Section, depth: int) -> str:
    heading = escape_markdown(section.heading)
    folded = Medium.MARKDOWN in section.folds_in
    inner = _blocks(section.blocks, depth + bool(heading))
    if folded:
        inner = [f"<details><summary>{heading}</summary>", *inner, "</details>"]
    elif heading:
        inner = [f"{'#' * depth} {heading}", *inner]
    text = "\n\n".join(inner)
    return "> " + text.replace("\n", "\n> ") if section.aside else text


def _bullet(item: Bullet, indent: str) -> list[str]:
    if item.id:
        code = f"`{printable(item.id).replace('`', ' ')}`"
        text = f"{code}: {escape_markdown(item.text)}" if item.text else code
    else:
        text = _paragraph(item.text)
    inner = (line for child in item.items for line in _bullet(child, indent + "  "))
    return [f"{indent}- {text}", *inner]


def _table(grid: Grid) -> str:
    """Return a table with its first columns left-aligned and the others right-aligned."""
    ruler = ["---" if n < grid.left_columns else "---:" for n in range(len(grid.columns))]
    rows = [[escape_markdown(cell) for cell in row] for row in (grid.titles, *grid.rows)]
    title = [f"**{escape_markdown(grid.title)}**\n"] if grid.title else []
    return "\n".join([*title, *map(_row, (rows[0], ruler, *rows[1:]))])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _paragraph(text: str) -> str:
    """Return a paragraph that starts neither a heading nor a list."""
    return _BLOCK_MARK.sub(r"\1\\\2", escape_markdown(text))


def _present(parts: Iterable[str]) -> list[str]:
    return [part for part in parts if part]
