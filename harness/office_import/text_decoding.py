"""Decodes texts of unknown encoding to Unicode."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from trainee_bench.harness.office_import.converted import ConvertedFile
from trainee_bench.harness.office_import.limits import check_text
from trainee_bench.harness.office_import.refusals import ItemRefused, extra_module

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8 with a byte order mark"),
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)
_INVISIBLE = dict.fromkeys((0x00AD, 0x200B, 0x2060, 0xFEFF))
_SAMPLE_BYTES = 200_000
_CONTROLS = frozenset(range(32)) - {9, 10, 12, 13, 27}
_GIVE_ENCODING = "Save it as UTF-8, or import it with its encoding, such as --encoding cp1252."


@dataclass(frozen=True)
class DecodedText:
    """A text, the encoding it had, and notes for the report; no notes for plain UTF-8."""

    text: str
    notes: tuple[str, ...] = ()


def without_invisible(text: str) -> str:
    """Return *text* without soft hyphens and spaces of no width, which divide words unseen."""
    return text if text.isascii() else text.translate(_INVISIBLE)


def decode_text(data: bytes, encoding: str = "") -> DecodedText:
    """Decode *data*; Unicode is recognised, and any other text has *encoding* ("": detect it).

    Raises ItemRefused if it is no text, or its encoding cannot be told. Raises CannotImport if
    the extra is not installed.
    """
    for mark, codec, named in _MARKS:
        if data.startswith(mark):
            return DecodedText(_strictly(data, codec, named), (f"It was {named}.",))
    if encoding:
        name = codecs.lookup(encoding).name
        notes = () if name in ("utf-8", "ascii") else (f"It was {name}, as you said.",)
        return DecodedText(_strictly(data, encoding, name), notes)
    if codec := _utf16_without_mark(data):
        return DecodedText(_strictly(data, codec, "UTF-16"), ("It was UTF-16.",))
    try:
        return DecodedText(_checked(data.decode()))
    except UnicodeDecodeError:
        return _detected(data)


def text_file(name: str, data: bytes, encoding: str = "") -> ConvertedFile:
    """Return the text file *data* in UTF-8. Raises as `decode_text` does."""
    decoded = decode_text(data, encoding)
    check_text(decoded.text)
    written = decoded.text.encode()
    notes = decoded.notes
    if notes and name.lower().endswith((".html", ".htm", ".xml")):
        notes += ("An encoding that its own text names no longer holds.",)
    return ConvertedFile(name, written, written != data, notes)


def looks_like_text(data: bytes) -> bool:
    """Whether *data* has none of the control characters that only binary files have."""
    if data.startswith(tuple(mark for mark, _, _ in _MARKS)) or _utf16_without_mark(data):
        return True
    return not _CONTROLS.intersection(data[:_SAMPLE_BYTES])


def _utf16_without_mark(data: bytes) -> str:
    """Return the codec of UTF-16 text without a mark, "" for anything else."""
    sample = data[:2_000]
    half = len(sample) // 2
    if half < 2 or len(data) % 2:
        return ""
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd > half * 0.6 and even == 0:
        return "utf-16-le"
    return "utf-16-be" if even > half * 0.6 and odd == 0 else ""


def _strictly(data: bytes, codec: str, named: str) -> str:
    try:
        return _checked(data.decode(codec))
    except UnicodeDecodeError as error:
        raise ItemRefused(
            f"It is not {named}: byte {error.start + 1:,} does not fit. {_GIVE_ENCODING}"
        ) from None
    except UnicodeError:  # a codec without positions
        raise ItemRefused(f"It is not {named}. {_GIVE_ENCODING}") from None


def _checked(text: str) -> str:
    if "\0" in text:
        raise ItemRefused("It contains zero bytes, so it is no text. Save it again as text.")
    return text


def _detected(data: bytes) -> DecodedText:
    """Detect an encoding of single bytes; Windows-1252 is tried first."""
    detector = extra_module("charset_normalizer")
    if not looks_like_text(data):
        raise ItemRefused(f"Its encoding cannot be told. {_GIVE_ENCODING}")
    codec = "cp1252" if _is_western(data) else ""
    if not codec:
        best = detector.from_bytes(data[:_SAMPLE_BYTES]).best()
        if best is None:
            raise ItemRefused(f"Its encoding cannot be told. {_GIVE_ENCODING}")
        codec = best.encoding
    text = _strictly(data, codec, codec)
    shown = next((word for word in text.split() if not word.isascii()), "")[:40]
    note = f"Its encoding was detected as {codec} ({shown!r}). If that is wrong, use --encoding."
    return DecodedText(text, (note,))


def _is_western(data: bytes) -> bool:
    """Whether *data* reads as Windows-1252 with few letters that are not ASCII, as in the west.

    The detector needs more text than a short mail or table has.
    """
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        return False
    others = [character for character in text if not character.isascii()]
    letters = sum(character.isalpha() for character in text)
    usual = sum(character in _WESTERN for character in others)
    strange = sum(character.isalpha() for character in others)
    return usual >= 0.9 * len(others) and strange <= 0.4 * letters


_WESTERN = frozenset(
    "ÄÖÜäöüßàâçéèêëîïôùûœÀÂÇÉÈÊËÎÏÔÙÛŒáíóúñÁÍÓÚÑ¿¡åæøÅÆØãõÃÕìòÌÒ€£§°«»„“”‘’–—…•©®™´ \u00a0²³µ±½·"
)
