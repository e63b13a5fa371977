"""A run with a model leaves its key nowhere: not in a log, a result, a trajectory, a world."""

from __future__ import annotations

import json
import logging
from collections import Counter
from pathlib import Path

import pytest

from tests.harness.runs import invoke
from tests.scripted_endpoint import Scripted, calls, fails, says, scripted_server
from trainee_bench.harness.models.conversation import ModelReply, ModelRequest
from trainee_bench.harness.records.results import ResultFile
from trainee_bench.harness.session.turns import InfrastructureFault
from trainee_bench.mcp_servers.llm.api_config import ModelConfig

KEY = "sk-only-here-0123456789"


def run_against(
    tmp_path: Path,
    *script: Scripted,
    then: Scripted | None = None,
    variable: str = "",
    options: tuple[str, ...] = (),
) -> tuple[str, list[str]]:
    """What a run of one day printed, and the keys that the server was sent."""
    with scripted_server(*script, then=then) as server:
        path = tmp_path / "api_config.json"
        path.write_text(json.dumps(server.described("mine", variable or KEY)), "utf-8")
        arguments = ["--model", "mine", "--api-config", path, "-n", 1, "-o", tmp_path / "run"]
        arguments += options
        printed = invoke(*arguments, exits=None)
    return printed.output, server.keys


def assert_kept(folder: Path, printed: str, caplog: pytest.LogCaptureFixture) -> None:
    assert KEY not in printed and KEY not in caplog.text
    assert not any(KEY in f"{record.__dict__}" for record in caplog.records)
    files = [path for path in folder.rglob("*") if path.is_file()]
    names = {path.name for path in files}
    assert {"run.json", "results.jsonl"} <= names and len(files) > 3
    for path in files:
        assert KEY.encode() not in path.read_bytes(), path


@pytest.mark.parametrize("variable", ["", "A_MODELS_KEY"])
def test_a_day_that_is_worked_leaves_no_key(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("A_MODELS_KEY", KEY)
    note = {"path": "workspace:/note.txt", "text": f"I was sent {KEY}."}
    printed, keys = run_against(
        tmp_path,
        says(f"The key is {KEY}", calls("files_write", note), calls(KEY, {})),
        then=says("Home.", calls("desk_finish_day")),
        variable=variable,
    )
    (result,) = ResultFile(tmp_path / "run" / "results.jsonl").read()
    assert result.score is not None and result.tool_calls >= 2
    assert set(keys) == {KEY}
    assert_kept(tmp_path / "run", printed, caplog)


def test_a_day_that_breaks_leaves_no_key(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    printed, _ = run_against(tmp_path, then=fails(401, f"Incorrect API key provided: {KEY}"))
    (result,) = ResultFile(tmp_path / "run" / "results.jsonl").read()
    assert result.score is None and result.error is not None
    assert "api_key_var" in result.error
    assert_kept(tmp_path / "run", printed, caplog)


class Quoting:
    """Somebody's own service, which puts the key into whatever it raises."""

    model = "mine"

    def __init__(self, config: ModelConfig):
        self.incidents: Counter[str] = Counter()
        self._key = config.key()

    async def reply(self, request: ModelRequest) -> ModelReply:
        raise ExceptionGroup("it went wrong", [ValueError(f"{self._key} is refused")])


class Breaking(Quoting):
    """The same, through no fault of the agent's."""

    async def reply(self, request: ModelRequest) -> ModelReply:
        try:
            await super().reply(request)
        except ExceptionGroup as error:
            raise InfrastructureFault(f"{self._key} is refused") from error
        raise AssertionError("it raises")


class Unmade:
    """The same, before it is made."""

    def __init__(self, config: ModelConfig):
        raise ValueError(f"{config.key()} is refused")


@pytest.mark.parametrize(("own", "score"), [(Quoting, 0.0), (Breaking, None), (Unmade, 0.0)])
def test_an_exception_of_a_users_service_contains_no_key(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, own: type, score: float | None
) -> None:
    options = ("--service", f"{__name__}:{own.__name__}")
    printed, _ = run_against(tmp_path, options=options)
    (result,) = ResultFile(tmp_path / "run" / "results.jsonl").read()
    assert result.score == score and (result.agent_error or result.error)
    assert_kept(tmp_path / "run", printed, caplog)
