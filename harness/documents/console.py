"""Documents in a terminal. Text is printed literally: markup in it has no effect."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import SIMPLE
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

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

_WHOLE_NAME = 24
"""A name of up to this many letters in the first column is not folded; other cells fold at
blanks."""


def print_document(document: Document, console: Console) -> None:
    """Print the parts of *document* that are meant for the console.

    That is one screen of figures, without charts, the title, and the headings of main sections.
    """
    for block in document.blocks:
        if not isinstance(block, Section):
            _print_block(block, console)
        elif Medium.CONSOLE in block.media:
            _print_blocks(block.blocks, console)


def console_table(grid: Grid) -> Table:
    """Return *grid* as a table for a terminal, with the columns that are shown there."""
    shown = grid.shown_in(Medium.CONSOLE)
    table = Table(box=SIMPLE, pad_edge=False, padding=(0, 1), title_justify="left")
    table.title = Text(printable(grid.title), style="bold") if grid.title else None
    for place, column in enumerate(shown.columns):
        names = place < grid.left_columns
        longest = max((cell_len(row[place]) for row in shown.rows), default=0)
        table.add_column(
            Text(printable(column.title)),
            justify="left" if names else "right",
            overflow="fold",
            min_width=min(longest, _WHOLE_NAME) if place == 0 and names else None,
        )
    for row in shown.rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    return table


def _print_blocks(blocks: Sequence[Block], console: Console) -> None:
    for block in blocks:
        _print_block(block, console)


def _print_block(block: Block, console: Console) -> None:
    match block:
        case Grid():
            console.print(console_table(block))
        case Paragraph():
            _print_line(block.text, console)
        case Facts():
            for name, value in block.items:
                _print_line(f"{name}: {value}", console)
        case Bullets():
            for item in block.items:
                _print_bullet(item, console, "  ")
        case Section() if Medium.CONSOLE in block.media:
            if block.heading:
                _print_line(block.heading, console)
            _print_blocks(block.blocks, console)
        case Section() | Charts():
            pass


def _print_bullet(item: Bullet, console: Console, indent: str) -> None:
    _print_line(indent + (f"{item.id}: {item.text}" if item.id else item.text), console)
    for inner in item.items:
        _print_bullet(inner, console, indent + "  ")


def _print_line(text: str, console: Console) -> None:
    console.print(printable(text), markup=False, highlight=False, soft_wrap=True)
