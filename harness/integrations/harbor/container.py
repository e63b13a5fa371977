"""The program of a task's only container: it starts the office and grades its day.

    echo WORD | harbor-day start    root, before the agent: stages the day and serves it on loopback
    harbor-day grade                root, after the agent: ends its processes and writes the rewards

Three users share the container. The office runs as `OFFICE`, and only this user and root can read
its folder. The agent runs as `AGENT`. Root runs nothing that the agent's user can write, and reads
only the office's world: see `grade`. A user other than root can protect nothing here, and neither
can anybody against an agent that is root.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import anyio

from trainee_bench.harness.integrations.harbor.given_day import DayRefused, GivenDay
from trainee_bench.harness.integrations.harbor.reward import main as write_rewards
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.meta_tasks.offices.opened import VARIABLE
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.world import World

AGENT, OFFICE = "agent", "trainee"
"""The users of the agent and of the office in the image."""
ADDRESS = "127.0.0.1:8000"
URL = f"http://{ADDRESS}/mcp"
"""The office's MCP server."""
PROGRAM = "/opt/trainee-bench/harbor-day"
"""This program in the image."""
OWN_OFFICE = "/opt/trainee-bench/own_office"
"""The own office of the days in the image, if they are in one."""
FINAL_WORLD = "final.world"
_DAY, _DRAFT, _LOG = "day.world", "draft.world", "office.log"
_THIS = "trainee_bench.harness.integrations.harbor.container"
_READY_WITHIN = 120
_BETWEEN_LOOKS = 0.2
_SHOWN = 2_000
# A kill to -1 reaches all processes of the caller's user at once, also those that fork meanwhile.
_KILL_ALL = "import os, signal; os.kill(-1, signal.SIGKILL)"


class CannotServe(RuntimeError):
    """Raised if the office does not start; says what it printed last."""


@dataclass(frozen=True)
class Machine:
    """The folders of the container: *home*, the office's own, *logs*, to which the verifier writes,
    and *own_office*, which only tasks in an own office have."""

    home: Path = Path("/var/lib/trainee-bench")
    logs: Path = Path("/logs/verifier")
    own_office: Path = Path(OWN_OFFICE)

    @property
    def world(self) -> Path:
        """The world of the day."""
        return self.home / _DAY

    @property
    def offices(self) -> Mapping[str, str]:
        """The variable that opens the own office, if there is one. No other office is opened."""
        return {VARIABLE: str(self.own_office) if self.own_office.is_dir() else ""}


def start(machine: Machine, word: str) -> None:
    """Serve the day *word* at `URL`, unless it is served already. Needs root.

    Raises CannotServe, DayRefused, and KeyError if the image lacks one of the users.
    """
    GivenDay.decode(word)
    _ordinary_user(AGENT)
    office = _ordinary_user(OFFICE)
    # Harbor lets everybody write here. The rewards must not lie where the agent can replace them.
    machine.logs.mkdir(parents=True, exist_ok=True)
    os.chown(machine.logs, 0, 0)
    machine.logs.chmod(0o755)
    if _is_ready():
        return
    machine.home.mkdir(parents=True, exist_ok=True)
    os.chown(machine.home, office.pw_uid, office.pw_gid)
    machine.home.chmod(0o700)
    with (machine.home / _LOG).open("wb") as log:
        process = subprocess.Popen(  # noqa: S603 -- our own program
            [sys.executable, "-m", _THIS, "serve", str(machine.home)],
            **_as_user(office),
            cwd=machine.home,
            env=_office_environment(machine),
            umask=0o077,
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    assert process.stdin is not None
    # Through a pipe: everybody can read the arguments of a process.
    process.stdin.write(word.encode())
    process.stdin.close()
    until = time.monotonic() + _READY_WITHIN
    while not _is_ready():
        if process.poll() is not None or time.monotonic() > until:
            process.kill()
            printed = (machine.home / _LOG).read_text(encoding="utf-8", errors="replace")
            raise CannotServe(f"the office did not start: {printed[-_SHOWN:]}")
        time.sleep(_BETWEEN_LOOKS)


def serve(home: Path, word: str) -> None:
    """Stage the day *word* in *home* unless it has begun already, and become its server. Raises
    DayRefused."""
    day, world = GivenDay.decode(word), home / _DAY
    if not world.exists():
        draft = home / _DRAFT
        for left in home.glob(f"{_DRAFT}*"):
            left.unlink()
        anyio.run(_stage, day, draft)
        draft.rename(world)
    server = [sys.executable, "-m", "trainee_bench.mcp_servers", "--world", str(world)]
    os.execv(  # noqa: S606 -- our own program
        sys.executable, [*server, "--http", ADDRESS, "--path", "/mcp", "--no-token"]
    )


def grade(machine: Machine) -> None:
    """End all processes of the agent's user, and write the rewards and a copy of the world to the
    logs. Needs root.

    The rewards depend on the world alone, which the agent can change only through its tools.
    """
    kill_processes_of(AGENT)
    os.environ.update(machine.offices)
    _clear(machine.logs)
    copy = machine.logs / FINAL_WORLD
    try:
        anyio.run(_copy, machine.world, copy)
    except WorldFileError as error:
        # The verifier then finds no world, and the rewards say that nothing was graded.
        sys.stderr.write(f"{machine.world}: {error}\n")
    write_rewards(str(copy), str(machine.logs))


def kill_processes_of(name: str) -> None:
    """Kill all processes of the user *name*. Needs root; raises KeyError if there is no such user,
    and ValueError if the name belongs to root."""
    subprocess.run(  # noqa: S603 -- our own program
        [sys.executable, "-S", "-c", _KILL_ALL], **_as_user(_ordinary_user(name)), check=False
    )


def _ordinary_user(name: str) -> pwd.struct_passwd:
    user = pwd.getpwnam(name)
    if user.pw_uid == 0:
        raise ValueError(f"the user {name} is root; it has to be a user of its own")
    return user


class _User(TypedDict):
    user: int
    group: int
    extra_groups: list[int]


def _as_user(user: pwd.struct_passwd) -> _User:
    """Return the arguments with which a process runs as *user*."""
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _office_environment(machine: Machine) -> Mapping[str, str]:
    """Return the variables of the office: its temporary files lie in its own folder, too."""
    private = dict.fromkeys(("HOME", "TMPDIR", "SQLITE_TMPDIR"), str(machine.home))
    return {**os.environ, **private, **machine.offices}


def _is_ready() -> bool:
    try:
        with urllib.request.urlopen(f"http://{ADDRESS}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False


def _clear(folder: Path) -> None:
    """Remove what lies in *folder* without following links, but for the log that is written now."""
    for path in folder.iterdir():
        if path.is_symlink() or path.is_file():
            if path.name != "test-stdout.txt":
                path.unlink()
        else:
            shutil.rmtree(path)


async def _stage(day: GivenDay, path: Path) -> None:
    await (await create_world(path, day.scenario, day.number)).close()


async def _copy(source: Path, target: Path) -> None:
    async with await World.open(source) as world, await world.fork(target):
        pass


def main(command: str, *folder: str) -> None:
    """Run *command*. Raises SystemExit: 2 for a day that is refused, 1 if the office does not
    start."""
    if command == "grade":
        grade(Machine())
        return
    word = sys.stdin.read()
    try:
        if command == "serve":
            serve(Path(*folder), word)
        else:
            start(Machine(), word)
    except DayRefused as error:
        sys.stderr.write(f"{error}\n")
        raise SystemExit(2) from None
    except CannotServe as error:
        sys.stderr.write(f"{error}\n")
        raise SystemExit(1) from None


if __name__ == "__main__":
    main(*sys.argv[1:])
