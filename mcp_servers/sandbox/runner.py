"""Runs one command in one sandbox: files in, files out, or a reason why the result is discarded.

The output of a sandbox is untrusted, so every frame of it is checked.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event, Thread, Timer
from typing import BinaryIO

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from trainee_bench.mcp_servers.sandbox.backend import (
    SANDBOX_PATH,
    Limit,
    RunningSandbox,
    SandboxBackend,
    SandboxLimits,
    SandboxUnavailable,
)

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
    """The result of a command is discarded. The text says why. ``limit`` is the exceeded limit, if
    any, and ``printed`` the output until then."""

    def __init__(self, why: str, printed: bytes = b"", limit: Limit | None = None):
        super().__init__(why)
        self.printed = printed
        self.limit = limit


def run_in_sandbox(
    backend: SandboxBackend, job: SandboxJob, limits: SandboxLimits, cancelled: Event
) -> SandboxResult:
    """Run *job* in a new sandbox, which is gone when this returns or raises.

    Raises ResultDiscarded, and SandboxUnavailable if the sandbox cannot be started.
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
    """Wait until the output ends or must be ended, and return the exceeded limit, if any."""
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
    """Return the command's result.

    Raises ResultDiscarded if it does not count. Raises SandboxUnavailable if no command ran: then
    the backend wrote an error to a pipe that no command can reach.
    """
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
            f"it left {report.unkept}; a workspace can hold only plain files", printed
        )
    kept = tuple(name for name in report.kept if name in job.files)
    there = {*kept, *answer.changed}
    deleted = tuple(name for name in job.files if name not in there)
    return SandboxResult(report.exit_code, printed, answer.changed, kept, deleted)


def _request(backend: SandboxBackend, job: SandboxJob, limits: SandboxLimits) -> Iterator[bytes]:
    """Yield the frames that request *job*."""
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
    """Return the error output of the process that ran the sandbox, and close its pipes."""
    stderr = box.process.stderr
    assert stderr is not None
    errors = stderr.read().decode(errors="replace").strip()
    for pipe in (box.process.stdin, box.process.stdout, stderr):
        with suppress(OSError):
            if pipe is not None:
                pipe.close()
    return " ".join(errors.split())[-300:]


HEADER = struct.Struct(">cQ")
"""A frame's letter and length, as in init_process.py."""
_LONGEST_NAME = 4_096
_LONGEST_REPORT = 8_000_000


class ProtocolViolation(Exception):
    """The output is not what init_process.py sends."""


class CommandReport(BaseModel):
    """How the command ended: exit code and unchanged files, or why its result is discarded."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    exit_code: int = Field(ge=0, le=255)
    kept: tuple[str, ...]
    limit: Limit | None
    unkept: str | None


class SandboxOutput:
    """The output read so far: printed bytes, the report, new and changed files."""

    def __init__(self, limits: SandboxLimits):
        self._limits = limits
        self.printed = bytearray()
        self.report: CommandReport | None = None
        self.changed: dict[str, bytes] = {}
        self.complete = False
        self.limit: Limit | None = None
        self.error: ProtocolViolation | None = None

    def read(self, stream: BinaryIO) -> None:
        """Read to the end, or until a limit is exceeded or a frame is invalid, and record which."""
        try:
            while not (self.complete or self.limit):
                self._frame(stream)
        except ProtocolViolation as error:
            self.error = error

    def _frame(self, stream: BinaryIO) -> None:
        kind, length = self._header(stream)
        if kind == b"O" and self.report is None:
            if len(self.printed) + length > self._limits.output:
                self.printed += _body(stream, self._limits.output - len(self.printed))
                self.limit = Limit.OUTPUT
                return
            self.printed += _body(stream, length)
        elif kind == b"X" and self.report is None and length <= _LONGEST_REPORT:
            self.report = _report(_body(stream, length))
        elif kind == b"N" and self.report is not None and length <= _LONGEST_NAME:
            self._file(_name(_body(stream, length)), stream)
        elif kind == b"E" and self.report is not None and not length:
            self.complete = True
        else:
            raise ProtocolViolation(f"a frame {kind!r} of {length} bytes")

    def _file(self, name: str, stream: BinaryIO) -> None:
        kind, length = self._header(stream)
        size = sum(map(len, self.changed.values())) + length
        if kind != b"D" or name in self.changed or len(self.changed) >= self._limits.files:
            raise ProtocolViolation(
                f"{name!r} comes twice, has no data, or exceeds the number of files"
            )
        if length > self._limits.file_size or size > self._limits.changes:
            raise ProtocolViolation(f"{name!r} of {length} bytes is too much")
        self.changed[name] = _body(stream, length)

    def _header(self, stream: BinaryIO) -> tuple[bytes, int]:
        kind, length = HEADER.unpack(_body(stream, HEADER.size))
        return kind, length


def _body(stream: BinaryIO, length: int) -> bytes:
    body = stream.read(length)
    if len(body) != length:
        raise ProtocolViolation("it broke off")
    return body


def _report(body: bytes) -> CommandReport:
    try:
        return CommandReport.model_validate_json(body)
    except ValidationError as error:
        raise ProtocolViolation("the report is malformed") from error


def _name(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise ProtocolViolation("a name is not UTF-8") from error
