"""Bubblewrap: a sandbox of namespaces that needs no daemon and no privileges.

Only the host's programs and libraries are visible, read-only; /workspace and /tmp are in memory. If
this process runs as root, another user runs the sandbox, since the kernel does not limit the number
of root's processes.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen

from trainee_bench.mcp_servers.sandbox import process_monitor
from trainee_bench.mcp_servers.sandbox.backend import (
    SANDBOX_PATH,
    SANDBOX_UID,
    SHARED_MEMORY_BYTES,
    Limit,
    RunningSandbox,
    SandboxBackend,
    SandboxLimits,
    SandboxUnavailable,
    init_command,
)
from trainee_bench.mcp_servers.sandbox.seccomp import seccomp_filter

_SANDBOX_USER = 65_533
"""The user that runs the sandbox if this process runs as root: nobody."""
_PROCESSES_BEYOND, _SECONDS_BEYOND = 32, 2
_LAST_SECONDS = 5
_VISIBLE = ("/usr/bin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/share")
_VISIBLE_LOCAL = ("/usr/local/bin", "/usr/local/lib")
"""Folders that are visible only if the system has no other Python."""
_SHARED, _SCRATCH, _WORKSPACE = "/dev/shm", "/tmp", "/workspace"  # noqa: S108 -- the sandbox's own
_ROOT_LINKS = ("bin", "lib", "lib32", "lib64")


class BubblewrapBackend(SandboxBackend):
    """Sandboxes run by bubblewrap 0.8 or newer."""

    kind = "bubblewrap"

    @contextmanager
    def start(self, limits: SandboxLimits) -> Iterator[RunningSandbox]:
        """Run a new sandbox while the block lasts. Raises SandboxUnavailable."""
        program = shutil.which("bwrap")
        if program is None:
            raise SandboxUnavailable("bwrap is not installed")
        if not process_monitor.can_watch():
            raise SandboxUnavailable("this kernel does not list a process's children")
        refused = seccomp_filter()
        if refused is None:
            raise SandboxUnavailable("there is no system call filter for this processor")
        with _as_pipe(refused) as seccomp:
            process = _start([program, *bwrap_arguments(limits, seccomp)], seccomp)
        box = _BubblewrapSandbox(process, limits)
        try:
            yield box
        finally:
            box.end()

    def rlimits(self, limits: SandboxLimits) -> dict[str, int]:
        """Return rlimits slightly above the watched limits, so that the watcher sees which limit is
        exceeded.

        The kernel counts a user's processes per namespace.
        """
        return {
            **super().rlimits(limits),
            "RLIMIT_CPU": limits.cpu_seconds + _SECONDS_BEYOND,
            "RLIMIT_NPROC": limits.processes + _PROCESSES_BEYOND,
        }


def bwrap_arguments(limits: SandboxLimits, seccomp: int) -> list[str]:
    """Return the arguments of bwrap, which reads the system call filter from descriptor *seccomp*.

    /dev/full replaces /dev/zero: it also gives zeros, but no memory that counts for no process.
    """
    seen, python = visible_folders()
    return [
        *("--unshare-all", "--unshare-user", "--disable-userns", "--cap-drop", "ALL"),
        *("--uid", str(SANDBOX_UID), "--gid", str(SANDBOX_UID), "--hostname", "office"),
        *("--die-with-parent", "--new-session", "--as-pid-1", "--seccomp", str(seccomp)),
        *(argument for path in seen for argument in ("--ro-bind", path, path)),
        *(
            argument
            for path in hidden_folders(seen)
            for argument in ("--tmpfs", path, "--remount-ro", path)
        ),
        *_root_links(),
        *("--ro-bind-try", "/etc/alternatives", "/etc/alternatives"),
        *("--proc", "/proc", "--dev", "/dev", "--dev-bind", "/dev/full", "/dev/zero"),
        *("--size", str(SHARED_MEMORY_BYTES), "--perms", "1777", "--tmpfs", _SHARED),
        *("--size", str(limits.scratch), "--perms", "1777", "--tmpfs", _SCRATCH),
        *("--size", str(limits.disk), "--tmpfs", _WORKSPACE),
        *("--remount-ro", "/dev", "--remount-ro", "/"),
        *("--chdir", _WORKSPACE, "--clearenv", "--setenv", "PATH", SANDBOX_PATH, "--"),
        *init_command(python),
    ]


def visible_folders() -> tuple[list[str], str]:
    """Return the host folders visible inside, and the Python in them. Raises SandboxUnavailable."""
    there = [path for path in _VISIBLE if Path(path).is_dir() and not Path(path).is_symlink()]
    more = [path for path in _VISIBLE_LOCAL if Path(path).is_dir()]
    for seen, python in ((there, "/usr/bin/python3"), (there + more, "/usr/local/bin/python3")):
        if Path(python).exists():
            return seen, python
    raise SandboxUnavailable("the system has no Python in /usr/bin or /usr/local/bin")


def hidden_folders(seen: list[str]) -> list[str]:
    """Return the folders within *seen* to hide: installed packages and this project."""
    ours = Path(__file__).resolve().parents[2]
    found = {str(ours)} if any(ours.is_relative_to(path) for path in seen) else set()
    for path in seen:
        for name in ("site-packages", "dist-packages"):
            found |= {str(folder) for folder in Path(path).glob(f"python3*/{name}")}
    return sorted(found)


def _root_links() -> list[str]:
    """Return arguments that recreate /bin and similar paths as on the host: links into /usr, or
    folders."""
    made: list[str] = []
    for name in _ROOT_LINKS:
        path = Path("/", name)
        if path.is_symlink():
            made += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            made += ["--ro-bind", str(path), str(path)]
    return made


@contextmanager
def _as_pipe(data: bytes) -> Iterator[int]:
    """Yield a descriptor from which a child process can read *data* (a few hundred bytes)."""
    reading, writing = os.pipe()
    try:
        os.write(writing, data)
        os.close(writing)
        yield reading
    finally:
        os.close(reading)


def _start(command: list[str], seccomp: int) -> Popen[bytes]:
    holder = _SANDBOX_USER if os.geteuid() == 0 else None
    try:
        return Popen(  # noqa: S603 -- bwrap, with our arguments
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(seccomp,),
            cwd="/",
            env={},
            start_new_session=True,
            user=holder,
            group=holder,
            extra_groups=None if holder is None else (),
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise SandboxUnavailable(f"bwrap cannot be started: {error}") from None


@dataclass(frozen=True)
class _BubblewrapSandbox:
    """A sandbox and the bwrap process that runs it."""

    process: Popen[bytes]
    limits: SandboxLimits

    def exceeded(self) -> Limit | None:
        """Return the limit that is exceeded according to the host's kernel, or None."""
        return process_monitor.exceeded_limit(self.process.pid, self.limits)

    def kill(self) -> None:
        """Kill the sandbox's process 1, and with it all others. If bwrap has not started process 1
        yet, kill bwrap itself."""
        if self.process.poll() is None and not process_monitor.kill_init(self.process.pid):
            os.killpg(self.process.pid, signal.SIGKILL)

    def end(self) -> None:
        """Kill all remaining processes, since nobody watches them now, and wait for bwrap.

        Bwrap exits when all processes of the sandbox are gone.
        """
        self.kill()
        try:
            self.process.wait(_LAST_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
