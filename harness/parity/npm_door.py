"""Doors through command lines for agents that npm installs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from trainee_bench.harness.clients.client_table import CLIENTS
from trainee_bench.harness.clients.config_file import write_config
from trainee_bench.harness.parity.client_door import ClientDoor, ClientTask
from trainee_bench.harness.parity.door import DoorUnavailable
from trainee_bench.mcp_servers.office import OFFICE


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
