"""Removes what a picture says besides its pixels: author, place, camera, comments, previews."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_KEPT = frozenset(
    (b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"sBIT", b"bKGD",
     b"pHYs", b"acTL", b"fcTL", b"fdAT")
)  # fmt: skip
"""Chunks that only describe pixels. A colour profile (iCCP) may name its owner's screen."""
_JPEG = b"\xff\xd8"
_STARTS_SCAN, _ENDS_PICTURE = 0xDA, 0xD9
_JFIF, _EXIF, _ADOBE = 0xE0, 0xE1, 0xEE
_JPEG_APPS = range(0xE0, 0xF0)
_JPEG_COMMENT = 0xFE
_ALONE = frozenset((0x01, *range(0xD0, 0xD8)))
_ORIENTATION = 0x0112
_JFIF_BYTES = 14


class UnreadPicture(Exception):
    """The picture's parts cannot be told apart."""


def without_metadata(data: bytes) -> bytes:
    """Return the PNG or JPEG *data* with the same pixels and orientation, and nothing else.

    A picture without metadata keeps its bytes. Raises UnreadPicture for damage or another format.
    """
    try:
        if data.startswith(_PNG):
            return _PNG + b"".join(_png_chunks(data))
        if data.startswith(_JPEG):
            return _JPEG + b"".join(_jpeg_segments(data))
    except (struct.error, IndexError, ValueError) as error:
        raise UnreadPicture(str(error)) from error
    raise UnreadPicture("neither PNG nor JPEG")


def _png_chunks(data: bytes) -> Iterator[bytes]:
    at = len(_PNG)
    while True:
        size, kind = struct.unpack_from(">I4s", data, at)
        chunk = data[at : at + 12 + size]
        if len(chunk) != 12 + size or zlib.crc32(chunk[4:-4]) != int.from_bytes(chunk[-4:], "big"):
            raise UnreadPicture("a damaged chunk")
        if kind in _PNG_KEPT:
            yield chunk
        if kind == b"IEND":  # anything behind it belongs to no picture
            return
        at += len(chunk)


def _jpeg_segments(data: bytes) -> Iterator[bytes]:
    at = len(_JPEG)
    while True:
        if data[at] != 0xFF:
            raise UnreadPicture("a damaged segment")
        while data[at + 1] == 0xFF:  # filling bytes
            at += 1
        marker = data[at + 1]
        if marker == _ENDS_PICTURE:
            yield data[at : at + 2]
            return
        if marker in _ALONE:
            yield data[at : at + 2]
            at += 2
            continue
        (size,) = struct.unpack_from(">H", data, at + 2)
        segment = data[at : at + 2 + size]
        if size < 2 or len(segment) != 2 + size:
            raise UnreadPicture("a damaged segment")
        at += len(segment)
        yield _kept_segment(marker, segment)
        if marker == _STARTS_SCAN:
            end = _end_of_scan(data, at)
            yield data[at:end]
            at = end


def _kept_segment(marker: int, segment: bytes) -> bytes:
    """Return the part of *segment* that pixels need, b"" for metadata."""
    if marker == _JFIF and segment[4:9] == b"JFIF\0" and len(segment) >= _JFIF_BYTES + 4:
        inner = segment[4 : 2 + _JFIF_BYTES] + b"\0\0"  # without its preview
        return segment[:2] + struct.pack(">H", len(inner) + 2) + inner
    if marker == _EXIF and segment[4:10] == b"Exif\0\0":
        return _orientation_segment(segment[10:])
    if marker == _ADOBE and segment[4:9] == b"Adobe":
        return segment
    return b"" if marker in _JPEG_APPS or marker == _JPEG_COMMENT else segment


def _end_of_scan(data: bytes, at: int) -> int:
    """Return the place of the marker behind the pixels that begin at *at*."""
    while True:
        at = data.index(b"\xff", at)
        following = data[at + 1]
        if following == 0xFF:
            at += 1
        elif following == 0 or 0xD0 <= following <= 0xD7:
            at += 2
        else:
            return at


def _orientation_segment(exif: bytes) -> bytes:
    """Return an Exif segment with the orientation alone, b"" if the picture stands upright."""
    order = {b"II": "<", b"MM": ">"}.get(exif[:2], "")
    if not order:
        return b""
    try:
        (start,) = struct.unpack_from(f"{order}I", exif, 4)
        (count,) = struct.unpack_from(f"{order}H", exif, start)
        for entry in range(start + 2, start + 2 + 12 * min(count, 1_000), 12):
            tag, _, _, value = struct.unpack_from(f"{order}HHIH", exif, entry)
            if tag == _ORIENTATION and 2 <= value <= 8:
                inner = b"Exif\0\0II*\0" + struct.pack("<IHHHIHHI", 8, 1, tag, 3, 1, value, 0, 0)
                return b"\xff\xe1" + struct.pack(">H", len(inner) + 2) + inner
    except struct.error:
        return b""
    return b""
