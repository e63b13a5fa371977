"""Runs one command in one sandbox: files in, files out, or a reason why the result is discarded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event, Thread, Timer
from typing import BinaryIO

from trainee_bench.mcp_servers.sandbox.backend import (
    SANDBOX_PATH,
    Limit,
    RunningSandbox,
    SandboxBackend,
    SandboxLimits,
    SandboxUnavailable,
)
from trainee_bench.mcp_servers.sandbox.output_reader import HEADER, SandboxOutput

_LOOK_SECONDS = 0.03
ENVIRONMENT = {
    "PATH": SANDBOX_PATH,
    "HOME": "/tmp",  # noqa: S108 -- the sandbox's own
    "TMPDIR": "/tmp",  # noqa: S108
    "USER": "trainee",
    "LOGNAME": "trainee",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONUNBUFFERED": "1",
    "PYTHONNOUSERSITE": "1",
}


@dataclass(frozen=True)
class SandboxJob:
    """A command and the files of its working folder, by name."""

    argv: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class SandboxResult:
    """The result of a command: its exit code, its output and its files."""

    exit_code: int
    printed: bytes
    changed: Mapping[str, bytes]
    kept: tuple[str, ...]
    deleted: tuple[str, ...]


class ResultDiscarded(Exception):
    """The result of a command is discarded. The text says why, ``limit`` is the exceeded limit,
    if any, and ``printed`` the output until then."""

    def __init__(self, why: str, printed: bytes = b"", limit: Limit | None = None):
        super().__init__(why)
        self.printed = printed
        self.limit = limit


def run_in_sandbox(
    backend: SandboxBackend, job: SandboxJob, limits: SandboxLimits, cancelled: Event
) -> SandboxResult:
    """Run *job* in a new sandbox, which is gone when this returns or raises.

    Raises ResultDiscarded, and SandboxUnavailable if the sandbox could not be started.
    """
    answer = SandboxOutput(limits)
    with backend.start(limits) as box:
        into, out = box.process.stdin, box.process.stdout
        assert into is not None and out is not None
        sending = Thread(target=_send, args=(into, _request(backend, job, limits)), daemon=True)
        reading = Thread(target=answer.read, args=(out,), daemon=True)
        try:
            sending.start()
            reading.start()
            limit = _watch(box, reading, limits, cancelled)
        finally:
            if not answer.complete:
                box.kill()
    for thread in (sending, reading):
        thread.join()
    complaint = _complaint(box)
    if cancelled.is_set():
        raise ResultDiscarded("it was cancelled", bytes(answer.printed))
    return _left(job, answer, limit, limits, complaint)


def _watch(
    box: RunningSandbox, reading: Thread, limits: SandboxLimits, cancelled: Event
) -> Limit | None:
    """Wait until the output ends or must be ended; returns the exceeded limit, if any."""
    expired = Event()
    timer = Timer(limits.seconds, expired.set)
    timer.daemon = True
    timer.start()
    try:
        while reading.is_alive() and not cancelled.is_set():
            if expired.is_set():
                return Limit.TIME
            if limit := box.exceeded():
                return limit
            reading.join(_LOOK_SECONDS)
        return None
    finally:
        timer.cancel()


def _left(
    job: SandboxJob, answer: SandboxOutput, met: Limit | None, limits: SandboxLimits, complaint: str
) -> SandboxResult:
    """The command's result. Raises ResultDiscarded if it does not count, SandboxUnavailable if no
    command ran: then the backend wrote an error to a pipe that no command can reach."""
    report, printed = answer.report, bytes(answer.printed)
    limit = answer.limit or (report.limit if report else None) or (not answer.complete and met)
    if limit:
        raise ResultDiscarded(limits.message_for(limit), printed, limit)
    if report is None and complaint and not printed:
        raise SandboxUnavailable(complaint)
    if report is None or not answer.complete:
        raise ResultDiscarded("it interfered with its sandbox", printed)
    if report.unkept:
        raise ResultDiscarded(
            f"it left {report.unkept}; a workspace holds plain files only", printed
        )
    kept = tuple(name for name in report.kept if name in job.files)
    there = {*kept, *answer.changed}
    deleted = tuple(name for name in job.files if name not in there)
    return SandboxResult(report.exit_code, printed, answer.changed, kept, deleted)


def _request(backend: SandboxBackend, job: SandboxJob, limits: SandboxLimits) -> Iterator[bytes]:
    """The frames that request *job*."""
    order = {
        "argv": job.argv,
        "environment": ENVIRONMENT,
        "rlimits": backend.rlimits(limits),
        "cpu_seconds": limits.cpu_seconds,
        "processes": limits.processes,
        "files": limits.files,
        "changes": limits.changes,
    }
    yield _frame(b"J", json.dumps(order).encode())
    for name, data in job.files.items():
        yield _frame(b"N", name.encode())
        yield _frame(b"D", data)
    yield _frame(b"E", b"")


def _frame(kind: bytes, body: bytes) -> bytes:
    return HEADER.pack(kind, len(body)) + body


def _send(into: BinaryIO, request: Iterator[bytes]) -> None:
    with suppress(OSError, ValueError):  # the sandbox ended before it read everything
        for frame in request:
            into.write(frame)
        into.flush()


def _complaint(box: RunningSandbox) -> str:
    """The error output of the process that ran the sandbox; closes its pipes."""
    stderr = box.process.stderr
    assert stderr is not None
    said = stderr.read().decode(errors="replace").strip()
    for pipe in (box.process.stdin, box.process.stdout, stderr):
        with suppress(OSError):
            if pipe is not None:
                pipe.close()
    return " ".join(said.split())[-300:]
