"""The resource limits of a command, and the messages for exceeding them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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
        """What a command did that exceeded *limit*, as the end of a sentence."""
        return {
            Limit.TIME: f"it ran longer than {self.seconds:g} s",
            Limit.CPU: f"it used more than {self.cpu_seconds} s of processor time",
            Limit.MEMORY: f"it used more than {self.memory // 1_000_000} MB of memory",
            Limit.PROCESSES: f"it had {self.processes} processes and threads or more at a time",
            Limit.OUTPUT: f"it printed more than {self.output:,} bytes; print into a file",
            Limit.DISK: f"it filled the disk: {self.disk // 1_000_000} MB for the workspace, "
            f"{self.scratch // 1_000_000} MB for /tmp",
            Limit.FILE_SIZE: f"it wrote a file of {self.file_size // 1_000_000} MB or more",
            Limit.FILES: f"it made more than {self.files:,} files",
            Limit.CHANGES: f"it changed more than {self.changes // 1_000_000} MB of files",
        }[limit]
