"""The folder of a merged run, which appears whole or not at all.

    checked_target() ──► draft folder beside it ──one rename──► the folder

A draft's name has the machine and the process that write it, so that a later merge can remove what
a killed one left. Containers can have the same names of both, so a draft is also locked.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.support.file_lock import lock

_DRAFT = re.compile(r"\.(?P<name>.+)\.(?P<host>[^.]+)\.(?P<process>\d+)\.draft", re.DOTALL)


def checked_target(out: Path, sources: Sequence[Path]) -> Path:
    """Return the absolute path of *out*. Raises PlanError unless a run from *sources* can appear
    there by one rename."""
    target = Path(os.path.realpath(out))  # Path.resolve raises for links in a circle
    for source in sources:
        if target.is_relative_to(os.path.realpath(source)):
            raise PlanError(
                f"--out {out}: it is in {source}, and a run to merge must stay as it is; name a "
                "folder beside it."
            )
    if target.is_symlink():
        raise PlanError(f"--out {out}: this link leads to itself; give --out another folder.")
    if not target.exists():
        return target
    if not target.is_dir() or any(target.iterdir()):
        raise PlanError(f"--out {out}: it exists already; name a new folder.")
    if target == Path.cwd() or target.is_mount():
        what = "the current folder" if target == Path.cwd() else "a mount point"
        raise PlanError(
            f"--out {out}: it is {what}, which a finished run cannot replace; name a new folder "
            f"in it, such as {out / 'merged'}."
        )
    return target


def draft_of(target: Path) -> Path:
    """Return the path of this process's draft of *target*."""
    return target.with_name(f".{target.name}.{_host()}.{os.getpid()}.draft")


def create_draft(target: Path, out: Path) -> Path:
    """Create this process's draft folder of *target*, which *out* names, and return its path.

    Drafts of dead processes are removed first. Raises PlanError.
    """
    remove_dead_drafts(target)
    draft = draft_of(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        draft.mkdir()
    except OSError as error:
        if draft.is_dir():
            raise PlanError(
                f"--out {out}: another merge is writing it; wait for its end."
            ) from None
        why = error.strerror or type(error).__name__
        raise PlanError(f"--out {out}: {why}; give --out another folder.") from None
    return draft


def place(draft: Path, target: Path) -> None:
    """Rename *draft* to *target*, which is free or an empty folder. Raises OSError."""
    if sys.platform == "win32" and target.exists():
        target.rmdir()  # elsewhere renaming replaces an empty folder
    draft.rename(target)


def remove_dead_drafts(target: Path) -> None:
    """Remove drafts of *target* whose processes, on this machine, have ended.

    A number at the end of its name does not count, as a merge without --out chooses a new one.
    """
    if not target.parent.is_dir():
        return
    for draft in target.parent.glob(".*.draft"):
        named = _DRAFT.fullmatch(draft.name)
        if (
            named is not None
            and _series(named["name"]) == _series(target.name)
            and _is_dead(draft, named)
        ):
            shutil.rmtree(draft, ignore_errors=True)


def _series(name: str) -> str:
    return re.sub(r"-\d+$", "", name)


def _is_dead(draft: Path, named: re.Match[str]) -> bool:
    """Return whether nobody can be writing *draft*. A draft of another machine may be alive."""
    if named["host"] != _host() or draft.is_symlink() or _runs(int(named["process"])):
        return False
    with suppress(OSError), (draft / "run.json").open("rb+") as file:
        return lock(file)  # a process of another container has another number here
    return True


def _runs(process: int) -> bool:
    """Return whether another process with this number runs here."""
    if process == os.getpid():
        return False  # it is left from a container in which the merge had the same number
    if sys.platform == "win32":
        return False  # asking would end it; the lock tells
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _host() -> str:
    return re.sub(r"[^A-Za-z0-9-]", "-", socket.gethostname()) or "host"
