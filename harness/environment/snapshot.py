"""A day as bytes that another process can go on with: versioned, compressed, checked when read.

    DayState ──pack_day──► magic, SHA-256, compressed (header, world) ──unpack_day──► DayState

The header (JSON) names the day and the versions that made it. Reading it executes nothing of it.

The hash detects damage, not forgery: it has no key, so anybody can compute it for other bytes.
A forged snapshot can hold any grade, and SQLite reads its world as a database file. Restore only
snapshots from places that you trust, or repeat the calls of a stranger's day instead.
"""

from __future__ import annotations

import hashlib
import lzma
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.grade import TaskGrade
from trainee_bench.meta_tasks.scenario import (
    GENERATOR_VERSION,
    SCORE_VERSION,
    ScenarioDay,
)

MAGIC = b"trainee-bench day\x01"
"""How a snapshot begins; its last byte is the version of the layout."""
_PRESET = 1
"""The level of xz. Level 6 saves a quarter of the bytes and takes eight times as long."""
_DIGEST_BYTES = 32
_LENGTH_BYTES = 4
_MOST_BYTES = 256 * 1024 * 1024
"""More than any day unpacks to, so that a small file cannot fill the memory."""


class InvalidSnapshot(ValueError):
    """The bytes are no snapshot that can be restored here; the text says why."""


@dataclass(frozen=True)
class DayState:
    """The state of a day: its world as bytes, and the grades of tasks that were due before.

    ``score`` and ``now`` are those after the last step. ``rewards`` has those of all steps, if they
    were asked for. ``carried_tokens`` are output tokens that have not taken a minute yet.
    """

    world: bytes
    settled: Mapping[str, TaskGrade]
    score: float
    now: datetime
    rewards: tuple[float, ...] = field(default=())
    carried_tokens: int = 0


class _Header(BaseModel):
    model_config = ConfigDict(extra="forbid")

    generator: int
    score_version: int
    day: ScenarioDay
    rewarded: bool
    settled: dict[str, TaskGrade]
    score: float
    now: datetime
    rewards: tuple[float, ...]
    tokens_per_minute: int | None = Field(default=None, ge=1, exclude_if=lambda pace: pace is None)
    carried_tokens: int = Field(default=0, ge=0, exclude_if=lambda tokens: not tokens)


@dataclass(frozen=True)
class UnpackedDay:
    """The content of a snapshot: its day, whether steps are rewarded, the state, and the pace of
    thinking, None if it takes no time."""

    day: ScenarioDay
    rewarded: bool
    state: DayState
    tokens_per_minute: int | None = None


def pack_day(
    composition: ComposedDay,
    state: DayState,
    *,
    rewarded: bool,
    tokens_per_minute: int | None = None,
) -> bytes:
    """Return *state* of the day of *composition* as bytes."""
    header = _Header(
        generator=GENERATOR_VERSION,
        score_version=SCORE_VERSION,
        day=composition.scenario_day,
        rewarded=rewarded,
        settled=dict(state.settled),
        score=state.score,
        now=state.now,
        rewards=state.rewards,
        tokens_per_minute=tokens_per_minute,
        carried_tokens=state.carried_tokens,
    )
    text = header.model_dump_json().encode()
    length = len(text).to_bytes(_LENGTH_BYTES, "big")
    packed = lzma.compress(length + text + state.world, preset=_PRESET)
    return MAGIC + hashlib.sha256(packed).digest() + packed


def unpack_day(data: bytes) -> UnpackedDay:
    """Return what *data* holds. Raises InvalidSnapshot."""
    if not data.startswith(MAGIC[:-1]):
        raise InvalidSnapshot("these bytes are no snapshot of a day")
    if not data.startswith(MAGIC):
        raise InvalidSnapshot(
            f"this snapshot has layout {data[len(MAGIC) - 1 : len(MAGIC)].hex() or 'none'}, and "
            f"this version reads layout {MAGIC[-1:].hex()}; restore it with the version that "
            "made it"
        )
    digest, packed = data[len(MAGIC) :][:_DIGEST_BYTES], data[len(MAGIC) + _DIGEST_BYTES :]
    if hashlib.sha256(packed).digest() != digest:
        raise InvalidSnapshot("this snapshot is damaged or incomplete")
    content = _decompressed(packed)
    length = int.from_bytes(content[:_LENGTH_BYTES], "big")
    begins = _LENGTH_BYTES + length
    try:
        header = _Header.model_validate_json(content[_LENGTH_BYTES:begins])
    except ValidationError as error:
        raise InvalidSnapshot(f"this snapshot's header is invalid: {error}") from None
    if (header.generator, header.score_version) != (GENERATOR_VERSION, SCORE_VERSION):
        raise InvalidSnapshot(
            f"this snapshot was made by generator {header.generator} and score version "
            f"{header.score_version}; here they are {GENERATOR_VERSION} and {SCORE_VERSION}, so "
            "restore it with the version that made it"
        )
    if len(content) <= begins:
        raise InvalidSnapshot("the world of this snapshot cannot be read: there is none")
    state = DayState(
        content[begins:],
        header.settled,
        header.score,
        header.now,
        header.rewards,
        header.carried_tokens,
    )
    return UnpackedDay(header.day, header.rewarded, state, header.tokens_per_minute)


def _decompressed(packed: bytes) -> bytes:
    reader = lzma.LZMADecompressor(format=lzma.FORMAT_XZ)
    try:
        content = reader.decompress(packed, max_length=_MOST_BYTES)
    except lzma.LZMAError as error:
        raise InvalidSnapshot(f"this snapshot cannot be unpacked: {error}") from None
    if not reader.eof or reader.unused_data:
        raise InvalidSnapshot("this snapshot is incomplete, or unpacks to more than a day has")
    return content
