"""Which sandbox is found, or what is said where there is none; Docker and Podman through a client
that only looks like one."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from threading import Event

import pytest

from tests.mcp_servers.sandbox.boxes import (
    ROOT,
    a_nap,
    client_of_a_daemon,
    needs_bubblewrap,
    running,
    until,
)
from trainee_bench.mcp_servers.sandbox import bubblewrap, detection, process_monitor
from trainee_bench.mcp_servers.sandbox.backend import Limit, SandboxLimits, SandboxUnavailable
from trainee_bench.mcp_servers.sandbox.bubblewrap import BubblewrapBackend
from trainee_bench.mcp_servers.sandbox.detection import (
    CONTAINER_IMAGE,
    SHELL,
    ContainerBackend,
    SandboxProbe,
    client_arguments,
    verify_backend,
)
from trainee_bench.mcp_servers.sandbox.runner import (
    ResultDiscarded,
    SandboxJob,
    SandboxResult,
    run_in_sandbox,
)


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


def test_a_missing_sandbox_is_reported_with_what_was_tried_and_what_to_install(
    folder: Path,
) -> None:
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
        assert here.returncode == 0 and "in a bubblewrap sandbox" in here.stdout


LIMITS = SandboxLimits(memory=100, disk=20, scratch=30, processes=7)


@pytest.fixture
def own_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all there is on the path for programs."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def contained(command: str, limits: SandboxLimits = SandboxLimits()) -> SandboxResult:  # noqa: B008 -- it is frozen
    job = SandboxJob((SHELL, "-c", command), {"a": b"alpha"})
    return run_in_sandbox(ContainerBackend("docker"), job, limits, Event())


def test_a_container_is_closed_off_from_everything() -> None:
    given = client_arguments(LIMITS, Path("/x/id"))
    pairs = set(pairwise(given))
    assert given[0] == "run" and {"--rm", "--interactive", "--read-only"} <= set(given)
    assert pairs >= {
        ("--network", "none"),
        ("--pull", "never"),
        ("--user", "1000:1000"),
        ("--cap-drop", "ALL"),
        ("--security-opt", "no-new-privileges"),
        ("--pids-limit", "7"),
        ("--log-driver", "none"),
        ("--cidfile", "/x/id"),
    }
    memory = given[given.index("--memory") + 1]
    assert ("--memory-swap", memory) in pairs
    assert int(memory) == 100 + 20 + 30 + int(given[given.index("--shm-size") + 1])


def test_nothing_of_the_host_is_mounted() -> None:
    given = client_arguments(LIMITS, Path("/x/id"))
    assert not {"-v", "--volume", "--privileged", "--device", "--cap-add", "--env-file"} & set(
        given
    )
    mounts = [given[at + 1] for at, one in enumerate(given) if one == "--mount"]
    assert mounts == [
        "type=tmpfs,destination=/workspace,tmpfs-size=20,tmpfs-mode=1777",
        "type=tmpfs,destination=/tmp,tmpfs-size=30,tmpfs-mode=1777",
    ]


def test_the_image_runs_our_first_process_and_no_other() -> None:
    given = client_arguments(LIMITS, Path("/x/id"))
    assert given[given.index("--entrypoint") + 1] == "python3"
    at = given.index(CONTAINER_IMAGE)
    assert given[at + 1 : at + 4] == ["-I", "-S", "-c"] and len(given) == at + 5
    assert "process 1 of a sandbox" in given[-1]


@needs_bubblewrap
def test_files_go_in_and_out_through_the_client(own_path: Path) -> None:
    asked = client_of_a_daemon(own_path)
    left = contained("cat a; echo beta > b; exit 3")
    assert (left.exit_code, left.printed, left.changed) == (3, b"alpha", {"b": b"beta\n"})
    assert asked.read_text().startswith("run\n--rm\n") and "\nrm\n" not in asked.read_text()


@needs_bubblewrap
def test_a_container_that_passes_a_limit_is_removed_by_its_id(own_path: Path) -> None:
    asked = client_of_a_daemon(own_path)
    marker = a_nap()
    with pytest.raises(ResultDiscarded) as stopped:
        contained(f"yes & {marker}", SandboxLimits(output=50_000))
    assert stopped.value.limit is Limit.OUTPUT
    assert asked.read_text().endswith("--\nrm\n--force\nf00d\n--\n")
    until(lambda: not running(marker))  # this client does not wait for the end, as real ones do


@needs_bubblewrap
@pytest.mark.parametrize("kind", ["docker", "podman"])
def test_a_client_with_a_daemon_is_proved_by_a_real_run(own_path: Path, kind: str) -> None:
    client_of_a_daemon(own_path, kind)
    verify_backend(ContainerBackend(kind))


@pytest.mark.parametrize(
    "refusal",
    ["Cannot connect to the Docker daemon at unix:///var/run/docker.sock.", "No such image: x"],
)
def test_a_client_that_can_run_nothing_is_not_usable_and_says_why(
    own_path: Path, refusal: str
) -> None:
    client_of_a_daemon(own_path, refusal=refusal)
    with pytest.raises(SandboxUnavailable, match=refusal[:20]):
        verify_backend(ContainerBackend("docker"))


def test_a_client_that_is_not_there_or_cannot_be_started_is_not_usable(own_path: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="docker is not installed"):
        verify_backend(ContainerBackend("docker"))
    (own_path / "docker").write_bytes(b"\x7fELF no program")
    (own_path / "docker").chmod(0o755)
    with pytest.raises(SandboxUnavailable, match="docker cannot be started"):
        verify_backend(ContainerBackend("docker"))


def test_a_client_that_answers_nonsense_is_not_usable(own_path: Path) -> None:
    (own_path / "docker").write_text("#!/bin/sh\necho hello from a whale\n")
    (own_path / "docker").chmod(0o755)
    with pytest.raises(SandboxUnavailable, match="interfered with its sandbox"):
        verify_backend(ContainerBackend("docker"))
