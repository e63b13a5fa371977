"""Converts HTML to plain text in which links, lists and tables stay readable."""

from __future__ import annotations

from typing import Any

from trainee_bench.harness.office_import.refusals import extra_module

_SKIPPED = frozenset({"script", "style", "head", "title", "template", "noscript"})
_BLOCKS = frozenset(
    "address article aside blockquote body center dd details div dl dt fieldset figure footer form "
    "h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tr ul".split()
)
_MAX_DEPTH = 200


def html_to_text(html: str) -> tuple[str, tuple[str, ...]]:
    """Return the text of *html*, and notes on losses. A page without elements gives "".

    Raises CannotImport if the extra is not installed.
    """
    etree = extra_module("lxml.etree")
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True
    )
    data = html.replace("\0", "").encode("utf-8", "replace")
    if not data.strip():
        return "", ()
    root = etree.fromstring(data, parser)
    if root is None:
        return "", ()
    notes: tuple[str, ...] = ()
    if any("depth" in str(error.message).lower() for error in parser.error_log):
        notes = ("Its HTML nests too deeply; the innermost text was left out.",)
    return _tidy(_text(root, 0, keeps_lines=False)), notes


def _text(element: Any, depth: int, *, keeps_lines: bool) -> str:
    """Return the text within *element*, with "\\n" between blocks."""
    tag = element.tag.lower() if isinstance(element.tag, str) else ""
    if tag in _SKIPPED or not tag or depth > _MAX_DEPTH or _is_hidden(element):
        return ""
    if tag == "br":
        return "\n"
    if tag == "hr":
        return "\n----\n"
    if tag == "img":
        alternative = " ".join((element.get("alt") or "").split())
        return f"[{alternative}]" if alternative else ""
    if tag == "tr":
        return f"\n{_row(element, depth, keeps_lines)}\n"
    keeps_lines = keeps_lines or tag == "pre"
    inner = _inner(element, depth, keeps_lines)
    if tag == "a":
        return _link(element, inner)
    if tag == "li":
        item = _tidy(inner).replace("\n", "\n  ")
        return f"\n- {item}\n" if item else ""
    if tag == "blockquote":
        quoted = "\n".join(f"> {line}".rstrip() for line in _tidy(inner).split("\n"))
        return f"\n\n{quoted}\n\n"
    if tag in ("p", "h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol"):
        return f"\n\n{inner}\n\n"
    return f"\n{inner}\n" if tag in _BLOCKS else inner


def _inner(element: Any, depth: int, keeps_lines: bool) -> str:
    parts = [_words(element.text, keeps_lines)]
    for child in element:
        parts.append(_text(child, depth + 1, keeps_lines=keeps_lines))
        parts.append(_words(child.tail, keeps_lines))
    return "".join(parts)


def _words(text: str | None, keeps_lines: bool) -> str:
    if not text:
        return ""
    if keeps_lines:
        return text.replace("\r\n", "\n")
    words = " ".join(text.split())
    before = " " if text[0].isspace() else ""
    return f"{before}{words}{' ' if words and text[-1].isspace() else ''}"


def _row(row: Any, depth: int, keeps_lines: bool) -> str:
    """Return a row of a table: cells of one line beside each other, longer ones below."""
    cells = [
        _tidy(_inner(cell, depth + 1, keeps_lines))
        for cell in row
        if isinstance(cell.tag, str) and cell.tag.lower() in ("td", "th")
    ]
    while cells and not cells[-1]:
        cells.pop()
    if not any(cells):
        return ""
    if any("\n" in cell for cell in cells):
        return "\n".join(cell for cell in cells if cell)
    return " | ".join(cells) if sum(bool(cell) for cell in cells) > 1 else "".join(cells)


def _link(link: Any, text: str) -> str:
    target = (link.get("href") or "").strip()
    shown = " ".join(text.split())
    address = target.removeprefix("mailto:")
    if not target.lower().startswith(("http://", "https://", "mailto:", "tel:", "ftp://")):
        return text
    if shown.rstrip("/") in (target.rstrip("/"), address) or target.endswith(f"//{shown}"):
        return text
    return f"{text} <{address}>" if shown else f"<{address}>"


def _is_hidden(element: Any) -> bool:
    style = (element.get("style") or "").replace(" ", "").lower()
    return "display:none" in style


def _tidy(text: str) -> str:
    """Return *text* without spaces at line ends, and with one empty line at most in a row."""
    lines = [line.rstrip() for line in text.replace("\u00a0", " ").split("\n")]
    kept: list[str] = []
    for line in lines:
        line = line if line.startswith("  ") else line.strip()
        if line.strip() or (kept and kept[-1]):
            kept.append(line if line.strip() else "")
    return "\n".join(kept).strip("\n")
