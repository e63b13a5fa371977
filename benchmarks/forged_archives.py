"""Archives: the genuine way to write one, and ways that only a forger uses."""

from __future__ import annotations

import io
import struct
import tarfile
import warnings
import zipfile
import zlib
from functools import cache

from forged_values import FORGED_LINE
from forgeries import Entries, Forgery

LINK, DEVICE, PIPE = 0o120777 << 16, 0o020666 << 16, 0o010666 << 16
NAMES = (
    "../outside.txt",
    "/tmp/outside.txt",
    "C:\\outside.txt",
    "worlds/../../outside.world",
    "worlds//one.world",
    "worlds/./one.world",
    "worlds\\one.world",
    "worlds/one.world/",
    "worlds/",
    "./run.json",
    "run.json ",
    "run.json\0.txt",
    "Run.json",
    "SUBMISSION.JSON",
    "RESULTS.jsonl",
    "r\u0443n.json",
    "worlds/\u043ene.world",
    "worlds/one.day_1.nothing.2.world",
    "worlds/ONE.DAY_1.NOTHING.1.world",
    "worlds/one.day_1.nothing.1.world-wal",
    "trajectories/..json",
    "trajectories/" + "x" * 250 + ".json",
    "trajectories/" + "\u4e00" * 250 + ".json",
    "memories/one.day_9.x.1.md",
    "memories/\u202egnp.md",
    f"x\n{FORGED_LINE}",
    "x\x1b[2J",
    "x" * 60_000,
    "",
)


def packed(entries: Entries, method: int = zipfile.ZIP_DEFLATED, **attributes: int) -> bytes:
    """Return an archive of *entries*, as a submission has it; *attributes* are those of some
    entries."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, data in entries.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = method
            entry.external_attr = attributes.get(name, 0o644 << 16)
            archive.writestr(entry, data, compresslevel=1)
    return made.getvalue()


@cache
def _bomb(megabytes: int, piece: bytes) -> bytes:
    """*megabytes* of *piece*, deflated."""
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = b"".join(squeeze.compress(piece * (1_000_000 // len(piece))) for _ in range(megabytes))
    return data + squeeze.flush()


def _raw(name: bytes, data: bytes, size: int, method: int, crc: int, flags: int) -> bytes:
    """Return an archive of one entry with this header, even a wrong one."""
    head = struct.pack("<HHHHHLLLHH", 20, flags, method, 0, 33, crc, len(data), size, len(name), 0)
    central = struct.pack("<4sH", b"PK\x01\x02", 20) + head + struct.pack("<HHHLL", 0, 0, 0, 0, 0)
    local = b"PK\x03\x04" + head + name + data
    end = struct.pack("<4sHHHHLLH", b"PK\x05\x06", 0, 0, 1, 1, len(central + name), len(local), 0)
    return local + central + name + end


def _joined(first: bytes, second: bytes) -> bytes:
    """Return one archive with the entries of both, as far as `zipfile` can read them."""
    made = io.BytesIO(first)
    end = second.rindex(b"PK\x05\x06")
    size, start = struct.unpack("<LL", second[end + 12 : end + 20])
    local, central = second[:start], bytearray(second[start : start + size])
    whole = made.getvalue()
    tail = whole.rindex(b"PK\x05\x06")
    count, length, begins = struct.unpack("<HLL", whole[tail + 10 : tail + 20])
    central[42:46] = struct.pack("<L", begins)
    directory = whole[begins : begins + length] + bytes(central)
    last = struct.pack(
        "<4sHHHHLLH", b"PK\x05\x06", 0, 0, count + 1, count + 1, len(directory),
        begins + len(local), 0,
    )  # fmt: skip
    return whole[:begins] + local + directory + last


def forged_archive(forgery: Forgery) -> bytes:
    """Return an archive of *forgery*'s entries, written in a way that the harness never uses."""
    entries, what = dict(forgery.entries), forgery.random.randrange(20)
    name = forgery.random.choice(sorted(entries))
    forgery.done.append(f"archive {what}")
    genuine = packed(entries)
    if what in (0, 1, 2):
        return _with_name(forgery, genuine, forgery.random.choice(NAMES))
    if what == 3:
        return packed(entries, **{name: forgery.random.choice((LINK, DEVICE, PIPE))})
    if what == 4:
        entries[name] = forgery.bait.encode()
        return packed(entries, **{name: LINK})
    if what == 5:
        del entries[name]
        return packed(entries)
    if what == 6:
        return genuine[: forgery.random.randrange(len(genuine))]
    if what == 7:
        return _spoiled(forgery, genuine)
    if what == 8:
        return _twice(genuine, name, forgery.random.choice((name, name.upper(), name.title())))
    if what == 9:
        return packed(entries, forgery.random.choice((zipfile.ZIP_STORED, *_SLOW)))
    if what in (10, 11):
        del entries[name]
        return _joined(packed(entries), _bombed(forgery, name))
    if what == 12:
        return forgery.random.choice(
            (b"", b"PK", b"hello", b"PK\x05\x06" + b"\0" * 18, b"\x1f\x8b")
        )
    if what == 13:
        return _tar(entries)
    if what == 14:
        return b"#!/bin/sh\n" * 10 + genuine
    if what == 15:
        return genuine + forgery.random.choice((b"x" * 70_000, b"\0", genuine))
    if what == 16:
        many = {f"worlds/x{number}.world": b"" for number in range(3_000)}
        return packed(entries | many)
    if what == 17:
        return _flagged(forgery, genuine)
    if what == 18:
        entries["submission.json"] = b"[" * forgery.random.choice((100, 300, 1_000_000))
        return packed(entries)
    return _with_name(forgery, genuine, "worlds/" + forgery.random.choice(NAMES))


_SLOW = (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


def _with_name(forgery: Forgery, genuine: bytes, name: str) -> bytes:
    """Return *genuine* with one more entry, of that *name*."""
    raw = name.encode("utf-8", "surrogatepass")[:65_000]
    flags = forgery.random.choice((0, 0x800))
    raw = raw if forgery.random.random() < 0.9 else raw + b"\xff\xfe"
    data = forgery.random.choice((b"", b"x", forgery.bait.encode()))
    return _joined(genuine, _raw(raw, data, len(data), 0, zlib.crc32(data), flags))


def _twice(genuine: bytes, name: str, again: str) -> bytes:
    made = io.BytesIO(genuine)
    with warnings.catch_warnings(), zipfile.ZipFile(made, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr(again, archive.read(name))
    return made.getvalue()


def _spoiled(forgery: Forgery, genuine: bytes) -> bytes:
    data = bytearray(genuine)
    start = forgery.random.choice((0, data.rindex(b"PK\x05\x06"), max(0, len(data) - 600)))
    for _ in range(forgery.random.choice((1, 2, 20))):
        data[forgery.random.randrange(start, len(data))] = forgery.random.randrange(256)
    return bytes(data)


def _flagged(forgery: Forgery, genuine: bytes) -> bytes:
    """Return *genuine* with a changed flag, method, size or checksum in the first directory
    entry."""
    data = bytearray(genuine)
    first = data.index(b"PK\x01\x02")
    at, kind = forgery.random.choice(((8, "<H"), (10, "<H"), (16, "<L"), (20, "<L"), (24, "<L")))
    bits = 16 if kind == "<H" else 32
    value = forgery.random.choice(
        (0, 1, 12, 14, 93, 0xFFFF, 2**bits - 1, forgery.random.getrandbits(bits))
    )
    struct.pack_into(kind, data, first + at, value % 2**bits)
    return bytes(data)


def _bombed(forgery: Forgery, name: str) -> bytes:
    """Return an archive of one entry that is large when unpacked, or claims to be."""
    piece = forgery.random.choice((b"\0", b"[", b" ", b"\n", b'{"a":1}\n', b'"x",'))
    megabytes = forgery.random.choice((20, 300))
    data = _bomb(megabytes, piece)
    size = (1_000_000 // len(piece)) * len(piece) * megabytes
    crc = _checksum(megabytes, piece)
    declared = forgery.random.choice((size, size, 0, 10, 2**32 - 2, 3_900_000_000))
    return _raw(name.encode(), data, declared, 8, crc, 0)


@cache
def _checksum(megabytes: int, piece: bytes) -> int:
    crc, whole = 0, piece * (1_000_000 // len(piece))
    for _ in range(megabytes):
        crc = zlib.crc32(whole, crc)
    return crc


def _tar(entries: Entries) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, data in entries.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return made.getvalue()
