"""Parts of a sandbox, looked at from outside: its filter, its process 1, its output's reader."""

from __future__ import annotations

import errno
import io
import json
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.mcp_servers.sandbox import init_process
from trainee_bench.mcp_servers.sandbox.backend import Limit, SandboxLimits
from trainee_bench.mcp_servers.sandbox.runner import HEADER, SandboxOutput
from trainee_bench.mcp_servers.sandbox.seccomp import seccomp_filter

ALLOW, KILL, FAIL = 0x7FFF0000, 0x80000000, 0x00050000
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
SOCKET = {"x86_64": 41, "aarch64": 198}
MMAP = {"x86_64": 9, "aarch64": 222}
REFUSED = {
    "x86_64": {"ptrace": 101, "mount": 165, "memfd_create": 319, "unshare": 272, "shmget": 29},
    "aarch64": {"ptrace": 117, "mount": 40, "memfd_create": 279, "unshare": 97, "shmget": 194},
}
USUAL = {
    "x86_64": {"read": 0, "write": 1, "mmap": 9, "clone": 56, "execve": 59, "openat": 257},
    "aarch64": {"read": 63, "write": 64, "mmap": 222, "clone": 220, "execve": 221, "openat": 56},
}
MACHINES = sorted(AUDIT)


def verdict(program: bytes, audit: int, number: int, first: int = 0, fourth: int = 0) -> int:
    """What the filter says to a call."""
    data = struct.pack("=IIQ6Q", number, audit, 0, first, 0, 0, fourth, 0, 0)
    steps = list(struct.iter_unpack("=HBBI", program))
    place = value = 0
    while True:
        code, if_true, if_false, constant = steps[place]
        place += 1
        if code == 0x06:
            return int(constant)
        if code == 0x20:
            (value,) = struct.unpack_from("=I", data, constant)
        elif code == 0x54:
            value &= constant
        elif code == 0x15:
            place += if_true if value == constant else if_false
        elif code == 0x35:
            place += if_true if value >= constant else if_false
        else:
            raise AssertionError(f"a step of kind {code:#x}")


def made(machine: str) -> bytes:
    program = seccomp_filter(machine)
    assert program is not None
    return program


@pytest.mark.parametrize("machine", MACHINES)
def test_usual_calls_pass_and_dangerous_ones_fail(machine: str) -> None:
    program, audit = made(machine), AUDIT[machine]
    for number in USUAL[machine].values():
        assert verdict(program, audit, number) == ALLOW
    for number in REFUSED[machine].values():
        assert verdict(program, audit, number) == FAIL | errno.EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_memory_that_is_charged_to_nobody_is_not_mapped(machine: str) -> None:
    program, audit, number = made(machine), AUDIT[machine], MMAP[machine]
    shared, private, validated, anonymous, fixed = 0x01, 0x02, 0x03, 0x20, 0x10
    for flags in (shared, private, validated, private | anonymous, private | anonymous | fixed):
        assert verdict(program, audit, number, fourth=flags) == ALLOW
    for flags in (shared | anonymous, validated | anonymous, shared | anonymous | fixed):
        assert verdict(program, audit, number, fourth=flags) == FAIL | errno.EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_only_sockets_between_the_commands_own_processes_are_made(machine: str) -> None:
    program, audit = made(machine), AUDIT[machine]
    allowed = {
        family for family in range(60) if verdict(program, audit, SOCKET[machine], family) == ALLOW
    }
    assert allowed == {1, 16}
    assert verdict(program, audit, SOCKET[machine], 2) == FAIL | errno.EAFNOSUPPORT


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_of_another_kind_of_program_are_not_mistaken(machine: str) -> None:
    program = made(machine)
    assert verdict(program, 0x40000003, 1) == KILL
    assert verdict(program, AUDIT[machine], 0x40000000 + 1) == KILL


def test_an_unknown_processor_has_no_filter() -> None:
    assert seccomp_filter("pdp11") is None


def test_it_ends_nobody_elses_processes_because_it_runs_as_process_1_only() -> None:
    done = subprocess.run(
        [sys.executable, init_process.__file__],
        input=b"",
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1 and b"process 1 of a sandbox" in done.stderr


def test_it_imports_nothing_of_ours_and_nothing_that_a_bare_python_lacks() -> None:
    source = Path(init_process.__file__).read_text(encoding="utf-8")
    code = (
        "import sys; exec(compile(sys.stdin.read(), 'inside', 'exec'), {'__name__': 'looked at'})"
    )
    subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], input=source.encode(), check=True, timeout=60
    )


def test_it_is_short_enough_to_be_an_argument() -> None:
    assert len(Path(init_process.__file__).read_bytes()) < 100_000


def test_a_containers_events_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "memory.events"
    assert init_process.cgroup_event_count(str(file), "oom_kill") == 0
    file.write_text("low 0\noom 2\noom_kill 3\n")
    assert init_process.cgroup_event_count(str(file), "oom_kill") == 3
    assert init_process.cgroup_event_count(str(file), "max") == 0


@pytest.mark.parametrize(
    ("file", "event", "limit"),
    [("memory.events", "oom_kill", "memory"), ("pids.events", "max", "processes")],
)
def test_a_limit_that_a_container_held_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, event: str, limit: str
) -> None:
    monkeypatch.setattr(init_process, "CGROUP", str(tmp_path))
    monkeypatch.setattr(init_process, "WORKSPACE", str(tmp_path))
    job = {"cpu_seconds": 10**9}
    init_process.check_limits(job, 0)
    (tmp_path / file).write_text(f"{event} 1\n")
    with pytest.raises(init_process.LimitExceeded, match=limit):
        init_process.check_limits(job, 0)


LIMITS = SandboxLimits(output=100, files=3, file_size=50, changes=80)
GOOD = json.dumps({"exit_code": 0, "kept": ["a"], "limit": None, "unkept": None}).encode()


def frame(kind: bytes, body: bytes) -> bytes:
    return HEADER.pack(kind, len(body)) + body


def read(*frames: bytes) -> SandboxOutput:
    answer = SandboxOutput(LIMITS)
    answer.read(io.BytesIO(b"".join(frames)))
    return answer


def disturbed(*frames: bytes) -> bool:
    answer = read(*frames)
    assert not answer.complete
    return answer.error is not None


END = frame(b"E", b"")
FILE = frame(b"N", b"x") + frame(b"D", b"data")


def test_a_whole_answer_is_read() -> None:
    answer = read(frame(b"O", b"he"), frame(b"O", b"llo"), frame(b"X", GOOD), FILE, END)
    assert answer.complete and answer.error is None
    assert bytes(answer.printed) == b"hello" and answer.changed == {"x": b"data"}
    assert answer.report is not None and answer.report.kept == ("a",)


def test_output_past_its_limit_is_cut_there() -> None:
    answer = read(frame(b"O", b"x" * 99), frame(b"O", b"y" * 10**6))
    assert answer.limit is Limit.OUTPUT and not answer.complete
    assert bytes(answer.printed) == b"x" * 99 + b"y"


def test_nothing_is_believed_that_inside_would_not_send() -> None:
    assert disturbed()
    assert disturbed(END)
    assert disturbed(FILE, frame(b"X", GOOD), END)
    assert disturbed(frame(b"X", GOOD), frame(b"X", GOOD), END)
    assert disturbed(frame(b"X", GOOD), frame(b"O", b"late"), END)
    assert disturbed(frame(b"X", GOOD), FILE, FILE, END)
    assert disturbed(frame(b"X", GOOD), frame(b"N", b"x"), END)
    assert disturbed(frame(b"X", GOOD), frame(b"N", b"\xff"), frame(b"D", b""), END)
    assert disturbed(frame(b"X", GOOD), frame(b"N", b"x" * 5_000), frame(b"D", b""), END)
    assert disturbed(frame(b"X", GOOD), frame(b"N", b"x"), frame(b"D", b"y" * 51), END)
    assert disturbed(frame(b"X", b"not json"), END)
    assert disturbed(frame(b"X", GOOD.replace(b"0", b"999")), END)
    assert disturbed(frame(b"X", GOOD), HEADER.pack(b"N", 2**63) + b"x")


def test_files_together_have_a_limit_and_a_number() -> None:
    def files(count: int, size: int) -> list[bytes]:
        return [frame(b"N", str(n).encode()) + frame(b"D", b"x" * size) for n in range(count)]

    assert read(frame(b"X", GOOD), *files(3, 20), END).complete
    assert disturbed(frame(b"X", GOOD), *files(4, 1), END)
    assert disturbed(frame(b"X", GOOD), *files(2, 45), END)


@given(
    st.lists(
        st.builds(
            frame, st.sampled_from([b"O", b"X", b"N", b"D", b"E", b"?"]), st.binary(max_size=60)
        )
        | st.just(frame(b"X", GOOD))
        | st.binary(max_size=20),
        max_size=8,
    )
)
def test_any_bytes_are_an_answer_or_a_disturbance(frames: list[bytes]) -> None:
    answer = read(*frames)
    assert sum([answer.complete, answer.error is not None, answer.limit is not None]) == 1
    assert len(answer.printed) <= LIMITS.output
    assert sum(map(len, answer.changed.values())) <= LIMITS.changes
