"""The seccomp filter that refuses system calls to a command in bubblewrap.

It closes gaps that namespaces leave. Some socket families escape network namespaces (to a virtual
machine's host, to Bluetooth, to the kernel). Some memory is charged to no process, such as the
buffers of TCP connections.
"""

from __future__ import annotations

import errno
import platform
import struct

_REFUSED = {
    # name: number on x86_64, on aarch64
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "mount": (165, 40),
    "umount2": (166, 39),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "fsmount": (432, 432),
    "mount_setattr": (442, 442),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "kexec_load": (246, 104),
    "init_module": (175, 105),
    "finit_module": (313, 273),
}
_FAMILIES = (1, 16)
"""The allowed socket families: unix and netlink. All others need a network."""
_MACHINES = {
    # machine: audit number, column of _REFUSED, numbers of `socket` and `mmap`
    "x86_64": (0xC000003E, 0, 41, 9),
    "aarch64": (0xC00000B7, 1, 198, 222),
}
_SHARED_ANONYMOUS = 0x21
"""The flags of mmap for shared memory. Its pages stay when nobody uses them, and no process is
charged for them."""
_X32 = 0x40000000
"""The number from which x86_64 repeats the calls for the x32 ABI."""
_NUMBER, _MACHINE, _FIRST_ARGUMENT, _FOURTH_ARGUMENT = 0, 4, 16, 40
_LOAD, _AND, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000


def seccomp_filter(machine: str = "") -> bytes | None:
    """Build the filter in the kernel's format, None for an unsupported processor."""
    known = _MACHINES.get(machine or platform.machine())
    if known is None:
        return None
    audit, column, socket, mmap = known
    # A jump's operand is the number of steps to skip.
    checks = [
        _step(_LOAD, _MACHINE),
        _step(_IF_EQUAL, audit, 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER),
        _step(_IF_AT_LEAST, _X32, 0, 1),
        _step(_RETURN, _KILL),
    ]
    for number in sorted(numbers[column] for numbers in _REFUSED.values()):
        checks += [_step(_IF_EQUAL, number, 0, 1), _step(_RETURN, _FAIL | errno.EPERM)]
    checks += [
        _step(_IF_EQUAL, mmap, 0, 5),
        _step(_LOAD, _FOURTH_ARGUMENT),
        _step(_AND, _SHARED_ANONYMOUS),
        _step(_IF_EQUAL, _SHARED_ANONYMOUS, 0, 1),
        _step(_RETURN, _FAIL | errno.EPERM),
        _step(_RETURN, _ALLOW),
        _step(_IF_EQUAL, socket, 1, 0),
        _step(_RETURN, _ALLOW),
        _step(_LOAD, _FIRST_ARGUMENT),
    ]
    for family in _FAMILIES:
        checks += [_step(_IF_EQUAL, family, 0, 1), _step(_RETURN, _ALLOW)]
    checks.append(_step(_RETURN, _FAIL | errno.EAFNOSUPPORT))
    return b"".join(checks)


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)
