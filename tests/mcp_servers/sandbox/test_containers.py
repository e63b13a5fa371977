"""Docker and Podman, spoken to through a client that only looks like one."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from threading import Event

import pytest

from tests.mcp_servers.sandbox.boxes import (
    a_nap,
    client_of_a_daemon,
    needs_bubblewrap,
    running,
    until,
)
from trainee_bench.mcp_servers.sandbox.backend import Limit, SandboxLimits, SandboxUnavailable
from trainee_bench.mcp_servers.sandbox.detection import (
    CONTAINER_IMAGE,
    SHELL,
    ContainerBackend,
    client_arguments,
    verify_backend,
)
from trainee_bench.mcp_servers.sandbox.runner import (
    ResultDiscarded,
    SandboxJob,
    SandboxResult,
    run_in_sandbox,
)

LIMITS = SandboxLimits(memory=100, disk=20, scratch=30, processes=7)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
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
def test_files_go_in_and_out_through_the_client(folder: Path) -> None:
    asked = client_of_a_daemon(folder)
    left = contained("cat a; echo beta > b; exit 3")
    assert (left.exit_code, left.printed, left.changed) == (3, b"alpha", {"b": b"beta\n"})
    assert asked.read_text().startswith("run\n--rm\n") and "\nrm\n" not in asked.read_text()


@needs_bubblewrap
def test_a_container_that_passes_a_limit_is_removed_by_its_id(folder: Path) -> None:
    asked = client_of_a_daemon(folder)
    marker = a_nap()
    with pytest.raises(ResultDiscarded) as stopped:
        contained(f"yes & {marker}", SandboxLimits(output=50_000))
    assert stopped.value.limit is Limit.OUTPUT
    assert asked.read_text().endswith("--\nrm\n--force\nf00d\n--\n")
    until(lambda: not running(marker))  # this client does not wait for the end, as real ones do


@needs_bubblewrap
@pytest.mark.parametrize("kind", ["docker", "podman"])
def test_a_client_with_a_daemon_is_proved_by_a_real_run(folder: Path, kind: str) -> None:
    client_of_a_daemon(folder, kind)
    verify_backend(ContainerBackend(kind))


@pytest.mark.parametrize(
    "refusal",
    ["Cannot connect to the Docker daemon at unix:///var/run/docker.sock.", "No such image: x"],
)
def test_a_client_that_can_run_nothing_is_not_usable_and_says_why(
    folder: Path, refusal: str
) -> None:
    client_of_a_daemon(folder, refusal=refusal)
    with pytest.raises(SandboxUnavailable, match=refusal[:20]):
        verify_backend(ContainerBackend("docker"))


def test_a_client_that_is_not_there_or_cannot_be_started_is_not_usable(folder: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="docker is not installed"):
        verify_backend(ContainerBackend("docker"))
    (folder / "docker").write_bytes(b"\x7fELF no program")
    (folder / "docker").chmod(0o755)
    with pytest.raises(SandboxUnavailable, match="docker cannot be started"):
        verify_backend(ContainerBackend("docker"))


def test_a_client_that_answers_nonsense_is_not_usable(folder: Path) -> None:
    (folder / "docker").write_text("#!/bin/sh\necho hello from a whale\n")
    (folder / "docker").chmod(0o755)
    with pytest.raises(SandboxUnavailable, match="interfered with its sandbox"):
        verify_backend(ContainerBackend("docker"))
