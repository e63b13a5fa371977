"""Writing the files of a skeleton into a clone, and checks of its name."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import trainee_bench
from trainee_bench import mcp_servers
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.meta_tasks.families import discover_families
from trainee_bench.world.apps import discover_apps

LONGEST_NAME = 24
_FAMILY = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_APP = re.compile(r"[a-z]+")
_SAYS_NOTHING = frozenset(
    {"utils", "util", "common", "base", "manager", "helpers", "helper", "misc", "test", "tests"}
)


class NameRefused(Exception):
    """The name cannot be used; the text says what would be right."""


def check_family_name(name: str) -> None:
    """Raise NameRefused unless a new family may be called *name*."""
    _check(name, _FAMILY, "lower-case letters, digits and single underscores, such as stock_take")
    if name in discover_families():
        raise NameRefused(
            f"There is a family {name} already: {', '.join(discover_families())}. Choose another "
            f"name, or change meta_tasks/families/{name}."
        )


def check_app_name(name: str) -> None:
    """Raise NameRefused unless a new app may be called *name*.

    The app's name begins the name of each of its tools, up to the first underscore, so it must not
    contain one.
    """
    _check(name, _APP, "one word of lower-case letters, such as tickets")
    apps = {app.__name__.rpartition(".")[2] for app in discover_apps()}
    if name in apps | set(discover_toolboxes()):
        taken = ", ".join(sorted(apps | set(discover_toolboxes())))
        raise NameRefused(
            f"There is an app {name} already: {taken}. Choose another name, or change "
            f"world/apps/{name}.py and mcp_servers/{name}.py."
        )
    if name in mcp_servers.reserved_names():
        raise NameRefused(
            f"mcp_servers/{name} is not an app but code that all apps share; choose another name."
        )


def class_name(name: str) -> str:
    """Return the class name of a family or app called *name*: StockTake for stock_take."""
    return "".join(part.capitalize() for part in name.split("_"))


def _check(name: str, pattern: re.Pattern[str], allowed: str) -> None:
    if not pattern.fullmatch(name) or keyword.iskeyword(name):
        raise NameRefused(f"{name!r} cannot be used as a name: it must be {allowed}.")
    if len(name) > LONGEST_NAME:
        raise NameRefused(f"{name} has {len(name)} characters; use {LONGEST_NAME} at most.")
    if name in _SAYS_NOTHING:
        raise NameRefused(f"{name!r} says nothing about the contents; name the kind of work.")


_TEMPLATES = "trainee_bench.harness.scaffolding.templates"
_CLONE_FOLDERS = ("meta_tasks/families", "mcp_servers", "world/apps", "tests/mcp_servers")
"""Folders that every clone of the repository has."""


class CannotWrite(Exception):
    """The skeleton cannot be written here, or a file exists already; the text says what to do."""


@dataclass(frozen=True)
class Skeleton:
    """The template of each file by its path.

    The name replaces the *placeholder* in templates and paths. ``next_commands`` are printed
    afterwards.
    """

    placeholder: str
    templates: Mapping[str, str]
    next_commands: tuple[str, ...]

    def write(self, name: str, root: Path) -> list[Path]:
        """Write all files for *name* below *root*; return their paths.

        Raises CannotWrite, before anything is written, if one of them exists or *root* is not a
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
        """Return the commands to run next."""
        return [self._named(command, name) for command in self.next_commands]

    def _named(self, text: str, name: str) -> str:
        """Return *text* with the placeholder replaced, also in class names."""
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
    """Return the folder this program runs from: a clone, unless it was installed without one."""
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
