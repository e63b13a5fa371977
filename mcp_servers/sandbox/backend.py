"""The interface of all sandbox backends: start a sandbox, watch it, end it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from importlib.resources import files
from subprocess import Popen
from typing import Protocol

from trainee_bench.mcp_servers.sandbox.limits import Limit, SandboxLimits

SANDBOX_PATH = "/usr/local/bin:/usr/bin:/bin"
SANDBOX_UID = 1000
"""The user and group id inside the sandbox."""
SHARED_MEMORY_BYTES = 16_000_000
"""Size of /dev/shm in bytes."""


class SandboxUnavailable(Exception):
    """This kind of sandbox does not work on this machine; the text says why."""


class RunningSandbox(Protocol):
    """A running sandbox; the process's pipes carry requests to and output of init_process.py."""

    @property
    def process(self) -> Popen[bytes]:
        """The host process that runs the sandbox."""

    def exceeded(self) -> Limit | None:
        """The exceeded limit, as observed from outside, None if there is none."""

    def kill(self) -> None:
        """Kill everything in the sandbox at once."""


class SandboxBackend(ABC):
    """One kind of sandbox. ``kind`` is the name under which results record it."""

    kind: str

    @abstractmethod
    def start(self, limits: SandboxLimits) -> AbstractContextManager[RunningSandbox]:
        """A new sandbox, removed without a trace when the block ends.

        Raises SandboxUnavailable.
        """

    def rlimits(self, limits: SandboxLimits) -> dict[str, int]:
        """The rlimits for each process of the command, by name."""
        return {
            "RLIMIT_CPU": limits.cpu_seconds,
            "RLIMIT_FSIZE": limits.file_size,
            "RLIMIT_NOFILE": 256,
            "RLIMIT_CORE": 0,
            "RLIMIT_MSGQUEUE": 0,
        }


def init_command(python: str) -> list[str]:
    """The command line that runs init_process.py with the sandbox's own *python*."""
    source = (
        files("trainee_bench.mcp_servers.sandbox")
        .joinpath("init_process.py")
        .read_text(encoding="utf-8")
    )
    return [python, "-I", "-S", "-c", source]
