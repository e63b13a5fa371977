"""A drawing of a report as an SVG file of its own, in the colours of a light or a dark page."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache

from trainee_bench.harness.documents.html import page_style, read_style, template_environment

_ROOT = re.compile(r":root \{(?P<colours>[^}]*--paper[^}]*)\}")
_COLOUR = re.compile(r"--([\w-]+):\s*([^;]+);")
_USED = re.compile(r"var\(--([\w-]+)\)")
_FONT = (
    "svg{font:12px/1.2 Inter,system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;"
    "font-variant-numeric:tabular-nums}"
)


class Scheme(StrEnum):
    """The colours of a picture."""

    LIGHT = "light"
    DARK = "dark"


def picture_file(drawing: str, scheme: Scheme) -> str:
    """The file of an inline ``<svg>`` that is drawn with the classes of a report; it ends in a
    newline."""
    head, _, rest = drawing.partition(">")
    named = head.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    return f"{named}><style>{_style(scheme)}</style>{rest}\n"


@cache
def _style(scheme: Scheme) -> str:
    """The rules of all drawings. Colours are written out: not every viewer knows variables."""
    light, dark = (match["colours"] for match in _ROOT.finditer(page_style()))
    colours = dict(_COLOUR.findall(light if scheme is Scheme.LIGHT else dark))
    environment = template_environment("trainee_bench.harness.analysis.report")
    rules = "".join(
        read_style(environment, f"{name}.css") for name in ("drawing", "schedule", "worth")
    )
    written = _USED.sub(lambda used: colours.get(used[1], used[0]), rules)
    return _FONT + re.sub(r"\s*([{};:,])\s+", r"\1", written).strip()
