"""Which names a new family or app may have."""

from __future__ import annotations

import keyword
import re

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
    _check(name, _FAMILY, "small letters, digits and single underscores, such as stock_take")
    if name in discover_families():
        raise NameRefused(
            f"There is a family {name} already: {', '.join(discover_families())}. Choose another "
            f"name, or change meta_tasks/families/{name}."
        )


def check_app_name(name: str) -> None:
    """Raise NameRefused unless a new app may be called *name*.

    It begins the name of each of its tools, up to the first underscore, so it has none.
    """
    _check(name, _APP, "one word of small letters, such as tickets")
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
    """The name of the class of a family or app called *name*: StockTake for stock_take."""
    return "".join(part.capitalize() for part in name.split("_"))


def _check(name: str, pattern: re.Pattern[str], allowed: str) -> None:
    if not pattern.fullmatch(name) or keyword.iskeyword(name):
        raise NameRefused(f"{name!r} cannot be a name: it has to be {allowed}.")
    if len(name) > LONGEST_NAME:
        raise NameRefused(f"{name} has {len(name)} characters; use {LONGEST_NAME} at most.")
    if name in _SAYS_NOTHING:
        raise NameRefused(f"{name!r} says nothing about the contents; name the kind of work.")
