"""Documents as HTML, each a single page that works offline. Jinja escapes every text once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from trainee_bench.harness.documents.document import Block, Document, Medium, Section
from trainee_bench.harness.support.text import printable

_PACKAGE = "trainee_bench.harness.documents"


def render_html(
    document: Document, inserts: Mapping[str, Markup] | None = None, style: str = ""
) -> str:
    """Return the page, ending in a newline.

    *inserts* is HTML to add at the end of sections, by their key; *style* is CSS for it.
    """
    template = template_environment().get_template("document.html")
    sections = [block for block in document.blocks if isinstance(block, Section) and block.key]
    return template.render(
        document=document, contents=sections, inserts=inserts or {}, style=page_style() + style
    )


@cache
def template_environment(*packages: str) -> Environment:
    """Return the templates of the *packages*, which take precedence, and of this package."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(name, "templates") for name in (*packages, _PACKAGE)]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.tests["shown"] = _is_shown
    environment.filters["svg"] = Markup
    return environment


def read_style(environment: Environment, name: str) -> Markup:
    """Return a style sheet from the templates folder of *environment*."""
    assert environment.loader is not None
    return Markup(environment.loader.get_source(environment, name)[0])  # noqa: S704 - our own file


@cache
def page_style() -> Markup:
    """Return the style of all pages."""
    return read_style(template_environment(), "style.css")


def _is_shown(block: Block) -> bool:
    return not isinstance(block, Section) or Medium.HTML in block.media


def _finalize(value: object) -> object:
    """Remove characters from plain text that hide or reorder their neighbours."""
    return printable(value) if type(value) is str else value
