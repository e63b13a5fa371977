"""The interface of a door: it plays a script in its way, and reports the results."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import ClassVar

from trainee_bench.harness.parity import doors
from trainee_bench.harness.parity.script import ParityScript
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.harness.support.text import suggest_names
from trainee_bench.mcp_servers.verifier import grade_world
from trainee_bench.world.world import World

__all__ = ["Door", "DoorFailed", "DoorRun", "DoorUnavailable", "UnknownDoor", "find_doors"]


class DoorUnavailable(Exception):
    """Raised if a door's software is not installed here; says what is missing."""


class DoorFailed(Exception):
    """Raised if a script could not be played to its end through a door; says why."""


class UnknownDoor(ValueError):
    """Raised if there is no door with that name; says which there are."""


@dataclass(frozen=True)
class DoorRun:
    """The result of a script through a door: the digest of the world and the score of the day.

    ``refused`` are the places (from 0) of the script's calls that the door answered itself, so that
    the office never saw them (see `ParityScript.refused`). ``texts`` are the results as a model saw
    them, by the places of the calls. ``pictures`` counts the pictures that it saw. Both are None if
    the door has no model, or does not know.
    """

    digest: str
    score: float | None
    refused: tuple[int, ...] = ()
    texts: Mapping[int, str] | None = None
    pictures: int | None = None


class Door(ABC):
    """One way to work a day. Subclasses in ``doors`` are found and created automatically.

    *environments* is a folder with a virtual environment for each door that cannot share this one,
    with the name of the door's file; None if there is none.
    """

    name: ClassVar[str]
    """Its name in tables, such as ``openai_agents-http``; it begins with the name of its file."""
    packages: ClassVar[tuple[str, ...]] = ()
    """The distributions that must be installed; the version of each is reported."""
    apart: ClassVar[bool] = False
    """Whether it is installed in an environment without this project (see *environments*)."""

    def __init__(self, environments: Path | None = None):
        self.environments = environments

    @classmethod
    def file(cls) -> str:
        """Return the name of the door's file, which its environment and its requirements share."""
        return cls.__module__.rpartition(".")[2]

    def versions(self) -> Mapping[str, str]:
        """Return the version of each package. Raises DoorUnavailable if one is missing."""
        found = {}
        for package in self.packages:
            try:
                found[package] = installed_version(package)
            except PackageNotFoundError:
                raise DoorUnavailable(f"{package} is not installed") from None
        return found

    @abstractmethod
    def play(self, script: ParityScript, folder: Path) -> DoorRun:
        """Make the calls of *script* through this door, one after the other. *folder* is empty and
        only for this door.

        An exception is shown as the reason why the door differs, for example DoorFailed, or
        ChangedCalls of `ParityScript.refused`.
        """


async def run_in_world(path: Path, script: ParityScript) -> DoorRun:
    """Return the result of *script* after it was played on the world file *path*, read from its
    log. Raises ChangedCalls."""
    async with await World.open(path) as world:
        arrived = [
            ToolCall(entry.tool, entry.arguments) for entry in await world.log() if entry.actor
        ]
        refused = script.refused(arrived)
        return DoorRun(await world.digest(), (await grade_world(world)).score, refused)


def find_doors(names: Sequence[str] = (), environments: Path | None = None) -> list[Door]:
    """Return the doors whose names, or whose files' names, are among *names*; all if it is empty.

    They are sorted by name. Raises UnknownDoor.
    """
    found = {kind.name: kind for module in _modules() for kind in _kinds(module)}
    files = {kind.file() for kind in found.values()}
    for name in names:
        if name not in found and name not in files:
            near = suggest_names(name, {*found, *files}, sorted(files))
            raise UnknownDoor(f"there is no door {name!r}; try {near}.")
    return [
        kind(environments)
        for name, kind in sorted(found.items())
        if not names or name in names or kind.file() in names
    ]


def _modules() -> list[str]:
    return [f"{doors.__name__}.{info.name}" for info in pkgutil.iter_modules(doors.__path__)]


def _kinds(module: str) -> list[type[Door]]:
    values = vars(importlib.import_module(module)).values()
    kinds = [value for value in values if inspect.isclass(value) and issubclass(value, Door)]
    return [k for k in kinds if k.__module__ == module and not inspect.isabstract(k)]
