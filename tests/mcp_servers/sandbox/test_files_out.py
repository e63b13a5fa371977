"""What comes out of a sandbox: new and changed files, and nothing that is no plain file."""

from __future__ import annotations

import pytest

from tests.mcp_servers.sandbox.boxes import needs_bubblewrap, printed, tried
from trainee_bench.mcp_servers.sandbox.backend import Limit, SandboxLimits
from trainee_bench.mcp_servers.sandbox.runner import ResultDiscarded

pytestmark = needs_bubblewrap

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
def test_what_is_no_plain_file_spoils_the_whole(command: str, says: str) -> None:
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
