"""Runs the `answer.py` of a task in a process of its own, in a sandbox where there is one.

    answer(files, facts, policy) -> rows

`files` has a list of rows for each table (dicts by column) and the text of every other file.
`facts` and `policy` have values by name. Numbers are decimals. The rows have the columns of the
task.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, time
from decimal import Decimal
from functools import cache
from importlib import resources
from pathlib import Path
from queue import Empty, Queue
from threading import Lock, Thread
from typing import Any
from weakref import finalize

from trainee_bench.meta_tasks.offices.values import Value

Row = Mapping[str, Value]
Seen = str | Sequence[Row]
"""A file as `answer` gets it: a text, or the rows of a table."""
CALL_SECONDS, MAX_REPLY = 20, 50_000_000
_WORKER = "answer_worker.py"
_SEEDED = ("--setenv", "PYTHONHASHSEED", "0")
_SYSTEM = ("/usr", "/lib", "/lib64", "/bin")


class AnswerFailed(Exception):
    """The code of an office raised an error, took too long, or returned no rows."""


class AnswerCode:
    """The function `answer` of one `answer.py`, in a process that starts with the first call."""

    def __init__(self, code: str):
        self._code = code
        self._lock = Lock()
        self._process: _Process | None = None

    def rows(
        self, files: Mapping[str, Seen], facts: Mapping[str, Value], policy: Mapping[str, Value]
    ) -> list[dict[str, Value]]:
        """Return the rows that the code computes. Raises AnswerFailed."""
        request = json.dumps([_encoded(files), _encoded(facts), _encoded(policy)])
        with self._lock:
            if self._process is None or not self._process.usable:
                self._process = _Process(self._code)
                finalize(self, self._process.end)
            reply = self._process.call(request)
        if "error" in reply:
            raise AnswerFailed(f"answer.py: {reply['error']}")
        return [{name: _decoded(cell) for name, cell in row.items()} for row in reply["rows"]]


@cache
def answer_code(code: str) -> AnswerCode:
    """Return the one process of this process for *code*."""
    return AnswerCode(code)


def sandbox_command() -> tuple[str, ...]:
    """Return the beginning of a command that runs Python in a sandbox without network and files;
    () where there is no sandbox."""
    return _sandbox() or ()


@cache
def _sandbox() -> tuple[str, ...] | None:
    program = shutil.which("bwrap")
    if program is None:
        return None
    shown = [folder for folder in (*_SYSTEM, sys.base_prefix) if Path(folder).exists()]
    binds = [part for folder in shown for part in ("--ro-bind", folder, folder)]
    command = (
        *(program, "--unshare-all", "--die-with-parent", "--new-session", "--clearenv", *_SEEDED),
        *binds,
        *("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"),  # noqa: S108 -- its own
    )
    trial = [*command, _python(), "-s", "-P", "-c", "print(1)"]
    try:
        done = subprocess.run(  # noqa: S603 -- our own command
            trial, capture_output=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return command if done.returncode == 0 else None


def _python() -> str:
    """Return the interpreter outside of any virtual environment, which has all that is needed."""
    return str(getattr(sys, "_base_executable", sys.executable))


class _Process:
    """A running worker, which this process started."""

    def __init__(self, code: str):
        worker = resources.files("trainee_bench.meta_tasks.offices") / _WORKER
        command = [
            *sandbox_command(),
            _python(),
            "-s",
            "-P",
            "-c",
            worker.read_text(encoding="utf-8"),
        ]
        self._owner = os.getpid()
        self._process = subprocess.Popen(  # noqa: S603 -- only where its office was opened
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PYTHONHASHSEED": "0"},  # sets have one order, so rows do
            cwd="/",
            text=True,
        )
        self._replies: Queue[str] = Queue()
        Thread(target=self._read, daemon=True).start()
        self._send(json.dumps(code))

    @property
    def usable(self) -> bool:
        """Whether it runs, and belongs to this process and not to its parent."""
        return self._owner == os.getpid() and self._process.poll() is None

    def end(self) -> None:
        """End the process, if it is this process's own."""
        if self._owner == os.getpid():
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with suppress(BrokenPipeError):
                        pipe.close()

    def call(self, request: str) -> Any:
        """Return the reply to a request. Raises AnswerFailed if none comes in time."""
        self._send(request)
        try:
            reply = self._replies.get(timeout=CALL_SECONDS)
        except Empty:
            self.end()
            raise AnswerFailed(f"answer.py took more than {CALL_SECONDS} seconds") from None
        if not reply:
            self.end()
            raise AnswerFailed("answer.py ended its process")
        try:
            answered = json.loads(reply)
            return answered if "error" in answered else {"rows": list(answered["rows"])}
        except (ValueError, KeyError, TypeError):
            self.end()
            raise AnswerFailed("answer.py wrote something that is no answer") from None

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None, "its input is a pipe"
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            self.end()
            raise AnswerFailed("answer.py ended its process") from None

    def _read(self) -> None:
        assert self._process.stdout is not None, "its output is a pipe"
        with suppress(UnicodeError, ValueError):
            while line := self._process.stdout.readline(MAX_REPLY):
                self._replies.put(line)
        self._replies.put("")


def _encoded(value: object) -> Any:
    if isinstance(value, Decimal):
        return {"number": f"{value:f}"}
    if isinstance(value, time):
        return {"clock": f"{value:%H:%M}"}
    if isinstance(value, date):
        return {"date": value.isoformat()}
    if isinstance(value, Mapping):
        return {"items": [[name, _encoded(item)] for name, item in value.items()]}
    if isinstance(value, str):
        return value
    assert isinstance(value, Sequence), "files, facts and rules have no other values"
    return [_encoded(item) for item in value]


def _decoded(cell: Any) -> Value:
    if isinstance(cell, str):
        return cell
    if "number" in cell:
        return Decimal(cell["number"])
    return (
        time.fromisoformat(cell["clock"]) if "clock" in cell else date.fromisoformat(cell["date"])
    )
