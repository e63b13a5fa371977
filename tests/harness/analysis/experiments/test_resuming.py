"""An experiment goes on only where all that its runs still need is at hand."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.harness.test_run import config, day
from tests.scripted_endpoint import KEY, calls, says, scripted_server
from trainee_bench.harness.cli import app
from trainee_bench.harness.records.results import ResultFile


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["experiment", *map(str, arguments)])


def test_an_agent_that_is_gone_is_asked_for_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = tmp_path / "there"
    there.mkdir()
    text = "class Idle:\n    async def work(self, session):\n        pass\n"
    (there / "idle_agent_of_mine.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(there)
    path, out = config(tmp_path, one=[day("kb_fix.easy")]), tmp_path / "out"
    done = invoke("main", "--config", path, "--agent", "idle_agent_of_mine:Idle", "--out", out)
    assert done.exit_code == 0, done.output
    (there / "idle_agent_of_mine.py").unlink()
    monkeypatch.delitem(sys.modules, "idle_agent_of_mine")
    importlib.invalidate_caches()
    done = invoke("main", "--resume", out)
    assert (done.exit_code, "no module" in done.output) == (2, True)


def test_a_key_that_is_gone_is_asked_for_before_anything_is_run_and_only_if_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = config(tmp_path, one=[day("kb_fix.easy")]), tmp_path / "out"
    models = tmp_path / "api_config.json"
    with scripted_server(then=says("", calls("desk_finish_day"))) as server:
        models.write_text(json.dumps(server.described("mine", "MINE_API_KEY")), encoding="utf-8")
        monkeypatch.setenv("MINE_API_KEY", KEY)
        options = ("--config", path, "--model", "mine", "--api-config", models, "--epochs", 2)
        done = invoke("main", *options, "--out", out)
        assert done.exit_code == 0, done.output
        monkeypatch.delenv("MINE_API_KEY")
        assert invoke("main", "--resume", out).exit_code == 0
        ledger = ResultFile(out / "run" / "results.jsonl")
        ledger.rewrite(ledger.read()[:1])
        asked = len(server.asked)
        done = invoke("main", "--resume", out)
    assert (done.exit_code, "MINE_API_KEY" in done.output) == (2, True)
    assert len(ledger.read()) == 1
    assert len(server.asked) == asked
