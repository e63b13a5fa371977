"""Process 1 of a sandbox, as far as it can be looked at from outside of one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from trainee_bench.mcp_servers.sandbox import init_process


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
