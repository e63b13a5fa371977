"""Which sandbox works here: found out by running one, and nothing less.

A kernel, a distribution or a container around us may forbid what bubblewrap needs, and a Docker
client says nothing of a daemon; so each is tried in turn with a real command.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from threading import Event

from pydantic import BaseModel, ConfigDict, ValidationError

from mcp_servers.sandbox.backend import USER, Backend, Unusable
from mcp_servers.sandbox.bubblewrap import Bubblewrap
from mcp_servers.sandbox.containers import IMAGE, Container
from mcp_servers.sandbox.limits import Limits
from mcp_servers.sandbox.running import ENVIRONMENT, Discarded, Job, run

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
    f"Docker or Podman and give it the image (docker pull {IMAGE}); or leave the terminal out of "
    "the scenario's tools."
)


class _Seen(BaseModel):
    """What a command found around itself."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    user: int
    environment: frozenset[str]
    network: bool
    files: tuple[str, ...]


@dataclass(frozen=True)
class Found:
    """The sandbox that works here, None if none does, and why those tried before it do not."""

    sandbox: Backend | None
    reasons: tuple[str, ...]

    @property
    def lacking(self) -> str:
        """What this machine lacks and how to get it, "" if it lacks nothing."""
        if self.sandbox is not None:
            return ""
        tried = "; ".join(self.reasons)
        return f"The terminal needs a sandbox, and none works on this machine ({tried}). {_INSTALL}"


@cache
def find_sandbox() -> Found:
    """The first sandbox that works here; tried once in a process."""
    reasons: list[str] = []
    for backend in (Bubblewrap(), Container("docker"), Container("podman")):
        try:
            prove(backend)
        except Unusable as why:
            reasons.append(f"{backend.kind}: {str(why).removeprefix(f'{backend.kind}: ')}")
        else:
            return Found(backend, tuple(reasons))
    return Found(None, tuple(reasons))


def prove(backend: Backend) -> None:
    """Run a command that looks around. Raises Unusable unless all is as it must be."""
    script = f"python3 -c '{_LOOK_AROUND}'"
    job = Job((SHELL, "-c", script), {_FILE: _TEXT})
    try:
        left = run(backend, job, Limits(), Event())
        seen = _Seen.model_validate(json.loads(left.changed.get(_LEFT, b"null")))
    except Discarded as why:
        raise Unusable(str(why)) from None
    except (ValueError, ValidationError):
        said = left.printed.decode(errors="replace").strip()[-200:]
        raise Unusable(f"a command that works elsewhere fails in it: {said}") from None
    strange = seen.environment - {*ENVIRONMENT, "PWD", "SHLVL", "_", "OLDPWD", "LC_CTYPE"}
    if seen.user != USER or strange or seen.network or seen.files != (_FILE,):
        raise Unusable(f"it does not close off what it must: {seen}")
