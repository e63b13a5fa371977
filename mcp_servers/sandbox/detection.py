"""Finds a sandbox that works on this machine, by running a command in each kind.

One kind is a Docker or Podman container of an image already present; no image is pulled.

A kernel, a distribution or an outer container may forbid what bubblewrap needs, and an installed
Docker client does not mean a running daemon. So each backend is tested with a real command. Nothing
of the host is mounted into a container, so its engine may run on another machine.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from subprocess import Popen
from threading import Event

from pydantic import BaseModel, ConfigDict, ValidationError

from trainee_bench.mcp_servers.sandbox.backend import (
    SANDBOX_PATH,
    SANDBOX_UID,
    SHARED_MEMORY_BYTES,
    Limit,
    RunningSandbox,
    SandboxBackend,
    SandboxLimits,
    SandboxUnavailable,
    init_command,
)
from trainee_bench.mcp_servers.sandbox.bubblewrap import BubblewrapBackend
from trainee_bench.mcp_servers.sandbox.runner import (
    ENVIRONMENT,
    ResultDiscarded,
    SandboxJob,
    run_in_sandbox,
)

CONTAINER_IMAGE = "python:3.11-slim"
_LAST_SECONDS = 20


class ContainerBackend(SandboxBackend):
    """Sandboxes started by the client *kind*: docker or podman."""

    def __init__(self, kind: str):
        self.kind = kind

    @contextmanager
    def start(self, limits: SandboxLimits) -> Iterator[RunningSandbox]:
        """Run a new container while the block lasts. Raises SandboxUnavailable."""
        client = shutil.which(self.kind)
        if client is None:
            raise SandboxUnavailable(f"{self.kind} is not installed")
        with tempfile.TemporaryDirectory(prefix="trainee-bench-") as folder:
            id_file = Path(folder) / "container"
            try:
                process = Popen(  # noqa: S603 -- the client, with our arguments
                    [client, *client_arguments(limits, id_file)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,
                )
            except OSError as error:
                raise SandboxUnavailable(f"{self.kind} cannot be started: {error}") from None
            box = _ContainerSandbox(client, process, id_file)
            try:
                yield box
            finally:
                box.end()


def client_arguments(limits: SandboxLimits, id_file: Path) -> list[str]:
    """Return the client's arguments for a container of CONTAINER_IMAGE that writes its id to
    *id_file*."""

    def in_memory(path: str, size: int) -> tuple[str, str]:
        options = f"type=tmpfs,destination={path},tmpfs-size={size},tmpfs-mode=1777"
        return "--mount", options

    entry, *rest = init_command("python3")
    # Files in memory count towards the memory limit.
    memory = limits.memory + limits.disk + limits.scratch + SHARED_MEMORY_BYTES
    return [
        *("run", "--rm", "--interactive", "--pull", "never", "--cidfile", str(id_file)),
        *(
            "--network",
            "none",
            "--read-only",
            "--user",
            f"{SANDBOX_UID}:{SANDBOX_UID}",
            "--hostname",
            "office",
        ),
        *("--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--log-driver", "none"),
        *("--memory", str(memory), "--memory-swap", str(memory)),
        *("--pids-limit", str(limits.processes), "--shm-size", str(SHARED_MEMORY_BYTES)),
        *in_memory("/workspace", limits.disk),
        *in_memory("/tmp", limits.scratch),  # noqa: S108 -- the container's own
        *("--workdir", "/workspace", "--env", f"PATH={SANDBOX_PATH}"),
        *("--entrypoint", entry, CONTAINER_IMAGE, *rest),
    ]


@dataclass(frozen=True)
class _ContainerSandbox:
    """A container and the client process attached to it."""

    client: str
    process: Popen[bytes]
    id_file: Path

    def exceeded(self) -> Limit | None:
        """Return None: the engine enforces the limits, and init_process.py reports which was
        exceeded."""
        return None

    def kill(self) -> None:
        """Remove the container."""
        if self.process.poll() is None and self.id_file.exists():
            with suppress(subprocess.TimeoutExpired, OSError):
                subprocess.run(  # noqa: S603 -- the client, with our arguments
                    [self.client, "rm", "--force", self.id_file.read_text().strip()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    timeout=_LAST_SECONDS,
                    check=False,
                )

    def end(self) -> None:
        """Wait for the client to exit, which removes the ended container."""
        try:
            self.process.wait(_LAST_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            self.process.kill()
            self.process.wait()


SHELL = "/bin/bash"
_FILE, _TEXT, _LEFT = "carried in", b"carried in\n", "carried out"
_LOOK_AROUND = """\
import json, os, socket, sqlite3
def network():
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as nothing_is_sent:
            nothing_is_sent.connect(("192.0.2.1", 9))
    except OSError:
        return False
    return True
seen = {
    "user": os.getuid(),
    "environment": sorted(os.environ),
    "network": network(),
    "files": os.listdir(),
}
open("carried out", "w").write(json.dumps(seen))
"""
_INSTALL = (
    "Install bubblewrap 0.8 or newer (on Debian and Ubuntu: apt-get install bubblewrap), or start "
    f"Docker or Podman and pull the image (docker pull {CONTAINER_IMAGE}), or remove the "
    "terminal from the scenario's tools."
)


class _SandboxView(BaseModel):
    """The observations of a test command inside the sandbox."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    user: int
    environment: frozenset[str]
    network: bool
    files: tuple[str, ...]


@dataclass(frozen=True)
class SandboxProbe:
    """The working sandbox, or None, and why those tried before it failed."""

    sandbox: SandboxBackend | None
    reasons: tuple[str, ...]

    @property
    def missing_requirement(self) -> str:
        """The requirement that this machine lacks and how to install it, "" if it lacks nothing."""
        if self.sandbox is not None:
            return ""
        tried = "; ".join(self.reasons)
        return f"The terminal needs a sandbox, and none works on this machine ({tried}). {_INSTALL}"


@cache
def find_sandbox() -> SandboxProbe:
    """Return the first sandbox that works on this machine; tested once per process."""
    reasons: list[str] = []
    for backend in (BubblewrapBackend(), ContainerBackend("docker"), ContainerBackend("podman")):
        try:
            verify_backend(backend)
        except SandboxUnavailable as why:
            reasons.append(f"{backend.kind}: {str(why).removeprefix(f'{backend.kind}: ')}")
        else:
            return SandboxProbe(backend, tuple(reasons))
    return SandboxProbe(None, tuple(reasons))


def verify_backend(backend: SandboxBackend) -> None:
    """Run a test command. Raises SandboxUnavailable unless it is isolated as required."""
    script = f"python3 -c '{_LOOK_AROUND}'"
    job = SandboxJob((SHELL, "-c", script), {_FILE: _TEXT})
    try:
        left = run_in_sandbox(backend, job, SandboxLimits(), Event())
        seen = _SandboxView.model_validate(json.loads(left.changed.get(_LEFT, b"null")))
    except ResultDiscarded as why:
        raise SandboxUnavailable(str(why)) from None
    except (ValueError, ValidationError):
        output = left.printed.decode(errors="replace").strip()[-200:]
        raise SandboxUnavailable(f"a test command failed in it: {output}") from None
    strange = seen.environment - {*ENVIRONMENT, "PWD", "SHLVL", "_", "OLDPWD", "LC_CTYPE"}
    if seen.user != SANDBOX_UID or strange or seen.network or seen.files != (_FILE,):
        raise SandboxUnavailable(f"it does not isolate the command: {seen}")
