"""A program as an agent, through ``--agent-command``: what it is given, how its day ends, what of
it is kept; and any async function."""

from __future__ import annotations

import functools
import json
import shlex
import sys
from pathlib import Path

import pytest

from tests.harness.runs import invoke, read, run_day
from tests.mcp_servers.sandbox.boxes import a_nap, running, until
from trainee_bench.harness.agents.agent import UnknownAgent
from trainee_bench.harness.agents.external import gateway
from trainee_bench.harness.agents.runtime.registry import find_agent
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.session.agent_session import AgentSession

PROGRAMS = Path(__file__).parents[1] / "external" / "programs"
HERE = "tests.harness.agents.builtin.test_command"


def command(*words: str) -> str:
    """The command line of a program that acts these words."""
    return f"{started('misbehaving.py')} {{mcp_config}} {shlex.join(words)}"


def started(program: str) -> str:
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(PROGRAMS / program))}"


def worked(folder: Path, line: str, *more: str) -> tuple[EpisodeResult, str]:
    """The result of a day worked by the program, and what it printed."""
    out = run_day(folder, "--agent-command", line, *more)
    (result,) = read(out)
    return result, (out / "logs" / f"{result.episode}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "mode, transport",
    [
        ("auto", "memory"),
        pytest.param("auto", "stdio", marks=pytest.mark.sweep),
        pytest.param("legacy", "memory", marks=pytest.mark.sweep),
    ],
)
def test_a_program_works_a_day_and_all_it_did_is_recorded(
    tmp_path: Path, mode: str, transport: str
) -> None:
    written = {"path": "workspace:/a.txt", "text": "by a program"}
    words = shlex.join(("desk_tasks", f"files_write={json.dumps(written)}", "nonsense"))
    line = f"{started('worker.py')} {{mcp_config}} {{prompt_file}} {mode} {words}"
    result, printed = worked(tmp_path, line, "--transport", transport)
    assert (result.ended, result.agent_error, result.error) == ("agent", None, None)
    assert (result.steps, result.tool_calls, result.failed_calls) == (3, 3, 1)
    assert "told" in printed and "desk_tasks: done" in printed and "nonsense: failed" in printed
    trajectory = json.loads((tmp_path / "out" / str(result.trajectory)).read_text("utf-8"))
    made = [step["tool_calls"] for step in trajectory["steps"][1:]]
    assert [[call["function_name"] for call in calls] for calls in made] == [
        ["desk_tasks"], ["files_write"], ["nonsense"],
    ]  # fmt: skip
    assert made[1][0]["arguments"] == written
    assert "You may make 150 calls, one after the other." in trajectory["steps"][0]["message"]
    identity = result.identity
    assert identity is not None
    assert (identity.isolation, identity.limits.calls_per_turn) == ("none", 1)
    assert identity.results == "text"


def test_a_program_is_given_an_address_a_token_and_an_empty_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-never-to-be-seen")
    monkeypatch.setenv("ANOTHER_API_KEY", "sk-nobody-asked-for-it")
    _, printed = worked(tmp_path, command("!keys"), "--agent-env", "SOME_API_KEY")
    (listed,) = [line for line in printed.splitlines() if line.startswith("['HOME'")]
    names = {"HOME", "LANG", "PATH", "SOME_API_KEY", "TERM"}
    assert names <= set(listed.split("'")) and "ANOTHER_API_KEY" not in printed
    assert listed.endswith("[]")
    assert "'SOME_API_KEY': '[SOME_API_KEY]'" in printed
    assert '"Authorization": "Bearer [token]"' in printed and '"http://127.0.0.1:' in printed
    assert str(tmp_path) not in printed
    kept = [file for file in (tmp_path / "out").rglob("*") if file.is_file()]
    assert not any(b"sk-never" in file.read_bytes() for file in kept)
    folder = Path(printed.split("'HOME': '")[1].split("'")[0])
    assert not folder.parent.exists()


def test_going_home_ends_the_day_and_soon_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateway, "DISCONNECT_GRACE_SECONDS", 0.3)
    nap = a_nap().removeprefix("sleep ")
    result, _ = worked(tmp_path, command("desk_finish_day", "!daemon", "!hang", nap))
    assert (result.ended, result.agent_error) == ("agent", None)
    until(lambda: not running(nap))


def test_a_program_that_goes_on_after_the_last_turn_is_told_and_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateway, "DISCONNECT_GRACE_SECONDS", 3.0)
    line = command(*["desk_now"] * 4, "!hang")
    result, printed = worked(tmp_path, line, "--max-steps", "2")
    assert (result.ended, result.steps, result.agent_error) == ("step_limit", 2, None)
    assert printed.count("desk_now: done") == 2
    assert "desk_now: failed Not done: all turns of your day are used up" in printed


def test_a_program_that_sleeps_through_its_day_has_had_its_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateway, "DISCONNECT_GRACE_SECONDS", 0.3)
    wait = 'desk_wait={"until": "20:00", "wake": false}'
    result, _ = worked(tmp_path, command(wait, "!hang"))
    assert result.ended == "day_over"


def test_a_program_that_stumbles_over_the_end_of_its_day_has_ended_it_well(tmp_path: Path) -> None:
    wait = 'desk_wait={"until": "20:00", "wake": false}'
    result, _ = worked(tmp_path, command(wait, "!crash"))
    assert (result.ended, result.agent_error) == ("day_over", None)


def test_a_program_that_hangs_is_killed_when_its_time_is_up(tmp_path: Path) -> None:
    line = command("desk_now", "!hang")
    result, _ = worked(tmp_path, line, "--max-seconds", "4")
    assert (result.ended, result.agent_error) == ("time_limit", None)


def test_a_program_that_fails_is_graded_as_the_world_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "broken")
    line = command("desk_now", "!crash")
    result, printed = worked(tmp_path, line, "--agent-env", "SOME_API_KEY")
    assert (result.ended, result.steps, result.tries, result.score) == ("agent_error", 1, 1, 0)
    last = "CommandFailed: the command ended with exit code 3: I am [SOME_API_KEY]"
    assert result.agent_error == last
    assert printed.endswith("I am [SOME_API_KEY]\n")


def test_a_program_that_never_comes_to_its_office_has_done_nothing(tmp_path: Path) -> None:
    result, printed = worked(tmp_path, "echo {prompt} {url} {token} {mcp_config}")
    assert (result.ended, result.steps, result.score) == ("agent", 0, 0)
    assert "Your tasks:" in printed and "[token]" in printed


def test_a_program_may_ask_for_data_and_its_result_says_so(tmp_path: Path) -> None:
    result, _ = worked(tmp_path, "true {mcp_config}", "--agent-results", "structured")
    assert result.identity is not None and result.identity.results == "structured"


def test_several_programs_have_names_of_their_own(tmp_path: Path) -> None:
    lines = ("--agent-command", "true {mcp_config}", "--agent-command", "false {mcp_config}")
    out = run_day(tmp_path, *lines)
    ended = {result.agent: result.ended for result in read(out)}
    assert ended == {"command-1": "agent", "command-2": "agent_error"}


@pytest.mark.parametrize(
    "options, why",
    [
        (["--agent-command", "true"], "would not know the address of its server"),
        (["--agent-command", "true {mcp_config}", "--agent-env", "NOT_SET"], "no such variable"),
        (["--agent-command", "true {mcp_config}", "--agent-isolation", "jail"], "none, sandbox"),
        (["--agent-command", "true {mcp_config}", "--agent-allow", "/"], "isolation sandbox"),
        (["--agent-command", "true {mcp_config}", "--max-cost", "1"], "usage is not visible"),
        (["--agent-env", "HOME"], "need an --agent-command"),
        (["--agent-results", "text"], "need an --agent-command"),
        (["--agent", "command"], "--agent-command"),
    ],
)
def test_contradictory_options_are_refused_before_anything_is_staged(
    tmp_path: Path, options: list[str], why: str
) -> None:
    assert why in invoke(*options, "--out", tmp_path / "out", exits=2).output
    assert not (tmp_path / "out").exists()


# functions ---------------------------------------------------------------------------------


async def goes_home(session: AgentSession) -> None:
    """An agent that is a function."""
    await session.call("desk_finish_day")


class Callable:
    async def __call__(self, session: AgentSession, late: bool = False) -> None:
        await session.call("desk_finish_day")


an_object = Callable()
bound = functools.partial(an_object.__call__, late=True)


def plain(session: AgentSession) -> None:
    """No agent: it cannot wait for an answer."""


@pytest.mark.parametrize("name", ["goes_home", "an_object", "bound"])
def test_an_async_function_of_the_office_is_an_agent(tmp_path: Path, name: str) -> None:
    out = run_day(tmp_path, "--agent", f"{HERE}:{name}")
    (result,) = read(out)
    assert (result.ended, result.steps) == ("agent", 1)
    assert result.identity is not None and result.identity.isolation == "none"


@pytest.mark.parametrize("name", ["plain", "Callable", "no_such_thing"])
def test_an_unknown_agent_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(UnknownAgent, match=r"async def work\(self, session\)`, and no `async def"):
        find_agent(f"{HERE}:{name}")
