"""The only form of a file's path: ``drive:/folder/file.ext`` or ``workspace:/file.ext``.

The drive is shared; a workspace belongs to one employee. Both are virtual: paths of the machine are
never accepted, and no path leads out of its root. Case matters. Names are stored in Unicode's
composed form, so that a name has only one spelling.
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
    """A file or folder in a root, the *place*; the root itself has no parts."""

    place: str
    parts: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.place}:/{self.path_in_root}"

    @property
    def path_in_root(self) -> str:
        """The path within its root, without slashes at its ends."""
        return "/".join(self.parts)

    @property
    def name(self) -> str:
        """The last part, "" for a root."""
        return self.parts[-1] if self.parts else ""

    @property
    def extension(self) -> str:
        """The file name's extension in lower case, without the dot."""
        stem, dot, ending = self.name.rpartition(".")
        return ending.lower() if stem and dot else ""

    @property
    def parents(self) -> tuple[VirtualPath, ...]:
        """The folders that contain it, outermost first, without the root."""
        return tuple(
            VirtualPath(self.place, self.parts[:depth]) for depth in range(1, len(self.parts))
        )

    def holds(self, other: VirtualPath) -> bool:
        """Whether *other* is this path or is inside it."""
        return self.place == other.place and other.parts[: len(self.parts)] == self.parts


def parse_file_path(path: str) -> VirtualPath:
    """Parse the path of a file. Raises Invalid, which shows the correct form."""
    parsed = _parse(path)
    if not parsed.parts:
        raise Invalid(f"{_shown(path)} is the top folder, not a file. {PATH_FORMAT_HINT}")
    return parsed


def parse_folder_path(path: str) -> VirtualPath:
    """Parse the path of a folder, which may end in a slash. Raises Invalid."""
    return _parse(path[:-1] if path.endswith("/") and not path.endswith(":/") else path)


@lru_cache(maxsize=4096)
def _parse(path: str) -> VirtualPath:
    place, colon, inner = path.partition(":/")
    if not colon or place not in PATH_ROOTS:
        raise Invalid(f"That is not a path here. {PATH_FORMAT_HINT}{_suggestion(path)}")
    if len(path) > MAX_PATH_CHARACTERS:
        raise Invalid(
            f"A path can have at most {MAX_PATH_CHARACTERS} characters; choose shorter names."
        )
    parts = tuple(unicodedata.normalize("NFC", inner).split("/")) if inner else ()
    if len(parts) > MAX_DEPTH:
        raise Invalid(f"Folders can be at most {MAX_DEPTH} deep; put the file further up.")
    for part in parts:
        _check_name(part, path)
    return VirtualPath(place, parts)


def _check_name(name: str, path: str) -> None:
    if not name:
        raise Invalid(f"{_shown(path)} contains an empty name. {PATH_FORMAT_HINT}")
    if name in (".", ".."):
        raise Invalid(f"{_shown(path)}: '.' and '..' do not work here; name the folder itself.")
    if "\\" in name:
        raise Invalid(
            f"{_shown(path)}: separate folders by '/', not by a backslash. {PATH_FORMAT_HINT}"
        )
    if name != name.strip():
        raise Invalid(f"{_shown(path)}: a name cannot begin or end with a space; remove it.")
    if character := unprintable(name):
        raise Invalid(
            f"{_shown(path)}: a name can have only printable characters; remove {character}."
        )
    if len(name.encode()) > MAX_NAME_BYTES:
        raise Invalid(f"A name can have at most {MAX_NAME_BYTES} bytes; choose a shorter one.")


def _suggestion(path: str) -> str:
    """Suggest the path that a bare name probably means, or nothing."""
    if ":" in path:
        return ""
    try:
        return f" Did you mean {_parse(f'workspace:/{path}')}?"
    except Invalid:
        return ""


def _shown(path: str) -> str:
    """Return *path* for an error text: printable and not too long."""
    return repr(path if len(path) <= 80 else f"{path[:77]}...")
