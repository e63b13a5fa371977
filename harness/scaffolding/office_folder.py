"""The folder of a new office: a copy of the one that ships, under another name."""

from __future__ import annotations

import shutil
from importlib import resources
from pathlib import Path

from trainee_bench.meta_tasks.offices.office_file import check_name

_TEMPLATE = "trainee_bench.meta_tasks.offices.nordlicht"
TEMPLATE_NAME = "nordlicht"


class FolderExists(Exception):
    """The folder cannot be written; the text says what to do."""


def template_folder() -> Path:
    """Return the folder of the office that ships."""
    return Path(str(resources.files("trainee_bench.meta_tasks.offices") / TEMPLATE_NAME))


def write_office(folder: Path) -> list[Path]:
    """Write a new office to *folder*, which is named like it; return the paths of all files.

    Raises FolderExists if there is something already, or if the name cannot name an office.
    """
    try:
        name = check_name(folder.name)
    except ValueError as error:
        raise FolderExists(str(error)) from None
    if folder.exists():
        raise FolderExists(
            f"{folder} exists already; choose another name, or change the files in it"
        )
    shutil.copytree(template_folder(), folder, ignore=shutil.ignore_patterns("__pycache__"))
    settings = folder / "office.yaml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(
        text.replace(f"name: {TEMPLATE_NAME}", f"name: {name}", 1), encoding="utf-8"
    )
    return sorted(path for path in folder.rglob("*") if path.is_file())
