"""Doors through MCP clients: a client and the scripted model work a day that we serve."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import ClassVar

import anyio

from trainee_bench.harness.clients.client_table import CLIENTS, server_command
from trainee_bench.harness.clients.config_file import write_config
from trainee_bench.harness.parity import programs
from trainee_bench.harness.parity.door import (
    Door,
    DoorFailed,
    DoorRun,
    DoorUnavailable,
    run_in_world,
)
from trainee_bench.harness.parity.script import ParityScript
from trainee_bench.harness.parity.scripted_model import ScriptedModelServer, serve_in_thread
from trainee_bench.mcp_servers.office import OFFICE
from trainee_bench.meta_tasks.composition import create_world

_LONGEST = 600.0
"""Seconds after which a client that has not ended is killed."""
_KEPT_CHARS = 600
"""Characters of a client's output that are shown if it fails."""
_PASSED_ON = ("LANG", "LC_ALL", "PATH", "SYSTEMROOT", "TMPDIR")
"""What clients get of our environment: neither keys nor the user's own configuration."""
_PROMPT = "You are new in this company. Work your day: begin with desk_tasks."
_ADDRESS = re.compile(r"^Serving (?P<url>\S+)\nAuthorization: (?P<token>.+)\n", re.MULTILINE)


class ClientTransport(StrEnum):
    """How a client reaches our server."""

    STDIO = "stdio"
    HTTP = "http"


@dataclass(frozen=True)
class OfficeAddress:
    """Where a client finds our server: a command to start, with variables for its environment, or
    a URL and the headers that requests to it must have."""

    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ClientTask:
    """What a client is to do: work a day at *office* by the model at *model*, a URL without a
    path. *home* is an empty folder of its own."""

    office: OfficeAddress
    model: str
    home: Path
    prompt: str = _PROMPT


class ClientDoor(Door):
    """An MCP client that runs as a program of its own."""

    apart = True
    transport: ClassVar[ClientTransport] = ClientTransport.STDIO

    @abstractmethod
    def client(self, task: ClientTask) -> tuple[Sequence[str], Mapping[str, str]]:
        """The command that does *task* and the variables it needs. Files that it needs, too, are
        written into ``task.home``, which is its home and its working directory."""

    def play(self, script: ParityScript, folder: Path) -> DoorRun:
        """Let the client work until it ends by itself."""
        world, home = folder / "day.world", folder / "home"
        home.mkdir()
        anyio.run(_stage, script, world)
        model = ScriptedModelServer(script.calls)
        with serve_in_thread(model) as address, self._office(world) as office:
            command, variables = self.client(ClientTask(office, address, home))
            said = _run(command, {**_inherited(), "HOME": str(home), **variables}, home)
        run = anyio.run(run_in_world, world, script)
        if not model.results:
            asked = f" It asked for {', '.join(model.unknown)}." if model.unknown else ""
            raise DoorFailed(f"the model was shown no result.{asked} The client said: {said}")
        return replace(run, texts=model.results, pictures=model.pictures)

    @contextmanager
    def _office(self, world: Path) -> Iterator[OfficeAddress]:
        """Our server for *world* while the block lasts, or the command that starts it."""
        serve = server_command(world)
        # Clients hand little of their own environment to servers. A checkout that is not
        # installed is found by this variable alone.
        paths = {key: os.environ[key] for key in ("PYTHONPATH",) if key in os.environ}
        if self.transport is ClientTransport.STDIO:
            yield OfficeAddress(command=tuple(serve), environment=paths)
            return
        with _serving([*serve, "--http", "127.0.0.1:0"], world.with_name("server.txt")) as office:
            yield office


class ProgramDoor(ClientDoor):
    """A client that is a library: ``programs`` has a script for it, named as the door's file.

    The script runs in the environment of that name if there is one, which need not have this
    project, and in this one otherwise. Its one argument is a JSON file with the fields of
    `ClientTask`.
    """

    def versions(self) -> Mapping[str, str]:
        """As told by the interpreter that runs the script. Raises DoorUnavailable."""
        interpreter = self._interpreter()
        if interpreter is None:
            return super().versions()
        asking = [str(interpreter), "-c", _TELL_VERSIONS, *self.packages]
        told = subprocess.run(  # noqa: S603 - an interpreter that the user named
            asking, capture_output=True, text=True, check=False
        )
        if told.returncode:
            raise DoorUnavailable(told.stderr.strip().rpartition("\n")[2])
        return dict(zip(self.packages, told.stdout.split(), strict=True))

    def client(self, task: ClientTask) -> tuple[Sequence[str], Mapping[str, str]]:
        """The script with the task as its argument."""
        described = task.home / "task.json"
        described.write_text(json.dumps(asdict(task), default=str), encoding="utf-8")
        script = Path(*programs.__path__) / f"{self.file()}.py"
        python = str(self._interpreter() or sys.executable)
        # Without -P the script's folder could hide the very package that the script is named after.
        return [python, "-P", str(script), str(described)], {}

    def _interpreter(self) -> Path | None:
        """That of the door's own environment, None if it has none."""
        if self.environments is None:
            return None
        folder = self.environments.absolute() / self.file()
        python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
        return python if python.exists() else None


_TELL_VERSIONS = """
import sys
from importlib.metadata import PackageNotFoundError, version
for package in sys.argv[1:]:
    try:
        print(version(package))
    except PackageNotFoundError:
        sys.exit(f"{package} is not installed in its environment")
"""


async def _stage(script: ParityScript, world: Path) -> None:
    await (await create_world(world, script.scenario, script.number)).close()


def _inherited() -> dict[str, str]:
    return {key: os.environ[key] for key in _PASSED_ON if key in os.environ}


def _run(command: Sequence[str], environment: Mapping[str, str], folder: Path) -> str:
    """Run a client; the end of what it said. Raises DoorFailed if it fails or does not end."""
    try:
        done = subprocess.run(  # noqa: S603 - the client that the user wants tried
            command,
            env=dict(environment),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        said = (late.output or b"").decode(errors="replace")[-_KEPT_CHARS:]
        raise DoorFailed(f"it did not end within {_LONGEST:.0f} s; it said: {said}") from None
    said = done.stdout[-_KEPT_CHARS:].strip()
    if done.returncode:
        raise DoorFailed(f"it ended with exit code {done.returncode}; it said: {said}")
    return said


@contextmanager
def _serving(command: Sequence[str], errors: Path) -> Iterator[OfficeAddress]:
    """Our server over HTTP while the block lasts. What it says goes to the file *errors*."""
    with (
        errors.open("w+", encoding="utf-8") as stderr,
        subprocess.Popen(  # noqa: S603 - our own server
            command, stdin=subprocess.DEVNULL, stderr=stderr
        ) as server,
    ):
        try:
            while not (found := _ADDRESS.search(errors.read_text(encoding="utf-8"))):
                if server.poll() is not None:
                    raise DoorFailed(f"our server ended: {errors.read_text(encoding='utf-8')}")
                anyio.run(anyio.sleep, 0.05)
            yield OfficeAddress(url=found["url"], headers={"Authorization": found["token"]})
        finally:
            server.terminate()
            server.wait()


class NpmDoor(ClientDoor):
    """A command line, connected as ``trainee-bench connect`` does it.

    Its package is looked for in ``node_modules`` of the door's own environment.
    """

    client_name: ClassVar[str]
    """As ``connect`` knows it."""
    program: ClassVar[str]

    def versions(self) -> Mapping[str, str]:
        """As the installed packages tell. Raises DoorUnavailable."""
        found = {}
        for package in self.packages:
            told = self._modules() / package / "package.json"
            if not told.exists():
                raise DoorUnavailable(f"{package} of npm is not in its environment")
            found[package] = str(json.loads(told.read_text(encoding="utf-8"))["version"])
        return found

    def program_path(self) -> str:
        """The program itself."""
        return str(self._modules() / ".bin" / self.program)

    def connect(self, task: ClientTask, file: Path) -> None:
        """Add the office to the client's configuration *file*."""
        write_config(file, CLIENTS[self.client_name], OFFICE, list(task.office.command))

    def _modules(self) -> Path:
        if self.environments is None:
            raise DoorUnavailable(f"{self.program} needs --environments FOLDER")
        return self.environments.absolute() / self.file() / "node_modules"
