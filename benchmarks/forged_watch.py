"""Recording the files and processes that verifying or preparing a submission opens and starts."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

_WRITING = {
    "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate",
    "os.chmod", "shutil.rmtree",
}  # fmt: skip
_STARTING = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "socket.connect"}
_OWN = ("-c", "-P", "-m")
"""The first option of our own helpers, which calculate workbooks and grade."""


class Watch:
    """Recorder of every access outside of *folder*'s part for temporary files.

    It leaves out the bundle that `prepare` writes, and the run that it locks and repeats.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self.temporary = str(folder / "temporary")
        self._bait = str(folder / "bait")
        self._written_too = tuple(
            str(folder / name) for name in ("made.zip", ".made", "forged-run")
        )
        self._seen: list[str] = []
        self._on = False

    def start(self) -> None:
        """Watch this process from now on."""
        sys.addaudithook(self._hear)

    def begin(self) -> None:
        """Begin to record."""
        self._seen, self._on = [], True

    def end(self) -> list[str]:
        """Stop watching, and return the records and the remaining files."""
        self._on = False
        left = [f"left behind: {file.name}" for file in Path(self.temporary).iterdir()]
        left += [f"written: {file.name}" for file in (self._folder / "cwd").iterdir()]
        return [*dict.fromkeys(self._seen), *left]

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self._on:
            return
        if event in _STARTING:
            command = arguments[1] if event == "subprocess.Popen" else ()
            ours = len(command) > 1 and command[0] == sys.executable and command[1] in _OWN
            if not ours:
                self._seen.append(f"started: {str(arguments)[:100]}")
        elif event == "open":
            path, mode, flags = arguments
            writes = (isinstance(mode, str) and set(mode) & set("wax+")) or (
                mode is None and isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)
            )
            self._path(path, bool(writes))
        elif event in _WRITING:
            # else within a folder
            if not any(type(argument) is int and argument > 0 for argument in arguments):
                for path in arguments[:2]:
                    self._path(path, True)
        elif event == "sqlite3.connect":
            named = str(arguments[0])
            self._path(named.removeprefix("file://").partition("?")[0], named != ":memory:")

    def _path(self, path: object, writes: bool) -> None:
        if not isinstance(path, str | os.PathLike | bytes):
            return
        text = os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - links are not to be followed
        if text.startswith(self._bait):
            self._seen.append(f"opened the bait: {Path(text).name}")
        fine = text.startswith((self.temporary, *self._written_too)) or text == os.devnull
        if writes and not fine and not text.startswith("/proc/"):
            self._seen.append(f"written: {text[:80]}")
