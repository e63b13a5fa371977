"""Measures a sandbox's processes from outside.

Linux limits memory and processor time only per process, not for all of them together.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from trainee_bench.mcp_servers.sandbox.backend import Limit, SandboxLimits

_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_COUNTED = ("RssAnon:", "RssShmem:", "VmPTE:", "VmSwap:")
"""The memory of one process alone. Its page tables may be larger than its pages."""
_MOST_BUFFERED = Path("/proc/sys/net/core/wmem_max")
_INIT_THREADS = 2
"""Maximum threads of a sandbox's process 1. A command that took it over may start more."""
_PLACES = ("workspace", "tmp", "dev/shm")
_INODES = 4
"""How many times the allowed number of files a disk may hold while the command runs."""


def can_watch() -> bool:
    """Whether this kernel lists the children of a process."""
    return Path(f"/proc/self/task/{os.getpid()}/children").exists()


def descendants(process: int) -> Iterator[int]:
    """Yield the children of *process* and their descendants."""
    with suppress(OSError):  # a process may exit at any moment
        for thread in Path(f"/proc/{process}/task").iterdir():
            for child in (thread / "children").read_text().split():
                yield int(child)
                yield from descendants(int(child))


def kill_init(process: int) -> bool:
    """Kill the first child of *process*, a sandbox's process 1, so that the kernel kills the whole
    sandbox. Return whether there was one."""
    for child in descendants(process):
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        return True
    return False


def exceeded_limit(process: int, limits: SandboxLimits) -> Limit | None:
    """Return the limit that the sandbox run by *process* exceeds now, or None."""
    inside = list(descendants(process))
    if not inside:
        return None
    memory = threads = 0
    seconds = 0.0
    for descendant in inside:
        used = _status(descendant)
        seconds += _cpu_seconds(descendant)
        memory += 1024 * sum(used.get(name, 0) for name in _COUNTED)
        threads += used.get("Threads:", 1)
    if threads - min(_INIT_THREADS, _status(inside[0]).get("Threads:", 1)) >= limits.processes:
        return Limit.PROCESSES
    if memory + _buffered(inside[0]) > limits.memory:
        return Limit.MEMORY
    if seconds >= limits.cpu_seconds:
        return Limit.CPU
    return _disks(inside[0], limits)


def _status(process: int) -> dict[str, int]:
    """Read the numbers in a process's /proc status; sizes in KiB."""
    with suppress(OSError):
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
        pairs = (line.split()[:2] for line in lines if line.startswith((*_COUNTED, "Threads:")))
        return {name: int(value) for name, value in pairs}
    return {}


def _cpu_seconds(process: int) -> float:
    """Return the processor time used by a process and by its children that have ended."""
    with suppress(OSError):
        # The program's name may contain anything; after it, the times are fields 12 to 15.
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / _TICKS
    return 0.0


def _buffered(first: int) -> int:
    """Return the bytes that all sockets of a sandbox may buffer, which the kernel charges to no
    process."""
    with suppress(OSError, ValueError):
        # The first line is "sockets: used 3".
        sockets = int(Path(f"/proc/{first}/net/sockstat").read_text().split()[2])
        return sockets * 2 * int(_MOST_BUFFERED.read_text())  # the kernel doubles a requested size
    return 0


def _disks(first: int, limits: SandboxLimits) -> Limit | None:
    root = Path(f"/proc/{first}/root")
    for place in _PLACES:
        with suppress(OSError):
            if root.samefile("/"):  # the sandbox is not set up yet; these would be the host's
                return None
            disk = os.statvfs(root / place)
            if disk.f_bavail == 0:
                return Limit.DISK
            if disk.f_files - disk.f_ffree > _INODES * limits.files:
                return Limit.FILES
    return None
