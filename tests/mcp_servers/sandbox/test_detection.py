"""Which sandbox is found, and what is said where there is none."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mcp_servers.sandbox.boxes import ROOT, client_of_a_daemon, needs_bubblewrap
from trainee_bench.mcp_servers.sandbox import bubblewrap, detection, process_monitor
from trainee_bench.mcp_servers.sandbox.backend import SandboxUnavailable
from trainee_bench.mcp_servers.sandbox.bubblewrap import BubblewrapBackend
from trainee_bench.mcp_servers.sandbox.detection import SandboxProbe, verify_backend


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that is all there is on the path for programs; other users may run them."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        monkeypatch.setenv("PATH", name)
        yield Path(name)


def find() -> SandboxProbe:
    return detection.find_sandbox.__wrapped__()


def bwrap_that(folder: Path, does: str) -> None:
    script = folder / "bwrap"
    script.write_text(f"#!/bin/sh\n{does}\n")
    script.chmod(0o755)


@needs_bubblewrap
def test_bubblewrap_comes_first_where_it_works() -> None:
    found = find()
    assert found.sandbox is not None and found.sandbox.kind == "bubblewrap"
    assert found.reasons == () and found.missing_requirement == ""


@needs_bubblewrap
@pytest.mark.parametrize("kind", ["docker", "podman"])
def test_then_docker_then_podman_and_why_not_what_came_before(folder: Path, kind: str) -> None:
    client_of_a_daemon(folder, kind)
    found = find()
    assert found.sandbox is not None and found.sandbox.kind == kind
    assert found.reasons[0] == "bubblewrap: bwrap is not installed"
    assert found.missing_requirement == ""


def test_where_there_is_none_it_is_said_what_was_tried_and_what_to_install(folder: Path) -> None:
    client_of_a_daemon(folder, refusal="docker: Cannot connect to the Docker daemon.")
    found = find()
    assert found.sandbox is None
    assert "bubblewrap: bwrap is not installed" in found.missing_requirement
    assert "; docker: Cannot connect to the Docker daemon." in found.missing_requirement
    assert "podman: podman is not installed" in found.missing_requirement
    assert (
        "apt-get install bubblewrap" in found.missing_requirement
        and "docker pull" in found.missing_requirement
    )


@pytest.mark.parametrize(
    "does",
    [
        "echo 'bwrap: No permissions to create a new namespace' >&2; exit 1",
        "echo 'bwrap: Unknown option --disable-userns' >&2; exit 1",
    ],
)
def test_a_bubblewrap_that_fails_is_not_usable_and_says_why(folder: Path, does: str) -> None:
    bwrap_that(folder, does)
    with pytest.raises(SandboxUnavailable, match=does.split("'")[1]):
        verify_backend(BubblewrapBackend())


def test_a_bubblewrap_that_only_runs_the_command_is_never_used(folder: Path) -> None:
    """Ours refuses to work anywhere but as process 1."""
    bwrap_that(folder, 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"')
    with pytest.raises(SandboxUnavailable, match="process 1 of a sandbox"):
        verify_backend(BubblewrapBackend())


@needs_bubblewrap
@pytest.mark.parametrize(
    ("look", "instead"),
    [
        ("os.getuid()", "0"),
        ("network(),", "True,"),
        ("sorted(os.environ)", '["HOME", "SOME_API_KEY"]'),
        ("os.listdir()", '["carried in", "something else"]'),
    ],
)
def test_a_sandbox_that_leaves_a_gap_is_not_usable(
    monkeypatch: pytest.MonkeyPatch, look: str, instead: str
) -> None:
    around = detection._LOOK_AROUND
    assert look in around
    monkeypatch.setattr(detection, "_LOOK_AROUND", around.replace(look, instead))
    with pytest.raises(SandboxUnavailable, match="does not isolate the command"):
        verify_backend(BubblewrapBackend())


@needs_bubblewrap
def test_a_sandbox_without_what_is_promised_is_not_usable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detection, "_LOOK_AROUND", "import no_such_module")
    with pytest.raises(SandboxUnavailable, match="no_such_module"):
        verify_backend(BubblewrapBackend())


def test_a_machine_that_cannot_be_watched_or_filtered_is_not_usable(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    bwrap_that(folder, "exit 1")
    with monkeypatch.context() as patch:
        patch.setattr(process_monitor, "can_watch", lambda: False)
        with pytest.raises(SandboxUnavailable, match="children"):
            verify_backend(BubblewrapBackend())
    monkeypatch.setattr(bubblewrap, "seccomp_filter", lambda: None)
    with pytest.raises(SandboxUnavailable, match="processor"):
        verify_backend(BubblewrapBackend())


def test_the_command_line_tells_it(tmp_path: Path) -> None:
    def told(path: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "trainee_bench.mcp_servers.sandbox"],
            cwd=ROOT, env={"PATH": path}, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip

    nothing = told(str(tmp_path))
    assert nothing.returncode == 1 and "none works on this machine" in nothing.stdout
    if shutil.which("bwrap") and find().sandbox is not None:
        here = told("/usr/bin:/bin")
        assert here.returncode == 0 and "in a sandbox of" in here.stdout
