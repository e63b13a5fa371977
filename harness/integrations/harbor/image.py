"""The parts of an exported task's Dockerfile that a box uses. Nothing is built: the packages of the
image are installed here already."""

from __future__ import annotations

import json
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

_INSTALLS = "pip install"
_NOT_FOR_BOXES = frozenset({"FROM", "USER", "EXPOSE"})


class UnreadableImage(ValueError):
    """Raised for a Dockerfile line that exported tasks do not have; names the line."""


@dataclass(frozen=True)
class ImageFile:
    """A Dockerfile: the folder where commands start, the files copied to each path, the command in
    its JSON form (empty if there is none), and whether this package is installed."""

    folder: str
    copied: tuple[tuple[Path, str], ...]
    command: tuple[str, ...]
    our_package: bool

    @classmethod
    def read(cls, context: Path) -> ImageFile:
        """Read the Dockerfile in the folder *context*. Raises UnreadableImage."""
        folder, copied, command, installs = "/", list[tuple[Path, str]](), (), False
        for line in (context / "Dockerfile").read_text(encoding="utf-8").splitlines():
            word, _, rest = line.partition(" ")
            if word == "WORKDIR":
                folder = rest.strip()
            elif word == "COPY":
                *sources, target = shlex.split(rest)
                base = PurePosixPath(folder, target)
                many = len(sources) > 1 or target.endswith("/")
                for source in sources:
                    copied.append((context / source, str(base / source if many else base)))
            elif word == "CMD":
                command = tuple(json.loads(rest))
            elif word == "RUN":
                installs = installs or _INSTALLS in rest
            elif word and not word.startswith("#") and word not in _NOT_FOR_BOXES:
                raise UnreadableImage(f"{context / 'Dockerfile'}: {line}")
        return cls(folder, tuple(copied), command, installs)

    def lay_out(self, root: Path) -> None:
        """Copy the files into the folder *root*, which becomes ``/``."""
        for source, target in self.copied:
            path = root / target.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, path, dirs_exist_ok=True)
            else:
                shutil.copy(source, path)
