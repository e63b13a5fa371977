"""The interface of all sandbox backends: start a sandbox, watch it, end it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from subprocess import Popen
from typing import Protocol


class Limit(StrEnum):
    """A limit that a command can exceed."""

    TIME = "time"
    CPU = "cpu"
    MEMORY = "memory"
    PROCESSES = "processes"
    OUTPUT = "output"
    DISK = "disk"
    FILE_SIZE = "file_size"
    FILES = "files"
    CHANGES = "changes"


@dataclass(frozen=True)
class SandboxLimits:
    """The limits of one command; sizes in bytes.

    ``disk`` limits the workspace, ``scratch`` /tmp, and ``changes`` the total size of all new
    and changed files. Threads count as processes.
    """

    seconds: float = 30
    cpu_seconds: int = 20
    memory: int = 512_000_000
    processes: int = 64
    output: int = 1_000_000
    disk: int = 80_000_000
    scratch: int = 64_000_000
    file_size: int = 10_000_000
    files: int = 5_000
    changes: int = 20_000_000

    def message_for(self, limit: Limit) -> str:
        """Say how a command exceeded *limit*, as the end of a sentence."""
        return {
            Limit.TIME: f"it ran longer than {self.seconds:g} s",
            Limit.CPU: f"it used more than {self.cpu_seconds} s of processor time",
            Limit.MEMORY: f"it used more than {self.memory // 1_000_000} MB of memory",
            Limit.PROCESSES: f"it had {self.processes} or more processes and threads at a time",
            Limit.OUTPUT: f"it printed more than {self.output:,} bytes; write to a file instead",
            Limit.DISK: f"it filled the disk: {self.disk // 1_000_000} MB for the workspace, "
            f"{self.scratch // 1_000_000} MB for /tmp",
            Limit.FILE_SIZE: f"it wrote a file of {self.file_size // 1_000_000} MB or more",
            Limit.FILES: f"it made more than {self.files:,} files",
            Limit.CHANGES: f"it changed more than {self.changes // 1_000_000} MB of files",
        }[limit]


SANDBOX_PATH = "/usr/local/bin:/usr/bin:/bin"
SANDBOX_UID = 1000
"""The user and group id inside the sandbox."""
SHARED_MEMORY_BYTES = 16_000_000
"""Size of /dev/shm in bytes."""


class SandboxUnavailable(Exception):
    """This kind of sandbox does not work on this machine; the text says why."""


class RunningSandbox(Protocol):
    """A running sandbox. The pipes of its process carry requests to init_process.py and its output
    back."""

    @property
    def process(self) -> Popen[bytes]:
        """The host process that runs the sandbox."""

    def exceeded(self) -> Limit | None:
        """Return the limit that is exceeded, as seen from outside, or None."""

    def kill(self) -> None:
        """Kill everything in the sandbox at once."""


class SandboxBackend(ABC):
    """One kind of sandbox. Results record ``kind`` as its name."""

    kind: str

    @abstractmethod
    def start(self, limits: SandboxLimits) -> AbstractContextManager[RunningSandbox]:
        """Start a new sandbox, which is removed without a trace when the block ends.

        Raises SandboxUnavailable.
        """

    def rlimits(self, limits: SandboxLimits) -> dict[str, int]:
        """Return the rlimits for each process of the command, by name."""
        return {
            "RLIMIT_CPU": limits.cpu_seconds,
            "RLIMIT_FSIZE": limits.file_size,
            "RLIMIT_NOFILE": 256,
            "RLIMIT_CORE": 0,
            "RLIMIT_MSGQUEUE": 0,
        }


def init_command(python: str) -> list[str]:
    """Return the command line that runs init_process.py with the sandbox's own *python*."""
    source = (
        files("trainee_bench.mcp_servers.sandbox")
        .joinpath("init_process.py")
        .read_text(encoding="utf-8")
    )
    return [python, "-I", "-S", "-c", source]
