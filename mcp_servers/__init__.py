"""How one employee touches the world: one MCP server per app, and all of them as `office`.

Every module directly in this folder, save those in ``NOT_APPS``, serves an app: it has a
``TOOLS`` toolbox and is found without being named. A broken one stops everything.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trainee_bench.mcp_servers.serving.toolbox import Toolbox

NOT_APPS = frozenset({"__main__", "office", "verifier"})


@cache
def discover_toolboxes() -> dict[str, Toolbox]:
    """The toolboxes of all apps by the app's name, sorted.

    Raises TypeError for a module that declares no ``TOOLS`` or another app's.
    """
    from trainee_bench.mcp_servers.serving.toolbox import Toolbox

    found = {}
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda info: info.name):
        if info.ispkg or info.name in NOT_APPS:
            continue
        tools = getattr(importlib.import_module(f"{__name__}.{info.name}"), "TOOLS", None)
        if not isinstance(tools, Toolbox) or tools.app != info.name:
            raise TypeError(f"mcp_servers/{info.name}.py has no TOOLS of the app {info.name!r}")
        found[info.name] = tools
    return found


def default_toolboxes() -> dict[str, Toolbox]:
    """The toolboxes of a day that names no apps: all but those that must be named."""
    return {name: box for name, box in discover_toolboxes().items() if not box.opt_in}


def reserved_names() -> frozenset[str]:
    """What modules and rooms of this folder are called that serve no app."""
    rooms = {info.name for info in pkgutil.iter_modules(__path__) if info.ispkg}
    return NOT_APPS | rooms
