"""A command line is understood before a run begins, or refused in words."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from trainee_bench.harness.agents.external.command_line import (
    expand_placeholders,
    normalize_command,
)
from trainee_bench.harness.records.plan import PlanError


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "agent.py").write_text("")
    (tmp_path / "run").write_text("")
    (tmp_path / "my agent").write_text("#!/bin/sh\n")
    (tmp_path / "my agent").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_files_named_from_here_are_found_from_anywhere_and_other_words_stay(here: Path) -> None:
    words = shlex.split(normalize_command("sh agent.py run {mcp_config} --to=agent.py no.py ''"))
    assert words[1:] == [f"{here}/agent.py", "run", "{mcp_config}", "--to=agent.py", "no.py", ""]
    assert Path(words[0]).is_absolute() and os.access(words[0], os.X_OK)
    assert shlex.split(normalize_command("'./my agent' {mcp_config}"))[0] == f"{here}/my agent"


def test_settling_twice_changes_nothing() -> None:
    once = normalize_command("sh agent.py 'a b' {mcp_config}")
    assert normalize_command(once) == once


@pytest.mark.parametrize(
    "command, why",
    [
        ("", "empty"),
        ("sh 'agent.py {mcp_config}", "quot"),
        ("sh agent.py", r"would not know the address of its server.*\{mcp_config\}"),
        ("sh {prompt_file} {url}", "would not know the address of its server"),
        ("sh {mcp_config} {seed}", r"no \{seed\}; there are \{mcp_config\}, \{prompt_file\}"),
        ("sh {mcp_config} ${HOME}", r"no \{HOME\}.*no shell"),
        ("{mcp_config}", "first word"),
        ("no-such-program {mcp_config}", "no program 'no-such-program'"),
        ("agent.py {mcp_config}", "no program"),
    ],
)
def test_what_cannot_be_run_is_refused_with_what_would_be_right(command: str, why: str) -> None:
    with pytest.raises(PlanError, match=why):
        normalize_command(command)


def test_a_value_stays_one_word_and_is_not_looked_into() -> None:
    line = "sh --mcp={mcp_config} {prompt} '{\"a\": 1}' {url}{token}"
    values = {"mcp_config": "/a b", "prompt": "Do {token} 'now'", "url": "u", "token": "t"}
    assert expand_placeholders(line, values) == [
        "sh",
        "--mcp=/a b",
        "Do {token} 'now'",
        '{"a": 1}',
        "ut",
    ]
