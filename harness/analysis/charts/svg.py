"""Elements of SVG as text: escaped, short, and the same for the same input."""

from __future__ import annotations

from html import escape

from trainee_bench.harness.support.text import printable

NARROW = frozenset("iljtfrI.,:;'|!()[]·- ")
WIDE = frozenset("mwMWGOQ@%")


def escape_xml(text: str) -> str:
    """Return *text* for an element or an attribute: escaped, and without characters illegal in
    XML."""
    return escape(printable(text))


def element(name: str, *children: str, **attributes: str | float | None) -> str:
    """Return an element; children are markup, attributes plain values, None for an absent one.

    ``class_`` becomes class, other underscores become hyphens.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{''.join(children)}</{name}>" if children else f"<{name}{written}/>"


def text_label(
    x: float, y: float, text: str, class_: str | None = None, **more: str | float
) -> str:
    """Return a text at its baseline."""
    return element("text", escape_xml(text), x=x, y=y, class_=class_, **more)


def tooltip(text: str) -> str:
    """Return the text that a browser shows when the pointer is on the enclosing element."""
    return f"<title>{escape_xml(text)}</title>"


def text_width(text: str, size: float) -> float:
    """Return the largest width of *text* in the usual proportional fonts of *size* pixels."""
    ems = sum(0.38 if c in NARROW else 0.92 if c in WIDE else 0.63 for c in text)
    return ems * size


def shortened(text: str, room: float, size: float) -> str:
    """Return *text*, or as much of it as fits in *room* pixels with an ellipsis."""
    if text_width(text, size) <= room:
        return text
    while text and text_width(text + "…", size) > room:
        text = text[:-1]
    return text.rstrip() + "…"


def wrapped(text: str, room: float, size: float) -> list[str]:
    """Return *text* on one or two lines of *room* pixels; the rest is cut off."""
    words, first = text.split(), ""
    while words and text_width(f"{first} {words[0]}", size) <= room:
        first = f"{first} {words.pop(0)}".strip()
    if not first:
        return [shortened(text, room, size)]
    return [first, shortened(" ".join(words), room, size)] if words else [first]


def pixels(value: float) -> str:
    """Return a coordinate to a tenth of a pixel, as short as possible."""
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text


def _value(value: str | float) -> str:
    return escape_xml(value) if isinstance(value, str) else pixels(value)
