"""The offices that this program has opened, by name.

A scenario names its office, and only offices that somebody has opened are found: with `--office`,
or with the variable `TRAINEE_BENCH_OFFICES`, which worker processes inherit.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from trainee_bench.meta_tasks.meta_task import MetaTask
from trainee_bench.meta_tasks.offices.office import Office, files_digest, office_files, read_office
from trainee_bench.meta_tasks.offices.office_task import FolderTask
from trainee_bench.meta_tasks.offices.source import OfficeError
from trainee_bench.meta_tasks.scenario import Scenario, ScenarioDay
from trainee_bench.meta_tasks.task_context import CompositionError

VARIABLE = "TRAINEE_BENCH_OFFICES"
GROUP = "trainee_bench.offices"
_REPLACED: ContextVar[Mapping[str, Office]] = ContextVar("replaced offices")


class OfficeUnavailable(CompositionError):
    """A scenario names an office that nobody has opened, or that has changed since. The text names
    the remedy."""


def open_office(folder: Path) -> Office:
    """Read the office of a folder, and let scenarios of this process and of its workers name it.

    It stays as it is read here, until it is opened again. Raises OfficeError if it cannot be read,
    or if another folder's office has the same name.
    """
    office = _read_again(folder.resolve())
    for other in open_offices().values():
        if other.name == office.name and other.folder != office.folder:
            raise OfficeError(folder, f"{other.folder} has an office {office.name}, too")
    if os.pathsep in str(folder.resolve()):
        raise OfficeError(folder, f"an office's path cannot have {os.pathsep!r}; move the folder")
    folders = dict.fromkeys([*open_folders(), str(folder.resolve())])
    os.environ[VARIABLE] = os.pathsep.join(folders)
    return office


def open_source(source: str) -> Office:
    """Open the office in the folder *source*, or the one that an installed package offers under
    that name (entry points of the group ``trainee_bench.offices``). Raises OfficeError."""
    if (Path(source) / "office.yaml").is_file():
        return open_office(Path(source))
    offered = offered_offices()
    if source not in offered and Path(source).is_dir():
        return open_office(Path(source))
    if source in entry_points(group=GROUP).names and source not in offered:
        raise OfficeError(source, "the package that offers it has no such folder; install it anew")
    if source not in offered:
        names = ", ".join(sorted(offered)) or "none"
        raise OfficeError(
            source, f"there is no such folder, and packages offer these offices: {names}"
        )
    return open_office(offered[source].folder)


@dataclass(frozen=True)
class OfferedOffice:
    """An office in an installed package: its folder, and the package with its version."""

    folder: Path
    package: str


def offered_offices() -> Mapping[str, OfferedOffice]:
    """Return the offices that installed packages offer, by name.

    The value of an entry point is the Python package whose folder is the office. Those whose folder
    is missing are left out.
    """
    found = {}
    for offer in entry_points(group=GROUP):
        try:
            spec = find_spec(offer.value)
        except ModuleNotFoundError:  # the package around it is missing
            continue
        if spec is None or not spec.submodule_search_locations:
            continue
        (folder,) = spec.submodule_search_locations
        package = f"{offer.dist.name} {offer.dist.version}" if offer.dist is not None else ""
        found[offer.name] = OfferedOffice(Path(folder), package)
    return found


def open_offices() -> Mapping[str, Office]:
    """Return all open offices by name."""
    found = {office.name: office for office in map(_read, open_folders())}
    return {**found, **_REPLACED.get({})}


def reread_office(name: str) -> Office:
    """Return the open office of this name, read again if its folder has changed.

    Raises CompositionError if none is open, and OfficeError if the folder cannot be read any more;
    the office then stays as it was.
    """
    _read_again(find_office(name).folder)
    return find_office(name)


def only_office() -> str:
    """Return the name and digest of the open office if there is exactly one; "" otherwise."""
    offices = list(open_offices().values())
    return offices[0].reference if len(offices) == 1 else ""


def find_office(reference: str) -> Office:
    """Return the open office that a scenario names, with or without its digest.

    Raises OfficeUnavailable if it is not open, or has changed since.
    """
    name, _, digest = reference.partition("@")
    office = open_offices().get(name)
    if office is None:
        raise OfficeUnavailable(
            f"the office {name} is not open; name its folder with --office FOLDER, or in "
            f"{VARIABLE} where there is no such option"
        )
    if digest and not office.digest.startswith(digest) and name not in _REPLACED.get({}):
        office = _read_again(office.folder)  # the process that named it may have opened it later
    if digest and not office.digest.startswith(digest):
        raise OfficeUnavailable(
            f"the office {name} in {office.folder} has changed: it is {office.reference} now, not "
            f"{reference}; restore its files, or run again"
        )
    return office


def resolve_office(scenario: Scenario) -> Scenario:
    """Return the scenario with the digest of its office, if it has one. Raises
    OfficeUnavailable."""
    if not scenario.office:
        return scenario
    return scenario.model_copy(update={"office": find_office(scenario.office).reference})


def resolve_day(given: ScenarioDay) -> ScenarioDay:
    """Return the day with the digest of its office, so that it begins nowhere over other contents.
    Raises OfficeUnavailable."""
    return given.model_copy(update={"scenario": resolve_office(given.scenario)})


def office_of(family: type[MetaTask[Any]]) -> str:
    """Return the name and digest of the office that a family belongs to; "" for a built-in
    family."""
    return find_office(family.family).reference if issubclass(family, FolderTask) else ""


@contextmanager
def replaced(office: Office) -> Iterator[None]:
    """Let *office* take the place of the open one of its name while the block lasts."""
    token = _REPLACED.set({**_REPLACED.get({}), office.name: office})
    try:
        yield
    finally:
        _REPLACED.reset(token)


def open_folders() -> list[str]:
    """Return the folders of the open offices, which another process may open with
    `open_further`."""
    return [folder for folder in os.environ.get(VARIABLE, "").split(os.pathsep) if folder]


def open_further(folders: Iterable[str]) -> None:
    """Open the offices that are open in the process for which this one works, as far as their
    *folders* exist here."""
    known = open_folders()
    further = [folder for folder in folders if folder not in known and Path(folder).is_dir()]
    if further:
        os.environ[VARIABLE] = os.pathsep.join([*known, *further])


_READ: dict[str, Office] = {}
"""The offices that this process has read, by folder."""


def _read(folder: str) -> Office:
    if folder not in _READ:
        _READ[folder] = read_office(Path(folder))
    return _READ[folder]


def _read_again(folder: Path) -> Office:
    """Return the office of a folder as it is now; the same object if it has not changed. Raises
    OfficeError; the office then stays as it was."""
    known = _READ.get(str(folder))
    if known is not None and files_digest(office_files(folder)) != known.digest:
        _READ[str(folder)] = read_office(folder)
    return _read(str(folder))
