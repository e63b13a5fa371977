"""Finds the sandbox that works on this machine by running a command in each.

A kernel, a distribution or an outer container may forbid what bubblewrap needs, and an installed
Docker client does not mean a running daemon. So each backend is tested with a real command.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from threading import Event

from pydantic import BaseModel, ConfigDict, ValidationError

from trainee_bench.mcp_servers.sandbox.backend import (
    SANDBOX_UID,
    SandboxBackend,
    SandboxLimits,
    SandboxUnavailable,
)
from trainee_bench.mcp_servers.sandbox.bubblewrap import BubblewrapBackend
from trainee_bench.mcp_servers.sandbox.containers import CONTAINER_IMAGE, ContainerBackend
from trainee_bench.mcp_servers.sandbox.runner import (
    ENVIRONMENT,
    ResultDiscarded,
    SandboxJob,
    run_in_sandbox,
)

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
    f"Docker or Podman and give it the image (docker pull {CONTAINER_IMAGE}); or leave the "
    "terminal out of the scenario's tools."
)


class _SandboxView(BaseModel):
    """What a test command observed inside the sandbox."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    user: int
    environment: frozenset[str]
    network: bool
    files: tuple[str, ...]


@dataclass(frozen=True)
class SandboxProbe:
    """The working sandbox, None without one, and why those tried before it failed."""

    sandbox: SandboxBackend | None
    reasons: tuple[str, ...]

    @property
    def missing_requirement(self) -> str:
        """What this machine lacks and how to install it, "" if it lacks nothing."""
        if self.sandbox is not None:
            return ""
        tried = "; ".join(self.reasons)
        return f"The terminal needs a sandbox, and none works on this machine ({tried}). {_INSTALL}"


@cache
def find_sandbox() -> SandboxProbe:
    """The first sandbox that works on this machine; tested once per process."""
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
        said = left.printed.decode(errors="replace").strip()[-200:]
        raise SandboxUnavailable(f"a test command failed in it: {said}") from None
    strange = seen.environment - {*ENVIRONMENT, "PWD", "SHLVL", "_", "OLDPWD", "LC_CTYPE"}
    if seen.user != SANDBOX_UID or strange or seen.network or seen.files != (_FILE,):
        raise SandboxUnavailable(f"it does not isolate the command: {seen}")
