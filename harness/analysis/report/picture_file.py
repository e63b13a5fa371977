"""A drawing of a report as an SVG file of its own, in the colours of a light or a dark page."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache

from trainee_bench.harness.documents.html import page_style, read_style, template_environment

_ROOT = re.compile(r":root \{(?P<colours>[^}]*--paper[^}]*)\}")
_COLOUR = re.compile(r"--([\w-]+):\s*([^;]+);")
_USED = re.compile(r"var\(--([\w-]+)\)")
_HEAD = re.compile(
    r'<svg class="day plan" role="img" viewBox="[^"]*" width="(?P<width>\d+)" '
    r'height="(?P<height>\d+)"(?P<more>[^>]*)>'
)
_MARGIN = 16
_FONT = (
    "svg{font:12px/1.2 Inter,system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;"
    "font-variant-numeric:tabular-nums}"
)


class Scheme(StrEnum):
    """The colours of a picture."""

    LIGHT = "light"
    DARK = "dark"


def picture_file(drawing: str, scheme: Scheme) -> str:
    """The file of an inline ``<svg>`` that is drawn with the classes of a report, on a card in the
    colour of its page; it ends in a newline."""
    found = _HEAD.match(drawing)
    assert found is not None, "a drawing begins with its size"
    wide, high = int(found["width"]) + 2 * _MARGIN, int(found["height"]) + 2 * _MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="day plan" role="img" '
        f'viewBox="{-_MARGIN} {-_MARGIN} {wide} {high}" width="{wide}" height="{high}"'
        f"{found['more']}><style>{_style(scheme)}</style>"
        f'<rect x="{-_MARGIN}" y="{-_MARGIN}" width="{wide}" height="{high}" rx="8" class="card"/>'
        f"{drawing[found.end() :]}\n"
    )


@cache
def _colours(scheme: Scheme) -> dict[str, str]:
    light, dark = (match["colours"] for match in _ROOT.finditer(page_style()))
    return dict(_COLOUR.findall(light if scheme is Scheme.LIGHT else dark))


@cache
def _style(scheme: Scheme) -> str:
    """The rules of all drawings. Colours are written out: not every viewer knows variables."""
    colours = _colours(scheme)
    environment = template_environment("trainee_bench.harness.analysis.report")
    rules = "".join(
        read_style(environment, f"{name}.css")
        for name in ("drawing", "schedule", "worth", "explained")
    )
    written = _USED.sub(lambda used: colours.get(used[1], used[0]), rules)
    card = f".card{{fill:{colours['paper']}}}"
    return _FONT + card + re.sub(r"\s*([{};:,])\s+", r"\1", written).strip()
