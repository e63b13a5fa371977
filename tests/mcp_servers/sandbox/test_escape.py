"""A command tries to get out, to what is not its own; plain files are all that comes out."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
from pathlib import Path

import pytest

from tests.mcp_servers.sandbox.boxes import ROOT, needs_bubblewrap, printed, tried
from trainee_bench.mcp_servers.sandbox.backend import Limit, SandboxLimits
from trainee_bench.mcp_servers.sandbox.bubblewrap import hidden_folders, visible_folders
from trainee_bench.mcp_servers.sandbox.runner import ENVIRONMENT, ResultDiscarded

pytestmark = needs_bubblewrap

NOT_THERE = [
    "/etc/shadow",
    "/etc/passwd",
    "/root",
    "/home",
    "/run",
    "/var",
    "/sys",
    "/boot",
    "/usr/src",
    "/usr/local",
    "/var/run/docker.sock",
    str(ROOT),
]


def test_nothing_of_the_host_is_there_but_programs() -> None:
    looked = "; ".join(f"test -e '{path}' && echo '{path}'" for path in NOT_THERE)
    assert printed(f"test -e /usr/bin && echo programs; {looked}") == "programs\n"


def test_the_root_has_nothing_unexpected() -> None:
    there = set(printed("ls -A /").split())
    assert there <= {
        "bin",
        "dev",
        "etc",
        "lib",
        "lib32",
        "lib64",
        "proc",
        "tmp",
        "usr",
        "workspace",
    }
    assert set(printed("ls -A /etc").split()) <= {"alternatives"}


def test_this_program_cannot_be_imported_inside() -> None:
    """With it and a seed to guess, one could compute every answer."""
    code = "import importlib.util as u; print([u.find_spec(n) for n in ('meta_tasks', 'world')])"
    assert printed(f'python3 -c "{code}"') == "[None, None]\n"
    assert printed("find / -name 'meta_tasks*' -not -path '/proc/*' 2>/dev/null") == ""


def test_installed_packages_are_hidden_wherever_they_are_seen() -> None:
    folders = hidden_folders(visible_folders()[0])
    for folder in folders:
        assert Path(folder).is_dir()
        assert printed(f"ls -A '{folder}'; touch '{folder}/x' 2>/dev/null && echo written") == ""
    ours = str(Path(__file__).resolve().parents[3])
    assert ours in hidden_folders([str(Path(ours).parent)])


def test_the_environment_is_ours_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "very-secret")
    told = printed("env; tr '\\0' '\\n' < /proc/1/environ")
    assert "very-secret" not in told
    names = {line.partition("=")[0] for line in told.splitlines()}
    assert names <= {*ENVIRONMENT, "PWD", "SHLVL", "_", "OLDPWD"}


def test_only_its_own_processes_are_seen_and_none_of_ours_can_be_reached() -> None:
    seen = printed("for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline | cut -c1-60; echo; done")
    assert "pytest" not in seen
    assert printed(f"kill -0 {os.getpid()} 2>/dev/null && echo reached") == ""
    assert printed("kill -9 1; kill -STOP 1; kill -INT 1; kill -TERM 1; echo alive") == "alive\n"


def test_process_1_ignores_each_signal_that_can_be_ignored_and_the_command_none() -> None:
    """A signal with its default action ends process 1 while it starts a thread."""
    first, command = printed("grep -h SigIgn /proc/1/status; grep SigIgn /proc/self/status").split(
        "\n"
    )[:2]
    ignored = int(first.split()[1], 16)
    names = {name for name in signal.Signals if ignored >> (name - 1) & 1}
    assert names == set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}
    assert int(command.split()[1], 16) == 0


def test_one_is_nobody_special() -> None:
    told = printed("id -u; id -g; grep -E '^(Cap|NoNewPrivs)' /proc/self/status")
    user, group, *facts = told.split("\n")
    assert user == group == "1000"
    assert facts[:-1] == [
        *(f"Cap{kind}:\t0000000000000000" for kind in ("Inh", "Prm", "Eff", "Bnd", "Amb")),
        "NoNewPrivs:\t1",
    ]


TRIES = {
    "to be another user": "import os; os.setuid(0)",
    "to give a file away": "import os; open('x', 'w').close(); os.chown('x', 0, 0)",
    "to make a device": "import os, stat; os.mknod('x', 0o600 | stat.S_IFBLK, os.makedev(8, 0))",
    "to change the root": "import os; os.chroot('/tmp')",
    "to write beside the workspace": "open('/x', 'w')",
    "to write into the system": "open('/usr/bin/x', 'w')",
    "to write a device folder": "open('/dev/x', 'w')",
    "to climb out": "open('/workspace/../../../etc/shadow')",
    "to read the kernel's log": "open('/proc/kmsg').read(1)",
    "to read the machine's memory": "open('/proc/kcore', 'rb').read(1)",
    "to change the kernel": "open('/proc/sys/kernel/hostname', 'w').write('x')",
    "to make programs privileged by a link": "open('/proc/1/root/usr/bin/x', 'w')",
    "to reach the internet": "import socket; socket.create_connection(('192.0.2.1', 80), 2)",
    "to send without a connection":
        "import socket; socket.socket(2, 2).sendto(b'x', ('192.0.2.1', 53))",
    "to reach it by IPv6": "import socket; socket.create_connection(('2001:db8::1', 80), 2)",
    "to listen to the wire": "import socket; socket.socket(17, 3)",
    "to reach a virtual machine's host": "import socket; socket.socket(40, 1)",
    "to use the kernel's ciphers": "import socket; socket.socket(38, 5)",
    "to keep memory that is charged to nobody": "import mmap; mmap.mmap(-1, 4096)",
    "to keep it by a device":
        "import mmap, os; mmap.mmap(os.open('/dev/zero', os.O_RDWR), 4096)",
    "to find a name": "import socket; socket.getaddrinfo('example.com', 80)",
}  # fmt: skip


@pytest.mark.parametrize("code", TRIES.values(), ids=TRIES)
def test_python_tries(code: str) -> None:
    program = f"try:\n    {code}\nexcept OSError:\n    print('refused')\n"
    assert printed("python3 try.py", {"try.py": program.encode()}) == "refused\n"


CALLS = {
    "ptrace another": "libc.ptrace(16, os.getppid(), 0, 0)",
    "mount": "libc.mount(b'none', b'/tmp', b'tmpfs', 0, None)",
    "unmount": "libc.umount2(b'/tmp', 2)",
    "make a user namespace": "libc.unshare(0x10000000)",
    "make a network namespace": "libc.unshare(0x40000000)",
    "join a namespace": "libc.setns(os.open('/proc/1/ns/pid', 0), 0)",
    "keep memory that nobody is charged for": "libc.memfd_create(b'x', 0)",
    "keep shared memory": "libc.shmget(0, 4096, 0o1600)",
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_the_kernel_is_asked_directly(call: str) -> None:
    code = f"import ctypes, os; libc = ctypes.CDLL(None, use_errno=True); print({call})"
    said = tried(f'python3 -c "{code}"')
    # Where opening fails already, the call is not even made.
    assert said.printed.decode().splitlines()[-1] == "-1" or b"PermissionError" in said.printed


def test_programs_that_raise_rights_raise_none() -> None:
    assert printed("cp /usr/bin/id mine; chmod u+s mine; ./mine -u; rm mine") == "1000\n"
    assert "uid=0" not in printed("su -c id </dev/null; sudo -n id; newgrp root; pkexec id; true")


def test_a_server_of_this_machine_cannot_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port, heard = server.getsockname()[1], []

        def listen() -> None:
            server.settimeout(0.3)
            with contextlib.suppress(TimeoutError):
                heard.append(server.accept())

        thread = threading.Thread(target=listen)
        thread.start()
        try:
            code = f"import socket; socket.create_connection(('127.0.0.1', {port}), 1)"
            assert "not supported" in printed(f'python3 -c "{code}"')
        finally:
            thread.join()
    assert heard == []


def test_an_abstract_socket_of_this_machine_cannot_be_reached() -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0trainee-bench-test")
        server.listen()
        code = "import socket; socket.socket(1).connect('\\0trainee-bench-test')"
        assert "refused" in printed(f'python3 -c "{code}"')


def test_a_command_that_writes_into_the_answer_spoils_only_its_own_result() -> None:
    """The pipe is the user's who runs this program; inside one may be that user, or another."""
    changed: dict[str, bytes] = {"x": b"\n"}
    with contextlib.suppress(ResultDiscarded):
        left = tried("for f in /proc/1/fd/*; do echo garbage > $f; done 2>/dev/null; echo > x")
        changed = dict(left.changed)
    assert changed == {"x": b"\n"}


FILES = {
    "a.txt": b"alpha\n",
    "deep/er/b.bin": bytes(range(256)),
    "é ö.csv": b"1,2\r\n",
    "empty": b"",
}


def test_files_come_in_with_all_their_bytes_and_go_out_only_if_they_are_new() -> None:
    command = "find . -type f | LC_ALL=C sort; sha256sum deep/er/b.bin | cut -c1-8"
    left = tried(command, FILES)
    assert left.printed.decode() == "./a.txt\n./deep/er/b.bin\n./empty\n./é ö.csv\n40aff2e9\n"
    assert left.changed == {} and left.deleted == () and set(left.kept) == set(FILES)


def test_changed_made_and_deleted_files_are_told_apart() -> None:
    command = """
        echo beta >> a.txt; rm empty; mv 'é ö.csv' moved.csv; mkdir -p new/empty/folders
        echo 1 > new/file; touch deep/er/b.bin; cp a.txt same; cat same > a.txt
    """
    left = tried(command, FILES)
    assert left.changed == {
        "a.txt": b"alpha\nbeta\n",
        "same": b"alpha\nbeta\n",
        "moved.csv": b"1,2\r\n",
        "new/file": b"1\n",
    }
    assert set(left.deleted) == {"empty", "é ö.csv"}
    assert left.kept == ("deep/er/b.bin",)


def test_a_file_written_anew_with_the_same_bytes_has_not_changed() -> None:
    left = tried("cp a.txt x; rm a.txt; mv x a.txt; chmod 600 a.txt", FILES)
    assert left.changed == {} and left.deleted == ()


def test_a_folder_may_become_a_file_and_a_file_a_folder() -> None:
    left = tried("rm -r deep; echo x > deep; rm a.txt; mkdir a.txt; echo y > a.txt/in", FILES)
    assert left.changed == {"deep": b"x\n", "a.txt/in": b"y\n"}
    assert set(left.deleted) == {"deep/er/b.bin", "a.txt"}


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("ln -s /etc/shadow link", "a symbolic link: link"),
        ("ln -s a.txt link", "a symbolic link: link"),
        ("mkdir d; ln -s / d/root", "a symbolic link: d/root"),
        ("ln a.txt deep/twin", "two names (a hard link)"),
        ("mkfifo pipe", "a pipe, socket or device: pipe"),
        ("python3 -c \"import socket; socket.socket(1).bind('s')\"", "a pipe, socket or device: s"),
        ("touch $'no\\xfftext'", "not UTF-8"),
        ("chmod 000 a.txt", "a file that cannot be read: a.txt"),
        ("chmod 000 deep", "a folder that cannot be read: deep"),
    ],
)
def test_a_file_that_is_not_plain_spoils_the_whole_result(command: str, says: str) -> None:
    with pytest.raises(ResultDiscarded) as refused:
        tried(f"echo new > new; {command}", FILES)
    assert says in str(refused.value) and refused.value.limit is None


def test_a_link_is_never_followed_out_or_in() -> None:
    """Not even one in place of a file that was carried in."""
    with pytest.raises(ResultDiscarded, match="a symbolic link: a.txt"):
        tried("rm a.txt; ln -s /proc/1/environ a.txt", FILES)


def test_the_exit_code_and_all_that_is_printed_come_out_in_order() -> None:
    left = tried("echo one; echo two >&2; python3 -c \"print('three')\"; exit 7")
    assert (left.exit_code, left.printed) == (7, b"one\ntwo\nthree\n")
    assert tried("kill -TERM $$").exit_code == 143
    assert tried("no_such_program").exit_code == 127


def test_a_failing_command_keeps_what_it_did() -> None:
    left = tried("echo x > x; exit 1")
    assert left.exit_code == 1 and left.changed == {"x": b"x\n"}


def test_a_workspace_that_does_not_fit_says_so() -> None:
    with pytest.raises(ResultDiscarded) as stopped:
        tried("true", {"big": bytes(3_000_000)}, SandboxLimits(disk=1_000_000))
    assert stopped.value.limit is Limit.DISK


def test_a_large_file_that_stays_as_it_was_is_no_matter() -> None:
    left = tried("cat big | wc -c", {"big": bytes(3_000_000)}, SandboxLimits(file_size=1_000_000))
    assert left.printed == b"3000000\n" and left.kept == ("big",)


def test_there_is_what_the_description_promises() -> None:
    assert printed("pwd; echo $HOME; python3 -c 'import sqlite3, csv, zipfile; print(1+1)'") == (
        "/workspace\n/tmp\n2\n"
    )
    for program in ("awk", "sed", "grep", "sort", "cut", "diff", "tr"):
        assert printed(f"command -v {program} >/dev/null || echo missing") == ""
    assert printed("cat; echo $?") == "0\n"
