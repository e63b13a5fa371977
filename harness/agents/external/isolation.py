"""Access of an external agent's command to this machine.

none      everything that this process can access
user      what another user can access, who cannot read the run, the worlds or this program
sandbox   programs, libraries and allowed paths, read-only; its scratch folder; the network
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import trainee_bench
from trainee_bench.harness.agents.external.scratch import HOME, LARGEST_QUOTA, UnixUser
from trainee_bench.harness.records.plan import USER_ISOLATION_PREFIX, AgentConfig, PlanError
from trainee_bench.mcp_servers.sandbox.backend import SANDBOX_PATH, SANDBOX_UID
from trainee_bench.mcp_servers.sandbox.bubblewrap import hidden_folders

NO_ISOLATION, SANDBOX_ISOLATION = "none", "sandbox"
SANDBOX_FOLDER = "/office"
"""The path of the scratch folder in a sandbox."""
SANDBOX_OWNER = UnixUser(65_532, 65_532)
"""The user who runs the sandbox if this process is root; the terminal app uses another user."""
PROJECT_ROOT = Path(trainee_bench.__file__).resolve().parents[1]
"""The folder of this program: with it and a seed all answers can be computed."""

_SYSTEM = ("bin", "sbin", "lib", "lib32", "lib64", "libexec", "share", "local/bin", "local/lib")
ROOT_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64")
"""Top-level folders of programs and libraries, or links to such folders in /usr."""
SYSTEM_SETTINGS = (
    "alternatives ca-certificates ca-certificates.conf gai.conf host.conf hosts ld.so.cache "
    "ld.so.conf ld.so.conf.d localtime nsswitch.conf pki protocols resolv.conf services ssl"
).split()
"""The files in /etc that programs need to find libraries, names and certificates."""
PASSWD_FILE = "passwd"  # noqa: S105 - a file's name
"""The file in a scratch folder that becomes /etc/passwd in the sandbox."""
PASSWD_TEXT = f"agent:x:{SANDBOX_UID}:{SANDBOX_UID}::{SANDBOX_FOLDER}/{HOME}:/bin/sh\n"


@dataclass(frozen=True)
class Isolation:
    """The way a command is run.

    ``prefix`` comes before its words, ``owner`` is the user who runs it (None: this process's
    user), and ``path`` is its PATH.
    """

    prefix: tuple[str, ...]
    owner: UnixUser | None
    path: str
    home_inside: str | None
    """The path of the scratch folder for the command; None: the same as outside."""

    def path_inside(self, scratch: Path, name: str) -> str:
        """Return the path of the file *name* in *scratch* as the command sees it."""
        return str((Path(self.home_inside) if self.home_inside else scratch) / name)

    @property
    def user(self) -> int | None:
        """The id of the user who runs the command, None for this process's user."""
        return self.owner.user if self.owner else None

    @property
    def group(self) -> int | None:
        """The id of that user's group, None for this process's group."""
        return self.owner.group if self.owner else None

    @property
    def groups(self) -> tuple[int, ...] | None:
        """The supplementary groups: none for another user, None for this process's groups."""
        return () if self.owner else None

    def command_words(
        self, command: Sequence[str], scratch: Path, report: int | None = None
    ) -> list[str]:
        """Return the words that start *command*.

        On the descriptor *report* a sandbox reports how the command ended, and nothing if the
        command never started.
        """
        before = [word.replace(_SCRATCH, str(scratch)) for word in self.prefix]
        if report is not None:
            before[1:1] = ["--json-status-fd", str(report)]
        return before + list(command)


_SCRATCH = "\0scratch"
"""A placeholder for the scratch folder; no real path contains it."""


def isolation_for(agent: AgentConfig) -> Isolation:
    """Return the isolation of *agent*'s command. Raises PlanError if it is not available here."""
    if sys.platform == "win32":
        raise PlanError("--agent-command needs Linux or macOS; on Windows it works within WSL.")
    kind = agent.isolation
    if kind == NO_ISOLATION:
        return Isolation((), None, os.environ.get("PATH", SANDBOX_PATH), None)
    if kind == SANDBOX_ISOLATION:
        return _sandbox(agent.allowed)
    return Isolation((), _user(kind.removeprefix(USER_ISOLATION_PREFIX)), SANDBOX_PATH, None)


def sandbox_visible_folders(allowed: Sequence[str]) -> list[str]:
    """Return the folders of this machine that a command in a sandbox sees."""
    system = [f"/usr/{name}" for name in _SYSTEM]
    return [path for path in system if _is_folder(path)] + list(allowed)


def _user(name: str) -> UnixUser:
    import pwd  # Windows has none

    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        raise PlanError(
            f"--agent-isolation user:{name}: there is no such user here; create it with "
            "useradd, or name another."
        ) from None
    if os.geteuid() != 0:
        raise PlanError(
            f"--agent-isolation user:{name}: only root can run a command as another user; use "
            "--agent-isolation sandbox, or start this as root."
        )
    if entry.pw_uid == 0:
        raise PlanError(
            f"--agent-isolation user:{name}: this user can read everything; name another."
        )
    return UnixUser(entry.pw_uid, entry.pw_gid)


def _sandbox(allowed: Sequence[str]) -> Isolation:
    program = shutil.which("bwrap")
    if program is None:
        raise PlanError(
            "--agent-isolation sandbox needs bubblewrap 0.8 or newer (on Debian and Ubuntu: "
            "apt-get install bubblewrap)."
        )
    folders = [f"{path}/bin" for path in allowed if _is_folder(f"{path}/bin")]
    return Isolation(
        prefix=(program, *_arguments(allowed), "--"),
        owner=SANDBOX_OWNER if os.geteuid() == 0 else None,
        path=":".join([*folders, SANDBOX_PATH]),
        home_inside=SANDBOX_FOLDER,
    )


def _arguments(allowed: Sequence[str]) -> Iterator[str]:
    """Yield the arguments of bwrap.

    The process itself passes the environment, so no key appears in a command line that others can
    read.
    """
    system = [path for path in sandbox_visible_folders(()) if not Path(path).is_symlink()]
    masks = hidden_folders(system)
    yield from ("--unshare-all", "--share-net", "--unshare-user", "--disable-userns")
    yield from ("--cap-drop", "ALL", "--uid", str(SANDBOX_UID), "--gid", str(SANDBOX_UID))
    yield from ("--hostname", "office", "--die-with-parent", "--new-session")
    for path in system:
        yield from ("--ro-bind", path, path)
    for path in masks:
        yield from ("--tmpfs", path)
    for name in ROOT_FOLDERS:
        root = Path("/", name)
        if root.is_symlink():
            yield from ("--symlink", str(root.readlink()), str(root))
        elif root.is_dir():
            yield from ("--ro-bind", str(root), str(root))
    for name in SYSTEM_SETTINGS:
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")
    yield from ("--proc", "/proc", "--dev", "/dev", "--size", str(LARGEST_QUOTA))
    yield from ("--perms", "1777", "--tmpfs", "/tmp")  # noqa: S108
    for path in allowed:
        yield from ("--ro-bind", path, path)
    for path in masks:
        yield from ("--remount-ro", path)
    yield from ("--ro-bind", f"{_SCRATCH}/{PASSWD_FILE}", "/etc/passwd")
    yield from (
        "--bind",
        _SCRATCH,
        SANDBOX_FOLDER,
        "--remount-ro",
        "/",
        "--chdir",
        f"{SANDBOX_FOLDER}/{HOME}",
    )


def _is_folder(path: str) -> bool:
    return Path(path).is_dir()
