"""The drive's ordinary files, which lie in `company_drive/` as they lie on the drive."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

_FOLDER = "company_drive"


@cache
def drive_files() -> dict[str, str]:
    """The ordinary files of the drive: text by path, sorted by path."""
    return dict(sorted(_texts(files("trainee_bench.meta_tasks") / _FOLDER, "drive:")))


def _texts(folder: Traversable, path: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for entry in folder.iterdir():
        inner = f"{path}/{entry.name}"
        if entry.is_dir():
            found += _texts(entry, inner)
        else:
            found.append((inner, entry.read_text(encoding="utf-8")))
    return found
