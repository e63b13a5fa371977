"""What lies in a run's folder, which may come from elsewhere: a link in it could lead out of it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from trainee_bench.harness.records.plan import PlanError

_TRY_AGAIN = "Then try again."


class LinkOut(PlanError):
    """Something that is to lie in a run's folder leads out of it."""


def own_file(folder: Path, name: str) -> Path | None:
    """The file *name* of *folder*, None if there is none, or if it is a link out of it."""
    try:
        found = (folder / name).resolve()
        own = found.is_relative_to(folder.resolve()) and found.is_file()
    except (OSError, RuntimeError, ValueError):  # a link to itself, a name that is none
        return None
    return found if own else None


def read_own_file(folder: Path, name: str) -> bytes:
    """The content of the file *name* of *folder*, to be given to others.

    Raises LinkOut if it is a link of any kind, since others would get what it leads to, and OSError
    if it cannot be read.
    """
    path = folder / name
    refuse_link_out(folder, path)
    if path.is_symlink():
        raise LinkOut(f"{path} is a link; put what it links to in its place. {_TRY_AGAIN}")
    # Opened once, so that what was checked is what is read; without waiting for a writer of a pipe.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0))
    with open(descriptor, "rb") as file:  # noqa: PTH123 - of a descriptor
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise LinkOut(f"{path} is no file; begin a new run.")
        if found.st_nlink > 1:
            raise LinkOut(
                f"{path} has another name elsewhere (a hard link), so it may not belong to the "
                f"run; put a copy in its place. {_TRY_AGAIN}"
            )
        return file.read()


def refuse_links_out(folder: Path, *, below: bool = True) -> None:
    """Raise LinkOut if anything in *folder*, also *below* its own entries, is a link that leads out
    of it, or neither a file nor a folder, such as a pipe, whose reader would wait for ever.

    A link that leads nowhere counts by where it would lead. Raises OSError for a folder that cannot
    be read.
    """
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_symlink():
                    refuse_link_out(folder, Path(entry.path))
                elif entry.is_dir(follow_symlinks=False):
                    waiting += [Path(entry.path)] if below else []
                elif not entry.is_file(follow_symlinks=False):
                    raise LinkOut(
                        f"{entry.path} is neither a file nor a folder; remove it. {_TRY_AGAIN}"
                    )


def refuse_link_out(folder: Path, file: Path) -> None:
    """Raise LinkOut if *file*, which is to lie in *folder*, leads out of it, by itself or by a
    folder that it is in."""
    try:
        inside = file.resolve().is_relative_to(folder.resolve())
    except RuntimeError:  # a link to itself
        inside = False
    if not inside:
        link = next((one for one in (file, *file.parents) if one.is_symlink()), None)
        if link is None:
            raise LinkOut(f"{file} is not in the run's folder; begin a new run.")
        raise LinkOut(
            f"{link} is a link out of the run's folder, to {link.readlink()}; nothing is written "
            "through it. Put what it links to in its place if it belongs to the run, else remove "
            "the link. Then try again."
        )
