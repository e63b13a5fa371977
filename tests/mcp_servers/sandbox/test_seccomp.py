"""The filter of system calls, stepped through as the kernel does."""

from __future__ import annotations

import errno
import struct

import pytest

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
