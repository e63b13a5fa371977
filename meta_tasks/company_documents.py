"""What every company has, whatever the day's tasks: files on the drive, and customs.

The drive's ordinary files lie beside this one, in `company_drive/`, as they lie on the drive.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from trainee_bench.meta_tasks.common_knowledge import referrals
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.company.people import Company
from trainee_bench.world.transaction import Event

_FOLDER = "company_drive"


def initial_events(company: Company) -> tuple[Event, ...]:
    """What is so from the start of the day at *company*, in a fixed order."""
    appear = (FileAppears(path=path, text=text) for path, text in drive_files().items())
    return (*appear, *referrals(company))


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
