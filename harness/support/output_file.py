"""Files that a command writes at its end: refused before the work begins, or kept elsewhere."""

from __future__ import annotations

import tempfile
from pathlib import Path


class CannotWriteOutput(Exception):
    """A file cannot be written; says why, and what to do or where its text is."""


def check_output(path: Path, option: str) -> None:
    """Raise CannotWriteOutput unless a file could be written at *path*, the value of *option*.

    An existing file is left as it is.
    """
    try:
        if path.is_dir():
            raise CannotWriteOutput(f"{option} {path}: this is a folder; name a file.")
        if not path.parent.is_dir():
            raise CannotWriteOutput(
                f"{option} {path}: there is no folder {path.parent}; make it or name another."
            )
        existed = path.exists()
        with path.open("ab"):
            pass
        if not existed:
            path.unlink()
    except (OSError, ValueError) as error:
        raise CannotWriteOutput(_flaw(option, path, error)) from None


def write_output(path: Path, text: str, option: str) -> None:
    """Write *text* to *path*, whole or not at all.

    If that fails, which `check_output` could not foresee, *text* is written to a temporary file,
    and CannotWriteOutput says where.
    """
    draft = path.with_name(f".{path.name[:100]}.draft")
    try:
        if path.exists() and not path.is_file():  # a device or a pipe
            path.write_text(text, encoding="utf-8")
            return
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise CannotWriteOutput(f"{_flaw(option, path, error)} {_kept(text)}") from None


def _kept(text: str) -> str:
    """Where *text* was written instead."""
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", prefix="trainee-bench-", suffix=".json", delete=False
        ) as file:
            file.write(text)
    except OSError:
        return "There is no room in the temporary folder either."
    return f"What was made is in {file.name}."


def _flaw(option: str, path: Path, error: OSError | ValueError) -> str:
    why = error.strerror if isinstance(error, OSError) else "this is no path"
    return f"{option} {path}: it cannot be written ({why}); name another file."
