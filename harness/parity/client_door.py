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
"""The environment variables that clients get from us: neither keys nor the user's configuration."""
_PROMPT = "You are new in this company. Work your day: begin with desk_tasks."
_ADDRESS = re.compile(r"^Serving (?P<url>\S+)\nAuthorization: (?P<token>.+)\n", re.MULTILINE)


class ClientTransport(StrEnum):
    """The transport by which a client reaches our server."""

    STDIO = "stdio"
    HTTP = "http"


@dataclass(frozen=True)
class OfficeAddress:
    """The address of our server for a client: a command to start with its environment variables, or
    a URL with the headers that its requests need."""

    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ClientTask:
    """A client's task: work a day at *office* with the model at the URL *model*, which has no path.
    *home* is an empty folder for the client."""

    office: OfficeAddress
    model: str
    home: Path
    prompt: str = _PROMPT


class ClientDoor(Door):
    """An MCP client that runs as a separate program."""

    apart = True
    transport: ClassVar[ClientTransport] = ClientTransport.STDIO

    @abstractmethod
    def client(self, task: ClientTask) -> tuple[Sequence[str], Mapping[str, str]]:
        """Return the command that does *task* and the variables it needs. Write any files it needs
        into ``task.home``, which is its home and its working directory."""

    def play(self, script: ParityScript, folder: Path) -> DoorRun:
        """Let the client work until it ends by itself."""
        world, home = folder / "day.world", folder / "home"
        home.mkdir()
        anyio.run(_stage, script, world)
        model = ScriptedModelServer(script.calls)
        with serve_in_thread(model) as address, self._office(world) as office:
            command, variables = self.client(ClientTask(office, address, home))
            output = _run(command, {**_inherited(), "HOME": str(home), **variables}, home)
        run = anyio.run(run_in_world, world, script)
        if not model.results:
            requested = f" It requested {', '.join(model.unknown)}." if model.unknown else ""
            raise DoorFailed(
                f"the model was shown no result.{requested} The client printed: {output}"
            )
        return replace(run, texts=model.results, pictures=model.pictures)

    @contextmanager
    def _office(self, world: Path) -> Iterator[OfficeAddress]:
        """While the block runs, serve *world*, or give the command that starts its server."""
        serve = server_command(world)
        # Clients pass little of their environment to servers. Without an installation, the server
        # finds this checkout only through this variable.
        paths = {key: os.environ[key] for key in ("PYTHONPATH",) if key in os.environ}
        if self.transport is ClientTransport.STDIO:
            yield OfficeAddress(command=tuple(serve), environment=paths)
            return
        with _serving([*serve, "--http", "127.0.0.1:0"], world.with_name("server.txt")) as office:
            yield office


class ProgramDoor(ClientDoor):
    """A client that is a library: ``programs`` has a script with the name of the door's file.

    The script runs in the environment of that name, which need not contain this project, or, if
    there is none, in the current one. Its argument is a JSON file with the fields of `ClientTask`.
    """

    def versions(self) -> Mapping[str, str]:
        """Return the versions that the script's interpreter reports. Raises DoorUnavailable."""
        interpreter = self._interpreter()
        if interpreter is None:
            return super().versions()
        asking = [str(interpreter), "-c", _TELL_VERSIONS, *self.packages]
        answer = subprocess.run(  # noqa: S603 - an interpreter that the user named
            asking, capture_output=True, text=True, check=False
        )
        if answer.returncode:
            raise DoorUnavailable(answer.stderr.strip().rpartition("\n")[2])
        return dict(zip(self.packages, answer.stdout.split(), strict=True))

    def client(self, task: ClientTask) -> tuple[Sequence[str], Mapping[str, str]]:
        """Return the script with the task as its argument."""
        described = task.home / "task.json"
        described.write_text(json.dumps(asdict(task), default=str), encoding="utf-8")
        script = Path(*programs.__path__) / f"{self.file()}.py"
        python = str(self._interpreter() or sys.executable)
        # Without -P the script's folder could hide the package that the script is named after.
        return [python, "-P", str(script), str(described)], {}

    def _interpreter(self) -> Path | None:
        """Return the interpreter of the door's environment, None if it has none."""
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
    """Run a client and return the end of its output. Raises DoorFailed if it fails or does not
    end."""
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
        output = (late.output or b"").decode(errors="replace")[-_KEPT_CHARS:]
        raise DoorFailed(f"it did not end within {_LONGEST:.0f} s; it printed: {output}") from None
    output = done.stdout[-_KEPT_CHARS:].strip()
    if done.returncode:
        raise DoorFailed(f"it ended with exit code {done.returncode}; it printed: {output}")
    return output


@contextmanager
def _serving(command: Sequence[str], errors: Path) -> Iterator[OfficeAddress]:
    """While the block runs, serve over HTTP. The server's messages go to the file *errors*."""
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
    """A command-line client, connected in the same way as by ``trainee-bench connect``.

    Its package is looked up in ``node_modules`` of the door's environment.
    """

    client_name: ClassVar[str]
    """Its name for ``connect``."""
    program: ClassVar[str]

    def versions(self) -> Mapping[str, str]:
        """Return the versions of the installed packages. Raises DoorUnavailable."""
        found = {}
        for package in self.packages:
            manifest = self._modules() / package / "package.json"
            if not manifest.exists():
                raise DoorUnavailable(f"the npm package {package} is not in its environment")
            found[package] = str(json.loads(manifest.read_text(encoding="utf-8"))["version"])
        return found

    def program_path(self) -> str:
        """Return the path of the program."""
        return str(self._modules() / ".bin" / self.program)

    def connect(self, task: ClientTask, file: Path) -> None:
        """Add the office to the client's configuration *file*."""
        write_config(file, CLIENTS[self.client_name], OFFICE, list(task.office.command))

    def _modules(self) -> Path:
        if self.environments is None:
            raise DoorUnavailable(f"{self.program} needs --environments FOLDER")
        return self.environments.absolute() / self.file() / "node_modules"
