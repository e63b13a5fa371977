"""An experiment's page: sections of text, tables and figures, as Markdown and as HTML."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from harness.report.html import environment, style
from harness.report.table import Grid, markdown_table


@dataclass(frozen=True)
class Figure:
    """A chart as an ``<svg>``; ``name`` is its file's, without ending."""

    name: str
    title: str
    svg: str

    @property
    def markup(self) -> Markup:
        """The chart for a page, in which every name has been escaped."""
        return Markup(self.svg)  # noqa: S704 - escaped where it was drawn


Piece = str | Grid | Figure


@dataclass(frozen=True)
class Section:
    """Pieces under a heading. ``aside`` sets them apart from all that is of this run."""

    heading: str
    pieces: tuple[Piece, ...]
    aside: bool = False

    @property
    def figures(self) -> list[Figure]:
        """Its charts."""
        return [piece for piece in self.pieces if isinstance(piece, Figure)]


@dataclass(frozen=True)
class Page:
    """What an experiment found; the first table of the first section is its main result."""

    title: str
    sections: tuple[Section, ...]

    @property
    def figures(self) -> list[Figure]:
        """All charts."""
        return [figure for section in self.sections for figure in section.figures]

    @property
    def result(self) -> Grid:
        """The table that answers the experiment's question."""
        return next(p for section in self.sections for p in section.pieces if isinstance(p, Grid))


def as_markdown(page: Page) -> str:
    """The page as Markdown, its figures as files beside it, ending in a newline."""
    parts = [f"# {page.title}"]
    for section in page.sections:
        said = [f"## {section.heading}", *map(_markdown, section.pieces)]
        text = "\n\n".join(said)
        parts.append(text.replace("\n", "\n> ").join(("> ", "")) if section.aside else text)
    return "\n\n".join(parts) + "\n"


def _markdown(piece: Piece) -> str:
    if isinstance(piece, Grid):
        return markdown_table(list(piece.headings), [list(row) for row in piece.rows])
    if isinstance(piece, Figure):
        return f"![{piece.title}]({piece.name}.svg)"
    return piece


def as_html(page: Page) -> str:
    """The page as one file that needs no other, ending in a newline."""
    return environment().get_template("experiment.html").render(page=page, style=style()) + "\n"
