"""Judging the verdict of `submit verify` on a forged submission.

    forged archive, exit code, output ──► refused, unchanged, named, or a fault

A forgery is accepted if it adds no problem to those of the genuine submission. Then `NOT_VERIFIED`
must name each claim that differs.
"""

from __future__ import annotations

import io
import json
import re
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from forged_values import FORGED_LINE
from forgeries import Entries

from trainee_bench.harness.episodes.verification import NOT_VERIFIED
from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.submissions.bundle import SubmissionInfo

_SETTINGS = "the settings of run.json applied"
_TOLD = "taken from the trajectory"
NAMED = (
    (r"info\.(name|about|contact)", "what a submission says about itself"),
    (
        r"plan\.(seal|max_concurrency|executor|workers|transport|limits|model_settings|only_day)\b.*",
        _SETTINGS,
    ),
    (r"plan\.agents\b.*", _SETTINGS),
    (r"line\.(spec_digest|transport|identity\.(isolation|results|limits\b.*))", _SETTINGS),
    (r"line\.(agent|episode|world|trajectory|remembers)", _SETTINGS),
    (r"line\.(days\.)?(steps|refused_calls|ended|agent_error)", _TOLD),
    (r"line\.(prompt_tokens|completion_tokens|cost_usd|incidents\b.*)", _TOLD),
    (r"line\.(days\.)?(tool_calls|failed_calls)", "cut off"),
    (r"line\.(tries|faults)", "faults"),
    (r"line\.wall_seconds", "wall_seconds"),
    (r"line\.identity\.sandbox", "the sandbox of a day"),
    (r"line\.memory_digest|memory", "wrote its memory itself"),
    (r"begun", "begun.jsonl was rewritten"),
    (r"trajectory\b.*", _TOLD),
    (r"log\.effects\.ran\b.*", "terminal commands"),
    (r"log\.arguments\b.*", "who made the calls"),
)
"""Claims by their place, and the entry of `NOT_VERIFIED` that names them."""
_REFUSAL = re.compile(r"(Submission .*\n)?trainee-bench submit: .+\n$|Usage: ")
_PLACE = re.compile(r"in all; \d+ repeated|^Begun: |^.*: begun \d+ times?; it ended ")


@dataclass(frozen=True)
class Verified:
    """The exit code and the output of `submit verify`.

    ``crash`` is the exception that it should not have raised.
    """

    code: int
    output: str
    crash: str = ""

    @property
    def problems(self) -> list[str]:
        """The sentences against the submission."""
        lines = self.output.splitlines()
        counted = re.compile(
            r"\d+ problems?: this run is not a valid submission\.|Submission |Not verified: "
        )
        figures = re.compile(r".*: score .* over \d+ episodes? \(")
        return [
            line
            for line in lines
            if not (counted.match(line) or _PLACE.search(line) or figures.match(line))
        ]


def faults_of(genuine: Entries, archive: bytes, was: Verified, now: Verified) -> Iterator[str]:
    """Yield the faults of *now*, the verdict on *archive*; *was* is the verdict on *genuine*.

    A forgery that is refused or named is no fault.
    """
    if now.crash:
        yield f"crash: {now.crash}"
    strange = sorted({c for c in now.output if c != "\n" and not c.isprintable()})
    if strange:
        yield f"control characters: {strange!r}"
    if any(line.startswith(FORGED_LINE) for line in now.output.splitlines()):
        yield "a forged line"
    if now.code not in (0, 1, 2):
        yield f"exit code {now.code}"
    if not now.crash and now.code == 2 and not _REFUSAL.match(now.output):
        yield "exit code 2 without its own sentence"
    if accepted(was, now):
        yield from sorted({f"unnamed: {place}" for place in unnamed(genuine, archive)})


def accepted(was: Verified, now: Verified) -> bool:
    """Return True if verifying has no new objection to the forged submission."""
    return not now.crash and now.code == was.code and not set(now.problems) - set(was.problems)


def unnamed(genuine: Entries, archive: bytes) -> Iterator[str]:
    """The places of the claims in *archive* that differ and are not named as not verified."""
    named = "; ".join(NOT_VERIFIED)
    for place in differences(genuine, archive):
        phrases = [phrase for pattern, phrase in NAMED if re.fullmatch(pattern, place)]
        if not any(phrase in named for phrase in phrases):
            yield place


def differences(genuine: Entries, archive: bytes) -> set[str]:
    """The places of all claims that differ between *genuine* and *archive*."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        names = opened.namelist()
        forged = {name: opened.read(name) for name in names}
    if forged == genuine and len(names) == len(genuine):
        return set()
    ours, theirs = _claims(genuine), _claims(forged)
    found = {place for place in ours.keys() | theirs.keys() if ours.get(place) != theirs.get(place)}
    found -= {(*place,) for place in found if place[-1] == "schedule" and theirs.get(place) is None}
    return {
        ".".join(part for part in place[: 1 if place[0] == "entry" else None] if not part.isdigit())
        for place in found
    }


Claims = dict[tuple[str, ...], object]


def _claims(entries: Entries) -> Claims:
    """Every claim of a submission by its place; episodes by their number in the plan."""
    info = SubmissionInfo.model_validate_json(entries["submission.json"])
    claims: Claims = dict(_flat(("info",), info.model_dump(mode="json")))
    plan = RunPlan.model_validate_json(entries["run.json"])
    claims |= dict(_flat(("plan",), plan.model_dump(mode="json")))
    lines: dict[str, EpisodeResult] = {}
    for text in entries["results.jsonl"].split(b"\n")[:-1]:
        line = EpisodeResult.model_validate_json(text)
        lines.setdefault(line.episode, line)
    if not entries["results.jsonl"].endswith(b"\n"):
        claims["lines", "incomplete"] = True
    claims["begun",] = entries["begun.jsonl"]
    known = {"submission.json", "run.json", "results.jsonl", "begun.jsonl"}
    for number, spec in enumerate(plan.episode_specs()):
        place = str(number)
        if spec.id in lines:
            line = lines.pop(spec.id).model_dump(mode="json")
            flat = dict(_flat(("line", place), line))
            schedules = {claim for claim in flat if "schedule" in claim}
            claims |= {claim: value for claim, value in flat.items() if claim not in schedules}
        names = [
            f"worlds/{spec.id}.world",
            f"trajectories/{spec.id}.json",
            f"memories/{spec.id}.md",
        ]
        known.update(names)
        for name, read in zip(names, (_world, _trajectory, _memory), strict=True):
            if name in entries:
                claims |= dict(read(place, entries[name]))
    claims |= {("line", "more", name): True for name in lines}
    claims |= {("entry", name): True for name in entries.keys() - known}
    return claims


def _flat(place: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], object]]:
    """Each value within *value* by its place."""
    inner: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        inner = [(str(key), item) for key, item in value.items()]
    elif isinstance(value, list | tuple):
        inner = [(str(number), item) for number, item in enumerate(value)]
    if inner:
        for key, item in inner:
            yield from _flat((*place, key), item)
    else:
        yield place, value


def _trajectory(place: str, data: bytes) -> Iterator[tuple[tuple[str, ...], object]]:
    yield from _flat(("trajectory", place), json.loads(data))


def _memory(place: str, data: bytes) -> Iterator[tuple[tuple[str, ...], object]]:
    yield ("memory", place), data


_DERIVED = re.compile(r"file_(un)?indexed.*|.*_(data|idx|content|docsize|config)|sqlite_.*")
"""Tables of indexes, whose content repeats other tables."""


def _world(place: str, data: bytes) -> Iterator[tuple[tuple[str, ...], object]]:
    """The rows of all tables of a world, and the log by column."""
    content = bytearray(data)
    content[18:20] = b"\x01\x01"
    with closing(sqlite3.connect(":memory:")) as db:
        db.deserialize(bytes(content))
        for name, kind in db.execute("SELECT name, type FROM sqlite_master").fetchall():
            if kind in ("view", "trigger"):
                yield ("world", place, kind), name
            elif kind == "table" and name != "action" and not _DERIVED.fullmatch(name):
                rows = db.execute(f'SELECT * FROM "{name}"').fetchall()
                yield ("world", place, name), sorted(map(repr, rows))
        cursor = db.execute("SELECT * FROM action ORDER BY seq")
        columns = [column[0] for column in cursor.description]
        for number, row in enumerate(cursor.fetchall()):
            for column, value in zip(columns, row, strict=True):
                json_text = column in ("arguments", "data", "notices", "effects")
                read = json.loads(value) if json_text else value
                if column in ("at", "until"):  # a moment, however it is written
                    read = datetime.fromisoformat(value)
                yield from _flat(("log", place, column, str(number)), read)
