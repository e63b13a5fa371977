"""A run of a model on a server, whose replies are empty, malformed, or without a call."""

from __future__ import annotations

import json
from pathlib import Path

from tests.harness.runs import config, day, invoke
from tests.scripted_endpoint import KEY, calls, says, scripted_server

MALFORMED = '{"text": "unfini'
REPLIES = (
    says("First the tasks.", calls("desk_tasks"), usage=(1000, 20)),
    says("  ", usage=(1100, 1)),
    says("", calls("desk_write_note", MALFORMED), usage=(1200, 9)),
    says("I wonder what to do.", usage=(1300, 7)),
    says(f"Is {KEY} mine?", calls("desk_write_note", {"text": f"Keep {KEY}"}), usage=(1400, 30)),
)
"""The replies of the model before it finishes the day."""


def run_talkative(folder: Path, rule: str) -> Path:
    """Return the folder of its run of one day with a task of *rule*; api_config.json, with the key,
    is in *folder*."""
    mine = config(folder, one=[day(rule)])
    models = folder / "api_config.json"
    with scripted_server(*REPLIES, then=says("", calls("desk_finish_day"))) as server:
        models.write_text(json.dumps(server.described("mine")), encoding="utf-8")
        invoke(
            "--config", mine, "--model", "mine", "--api-config", models, "--out", folder / "a-run"
        )
    return folder / "a-run"
