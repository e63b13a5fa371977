"""Docker and Podman: a sandbox that is a container of an image already present.

Nothing of the host is mounted, so the engine may run on another machine. No image is pulled.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen

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

CONTAINER_IMAGE = "python:3.11-slim"
_LAST_SECONDS = 20


class ContainerBackend(SandboxBackend):
    """Sandboxes started by the client *kind*: docker or podman."""

    def __init__(self, kind: str):
        self.kind = kind

    @contextmanager
    def start(self, limits: SandboxLimits) -> Iterator[RunningSandbox]:
        """A new container while the block lasts. Raises SandboxUnavailable."""
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
    """The arguments of the client: a container of IMAGE that writes its id to *id_file*."""

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
        """None: the engine enforces the limits, and init_process.py reports which was exceeded."""
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
