"""The one form of a file's path: ``drive:/folder/file.ext`` or ``workspace:/file.ext``.

The drive is shared; a workspace belongs to one employee. Both are virtual: paths of the machine
are never accepted, and no path leads out of its place. Case matters. Names are stored in
Unicode's composed form, so a name has one spelling.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from trainee_bench.world.errors import Invalid
from trainee_bench.world.text_index import unprintable

PATH_ROOTS = ("drive", "workspace")
PATH_FORMAT_HINT = "Write a path as drive:/folder/file.ext or workspace:/file.ext."
MAX_NAME_BYTES = 200
MAX_PATH_CHARACTERS = 500
MAX_DEPTH = 20


@dataclass(frozen=True)
class VirtualPath:
    """A file or folder in a place; the place itself has no parts."""

    place: str
    parts: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.place}:/{self.path_in_root}"

    @property
    def path_in_root(self) -> str:
        """The path within its place, without a slash at either end."""
        return "/".join(self.parts)

    @property
    def name(self) -> str:
        """The last part, "" for a place."""
        return self.parts[-1] if self.parts else ""

    @property
    def extension(self) -> str:
        """The file's ending in lower case, without the dot."""
        stem, dot, ending = self.name.rpartition(".")
        return ending.lower() if stem and dot else ""

    @property
    def parents(self) -> tuple[VirtualPath, ...]:
        """The folders it lies in, outermost first, without the place itself."""
        return tuple(
            VirtualPath(self.place, self.parts[:depth]) for depth in range(1, len(self.parts))
        )

    def holds(self, other: VirtualPath) -> bool:
        """Whether *other* is this or lies within it."""
        return self.place == other.place and other.parts[: len(self.parts)] == self.parts


def parse_file_path(path: str) -> VirtualPath:
    """The file that *path* names. Raises Invalid, naming the right form."""
    parsed = _parse(path)
    if not parsed.parts:
        raise Invalid(f"{_shown(path)} is a whole place, not a file. {PATH_FORMAT_HINT}")
    return parsed


def parse_folder_path(path: str) -> VirtualPath:
    """The folder that *path* names, a slash at its end allowed. Raises Invalid."""
    return _parse(path[:-1] if path.endswith("/") and not path.endswith(":/") else path)


@lru_cache(maxsize=4096)
def _parse(path: str) -> VirtualPath:
    place, colon, inner = path.partition(":/")
    if not colon or place not in PATH_ROOTS:
        raise Invalid(f"That is not a path here. {PATH_FORMAT_HINT}{_suggestion(path)}")
    if len(path) > MAX_PATH_CHARACTERS:
        raise Invalid(f"A path has at most {MAX_PATH_CHARACTERS} characters; choose shorter names.")
    parts = tuple(unicodedata.normalize("NFC", inner).split("/")) if inner else ()
    if len(parts) > MAX_DEPTH:
        raise Invalid(f"Folders go {MAX_DEPTH} deep at most; put the file further up.")
    for part in parts:
        _check_name(part, path)
    return VirtualPath(place, parts)


def _check_name(name: str, path: str) -> None:
    if not name:
        raise Invalid(f"{_shown(path)} has an empty name in it. {PATH_FORMAT_HINT}")
    if name in (".", ".."):
        raise Invalid(f"{_shown(path)}: '.' and '..' are not understood; name the folder itself.")
    if "\\" in name:
        raise Invalid(
            f"{_shown(path)}: folders are divided by '/', not by a backslash. {PATH_FORMAT_HINT}"
        )
    if name != name.strip():
        raise Invalid(f"{_shown(path)}: a name neither begins nor ends with a blank; leave it out.")
    if character := unprintable(name):
        raise Invalid(
            f"{_shown(path)}: a name has printable characters only; leave {character} out."
        )
    if len(name.encode()) > MAX_NAME_BYTES:
        raise Invalid(f"A name has at most {MAX_NAME_BYTES} bytes; choose a shorter one.")


def _suggestion(path: str) -> str:
    """What a bare name was probably meant to be, or nothing."""
    if ":" in path:
        return ""
    try:
        return f" Did you mean {_parse(f'workspace:/{path}')}?"
    except Invalid:
        return ""


def _shown(path: str) -> str:
    """*path* for an error's text: printable and not too long."""
    return repr(path if len(path) <= 80 else f"{path[:77]}...")
