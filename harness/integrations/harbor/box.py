"""A folder that processes see as their machine, made by bubblewrap instead of a container.

Inside it, the folder is ``/``. From the real machine, processes see the system's programs and
libraries and the folders given to them, all read-only. They share its network.
"""

from __future__ import annotations

import asyncio
import asyncio.subprocess
import contextlib
import io
import shlex
import shutil
import signal
import sys
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from trainee_bench.harness.agents.external.isolation import (
    PROJECT_ROOT,
    ROOT_FOLDERS,
    SYSTEM_SETTINGS,
    sandbox_visible_folders,
)
from trainee_bench.mcp_servers.sandbox.backend import SANDBOX_PATH
from trainee_bench.mcp_servers.sandbox.bubblewrap import hidden_folders


class NoBubblewrap(RuntimeError):
    """Raised if the program bwrap, which makes boxes, is not installed."""


def bubblewrap() -> str:
    """Return the path of the program bwrap. Raises NoBubblewrap."""
    program = shutil.which("bwrap")
    if program is None:
        raise NoBubblewrap(
            "Boxes need Linux and bubblewrap (on Debian and Ubuntu: apt-get install bubblewrap)."
        )
    return program


@dataclass(frozen=True)
class Finished:
    """The end of a command: its exit code and its output; ``timed_out`` if it was stopped because
    it took too long."""

    code: int
    stdout: bytes
    stderr: bytes
    timed_out: bool = False


@dataclass(frozen=True)
class ServiceBox:
    """The folder *root* as a machine.

    *hosts* maps names to addresses. With *our_package*, processes find this package under ``PATH``,
    as in an image with it installed; otherwise they cannot read it. *environment* has further
    variables; commands start in *folder*.
    """

    root: Path
    hosts: Mapping[str, str]
    our_package: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: str = "/"

    def prepare(self) -> None:
        """Make the folders and links that every machine has, and /etc/hosts."""
        for name in ("etc", "root", "tmp", self.folder.lstrip("/")):
            (self.root / name).mkdir(parents=True, exist_ok=True)
        for link in filter(Path.is_symlink, _roots()):
            (self.root / link.name).symlink_to(link.readlink())
        lines = [f"{address} {name}" for name, address in self.hosts.items()]
        text = "\n".join(["127.0.0.1 localhost", *lines, ""])
        (self.root / "etc/hosts").write_text(text, encoding="utf-8")

    async def start(
        self,
        command: Sequence[str],
        *,
        folder: str | None = None,
        environment: Mapping[str, str] | None = None,
        reads: bool = False,
        output: int = asyncio.subprocess.PIPE,
    ) -> asyncio.subprocess.Process:
        """Start *command*; its input is a pipe if it *reads*. Raises NoBubblewrap."""
        variables = {**self._variables(), **(environment or {})}
        settings = [word for item in variables.items() for word in ("--setenv", *item)]
        return await asyncio.create_subprocess_exec(
            bubblewrap(),
            *self._arguments(),
            *("--chdir", folder or self.folder, "--clearenv"),
            *settings,
            "--",
            *command,
            stdin=asyncio.subprocess.PIPE if reads else asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )

    async def run(
        self,
        command: Sequence[str],
        *,
        folder: str | None = None,
        environment: Mapping[str, str] | None = None,
        given: bytes | None = None,
        seconds: float | None = None,
    ) -> Finished:
        """Run *command* to its end, for at most so many *seconds*; *given* is its input."""
        process = await self.start(
            command, folder=folder, environment=environment, reads=given is not None
        )
        try:
            out, err = await asyncio.wait_for(process.communicate(given), seconds)
        except TimeoutError:
            return Finished(-signal.SIGKILL, b"", b"", timed_out=True)
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        return Finished(process.returncode or 0, out, err)

    async def put(self, source: Path, target: str) -> None:
        """Copy the file or the contents of the folder *source* to *target* in the box."""
        buffer = io.BytesIO()
        path = PurePosixPath(target)
        with tarfile.open(fileobj=buffer, mode="w") as archive:
            if source.is_dir():
                for child in sorted(source.iterdir()):
                    archive.add(child, child.name)
            else:
                archive.add(source, path.name)
        where = shlex.quote(str(path if source.is_dir() else path.parent))
        unpack = f"mkdir -p {where} && tar -x --no-same-owner -f - -C {where}"
        await self._must(["sh", "-c", unpack], buffer.getvalue())

    async def get_file(self, source: str, target: Path) -> None:
        """Copy the file *source* from the box to *target*. Raises FileNotFoundError."""
        content = await self._must(["cat", "--", source])
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)

    async def get_folder(self, source: str, target: Path) -> None:
        """Copy the contents of the folder *source* from the box into *target*, without devices and
        links out of it. Raises FileNotFoundError."""
        packed = await self._must(["tar", "-c", "-f", "-", "-C", source, "."])
        target.mkdir(parents=True, exist_ok=True)
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            for member in archive:
                with contextlib.suppress(tarfile.FilterError):
                    archive.extract(member, target, filter="data")

    async def _must(self, command: Sequence[str], given: bytes | None = None) -> bytes:
        done = await self.run(command, folder="/", given=given)
        if done.code:
            raise FileNotFoundError(done.stderr.decode(errors="replace").strip())
        return done.stdout

    def _variables(self) -> dict[str, str]:
        variables = {"PATH": SANDBOX_PATH, "HOME": "/root", "LANG": "C.UTF-8", **self.environment}
        if self.our_package:
            variables["PATH"] = f"{Path(sys.executable).parent}:{variables['PATH']}"
            variables["PYTHONPATH"] = str(PROJECT_ROOT)
        return variables

    def _arguments(self) -> Iterator[str]:
        """Yield the arguments of bwrap before the command's own."""
        seen = sandbox_visible_folders(())
        system = [path for path in seen if not Path(path).is_symlink()]
        yield from ("--unshare-all", "--share-net", "--unshare-user", "--uid", "0", "--gid", "0")
        yield from ("--die-with-parent", "--new-session", "--bind", str(self.root), "/")
        for path in system:
            yield from ("--ro-bind", path, path)
        for path in hidden_folders(system):
            yield from ("--tmpfs", path, "--remount-ro", path)
        for root in _roots():
            if not root.is_symlink():
                yield from ("--ro-bind", str(root), str(root))
        for name in filter("hosts".__ne__, SYSTEM_SETTINGS):
            yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")
        yield from ("--proc", "/proc", "--dev", "/dev")
        for path in _package_folders() if self.our_package else ():
            yield from ("--ro-bind", path, path)


def _package_folders() -> list[str]:
    """Return the folders in which this package, its Python and its dependencies are installed."""
    named = [
        Path(sys.base_prefix).resolve(),
        Path(sys.prefix),
        Path(sys.prefix).resolve(),
        PROJECT_ROOT,
    ]
    return list(dict.fromkeys(str(path) for path in named))


def _roots() -> list[Path]:
    """Return this machine's top folders of programs and libraries, or links to them."""
    return [path for path in (Path("/", name) for name in ROOT_FOLDERS) if path.is_dir()]
