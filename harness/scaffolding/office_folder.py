"""The folder of a new office: a copy of the one that ships, under names of its own."""

from __future__ import annotations

import json
import shutil
from importlib import resources
from pathlib import Path

from pydantic import ValidationError

from trainee_bench.meta_tasks.offices.office import read_office
from trainee_bench.meta_tasks.offices.office_file import OfficeFile, check_name
from trainee_bench.meta_tasks.offices.source import OfficeError
from trainee_bench.world.errors import first_flaw

TEMPLATE_NAME = "nordlicht"
_COMPANY, _DOMAIN = "Nordlicht Optik GmbH", "nordlicht.example"
_TEXTS = (".yaml", ".csv", ".md", ".eml", ".ics", ".txt")
"""The endings of files that may have the names of the company that ships."""


class FolderExists(Exception):
    """The folder cannot be written; the text says what to do."""


def template_folder() -> Path:
    """Return the folder of the office that ships."""
    return Path(str(resources.files("trainee_bench.meta_tasks.offices") / TEMPLATE_NAME))


def default_names(name: str) -> tuple[str, str]:
    """Return the company and the domain of a new office of this name: "my_clinic" has the company
    My Clinic and the domain my-clinic.example."""
    if name == TEMPLATE_NAME:
        return _COMPANY, _DOMAIN
    words = [word for word in name.split("_") if word]
    return " ".join(words).title(), f"{'-'.join(words)}.example"


def write_office(folder: Path, company: str = "", domain: str = "") -> list[Path]:
    """Write a new office to *folder*, which is named like it; return the paths of all files.

    All texts have its *company* and *domain*, "" for names like the folder's. Raises FolderExists
    if there is something already, or for a name that an office cannot have.
    """
    try:
        name = check_name(folder.name)
    except ValueError as error:
        raise FolderExists(str(error)) from None
    usual_company, usual_domain = default_names(name)
    settings = _settings(name, company or usual_company, domain or usual_domain)
    if folder.exists():
        raise FolderExists(
            f"{folder} exists already; choose another name, or change the files in it"
        )
    shutil.copytree(template_folder(), folder, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    for path in folder.rglob("*"):
        if path.suffix in _TEXTS:
            _rename(path, settings)
    try:
        read_office(folder)
    except OfficeError as error:  # the domain of a customer, for example
        shutil.rmtree(folder)
        raise FolderExists(f"no office can have these names: {error}") from None
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _settings(name: str, company: str, domain: str) -> OfficeFile:
    try:
        return OfficeFile(name=name, company=company, domain=domain)
    except ValidationError as error:
        where, flaw = first_flaw(error)
        raise FolderExists(f"--{where}: {flaw.removeprefix('Value error, ')}") from None


def _rename(path: Path, settings: OfficeFile) -> None:
    """Put the names of a new office into a file of the one that ships."""
    text = path.read_bytes().decode("utf-8")
    changed = text.replace(_DOMAIN, settings.domain)
    if path.name == "office.yaml":
        changed = changed.replace(f"name: {TEMPLATE_NAME}\n", f"name: {settings.name}\n", 1)
        quoted = json.dumps(settings.company, ensure_ascii=False)
        changed = changed.replace(f"company: {_COMPANY}\n", f"company: {quoted}\n", 1)
    changed = changed.replace(_COMPANY, settings.company)
    if changed != text:
        path.write_bytes(changed.encode("utf-8"))
