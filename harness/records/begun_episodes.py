"""The record of every begun episode, begun.jsonl: an append-only chain of lines.

Each line has the hash of the line before it. So a changed, removed or inserted line shows, unless
all lines after it are rewritten. Several processes begin episodes, so each append briefly locks the
file.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from pydantic import Field, ValidationError

from trainee_bench.harness.records.frozen_model import FrozenModel
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import Count, EpisodeResult, ResultFileError
from trainee_bench.harness.support.file_lock import wait_for_lock
from trainee_bench.world.errors import first_flaw

BEGUN_FILE = "begun.jsonl"
_LONGEST_LINE = 4_096


class EpisodeEvent(StrEnum):
    """The event of an episode that a line records."""

    BEGUN = "begun"
    ENDED = "ended"


class RecordedEvent(FrozenModel):
    """A line of the record.

    ``digest`` is the digest of the spec that was begun, or of the result line with which it ended.
    ``tries`` counts how often the same run has started the episode. ``previous`` is the hash of the
    line before, "" in the first line.
    """

    event: EpisodeEvent
    episode: str
    digest: str
    tries: Count = Field(ge=1)
    score: float | None = None
    previous: str


@dataclass(frozen=True)
class BegunEpisode:
    """The record of one episode: its ends, its starts, and how many starts are ``unfinished``.

    ``ended_last`` means that it ended and was not begun again.
    """

    ends: list[RecordedEvent] = field(default_factory=list)
    starts: list[RecordedEvent] = field(default_factory=list)
    unfinished: int = 0
    ended_last: bool = False


def result_digest(result: EpisodeResult) -> str:
    """Return a hash of the content of the line of *result*, independent of its notation.

    Schedules and provenance are left out: lines of older versions lack them, and verifying a line
    computes them again.
    """
    read = EpisodeResult.model_validate_json(result.model_dump_json())
    of_week = {"__all__": {"schedule"}}
    text = read.model_dump_json(exclude={"schedule": True, "provenance": True, "days": of_week})
    return sha256(text.encode()).hexdigest()


class BegunEpisodes:
    """The record in the folder *run*."""

    def __init__(self, run: Path):
        self._path = run / BEGUN_FILE

    def begin(self, spec: EpisodeSpec, tries: int) -> None:
        """Record that the episode of *spec* is begun, as try number *tries*. Raises OSError."""
        self._append(EpisodeEvent.BEGUN, spec.id, spec.digest, tries, None)

    def end(self, result: EpisodeResult) -> None:
        """Record that an episode has ended with *result*.

        Raises ResultFileError if the record cannot be written.
        """
        digest = result_digest(result)
        try:
            self._append(EpisodeEvent.ENDED, result.episode, digest, result.tries, result.score)
        except OSError as error:
            raise ResultFileError(
                f"{self._path} cannot be written ({error.strerror}); its contents are kept. Fix "
                f"that and continue with --resume {shlex.quote(str(self._path.parent))}."
            ) from None

    def read(self) -> list[RecordedEvent]:
        """Return all lines in order; none if there is no record.

        An incomplete last line is skipped. Raises ResultFileError for an invalid line, or one that
        does not follow from the line before it.
        """
        if not self._path.exists():
            return []
        events: list[RecordedEvent] = []
        previous = ""
        for number, line in enumerate(self._path.read_bytes().split(b"\n")[:-1], start=1):
            try:
                event = RecordedEvent.model_validate_json(line)
            except ValidationError as error:
                _, flaw = first_flaw(error)
                raise ResultFileError(f"{BEGUN_FILE}, line {number}: {flaw}") from None
            if event.previous != previous:
                raise ResultFileError(
                    f"{BEGUN_FILE}, line {number} does not follow from the line before it: a line "
                    "was changed, removed or inserted"
                )
            events.append(event)
            previous = _hash(line)
        return events

    def write(self, events: Iterable[RecordedEvent]) -> None:
        """Write a new record of *events*, chained in this order. Raises OSError."""
        previous = ""
        with self._path.open("xb") as file:
            for event in events:
                chained = event.model_copy(update={"previous": previous})
                line = chained.model_dump_json().encode()
                file.write(line + b"\n")
                previous = _hash(line)
            file.flush()
            os.fsync(file.fileno())

    def _append(
        self, event: EpisodeEvent, episode: str, digest: str, tries: int, score: float | None
    ) -> None:
        with self._path.open("ab+") as file:
            wait_for_lock(file)
            last = _last_line(file)
            line = RecordedEvent(
                event=event,
                episode=episode,
                digest=digest,
                tries=tries,
                score=score,
                previous=_hash(last) if last else "",
            )
            file.write(line.model_dump_json().encode() + b"\n")
            file.flush()
            # An end has to be on the disk before its result line is.
            if event is EpisodeEvent.ENDED:
                os.fsync(file.fileno())


def histories(events: list[RecordedEvent]) -> dict[str, BegunEpisode]:
    """Return the record of each episode in *events*, by its id."""
    by_episode: dict[str, list[RecordedEvent]] = {}
    for event in events:
        by_episode.setdefault(event.episode, []).append(event)
    return {episode: _history(own) for episode, own in by_episode.items()}


def _history(own: list[RecordedEvent]) -> BegunEpisode:
    starts = [event for event in own if event.event is EpisodeEvent.BEGUN]
    ends = [event for event in own if event.event is EpisodeEvent.ENDED]
    ended_last = own[-1].event is EpisodeEvent.ENDED
    return BegunEpisode(ends, starts, sum(_unfinished(own)), ended_last)


def _unfinished(own: list[RecordedEvent]) -> Iterator[bool]:
    """Yield for each start whether it has no end and no later try of the same run."""
    for event, following in zip(own, [*own[1:], None], strict=True):
        if event.event is EpisodeEvent.BEGUN:
            begun_again = following is not None and following.event is EpisodeEvent.BEGUN
            yield following is None or (begun_again and following.tries <= event.tries)


def _last_line(file: BinaryIO) -> bytes:
    """Return the last whole line of *file*, b"" if there is none.

    Cuts off an incomplete line that a killed process left.
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 2 * _LONGEST_LINE))
    tail = file.read()
    whole = tail[: tail.rfind(b"\n") + 1]
    if whole != tail:
        file.truncate(size - len(tail) + len(whole))
    return whole[:-1].rpartition(b"\n")[2]


def _hash(line: bytes) -> str:
    return sha256(line).hexdigest()
