"""The command line of an external agent: its words and its placeholders.

No shell is used. A command runs in an empty folder; placeholders tell it where its files are.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

from trainee_bench.harness.records.plan import PlanError

MCP_CONFIG, PROMPT_FILE, PROMPT, URL, TOKEN = "mcp_config", "prompt_file", "prompt", "url", "token"
"""The placeholders: an MCP client's configuration file, the prompt as a file or as a word, the
server's address, and its token."""
PLACEHOLDERS = (MCP_CONFIG, PROMPT_FILE, PROMPT, URL, TOKEN)
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]+)\}")


def normalize_command(command: str) -> str:
    """Return *command* as it is recorded, with absolute paths of the program and of local files.

    The paths are absolute because the command runs in another folder. Raises PlanError for a line
    that cannot be run or that does not give the agent the server's address.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise PlanError(f"--agent-command {command}: {error}; quote as for a shell.") from None
    if not words:
        raise PlanError("--agent-command is empty; give a program and its arguments.")
    _check_words(command, words)
    program = shutil.which(words[0])
    if program is None:
        raise PlanError(
            f"--agent-command {command}: there is no program {words[0]!r}. The command is run "
            "without a shell; its first word is a program on the PATH, or its path."
        )
    return shlex.join([str(Path(program).absolute()), *map(_absolute_file, words[1:])])


def expand_placeholders(command: str, values: Mapping[str, str]) -> list[str]:
    """Return the words of *command* with *values* for its placeholders."""
    return [_PLACEHOLDER.sub(lambda match: values[match[1]], word) for word in shlex.split(command)]


def command_program(command: str) -> str:
    """Return the program of a normalized *command*."""
    return shlex.split(command)[0]


def _check_words(command: str, words: list[str]) -> None:
    named = {name for word in words for name in _PLACEHOLDER.findall(word)}
    unknown = sorted(named - set(PLACEHOLDERS))
    there = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
    if unknown:
        raise PlanError(
            f"--agent-command {command}: there is no {{{unknown[0]}}}; there are {there}. "
            "Variables are not replaced, because there is no shell."
        )
    if _PLACEHOLDER.search(words[0]):
        raise PlanError(f"--agent-command {command}: the first word is the program to run.")
    if MCP_CONFIG not in named and not {URL, TOKEN} <= named:
        raise PlanError(
            f"--agent-command {command}: the agent would not know the address of its server. "
            "Put {mcp_config} where it takes an MCP client's configuration file, or give it {url} "
            "and {token}."
        )


def _absolute_file(word: str) -> str:
    """Return *word* as an absolute path if it names a local file, such as agent.py or bin/agent."""
    looks_like_a_file = "/" in word or Path(word).suffix
    try:
        there = bool(looks_like_a_file) and Path(word).is_file()
    except (OSError, ValueError):
        there = False
    return str(Path(word).absolute()) if there else word
