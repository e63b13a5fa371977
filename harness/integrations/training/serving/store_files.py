"""The files of a store: a folder, or an address of fsspec such as s3://bucket/days.

Two operations carry all promises of a store. `create` succeeds for one process only, whoever else
tries at the same time. `replace` puts a complete content in the place of another.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from threading import Lock

__all__ = ["StoreFiles", "UnsuitableStore"]

_CREATING = Lock()
"""Held while a file of a store in memory is created: fsspec looks first, and creates afterwards."""


class UnsuitableStore(ValueError):
    """The store cannot create a file for one process only; the text names stores that can."""


class StoreFiles:
    """The files below *url*, by their path in it, such as ``sessions/ab12/claim-1``.

    Every method may block and raise OSError, or whatever the store's own library raises. Raises
    UnsuitableStore.
    """

    def __init__(self, url: str):
        import fsspec
        from fsspec.implementations.local import LocalFileSystem
        from fsspec.implementations.memory import MemoryFileSystem

        # A cached listing would hide what other processes have done since.
        self._files, self._root = fsspec.core.url_to_fs(url, use_listings_cache=False)
        self._is_local = isinstance(self._files, LocalFileSystem)
        self._is_memory = isinstance(self._files, MemoryFileSystem)
        self._files.makedirs(self._root, exist_ok=True)
        if not self._is_local:
            self._check_creates_once()

    def _check_creates_once(self) -> None:
        probe = f"probe-{secrets.token_hex(8)}"
        try:
            if self.create(probe) and self.create(probe):
                raise UnsuitableStore(
                    "this store replaces a file that it was asked to create, so two workers could "
                    "go on with one session; use a folder, or a store with conditional writes "
                    "such as s3://"
                )
        finally:
            self.delete(probe)

    def create(self, path: str) -> bool:
        """Create an empty file; whether this call did it, and none before."""
        full = f"{self._root}/{path}"
        if self._is_local:  # fails with FileExistsError, too, if a file is in the folder's place
            Path(full).parent.mkdir(parents=True, exist_ok=True)
        try:
            if self._is_local:
                os.close(os.open(full, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            elif self._is_memory:
                with _CREATING:
                    self._files.pipe_file(full, b"", mode="create")
            else:
                self._files.pipe_file(full, b"", mode="create")
        except FileExistsError:
            return False
        return True

    def replace(self, path: str, content: bytes) -> None:
        """Put *content* in the place of what was at *path*, complete or not at all."""
        full = f"{self._root}/{path}"
        if not self._is_local:
            self._files.pipe_file(full, content)
            return
        # without pathlib, whose parsing costs more than the calls: servers save at every step
        partial = f"{full}.{secrets.token_hex(4)}"
        try:
            _write(partial, content)
            os.replace(partial, full)  # noqa: PTH105
        except BaseException:
            Path(partial).unlink(missing_ok=True)
            raise

    def read(self, path: str) -> bytes | None:
        """Return the content of a file; None if there is none."""
        try:
            content: bytes = self._files.cat_file(f"{self._root}/{path}")
        except (FileNotFoundError, NotADirectoryError):
            return None
        return content

    def exist(self, paths: list[str]) -> list[bool]:
        """Return which of *paths* are files now. A store in a network is asked for all at once."""
        full = [f"{self._root}/{path}" for path in paths]
        if self._is_local:
            return [os.path.exists(path) for path in full]  # noqa: PTH110
        found = self._files.cat(full, on_error="return")
        missing = [isinstance(found[path], FileNotFoundError) for path in full]
        for path in full:
            if isinstance(found[path], Exception) and not isinstance(
                found[path], FileNotFoundError
            ):
                raise found[path]
        return [not is_missing for is_missing in missing]

    def names(self, folder: str) -> list[str]:
        """Return the names of the files and folders in *folder*; none if it does not exist."""
        try:
            paths = self._files.ls(f"{self._root}/{folder}", detail=False)
        except (FileNotFoundError, NotADirectoryError):
            return []
        return [path.rstrip("/").rpartition("/")[2] for path in paths]

    def by_folder(self, folder: str) -> dict[str, list[str]]:
        """Return the names of all files in the folders of *folder*, by the folder's path. A store
        in a network is asked once, or once for each thousand files."""
        found: dict[str, list[str]] = {}
        for path in self._files.find(f"{self._root}/{folder}"):
            parent, _, name = path.removeprefix(f"{self._root}/").rpartition("/")
            found.setdefault(parent, []).append(name)
        return found

    def modified(self, path: str) -> datetime | None:
        """Return when a file was written last; None if there is none."""
        try:
            at: datetime = self._files.modified(f"{self._root}/{path}")
        except FileNotFoundError:
            return None
        return at

    def delete(self, path: str) -> None:
        """Remove a file, if there is one."""
        with suppress(FileNotFoundError):
            self._files.rm_file(f"{self._root}/{path}")

    def delete_folder(self, folder: str) -> None:
        """Remove an empty folder. An object store has no folders."""
        if self._is_local:
            with suppress(OSError):  # another process has written into it
                Path(f"{self._root}/{folder}").rmdir()


def _write(path: str, content: bytes) -> None:
    """Write a new file; its folder is made if there is none."""
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    except FileNotFoundError:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    with open(descriptor, "wb", buffering=0) as file:  # noqa: PTH123
        rest = memoryview(content)
        while rest:
            rest = rest[file.write(rest) :]
