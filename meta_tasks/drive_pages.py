"""The drive's ordinary files, which lie in `company_drive/` as they lie on the drive."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

_FOLDER = "company_drive"
_ARTICLES = "drive:/kb/keeping_articles_current.md"
_SINGLY = "Ask the owner and name the chart; owners give the ids for one article at a time."
_TOGETHER = (
    "Ask the owner, and name the charts by their old ids or the article by its file name; one "
    "message may ask about several charts and articles."
)
"""Where a message takes time of its own, the page has to say that one is enough. It stays as it was
where it does not: every day has it, also of the benchmarks that are frozen."""


@cache
def drive_files(*, messages_charged: bool = False) -> dict[str, str]:
    """The ordinary files of the drive: text by path, sorted by path. With *messages_charged* they
    are those of days on which a message costs what the scenario says."""
    found = dict(sorted(_texts(files("trainee_bench.meta_tasks") / _FOLDER, "drive:")))
    if messages_charged:
        found[_ARTICLES] = found[_ARTICLES].replace(_SINGLY, _TOGETHER)
    return found


def _texts(folder: Traversable, path: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for entry in folder.iterdir():
        inner = f"{path}/{entry.name}"
        if entry.is_dir():
            found += _texts(entry, inner)
        else:
            found.append((inner, entry.read_text(encoding="utf-8")))
    return found
