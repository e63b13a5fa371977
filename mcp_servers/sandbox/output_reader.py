"""Reads the untrusted output of a sandbox and checks every frame."""

from __future__ import annotations

import struct
from typing import BinaryIO

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from trainee_bench.mcp_servers.sandbox.backend import Limit, SandboxLimits

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
        """Read to the end, or until a limit is exceeded or a frame is invalid; record which."""
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
