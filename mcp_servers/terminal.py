"""The terminal server: runs a shell command or a Python program in a sandbox with the workspace.

The command runs on copies of the files, outside any transaction. One action then applies its
changes to the world. Only days that name the terminal offer it.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from threading import Event
from typing import Annotated

import anyio
from pydantic import BaseModel, Field, JsonValue

from trainee_bench.mcp_servers.sandbox.backend import SandboxLimits
from trainee_bench.mcp_servers.sandbox.detection import SHELL, find_sandbox
from trainee_bench.mcp_servers.sandbox.runner import (
    ResultDiscarded,
    SandboxJob,
    SandboxResult,
    run_in_sandbox,
)
from trainee_bench.mcp_servers.sandbox.workspace import (
    FileChange,
    RecordedRun,
    WorkspaceSnapshot,
    apply_run,
    record_run,
    snapshot_workspace,
)
from trainee_bench.mcp_servers.serving.toolbox import FileUse, Toolbox
from trainee_bench.world.errors import Refused, WorldError
from trainee_bench.world.transaction import Result, Transaction
from trainee_bench.world.world import World


def _missing_requirement() -> str:
    return find_sandbox().missing_requirement


TOOLS = Toolbox(
    "terminal",
    "A shell and Python in a sandbox with your workspace.",
    missing_requirement=_missing_requirement,
)

LIMITS = SandboxLimits()
MAX_OUTPUT_SHOWN, OUTPUT_TAIL_SHOWN = 10_240, 3_072
"""Maximum characters of output shown, and how many of them come from its end."""
MAX_LIST_CHARACTERS = 1_000
"""Maximum characters of file names shown."""
_AT_A_TIME = 4
"""Maximum commands that run at the same time; others wait."""
RAN_EFFECT = "ran"
_NOTHING_KEPT = "Nothing in the workspace was changed."
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_WORKERS = ThreadPoolExecutor(_AT_A_TIME, thread_name_prefix="sandbox")

_LONGEST_PROGRAM = 30_000


class CommandOutcome(BaseModel, frozen=True):
    """The exit code and output of a command, and the files it changed and deleted. ``changed`` and
    ``deleted`` list only the first files."""

    exit_code: int
    output: str
    changed: tuple[str, ...]
    changed_total: int
    deleted: tuple[str, ...]
    deleted_total: int


async def _in_sandbox(world: World, actor: str, arguments: BaseModel) -> Mapping[str, JsonValue]:
    """Run the command on *actor*'s workspace and return its result as the effect to record.

    Raises Refused if the result is discarded.
    """

    def read_workspace(tx: Transaction) -> WorkspaceSnapshot | None:
        tx.actor = actor
        return snapshot_workspace(tx) if tx.now < tx.day.ends else None

    carried = await world.read(read_workspace)
    if carried is None:
        return {}
    given = arguments.model_dump()
    argv = (
        (SHELL, "-c", given["command"])
        if "command" in given
        else ("/usr/bin/env", "python3", "-c", given["code"])
    )
    kind, left = await _run(SandboxJob(argv, carried.files))
    ran = record_run(carried, left, kind, printable_output(left.printed))
    return {RAN_EFFECT: json.loads(ran.model_dump_json())}


async def _run(job: SandboxJob) -> tuple[str, SandboxResult]:
    """Run *job* in a sandbox; return the kind of sandbox and the result.

    Cancelling this kills the command.
    """
    cancelled = Event()

    def work() -> tuple[str, SandboxResult]:
        found = find_sandbox()
        if found.sandbox is None:
            raise Refused("There is no terminal on this machine; use the other tools.")
        try:
            return found.sandbox.kind, run_in_sandbox(found.sandbox, job, LIMITS, cancelled)
        except ResultDiscarded as why:
            reason = f"The command was stopped or failed: {why}. {_NOTHING_KEPT}"
            printed = printable_output(why.printed)
            raise Refused(f"{reason} It printed:\n{printed}" if printed else reason) from None

    working = _WORKERS.submit(work)
    waiting = asyncio.wrap_future(working)
    try:
        return await asyncio.shield(waiting)
    except asyncio.CancelledError:
        cancelled.set()
        if not working.cancel():
            with anyio.CancelScope(shield=True):
                await asyncio.wait([waiting])
            waiting.exception()  # retrieved, so that asyncio does not report it as lost
        raise


@TOOLS.tool(destructive=True, side_effect=_in_sandbox, files=FileUse.RUNS)
def terminal_run_shell(
    tx: Transaction,
    command: Annotated[
        str, Field(min_length=1, max_length=_LONGEST_PROGRAM, description="Bash command")
    ],
) -> Result[CommandOutcome]:
    """Run a bash command in a folder with your workspace's files. Changes there change the
    workspace. No network. Copy files from the drive first (files_copy). A command that exceeds
    30 s or 512 MB changes nothing. The result shows at most 10,240 characters."""
    return _apply(tx)


@TOOLS.tool(destructive=True, side_effect=_in_sandbox, files=FileUse.RUNS)
def terminal_run_python(
    tx: Transaction,
    code: Annotated[
        str, Field(min_length=1, max_length=_LONGEST_PROGRAM, description="The whole program")
    ],
) -> Result[CommandOutcome]:
    """Run a Python 3 program (standard library with sqlite3, no packages). The folder and limits
    are those of terminal_run_shell. Print what you want to see."""
    return _apply(tx)


def _apply(tx: Transaction) -> Result[CommandOutcome]:
    """Apply the command's changes to the world and describe them."""
    ran = RecordedRun.model_validate_json(json.dumps(tx.effect(RAN_EFFECT)))
    try:
        apply_run(tx, ran)
    except WorldError as error:
        reason = f"{error} The command ran, but its changes were not kept."
        raise Refused(f"{reason} It printed:\n{ran.output}" if ran.output else reason) from None
    changed, deleted = _first_paths(ran.made), _first_paths(ran.gone)
    lines = [ran.output.rstrip("\n")] if ran.output.strip() else []
    lines += [f"exit code {ran.exit_code}"] if ran.exit_code or not lines else []
    lines += [f"changed: {_named(changed, len(ran.made))}"] if changed else []
    lines += [f"deleted: {_named(deleted, len(ran.gone))}"] if deleted else []
    data = CommandOutcome(
        exit_code=ran.exit_code,
        output=ran.output,
        changed=changed,
        changed_total=len(ran.made),
        deleted=deleted,
        deleted_total=len(ran.gone),
    )
    return Result("\n".join(lines), data)


def printable_output(printed: bytes) -> str:
    """Decode output as printable text, without the middle of long output."""
    text = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", _lines(printed.decode(errors="replace")))
    if len(text) <= MAX_OUTPUT_SHOWN:
        return text
    first = MAX_OUTPUT_SHOWN - OUTPUT_TAIL_SHOWN
    left_out = len(text) - MAX_OUTPUT_SHOWN
    return f"{text[:first]}\n… ({left_out:,} characters left out) …\n{text[-OUTPUT_TAIL_SHOWN:]}"


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _first_paths(touched: Sequence[FileChange]) -> tuple[str, ...]:
    """Return as many of the first paths as can be shown, at least one if there are any."""
    paths = [change.path for change in touched]
    lengths = accumulate(map(len, paths))
    fitting = sum(length <= MAX_LIST_CHARACTERS for length in lengths)
    return tuple(paths[: max(fitting, 1)])


def _named(paths: Sequence[str], total: int) -> str:
    more = f" and {total - len(paths)} more" if total > len(paths) else ""
    return ", ".join(paths) + more
