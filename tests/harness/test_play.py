"""`trainee-bench play`: a day worked line by line, over standard input."""

from __future__ import annotations

import json
import os
import shlex
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import anyio
import pytest
from pydantic import JsonValue
from rich.console import Console
from typer.testing import Result

from tests.harness.runs import call, config, day
from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.batch.verified_run import verify_lines
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.session.turns import ToolCall, ToolInfo
from trainee_bench.harness.terminal_seat.desk import TerminalDesk
from trainee_bench.harness.terminal_seat.lines import CannotRead, HelpRequest, read_line
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import Scenario

RULES = ("kb_fix.easy", "sales.top_sales_employee")
SCHEMA: Mapping[str, JsonValue] = {
    "properties": {
        "to": {"type": "array", "items": {"type": "string"}},
        "body": {"type": "string", "description": "Plain text"},
        "mail": {"type": "integer"},
        "wake": {"type": "boolean"},
    },
    "required": ["to"],
}
TOOLS = {"mail_send": ToolInfo("mail_send", "Send a mail.", SCHEMA, 5)}


def play(folder: Path, lines: str, *options: str, exits: int = 0) -> Result:
    mine = config(folder, one=[day(*RULES)])
    given = ["play", "one", "--config", str(mine), "--out", str(folder / "runs"), *options]
    return call(*given, given=lines, exits=exits)


def line_of(tool: str, arguments: Mapping[str, JsonValue]) -> str:
    words = [f"{name}:={json.dumps(value)}" for name, value in arguments.items()]
    return " ".join([tool, *map(shlex.quote, words)])


def test_a_day_typed_line_by_line_scores_full_and_is_a_run_like_any_other(tmp_path: Path) -> None:
    mine = json.loads(config(tmp_path, one=[day(*RULES)]).read_text(encoding="utf-8"))
    scenario = Scenario.model_validate(mine["scenarios"][0])
    log = anyio.run(run_in_process, "oracle", compose_day(scenario, 0)).log
    lines = [line_of(entry.tool, entry.arguments) for entry in log if entry.actor]
    done = play(tmp_path, "\n".join([*lines, "desk_finish_day"]), "--person", "anna")
    assert "You are Robin Hale" in done.output and "Score 1.00; 2 of 2 tasks done." in done.output
    folder = RunFolder.open(tmp_path / "runs" / "mine-person-anna-001")
    (result,) = folder.ledger.read()
    assert (result.agent, result.score, result.steps) == ("person-anna", 1.0, len(lines) + 1)

    async def problems() -> list[str]:
        return [p async for one in verify_lines(folder, folder.plan()) for p in one.problems]

    assert anyio.run(problems) == [] and (folder.path / "report.html").is_file()


def test_questions_are_free_and_errors_cost_nothing(tmp_path: Path) -> None:
    lines = ["? mail", "? mail_send", "? tasks", "mail_sent", "desk_now x", "mail_read mail=99"]
    lines.append("desk_finish_day")
    done = play(tmp_path, "\n".join(lines))
    for words in (
        "mail_send to subject body cc attachments (5 min)",
        "try mail_send",
        "'x' is not an argument",
        "Score 0.00; 0 of 2 tasks done.",
    ):
        assert words in done.output, done.output
    (result,) = RunFolder.open(tmp_path / "runs" / "mine-person-001").ledger.read()
    assert (result.steps, result.failed_calls, result.ended) == (2, 1, "agent")


def test_where_the_lines_end_before_the_day_it_goes_on_with_further_ones(tmp_path: Path) -> None:
    left = play(tmp_path, "desk_tasks\ndesk_write_note text=mine", exits=130)
    run = tmp_path / "runs" / "mine-person-001"
    assert f"play --resume {run}" in left.output.replace("\n", "")
    assert RunFolder.open(run).ledger.read() == []
    call("play", "--resume", run, given="desk_finish_day")
    (result,) = RunFolder.open(run).ledger.read()
    assert (result.steps, result.ended) == (3, "agent")


def test_a_day_that_was_broken_off_goes_on_where_it_stood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interrupt comes while the third line is typed."""
    typed = iter(["desk_tasks", "desk_write_note text=mine"])

    def read(self: TerminalDesk) -> str:
        with suppress(StopIteration):
            return next(typed)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)  # the line is never typed to its end
        return ""

    with monkeypatch.context() as patch:
        patch.setattr(TerminalDesk, "read", read)
        left = play(tmp_path, "", exits=130)
    run = tmp_path / "runs" / "mine-person-001"
    assert f"play --resume {run}" in left.output.replace("\n", "")
    none = call("play", "--resume", run, "--person", "leo", exits=2)
    assert "leave SCENARIO" in none.output
    done = call("play", "--resume", run, given="desk_read_notes\ndesk_finish_day")
    assert '> desk_write_note {"text": "mine"}' in done.output
    (result,) = RunFolder.open(run).ledger.read()
    assert (result.steps, result.tool_calls, result.error) == (4, 4, None)
    over = call("play", "--resume", run, exits=2)
    assert "no day that a person left" in over.output


def test_an_unknown_scenario_or_day_is_refused_before_anything_is_created(tmp_path: Path) -> None:
    assert "one has no day 3" in play(tmp_path, "", "--day", "3", exits=2).output
    none = call("play", "nowhere", "--out", tmp_path / "runs", exits=2)
    assert "has no scenario 'nowhere'" in none.output
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        (
            "mail_send to=anna.ek,leo body='two words'",
            {"to": ["anna.ek", "leo"], "body": "two words"},
        ),
        ("mail_send mail=3 wake=no", {"mail": 3, "wake": False}),
        ("mail_send mail=three", {"mail": "three"}),
        ("""mail_send body:='"one\\ntwo"'""", {"body": "one\ntwo"}),
        ("mail_send unknown=7", {"unknown": "7"}),
    ],
)
def test_a_line_is_read_as_a_call(line: str, arguments: Mapping[str, JsonValue]) -> None:
    assert read_line(line, TOOLS) == ToolCall("mail_send", arguments)


def test_a_text_may_come_from_a_file_and_what_cannot_be_read_says_why(tmp_path: Path) -> None:
    file = tmp_path / "text.md"
    file.write_text("long\ntext", encoding="utf-8")
    assert read_line(f"mail_send body=@{file}", TOOLS) == ToolCall(
        "mail_send", {"body": "long\ntext"}
    )
    assert read_line(" ? mail_send ", TOOLS) == HelpRequest("mail_send")
    for line, why in {
        "mail_send body=@nowhere.md": "cannot be read",
        "mail_send 'body": "No closing quotation",
        "mail_send mail:=x": "followed by JSON",
        "mail_send mail=3 mail:=4": "mail is given twice",
        "mail": "try mail_send",
    }.items():
        with pytest.raises(CannotRead, match=why):
            read_line(line, TOOLS)


class Terminal:
    """Standard input that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_is_asked_back_before_what_takes_long_or_destroys(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def answer(question: str) -> str:
        asked.append(question)
        return "y" if "delete" in question else ""

    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("builtins.input", answer)
    tools = [ToolInfo(name, "", {}, 1) for name in ("files_delete", "desk_wait", "desk_now")]
    desk = TerminalDesk(Console(), tools)
    now = datetime(2025, 10, 1, 9, 0)
    assert desk.agrees(ToolCall("desk_now"), now)
    assert desk.agrees(ToolCall("desk_wait", {"until": "09:15"}), now) and asked == []
    assert not desk.agrees(ToolCall("desk_wait", {"until": "09:16"}), now)
    assert not desk.agrees(ToolCall("desk_wait"), now)
    assert desk.agrees(ToolCall("files_delete", {"path": "workspace:/a"}), now)
    assert [question.split(".")[0] for question in asked] == [
        "desk_wait takes 16 min",
        "desk_wait takes long, up to the rest of the day",
        "files_delete takes 1 min",
    ]


def test_tab_completes_tools_and_then_their_arguments(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    readline = pytest.importorskip("readline")
    monkeypatch.setattr("sys.stdin", Terminal())
    TerminalDesk(Console(), [*TOOLS.values(), ToolInfo("mail_list", "", {}, 1)])
    complete, line = readline.get_completer(), ""
    monkeypatch.setattr(readline, "get_line_buffer", lambda: line)
    monkeypatch.setattr(readline, "get_endidx", lambda: len(line))
    line = "mail_"
    assert [complete("mail_", number) for number in range(3)] == ["mail_send ", "mail_list ", None]
    line = "mail_send b"
    assert [complete("b", number) for number in range(2)] == ["body=", None]
    line = "nothing b"
    assert complete("b", 0) is None
    readline.set_completer(None)
