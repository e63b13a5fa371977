"""A Harbor environment that runs exported tasks as processes, without containers.

    boxes=trainee_bench.harness.integrations.harbor.environment:OfficeBoxes
    harbor run -p tasks -a oracle -e $boxes

Each service of a task is a bubblewrap box (see `box`). The office and the verifier use the package
installed here; the agent's box has neither the package nor the task's files. It is meant for checks
and for machines without Docker. Unlike containers, boxes share this machine's network and limits,
and they cannot run other tasks.
"""

from __future__ import annotations

import asyncio
import asyncio.subprocess
import contextlib
import random
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from harbor.constants import MAIN_SERVICE_NAME
from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities
from pydantic import BaseModel

from trainee_bench.harness.integrations.harbor.box import NoBubblewrap, ServiceBox, bubblewrap
from trainee_bench.harness.integrations.harbor.image import ImageFile

_COMPOSITION = "docker-compose.yaml"
_ADDRESS_VARIABLE = "OFFICE_HOST"
_BETWEEN_CHECKS = 0.2
_HEALTHY_WITHIN = 120
_LOG = "service.log"


class SidecarBuild(BaseModel):
    """The build folder of a service's image, relative to the composition."""

    context: str


class SidecarCheck(BaseModel):
    """The command that succeeds when a service is ready, after the word CMD."""

    test: tuple[str, ...]


class Sidecar(BaseModel):
    """The part of a composition about a service beside the agent's machine."""

    build: SidecarBuild
    healthcheck: SidecarCheck


class ServiceNotHealthy(RuntimeError):
    """Raised if a service does not become healthy in time; says what it printed last."""


class OfficeBoxes(BaseEnvironment):
    """The services of an exported task as boxes, with their own address 127.x.y.z."""

    def __init__(self, *args: Any, **options: Any):
        self._home: Path | None = None
        self._boxes: dict[str, ServiceBox] = {}
        self._running: dict[str, asyncio.subprocess.Process] = {}
        super().__init__(*args, **options)

    @staticmethod
    def type() -> str:
        """Return the name of this kind of environment."""
        return "office-boxes"

    @property
    def capabilities(self) -> EnvironmentCapabilities:
        """Several services, and nothing else."""
        return EnvironmentCapabilities(docker_compose=True)

    @classmethod
    def preflight(cls, kwargs: Mapping[str, object] | None = None) -> None:
        """Raise SystemExit if bubblewrap is missing. *kwargs* are options of the environment, which
        Harbor gives from 0.26 on; it raises ValueError for wrong ones."""
        if kwargs is not None:
            super().preflight(dict(kwargs))
        try:
            bubblewrap()
        except NoBubblewrap as error:
            raise SystemExit(str(error)) from None

    def _validate_definition(self) -> None:
        if not (self.environment_dir / "Dockerfile").is_file():
            raise FileNotFoundError(f"{self.environment_dir} has no Dockerfile")

    # Start and stop ----------------------------------------------------------------------------

    async def start(self, force_build: bool) -> None:
        """Create all boxes, start the services, and wait until they are healthy. Raises
        ServiceNotHealthy, UnreadableImage."""
        self._home = Path(tempfile.mkdtemp(prefix="office-boxes-"))
        services = self._services()
        address = ".".join(map(str, (127, *(random.randint(1, 254) for _ in range(3)))))
        hosts = dict.fromkeys(services, address)
        self._lay_out(MAIN_SERVICE_NAME, self.environment_dir, hosts)
        for name, service in services.items():
            context = self.environment_dir / service.build.context
            image = self._lay_out(name, context, hosts)
            await self._serve(name, image, {_ADDRESS_VARIABLE: address})
            await self._wait_until_healthy(name, service.healthcheck.test[1:])
        await self.ensure_dirs(self._mount_targets(writable_only=True))

    async def stop(self, delete: bool) -> None:
        """Stop the services, and remove the boxes if *delete*."""
        for name in list(self._running):
            await self.stop_service(name)
        if self._home is not None and delete:
            shutil.rmtree(self._home, ignore_errors=True)

    async def stop_service(self, service: str) -> None:
        """Stop the process of *service*. Commands in the agent's box have ended by then."""
        process = self._running.pop(service, None)
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            await process.wait()

    # Commands ------------------------------------------------------------------------------

    async def exec(
        self,
        command: str,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        timeout_sec: int | None = None,
        user: str | int | None = None,
    ) -> ExecResult:
        """Run *command* in the agent's box, where every user is root. Raises RuntimeError if it
        takes too long."""
        merged = self._merge_env(env) or {}
        folder = cwd or self.task_env_config.workdir
        return await self._run(MAIN_SERVICE_NAME, command, folder, merged, timeout_sec)

    async def service_exec(
        self,
        command: str,
        *,
        service: str | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        timeout_sec: int | None = None,
        user: str | int | None = None,
    ) -> ExecResult:
        """Run *command* in the box of *service*, otherwise like `exec`."""
        if service is None or self.is_main_service(service):
            return await self.exec(command, cwd, env, timeout_sec, user)
        return await self._run(service, command, cwd, env or {}, timeout_sec)

    async def _run(
        self,
        service: str,
        command: str,
        folder: str | None,
        variables: Mapping[str, str],
        seconds: float | None,
    ) -> ExecResult:
        done = await self._boxes[service].run(
            ["bash", "-c", command], folder=folder, environment=variables, seconds=seconds
        )
        if done.timed_out:
            raise RuntimeError(f"Command timed out after {seconds} seconds")
        out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        return ExecResult(stdout=out, stderr=err, return_code=done.code)

    # Files ---------------------------------------------------------------------------------

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        """Copy a file into the agent's box."""
        await self._boxes[MAIN_SERVICE_NAME].put(Path(source_path), target_path)

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        """Copy the contents of a folder into the agent's box."""
        await self._boxes[MAIN_SERVICE_NAME].put(Path(source_dir), target_dir)

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        """Copy a file out of the agent's box."""
        await self.service_download_file(source_path, target_path)

    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        """Copy the contents of a folder out of the agent's box."""
        await self.service_download_dir(source_dir, target_dir)

    async def service_download_file(
        self, source_path: str, target_path: Path | str, *, service: str | None = None
    ) -> None:
        """Copy a file out of the box of *service*. Raises FileNotFoundError."""
        box = self._boxes[service or MAIN_SERVICE_NAME]
        await box.get_file(source_path, Path(target_path))

    async def service_download_dir(
        self, source_dir: str, target_dir: Path | str, *, service: str | None = None
    ) -> None:
        """Copy the contents of a folder out of the box of *service*. Raises FileNotFoundError."""
        box = self._boxes[service or MAIN_SERVICE_NAME]
        await box.get_folder(source_dir, Path(target_dir))

    # Internals ----------------------------------------------------------------------------

    def _services(self) -> dict[str, Sidecar]:
        """Return the services beside the agent's machine, as the task's composition lists them."""
        path = self.environment_dir / _COMPOSITION
        if not path.is_file():
            return {}
        services = yaml.safe_load(path.read_text(encoding="utf-8"))["services"]
        return {
            name: Sidecar.model_validate(service)
            for name, service in services.items()
            if name != MAIN_SERVICE_NAME
        }

    def _lay_out(self, name: str, context: Path, hosts: Mapping[str, str]) -> ImageFile:
        """Make the box *name* from the Dockerfile in *context*, and return that Dockerfile."""
        assert self._home is not None
        image = ImageFile.read(context)
        box = ServiceBox(
            self._home / name, hosts, our_package=image.our_package, folder=image.folder
        )
        box.prepare()
        image.lay_out(box.root)
        self._boxes[name] = box
        return image

    async def _serve(self, name: str, image: ImageFile, variables: Mapping[str, str]) -> None:
        assert self._home is not None
        with (self._home / f"{name}-{_LOG}").open("wb") as log:
            self._running[name] = await self._boxes[name].start(
                image.command, environment=variables, output=log.fileno()
            )

    async def _wait_until_healthy(self, name: str, test: Sequence[str]) -> None:
        assert self._home is not None
        loop = asyncio.get_running_loop()
        until = loop.time() + _HEALTHY_WITHIN
        while (await self._boxes[name].run(test)).code:
            if self._running[name].returncode is not None or loop.time() > until:
                printed = (self._home / f"{name}-{_LOG}").read_text(errors="replace")
                raise ServiceNotHealthy(f"{name}: {printed[-1000:]}")
            await asyncio.sleep(_BETWEEN_CHECKS)
