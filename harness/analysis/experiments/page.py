"""An experiment's page: sections of text, tables and figures, as Markdown and as HTML."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from trainee_bench.harness.analysis.report.html import page_style, template_environment
from trainee_bench.harness.analysis.report.table import Grid, markdown_table


@dataclass(frozen=True)
class PageFigure:
    """A chart as an ``<svg>``; ``name`` is its file's, without ending."""

    name: str
    title: str
    svg: str

    @property
    def markup(self) -> Markup:
        """The chart for a page, in which every name has been escaped."""
        return Markup(self.svg)  # noqa: S704 - escaped where it was drawn


PagePiece = str | Grid | PageFigure


@dataclass(frozen=True)
class PageSection:
    """Pieces under a heading. ``aside`` sets them apart from all that is of this run."""

    heading: str
    pieces: tuple[PagePiece, ...]
    aside: bool = False

    @property
    def figures(self) -> list[PageFigure]:
        """Its charts."""
        return [piece for piece in self.pieces if isinstance(piece, PageFigure)]


@dataclass(frozen=True)
class ExperimentPage:
    """What an experiment found; the first table of the first section is its main result."""

    title: str
    sections: tuple[PageSection, ...]

    @property
    def figures(self) -> list[PageFigure]:
        """All charts."""
        return [figure for section in self.sections for figure in section.figures]

    @property
    def result(self) -> Grid:
        """The table that answers the experiment's question."""
        return next(p for section in self.sections for p in section.pieces if isinstance(p, Grid))


def render_markdown_page(page: ExperimentPage) -> str:
    """The page as Markdown, its figures as files beside it, ending in a newline."""
    parts = [f"# {page.title}"]
    for section in page.sections:
        said = [f"## {section.heading}", *map(_markdown, section.pieces)]
        text = "\n\n".join(said)
        parts.append(text.replace("\n", "\n> ").join(("> ", "")) if section.aside else text)
    return "\n\n".join(parts) + "\n"


def _markdown(piece: PagePiece) -> str:
    if isinstance(piece, Grid):
        return markdown_table(list(piece.headings), [list(row) for row in piece.rows])
    if isinstance(piece, PageFigure):
        return f"![{piece.title}]({piece.name}.svg)"
    return piece


def render_html_page(page: ExperimentPage) -> str:
    """The page as one file that needs no other, ending in a newline."""
    return (
        template_environment().get_template("experiment.html").render(page=page, style=page_style())
        + "\n"
    )
