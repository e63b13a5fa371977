"""Process 1 of a sandbox, run as a script: unpacks files, runs one command, sends changed files.

It imports nothing from this project, which is not visible inside. It enforces nothing: limits are
enforced from outside or by the kernel. Its output is as untrusted as the command's own, since the
command could forge it.

A frame is a letter, eight bytes of length (big endian), and the body. In: J job, N name and D data
of each file, E. Out: O output as it comes, X a report, N and D of each new or changed file, E.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import resource
import signal
import stat
import struct
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

WORKSPACE, SCRATCH = "/workspace", "/tmp"  # noqa: S108 -- the sandbox's own
HEADER = struct.Struct(">cQ")
CHUNK = 1 << 16
CGROUP = "/sys/fs/cgroup"
IGNORED = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}
"""Signals that this process ignores, so that the command cannot end it.

The kernel alone does not ensure this. A thread that starts another briefly blocks a signal, which
then ends process 1 through the other thread.
"""

Json = Any  # the JSON edge of this process
Send = Callable[[bytes, bytes], None]


class LimitExceeded(Exception):
    """The command exceeded a limit."""


class NotPlainFile(Exception):
    """The command left something that is not a plain file."""


def main() -> None:
    """Do one job. Refuses to run except as process 1, since it kills all other processes."""
    if os.getpid() != 1:
        sys.exit("This runs only as process 1 of a sandbox.")
    for ignored in IGNORED:
        signal.signal(ignored, signal.SIG_IGN)
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):  # stray prints must not get into the output frames
        os.dup2(nothing, descriptor)

    def send(kind: bytes, body: bytes) -> None:
        answers.write(HEADER.pack(kind, len(body)) + body)
        answers.flush()

    job = json.loads(receive_frame(requests)[1])
    report: Json = {"exit_code": 0, "kept": [], "limit": None, "unkept": None}
    changed: list[str] = []
    try:
        carried = unpack_files(requests)
        report["exit_code"] = run(job, send)
        check_limits(job, report["exit_code"])
        report["kept"], changed = compare_files(carried, job)
    except LimitExceeded as stopped:
        report["limit"] = str(stopped)
    except NotPlainFile as unkept:
        report["unkept"] = str(unkept)
    send(b"X", json.dumps(report).encode())
    for name in changed:
        with open(os.path.join(WORKSPACE, name), "rb") as file:  # noqa: PTH118, PTH123
            send(b"N", name.encode())
            send(b"D", file.read())
    send(b"E", b"")


def receive_frame(stream: BinaryIO) -> tuple[bytes, bytes]:
    """Read the next frame."""
    kind, length = HEADER.unpack(stream.read(HEADER.size))
    return kind, stream.read(length)


def unpack_files(requests: BinaryIO) -> dict[str, str]:
    """Write the files into the workspace, and return the hash of each by name."""
    carried: dict[str, str] = {}
    while (frame := receive_frame(requests))[0] == b"N":
        name, data = frame[1].decode(), receive_frame(requests)[1]
        path = os.path.join(WORKSPACE, name)  # noqa: PTH118
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
            with open(path, "wb") as file:  # noqa: PTH123
                file.write(data)
        except OSError as error:
            raise LimitExceeded("disk") from error
        carried[name] = hashlib.sha256(data).hexdigest()
    return carried


def run(job: Json, send: Send) -> int:
    """Run the command, send its output, kill what it left running, and return its exit code."""
    reading, writing = os.pipe()
    command = os.fork()
    if command == 0:
        exec_command(job, writing)
    os.close(writing)

    def pump() -> None:
        while chunk := os.read(reading, CHUNK):
            send(b"O", chunk)

    pumping = threading.Thread(target=pump)
    pumping.start()
    ended = status = -1
    while ended != command:
        ended, status = os.wait()
    crowd = count_other_processes()
    while True:
        try:
            os.kill(-1, signal.SIGKILL)  # all but this process: see main
            os.wait()
        except (ProcessLookupError, ChildProcessError):
            break
    pumping.join()
    if crowd >= job["processes"]:
        raise LimitExceeded("processes")
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def count_other_processes() -> int:
    """Count the processes and threads besides this process."""
    count = 0
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdecimal() and name != "1":
            with contextlib.suppress(OSError):
                count += len(os.listdir(f"/proc/{name}/task"))  # noqa: PTH208
    return count


def exec_command(job: Json, output: int) -> None:
    """Replace this process by the command."""
    try:
        os.setsid()
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.closerange(3, 256)
        for ignored in IGNORED:
            signal.signal(ignored, signal.SIG_DFL)
        with open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123
            file.write("1000")
        for name, value in job["rlimits"].items():
            # The hard limit, slightly higher, kills a process that ignores the soft one.
            more = int(name == "RLIMIT_CPU")
            resource.setrlimit(getattr(resource, name), (value, value + more))
        os.chdir(WORKSPACE)
        os.execve(job["argv"][0], job["argv"], job["environment"])  # noqa: S606
    except OSError as error:
        os.write(2, f"{job['argv'][0]}: {error.strerror}\n".encode())
    except ValueError as error:  # the text cannot be a program's argument
        os.write(2, f"{job['argv'][0]}: {error}\n".encode())
    finally:
        os._exit(127)


def check_limits(job: Json, code: int) -> None:
    """Raise LimitExceeded if the command exceeded a limit that the kernel enforces."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = used.ru_utime + used.ru_stime
    if code == 128 + signal.SIGXCPU or seconds >= job["cpu_seconds"]:
        raise LimitExceeded("cpu")
    if code == 128 + signal.SIGXFSZ:
        raise LimitExceeded("file_size")
    if any(os.statvfs(place).f_bavail == 0 for place in (WORKSPACE, SCRATCH)):
        raise LimitExceeded("disk")
    for file, event, limit in (
        ("memory.events", "oom_kill", "memory"),
        ("pids.events", "max", "processes"),
    ):
        if cgroup_event_count(os.path.join(CGROUP, file), event):  # noqa: PTH118
            raise LimitExceeded(limit)


def cgroup_event_count(file: str, event: str) -> int:
    """Return how often a container's control group counted *event*; 0 without a control group."""
    try:
        with open(file, encoding="ascii") as lines:  # noqa: PTH123
            counts = dict(line.split() for line in lines)
    except OSError:
        return 0
    return int(counts.get(event, 0))


def compare_files(carried: Mapping[str, str], job: Json) -> tuple[list[str], list[str]]:
    """Return the names of the workspace's unchanged files, and of its new or changed files.

    Raises LimitExceeded, and NotPlainFile for anything but plain files.
    """
    kept, changed, size = [], [], 0
    for name, path in plain_files(job["files"]):
        with open(path, "rb") as file:  # noqa: PTH123
            data = file.read()
        if carried.get(name) == hashlib.sha256(data).hexdigest():
            kept.append(name)
            continue
        if len(data) >= job["rlimits"]["RLIMIT_FSIZE"]:
            raise LimitExceeded("file_size")
        changed.append(name)
        size += len(data)
        if size > job["changes"]:
            raise LimitExceeded("changes")
    return kept, changed


def plain_files(most: int) -> list[tuple[str, str]]:
    """List every file in the workspace with its name and its path."""
    found: list[str] = []
    folders = [WORKSPACE]
    while folders:
        folder = folders.pop()
        try:
            for entry in os.scandir(folder):
                info = entry.stat(follow_symlinks=False)
                if stat.S_ISDIR(info.st_mode):
                    folders.append(entry.path)
                    continue
                check_plain(entry.path, info)
                found.append(entry.path)
        except OSError as error:
            raise NotPlainFile(f"a folder that cannot be read: {display_path(folder)}") from error
        if len(found) > most:
            raise LimitExceeded("files")
    return [(os.path.relpath(path, WORKSPACE), path) for path in sorted(found)]


def check_plain(path: str, info: os.stat_result) -> None:
    """Raise NotPlainFile unless *path* is a readable plain file with a name in UTF-8."""
    if stat.S_ISLNK(info.st_mode):
        raise NotPlainFile(f"a symbolic link: {display_path(path)}")
    if not stat.S_ISREG(info.st_mode):
        raise NotPlainFile(f"a pipe, socket or device: {display_path(path)}")
    if info.st_nlink != 1:
        raise NotPlainFile(f"a file with two names (a hard link): {display_path(path)}")
    if not os.access(path, os.R_OK):
        raise NotPlainFile(f"a file that cannot be read: {display_path(path)}")
    if display_path(path) != os.path.relpath(path, WORKSPACE):
        raise NotPlainFile(f"a name that is not UTF-8: {display_path(path)}")


def display_path(path: str) -> str:
    """Return *path* relative to the workspace, for error texts."""
    return os.fsencode(os.path.relpath(path, WORKSPACE)).decode(errors="replace")[:300]


if __name__ == "__main__":
    main()
