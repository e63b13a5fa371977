"""Writing a skeleton into a clone: which files, with which names in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import trainee_bench
from trainee_bench.harness.scaffolding.names import (
    check_app_name,
    check_family_name,
    class_name,
)

_TEMPLATES = "trainee_bench.harness.scaffolding.templates"
_CLONE_FOLDERS = ("meta_tasks/families", "mcp_servers", "world/apps", "tests/mcp_servers")
"""Folders that every clone of the repository has."""


class CannotWrite(Exception):
    """The skeleton cannot be written here, or a file exists already; the text says what to do."""


@dataclass(frozen=True)
class Skeleton:
    """The template of each file by its path. The name replaces the *placeholder* in templates and
    paths. ``next_commands`` are printed afterwards."""

    placeholder: str
    templates: Mapping[str, str]
    next_commands: tuple[str, ...]

    def write(self, name: str, root: Path) -> list[Path]:
        """Write all files for *name* below *root*; their paths.

        Raises CannotWrite, before anything is written, if one of them exists or *root* is no
        clone of the repository.
        """
        for folder in _CLONE_FOLDERS:
            if not (root / folder).is_dir():
                raise CannotWrite(
                    f"{root} is not a clone of the repository (it has no {folder}), and skeletons "
                    "are written into a clone. Clone the repository, install it with "
                    "pip install -e '.[dev]', and run this again."
                )
        files = {root / self._named(path, name): text for path, text in self.templates.items()}
        for path in files:
            if path.exists():
                raise CannotWrite(f"{path} exists already; move it away or choose another name.")
        for path, template in files.items():
            text = (resources.files(_TEMPLATES) / template).read_text(encoding="utf-8")
            path.write_text(self._named(text, name), encoding="utf-8")
        return list(files)

    def commands(self, name: str) -> list[str]:
        """What to call next."""
        return [self._named(command, name) for command in self.next_commands]

    def _named(self, text: str, name: str) -> str:
        """*text* with the placeholder replaced, also where it is a class's name."""
        text = text.replace(class_name(self.placeholder), class_name(name))
        return text.replace(self.placeholder, name)


_FORM = "python -m ruff format . && python -m ruff check --fix . && python -m mypy"
FAMILY = Skeleton(
    "example_family",
    {
        "meta_tasks/families/example_family.py": "family.py.txt",
        "tests/meta_tasks/families/test_example_family.py": "family_test.py.txt",
    },
    (
        "trainee-bench certify 'example_family.*' --seeds 3",
        "python -m trainee_bench.harness.generation.catalog_markdown",
        "python -m pytest -q tests/meta_tasks/families/test_example_family.py",
        "python -m pytest -q -m every_family",
        _FORM,
    ),
)
APP = Skeleton(
    "exampleapp",
    {
        "world/apps/exampleapp.py": "app.py.txt",
        "mcp_servers/exampleapp.py": "app_server.py.txt",
        "tests/mcp_servers/test_exampleapp.py": "app_test.py.txt",
    },
    (
        "python -m pytest -q tests/mcp_servers/test_exampleapp.py",
        "python -m pytest -q -m every_app",
        _FORM,
    ),
)


def clone_root() -> Path:
    """The folder this program runs from; a clone, unless it was installed without one."""
    (package,) = trainee_bench.__path__
    return Path(package).resolve().parent


def new_family(name: str, root: Path) -> list[Path]:
    """Write the skeleton of the family *name* below *root*. Raises NameRefused, CannotWrite."""
    check_family_name(name)
    return FAMILY.write(name, root)


def new_app(name: str, root: Path) -> list[Path]:
    """Write the skeleton of the app *name* below *root*. Raises NameRefused, CannotWrite."""
    check_app_name(name)
    return APP.write(name, root)
