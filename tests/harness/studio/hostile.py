"""Calls, and a run, whose every text is a script, a broken tag or a trick with text directions."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import JsonValue

from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder

SCRIPT = "<script>alert(1)</script>"
PICTURE = "<img src=x onerror=alert(2)>"
HOSTILE = f"{SCRIPT}{PICTURE}\"'`${{1}}</pre>"
LONG = f"{HOSTILE}\n[a](javascript:alert(3))\n{'x' * 400}"

COLLEAGUE = "{colleague}"
"""A placeholder for the id of any colleague."""

HOSTILE_CALLS: Sequence[tuple[str, Mapping[str, JsonValue]]] = (
    ("mail_send", {"to": ["robin.hale"], "subject": HOSTILE, "body": LONG}),
    ("chat_create_group", {"name": PICTURE, "members": [COLLEAGUE]}),
    ("chat_send_message", {"to": "G1", "text": LONG}),
    (
        "calendar_book",
        {
            "title": HOSTILE,
            "room": "Room_05",
            "attendees": [],
            "starts": "14:00",
            "ends": "14:30",
            "agenda": LONG,
        },
    ),
    ("files_write", {"path": "workspace:/page.html", "text": LONG}),
    ("files_write", {"path": "workspace:/drawing.svg", "text": f"<svg>{SCRIPT}</svg>"}),
    ("sheets_create", {"path": "workspace:/table.xlsx", "rows": [[HOSTILE, PICTURE], [1, 2]]}),
    ("sheets_write", {"path": "workspace:/table.xlsx", "start": "A2", "rows": [[SCRIPT, 7]]}),
    ("desk_write_note", {"text": LONG}),
    ("desk_submit", {"task": "T1", "note": HOSTILE}),
    (PICTURE, {SCRIPT: HOSTILE}),
)


def make_hostile(run: Path, target: Path) -> Path:
    """Make a copy of *run* in the folder *target* in which every text is a script: its name and the
    benchmark's, thoughts, graders' findings and errors."""
    copy = target / f"{PICTURE}\"'`"
    shutil.copytree(run, copy)
    plan = RunFolder.open(copy).plan().model_copy(update={"benchmark": SCRIPT}).sealed()
    (copy / "run.json").write_text(plan.model_dump_json(), encoding="utf-8")
    lines = (copy / "results.jsonl").read_text(encoding="utf-8").splitlines()
    results = [json.dumps(_spoilt(json.loads(line), "")) for line in lines]
    for result in results:
        EpisodeResult.model_validate_json(result)
    (copy / "results.jsonl").write_text("\n".join([*results, ""]), encoding="utf-8")
    for path in (copy / "trajectories").glob("*.json"):
        spoilt = _spoilt(json.loads(path.read_text(encoding="utf-8")), "")
        path.write_text(json.dumps(spoilt), encoding="utf-8")
    return copy


_TEXTS = frozenset(
    ("sentence", "seen", "agent_error", "message", "reasoning_content", "model_name", "family")
)
"""The fields of results and trajectories that a person or an agent wrote."""


def _spoilt(value: JsonValue, name: str) -> JsonValue:
    if isinstance(value, dict):
        return {key: _spoilt(inner, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [_spoilt(inner, name) for inner in value]
    return HOSTILE if name in _TEXTS else value
