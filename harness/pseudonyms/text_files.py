"""Plain text files: text, Markdown, YAML, JSON, HTML, program text."""

from __future__ import annotations

import base64
import binascii
import html
import re

from trainee_bench.harness.pseudonyms.picture_metadata import UnreadPicture, without_metadata
from trainee_bench.harness.pseudonyms.visitor import Place, Visitor

_JSON_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)")
_DATA_PICTURE = re.compile(r"(data:image/(?:png|jpeg|jpg);base64,)([A-Za-z0-9+/]{20,}={0,2})")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,31});")


def rewrite(text: str, suffix: str, visitor: Visitor, place: Place) -> str:
    """Return the text of a file with this *suffix* as *visitor* changes it.

    Letters that JSON or HTML writes as escapes are written as themselves, so that names are seen.
    Pictures within the text lose their metadata.
    """
    if suffix in {".json", ".jsonl"}:
        text = _JSON_ESCAPE.sub(_letter_of_json, text)
    if "data:image" in text:
        text = _DATA_PICTURE.sub(_without_metadata, text)
    if suffix in {".html", ".htm", ".xml", ".svg"}:
        text = _ENTITY.sub(_letter_of_html, text)
    return visitor.text(text, place)


def _without_metadata(found: re.Match[str]) -> str:
    try:
        picture = without_metadata(base64.b64decode(found[2]))
    except (binascii.Error, UnreadPicture):
        return found.group()
    return found[1] + base64.b64encode(picture).decode()


def _letter_of_json(found: re.Match[str]) -> str:
    letter = chr(int(found[1], 16)) if found[1] else ""
    return letter if letter.isalpha() else found.group()


def _letter_of_html(found: re.Match[str]) -> str:
    letter = html.unescape(found.group())
    return letter if letter.isalpha() else found.group()
