"""One command in one sandbox: in go files, out come files, or a reason why nothing counts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event, Thread, Timer
from typing import BinaryIO

from trainee_bench.mcp_servers.sandbox.backend import (
    SANDBOX_PATH,
    RunningSandbox,
    SandboxBackend,
    SandboxUnavailable,
)
from trainee_bench.mcp_servers.sandbox.limits import Limit, SandboxLimits
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
    """A command, and the files that lie in its working folder, by their names there."""

    argv: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class SandboxResult:
    """What a command left: its exit code, what it printed, and what became of the files."""

    exit_code: int
    printed: bytes
    changed: Mapping[str, bytes]
    kept: tuple[str, ...]
    deleted: tuple[str, ...]


class ResultDiscarded(Exception):
    """What a command did does not count; its text says why, ``limit`` which limit if it was one,
    ``printed`` what it had printed until then."""

    def __init__(self, why: str, printed: bytes = b"", limit: Limit | None = None):
        super().__init__(why)
        self.printed = printed
        self.limit = limit


def run_in_sandbox(
    backend: SandboxBackend, job: SandboxJob, limits: SandboxLimits, cancelled: Event
) -> SandboxResult:
    """Run *job* in a new sandbox, of which nothing is left when this returns or raises.

    Raises ResultDiscarded; Unusable if there is no sandbox of this kind, or it could not be made.
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
        raise ResultDiscarded("it was called off", bytes(answer.printed))
    return _left(job, answer, limit, limits, complaint)


def _watch(
    box: RunningSandbox, reading: Thread, limits: SandboxLimits, cancelled: Event
) -> Limit | None:
    """Wait for the end of the answer, or for a reason to end it; the limit that was one."""
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
    """What the command left. Raises ResultDiscarded where it does not count, SandboxUnavailable if there was
    no command: nothing that runs inside can write where the sandbox's maker complains."""
    report, printed = answer.report, bytes(answer.printed)
    limit = answer.limit or (report.limit if report else None) or (not answer.complete and met)
    if limit:
        raise ResultDiscarded(limits.message_for(limit), printed, limit)
    if report is None and complaint and not printed:
        raise SandboxUnavailable(complaint)
    if report is None or not answer.complete:
        raise ResultDiscarded("it broke its sandbox", printed)
    if report.unkept:
        raise ResultDiscarded(f"it left {report.unkept}; a workspace has plain files only", printed)
    kept = tuple(name for name in report.kept if name in job.files)
    there = {*kept, *answer.changed}
    deleted = tuple(name for name in job.files if name not in there)
    return SandboxResult(report.exit_code, printed, answer.changed, kept, deleted)


def _request(backend: SandboxBackend, job: SandboxJob, limits: SandboxLimits) -> Iterator[bytes]:
    """The frames that ask for *job*."""
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
    with suppress(OSError, ValueError):  # the sandbox has ended before it heard all
        for frame in request:
            into.write(frame)
        into.flush()


def _complaint(box: RunningSandbox) -> str:
    """What the process that held the sandbox wrote about itself; its pipes are closed."""
    stderr = box.process.stderr
    assert stderr is not None
    said = stderr.read().decode(errors="replace").strip()
    for pipe in (box.process.stdin, box.process.stdout, stderr):
        with suppress(OSError):
            if pipe is not None:
                pipe.close()
    return " ".join(said.split())[-300:]
