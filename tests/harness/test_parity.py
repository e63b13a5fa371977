"""The command that plays the same calls through every door, and what its exit codes say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar

import pytest

from tests.harness.runs import call
from trainee_bench.harness.commands import parity
from trainee_bench.harness.parity.door import Door, DoorRun
from trainee_bench.harness.parity.script import ParityScript


class OtherDoor(Door):
    """A door to somewhere else."""

    name: ClassVar[str] = "other"

    def play(self, script: ParityScript, folder: Path) -> DoorRun:
        return DoorRun("0" * 64, 1.0)


def test_a_table_is_printed_and_written(tmp_path: Path) -> None:
    done = call("parity", "seat", "--json", tmp_path / "table.json")
    assert "seat: same" in done.stderr
    assert "0 of 5" in done.stdout
    (told,) = json.loads((tmp_path / "table.json").read_text())
    assert (told["door"], told["not_run"]) == ("seat", "")
    valid = told["scripts"]["valid"]
    assert valid["digest"] == valid["seat_digest"] != ""
    assert valid["score"] == valid["seat_score"] == 1


def test_exit_codes_tell_what_differs_from_what_was_not_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    not_run = call("parity", "claude_code", exits=3)
    assert "claude_code was not run: claude needs --environments FOLDER." in not_run.stdout
    unknown = call("parity", "saet", exits=2)
    assert "there is no door 'saet'; try seat" in unknown.stderr
    monkeypatch.setattr(parity, "find_doors", lambda names, environments: [OtherDoor()])
    differs = call("parity", exits=1)
    assert "other, valid: the digest is 00000000, at the seat " in differs.stdout
