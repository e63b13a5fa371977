"""A document: a tree of blocks of plain text. One builder writes it, three renderers show it.

    Document ──► console.print_document, markdown.render_markdown, html.render_html

Blocks hold no markup; each renderer escapes their text once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Literal, TypeVar

from trainee_bench.harness.documents.formatting import NO_VALUE

T = TypeVar("T")
Row = Sequence[str]


class Medium(StrEnum):
    """The medium that shows a document."""

    CONSOLE = "console"
    MARKDOWN = "markdown"
    HTML = "html"


EVERYWHERE = frozenset(Medium)
FILES = frozenset({Medium.MARKDOWN, Medium.HTML})
NOWHERE = frozenset[Medium]()


@dataclass(frozen=True)
class Paragraph:
    """A text. A ``note`` is set smaller, a ``warning`` is highlighted."""

    kind: ClassVar[str] = "paragraph"
    text: str
    tone: Literal["plain", "note", "warning"] = "plain"


@dataclass(frozen=True)
class Facts:
    """Names with their values; ``layout`` sets them side by side or as a list."""

    kind: ClassVar[str] = "facts"
    items: tuple[tuple[str, str], ...]
    layout: Literal["cards", "list"] = "cards"


@dataclass(frozen=True)
class Column:
    """A column: its title, the meaning of its figures, and the media that show it."""

    title: str
    meaning: str = ""
    media: frozenset[Medium] = EVERYWHERE


@dataclass(frozen=True)
class Grid:
    """A table: columns, and rows of as many cells. The ``left_columns`` first columns are
    left-aligned."""

    kind: ClassVar[str] = "grid"
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    title: str = ""
    left_columns: int = 1

    @classmethod
    def from_rows(
        cls,
        columns: Sequence[Column | str],
        rows: Sequence[Row],
        *,
        title: str = "",
        left_columns: int = 1,
    ) -> Grid:
        """Return a table of *rows*; a column may be given by its title alone."""
        made = tuple(Column(column) if isinstance(column, str) else column for column in columns)
        return cls(made, tuple(rows), title, left_columns)

    @classmethod
    def from_columns(
        cls, columns: Sequence[tuple[Column, Sequence[str]]], always: Collection[str]
    ) -> Grid:
        """Return a table of the columns that have any value, or whose titles are in *always*."""
        kept = [
            (column, values)
            for column, values in columns
            if column.title in always or any(value != NO_VALUE for value in values)
        ]
        rows = zip(*(values for _, values in kept), strict=True)
        return cls(tuple(column for column, _ in kept), tuple(rows))

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles of all columns."""
        return tuple(column.title for column in self.columns)

    @property
    def terms(self) -> Facts:
        """The meanings of the columns that have one."""
        return Facts(
            tuple((column.title, column.meaning) for column in self.columns if column.meaning),
            layout="list",
        )

    def shown_in(self, medium: Medium) -> Grid:
        """Return the table with the columns that *medium* shows."""
        places = [place for place, column in enumerate(self.columns) if medium in column.media]
        return Grid(
            tuple(self.columns[place] for place in places),
            tuple(tuple(row[place] for place in places) for row in self.rows),
            self.title,
            self.left_columns,
        )


@dataclass(frozen=True)
class Chart:
    """A chart. ``svg`` is a whole ``<svg>`` with its text escaped, ``name`` the name of its file
    without the extension."""

    name: str
    title: str
    svg: str


@dataclass(frozen=True)
class Charts:
    """Charts that are shown side by side where there is room."""

    kind: ClassVar[str] = "charts"
    items: tuple[Chart, ...]


@dataclass(frozen=True)
class Bullet:
    """An item of a list; ``id`` comes first and is set as code. Items may be nested."""

    text: str
    id: str = ""
    items: tuple[Bullet, ...] = ()


@dataclass(frozen=True)
class Bullets:
    """A list."""

    kind: ClassVar[str] = "bullets"
    items: tuple[Bullet, ...]


@dataclass(frozen=True)
class Section:
    """Blocks under a heading, or without one ("").

    ``key`` is its anchor in HTML, and the key by which the renderer gets content that no block can
    hold. ``media`` show it; in ``folds_in`` it opens on demand. An ``aside`` is set apart from the
    other sections.
    """

    kind: ClassVar[str] = "section"
    heading: str
    blocks: tuple[Block, ...]
    key: str = ""
    media: frozenset[Medium] = EVERYWHERE
    folds_in: frozenset[Medium] = NOWHERE
    aside: bool = False


Block = Paragraph | Facts | Grid | Charts | Bullets | Section


def meanings_of(*grids: Grid) -> Section:
    """Return a section with the meanings of all columns of *grids*, in HTML opened on demand."""
    meanings = Facts(tuple(item for grid in grids for item in grid.terms.items), layout="list")
    return Section("What the columns mean", (meanings,), folds_in=frozenset({Medium.HTML}))


@dataclass(frozen=True)
class Document:
    """A whole document. ``genre`` is its kind, shown above the title; ``lead`` is a summary below
    it."""

    title: str
    blocks: tuple[Block, ...]
    genre: str = ""
    lead: str = ""
    footer: str = ""

    def every(self, kind: type[T]) -> Iterator[T]:
        """Yield all blocks of one kind in order, including those within sections."""
        return _every(self.blocks, kind)

    @property
    def charts(self) -> list[Chart]:
        """All charts."""
        return [chart for charts in self.every(Charts) for chart in charts.items]

    @property
    def main_grid(self) -> Grid:
        """The first table, which holds the main result."""
        return next(self.every(Grid))


def _every(blocks: Sequence[Block], kind: type[T]) -> Iterator[T]:
    for block in blocks:
        if isinstance(block, kind):
            yield block
        if isinstance(block, Section):
            yield from _every(block.blocks, kind)
