"""Runs the `answer.py` of a task in a process of its own, in a sandbox where there is one.

    answer(files, facts, policy) -> rows, or values by name

`files` has a list of rows for each table (dicts by column) and the text of every other file.
`facts` and `policy` have values by name. Numbers are decimals. The rows of a table have the columns
of the task. For a mail or a meeting the code returns values by name; a value may be a list.

Processes that a call leaves behind end with the call. In a sandbox the worker ends everything else
there; without one, it tells of them, and its whole process group ends.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from functools import cache
from importlib import resources
from pathlib import Path
from queue import Empty, Queue
from threading import Lock, Thread
from typing import Any
from weakref import finalize

from trainee_bench.meta_tasks.offices.values import Listed, Value

Row = Mapping[str, Value]
Seen = str | Sequence[Row]
"""A file as `answer` gets it: a text, or the rows of a table."""
ALONE = "alone"
"""The worker's argument which says that it may end all other processes that it sees."""
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
        found = self._call(files, facts, policy)
        if found.rows is None:
            raise AnswerFailed("answer.py returned values by name; a table needs a list of rows")
        return found.rows

    def values(
        self, files: Mapping[str, Seen], facts: Mapping[str, Value], policy: Mapping[str, Value]
    ) -> dict[str, Listed]:
        """Return the values by name that the code computes. Raises AnswerFailed."""
        found = self._call(files, facts, policy)
        if found.values is None:
            raise AnswerFailed(
                "answer.py returned rows; a mail or a meeting needs a dict of values by name"
            )
        return found.values

    def _call(
        self, files: Mapping[str, Seen], facts: Mapping[str, Value], policy: Mapping[str, Value]
    ) -> _Answer:
        request = json.dumps([_encoded(files), _encoded(facts), _encoded(policy)])
        with self._lock:
            if self._process is None or not self._process.usable:
                self._process = _Process(self._code)
                finalize(self, self._process.end)
            return self._process.call(request)


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


@dataclass(frozen=True)
class _Answer:
    """The result of a call: rows or values."""

    rows: list[dict[str, Value]] | None
    values: dict[str, Listed] | None


class _Process:
    """A running worker, which this process started."""

    def __init__(self, code: str):
        worker = resources.files("trainee_bench.meta_tasks.offices") / _WORKER
        sandbox = sandbox_command()
        command = [
            *sandbox,
            *(_python(), "-s", "-P", "-c", worker.read_text(encoding="utf-8")),
            *([ALONE] if sandbox else []),
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
            start_new_session=True,
        )
        self._replies: Queue[str] = Queue()
        Thread(target=self._read, daemon=True).start()
        self._send(json.dumps(code))

    @property
    def usable(self) -> bool:
        """Whether it runs, and belongs to this process and not to its parent."""
        return self._owner == os.getpid() and self._process.poll() is None

    def end(self) -> None:
        """End the process and its group, if it is this process's own."""
        if self._owner != os.getpid():
            return
        if self._process.returncode is None and hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()

    def call(self, request: str) -> _Answer:
        """Return the answer to a request. Raises AnswerFailed if none comes in time."""
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
            given = json.loads(reply)
            if given["left"]:
                self.end()
            return _parsed(given)
        except (ValueError, KeyError, TypeError, AttributeError):
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


def _parsed(given: Any) -> _Answer:
    """Return the answer that a reply of the worker has. Raises AnswerFailed for an error of the
    code, and ValueError, KeyError, TypeError or AttributeError for a reply that is no answer."""
    if "error" in given:
        raise AnswerFailed(f"answer.py: {given['error']}")
    rows, values = given.get("rows"), given.get("values")
    if (rows is None) is (values is None):
        raise ValueError("a reply has rows or values")
    return _Answer(
        rows and [{name: _decoded(cell) for name, cell in row.items()} for row in rows],
        values and {name: _listed(value) for name, value in values.items()},
    )


def _listed(value: Any) -> Listed:
    return tuple(map(_decoded, value)) if isinstance(value, list) else _decoded(value)


def _decoded(cell: Any) -> Value:
    if isinstance(cell, str):
        return cell
    if "number" in cell:
        return Decimal(cell["number"])
    return (
        time.fromisoformat(cell["clock"]) if "clock" in cell else date.fromisoformat(cell["date"])
    )
