"""Other people's words in Markdown: shown as they are, never acted on."""

from __future__ import annotations

import re
from html import escape

from trainee_bench.harness.support.text import printable

_MARKS = re.compile(r"[\\`*\[\]~]|(?<![^\W_])_|_(?![^\W_])")


def escape_markdown(text: str) -> str:
    """*text* on one line, so that neither Markdown nor HTML in it has any effect."""
    line = " ".join(printable(text).split())
    return _MARKS.sub(r"\\\g<0>", escape(line, quote=False))
