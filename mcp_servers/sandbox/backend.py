"""What every kind of sandbox has in common: a process that holds one, and how it is ended."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from importlib.resources import files
from subprocess import Popen
from typing import Protocol

from trainee_bench.mcp_servers.sandbox.limits import Limit, SandboxLimits

SANDBOX_PATH = "/usr/local/bin:/usr/bin:/bin"
SANDBOX_UID = 1000
"""Who one is inside."""
SHARED_MEMORY_BYTES = 16_000_000
"""Bytes of /dev/shm."""


class SandboxUnavailable(Exception):
    """This kind of sandbox does not work on this machine; says why."""


class RunningSandbox(Protocol):
    """A sandbox that runs: init_process.py is asked and answers over the process's pipes."""

    @property
    def process(self) -> Popen[bytes]:
        """The process of the host that holds the sandbox."""

    def exceeded(self) -> Limit | None:
        """The limit that has been run into as seen from outside, if any."""

    def kill(self) -> None:
        """End all that runs in the sandbox, at once."""


class SandboxBackend(ABC):
    """One kind of sandbox. ``kind`` is the name under which results record it."""

    kind: str

    @abstractmethod
    def start(self, limits: SandboxLimits) -> AbstractContextManager[RunningSandbox]:
        """A new sandbox while the block lasts; nothing of it is left behind.

        Raises SandboxUnavailable.
        """

    def rlimits(self, limits: SandboxLimits) -> dict[str, int]:
        """The kernel's limits for each process of the command, by name."""
        return {
            "RLIMIT_CPU": limits.cpu_seconds,
            "RLIMIT_FSIZE": limits.file_size,
            "RLIMIT_NOFILE": 256,
            "RLIMIT_CORE": 0,
            "RLIMIT_MSGQUEUE": 0,
        }


def init_command(python: str) -> list[str]:
    """The command line of init_process.py, run by the sandbox's own *python*."""
    source = (
        files("trainee_bench.mcp_servers.sandbox")
        .joinpath("init_process.py")
        .read_text(encoding="utf-8")
    )
    return [python, "-I", "-S", "-c", source]
