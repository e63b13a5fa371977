"""Results of pure functions that are kept: how many in memory, and where on disk if asked.

    keep_results(days=200, folder=Path("kept"))        or the two environment variables below

In memory each cache has room for a number of results for each day. The folder also serves new
processes, and several at once. A file is written under another name and then renamed, and begins
with the hash of the rest. A damaged file counts as missing. Its name depends on the versions of all
that made it, down to the source files, so that no old result is ever used.

Files are pickles, and whoever writes a pickle can run code in the process that reads it. So the
folder is trusted as Python trusts its own compiled files: it and each file must belong to the user
of the process, and nobody else may have write permission. Never use a folder that somebody sent.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache, wraps
from importlib import metadata
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeVar, cast

KEPT_DAYS = 32
"""The number of days for which results are kept in memory, unless another one is given."""
DAYS_VARIABLE = "TRAINEE_BENCH_CACHE_DAYS"
FOLDER_VARIABLE = "TRAINEE_BENCH_CACHE_FOLDER"
"""The environment variables for the number of days and for the folder."""
_DIGEST_BYTES = 32
_VERSIONED = ("faker", "ironcalc", "numpy", "pillow", "pydantic", "pydantic-core", "trainee-bench")
"""Distributions on which a result may depend."""
_PACKAGE = Path(__file__).parents[1]
_PARTS = ("world", "meta_tasks")
_NO_RESULT = (pickle.UnpicklingError, AttributeError, ImportError, EOFError, IndexError, ValueError)

P = ParamSpec("P")
T = TypeVar("T")


class InvalidCacheSetting(ValueError):
    """The number of days or the folder cannot be used; the text says what to do."""


@dataclass
class _Setting:
    days: int
    folder: Path | None


class SizedCache(Generic[P, T]):
    """A function whose results are kept, *per_day* of them for each day that is kept."""

    def __init__(self, function: Callable[P, T], per_day: int):
        self._function, self._per_day = function, per_day
        self._kept: Callable[P, T] | None = None
        wraps(function)(self)
        _CACHES.append(self)

    def __call__(self, *args: P.args, **named: P.kwargs) -> T:
        """Return the function's result."""
        kept = self._kept
        if kept is None:
            most = self._per_day * days_kept()
            kept = self._kept = cast(Callable[P, T], lru_cache(most)(self._function))
        return kept(*args, **named)

    def cache_clear(self) -> None:
        """Forget all results. The next call asks for the number of days again."""
        self._kept = None


_CACHES: list[SizedCache[Any, Any]] = []
_SETTING: _Setting | None = None


def kept_per_day(count: int) -> Callable[[Callable[P, T]], SizedCache[P, T]]:
    """Keep the last results of a pure function, *count* of them for each day that is kept."""
    return lambda function: SizedCache(function, count)


def keep_results(*, days: int = KEPT_DAYS, folder: Path | None = None) -> None:
    """Keep the results of *days* days in memory from now on, and in *folder* unless it is None.

    Results in memory are forgotten. The folder is created if necessary. Raises
    InvalidCacheSetting if *days* is less than 1, or if *folder* is not a folder of this user that
    nobody else may write.
    """
    global _SETTING
    if days < 1:
        raise InvalidCacheSetting(f"caches keep at least 1 day, not {days}")
    _SETTING = _Setting(days, _checked(folder) if folder is not None else None)
    for kept in _CACHES:
        kept.cache_clear()


def days_kept() -> int:
    """Return the number of days for which results are kept. Raises InvalidCacheSetting."""
    return _setting().days


def folder_used() -> Path | None:
    """Return the folder in which results are kept, if any. Raises InvalidCacheSetting."""
    return _setting().folder


def kept_on_disk(kind: str, key: str, make: Callable[[], T]) -> T:
    """Return what *make* returns, or an equal result that the folder has for *kind* and *key*.

    *key* must determine the result, which must be a value that can be pickled. Raises
    InvalidCacheSetting, and what *make* raises.
    """
    folder = folder_used()
    if folder is None:
        return make()
    named = hashlib.sha256(f"{_versions()}\n{kind}\n{key}".encode()).hexdigest()
    path = folder / f"{kind}-{named}"
    content = _content(path)
    if content is not None:
        try:
            return cast(T, pickle.loads(content))  # noqa: S301 - of this user: see above
        except _NO_RESULT:
            pass  # as if it were missing: it is made again
    made = make()
    _write(path, pickle.dumps(made, pickle.HIGHEST_PROTOCOL))
    return made


def _setting() -> _Setting:
    if _SETTING is None:
        folder, days = os.environ.get(FOLDER_VARIABLE), os.environ.get(DAYS_VARIABLE)
        if days and not days.isdecimal():
            raise InvalidCacheSetting(f"{DAYS_VARIABLE} is {days!r}; set it to a number of days")
        keep_results(days=int(days or KEPT_DAYS), folder=Path(folder) if folder else None)
    assert _SETTING is not None
    return _SETTING


def _checked(folder: Path) -> Path:
    """Return *folder*, which exists then. Raises InvalidCacheSetting."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
    except OSError as error:
        raise InvalidCacheSetting(
            f"results cannot be kept in {folder}: {error.strerror}; name another folder"
        ) from None
    if not _is_own(found):
        raise InvalidCacheSetting(
            f"others may write to {folder}, and its files can run code here; take away their "
            "permission (chmod go-w), or name a folder of your own"
        )
    return folder.absolute()


def _is_own(found: os.stat_result) -> bool:
    """Return whether the file belongs to this user, and nobody else may write it."""
    others = stat.S_IWGRP | stat.S_IWOTH
    return found.st_uid == os.geteuid() and not found.st_mode & others


def _content(path: Path) -> bytes | None:
    """Return the content of the file, or None if it is missing, damaged or of somebody else."""
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return None
    with os.fdopen(opened, "rb") as file:
        found = os.fstat(opened)
        if not stat.S_ISREG(found.st_mode) or not _is_own(found):
            return None
        content = file.read()
    digest, rest = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
    return rest if hashlib.sha256(rest).digest() == digest else None


def _write(path: Path, content: bytes) -> None:
    """Write the file as a whole. If it cannot be written, warn: the result is still right."""
    try:
        opened, name = tempfile.mkstemp(prefix=".new-", dir=path.parent)
        written = Path(name)
        try:
            with os.fdopen(opened, "wb") as file:
                file.write(hashlib.sha256(content).digest() + content)
            written.replace(path)
        except BaseException:
            written.unlink()
            raise
    except OSError as error:
        warnings.warn(f"a result cannot be kept in {path.parent}: {error}", stacklevel=2)


@cache
def _versions() -> str:
    """Return the versions of all that results depend on: Python, distributions, source files."""
    installed = [f"{name} {metadata.version(name)}" for name in _VERSIONED]
    sources = sorted(
        path for part in _PARTS for path in (_PACKAGE / part).rglob("*") if path.is_file()
    )
    stamps = [
        f"{path.relative_to(_PACKAGE)} {found.st_size} {found.st_mtime_ns}"
        for path in sources
        if "__pycache__" not in path.parts
        for found in [path.stat()]
    ]
    return "\n".join([sys.version, *installed, *stamps])
