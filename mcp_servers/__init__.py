"""MCP servers through which one employee uses the world: one server per app, and `office` for all.

Every module directly in this folder serves an app, except those in ``NOT_APPS``. It declares a
``TOOLS`` toolbox and is discovered automatically. If one cannot be imported, discovery fails.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from trainee_bench.mcp_servers.serving.toolbox import Tool, Toolbox

NOT_APPS = frozenset({"__main__", "office", "verifier"})
NO_VARIANTS: Mapping[str, str] = {}
"""No variants: every tool is as declared."""


class UnknownApp(Exception):
    """An app or a variant of a tool does not exist, or the day does not offer it; the text lists
    the ones that there are."""


@cache
def discover_toolboxes() -> dict[str, Toolbox]:
    """Find the toolboxes of all apps, sorted and keyed by app name, then those that installed
    packages offer (entry points of the group ``trainee_bench.toolboxes``), which are opt-in.

    Raises TypeError for a module without ``TOOLS``, or with the ``TOOLS`` of another app.
    """
    from trainee_bench.mcp_servers.serving.toolbox import Toolbox
    from trainee_bench.world.offered_modules import TOOLBOXES, offered_modules

    found = {}
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda info: info.name):
        if info.ispkg or info.name in NOT_APPS:
            continue
        tools = getattr(importlib.import_module(f"{__name__}.{info.name}"), "TOOLS", None)
        if not isinstance(tools, Toolbox) or tools.app != info.name:
            raise TypeError(f"mcp_servers/{info.name}.py has no TOOLS for the app {info.name!r}")
        found[info.name] = tools
    for name, module in offered_modules(TOOLBOXES).items():
        tools = getattr(module, "TOOLS", None)
        if not isinstance(tools, Toolbox) or tools.app != name or name in found:
            raise TypeError(f"{module.__name__} has no TOOLS for a new app {name!r}")
        if not tools.opt_in:
            raise TypeError(f"{module.__name__}: a package's toolbox must be opt-in")
        found[name] = tools
    return found


def _varied_toolboxes(variants: Mapping[str, str]) -> dict[str, Toolbox]:
    """Return the toolboxes of all apps with *variants* of tools in their place, keyed by app.

    Raises UnknownApp for a variant that no tool has.
    """
    known = known_variants()
    for tool, variant in variants.items():
        if variant not in known.get(tool, ()):
            named = ", ".join(f"{name}: {other}" for name in known for other in known[name])
            raise UnknownApp(
                f"This day needs the variant {variant!r} of the tool {tool!r}; there are: {named}."
            )
    return {name: box.varied(variants) for name, box in discover_toolboxes().items()}


def default_toolboxes(
    variants: Mapping[str, str] = NO_VARIANTS, opted_in: Collection[str] = ()
) -> dict[str, Toolbox]:
    """Return the toolboxes of a day that names no apps: all but opt-in apps and opt-in tools, with
    *variants* of tools in their place. The opt-in tools named in *opted_in* are kept. Raises
    UnknownApp for a variant that no tool has."""
    boxes = _varied_toolboxes(variants)
    return {name: box.offering(opted_in) for name, box in boxes.items() if not box.opt_in}


def names_with(opted_in: Collection[str]) -> tuple[str, ...] | None:
    """Return the `tools` of a scenario that offers the usual apps and these opt-in tools; None if
    there are no such tools, as in a scenario that names nothing."""
    return (*default_toolboxes(), *sorted(opted_in)) if opted_in else None


def select_toolboxes(
    names: Collection[str] | None, variants: Mapping[str, str] = NO_VARIANTS
) -> dict[str, Toolbox]:
    """Return the toolboxes of a day whose scenario has *names* as its tools, keyed by app.

    A name is that of an app, or of an opt-in tool of an app that is also named. None selects
    `default_toolboxes`. *variants* of tools take their place. Raises UnknownApp for any other name
    and for a variant that no tool has.
    """
    if names is None:
        return default_toolboxes(variants)
    boxes = _varied_toolboxes(variants)
    apps = {name: boxes[name].offering(names) for name in names if name in boxes}
    offered = {tool.name for box in apps.values() for tool in box if tool.opt_in}
    for name in names:
        if name in boxes or name in offered:
            continue
        for app, box in boxes.items():
            if any(tool.opt_in and tool.name == name for tool in box):
                raise UnknownApp(
                    f"This day needs the tool {name!r} without its app: name {app!r}, too."
                )
        raise UnknownApp(f"This day needs the app {name!r}; installed: {', '.join(boxes)}.")
    return apps


def known_variants() -> Mapping[str, tuple[str, ...]]:
    """Return the variants that each tool has besides its declared form, by tool, without tools that
    have none."""
    found: dict[str, tuple[str, ...]] = {}
    for box in discover_toolboxes().values():
        for tool, variant in box.variants:
            found[tool] = (*found.get(tool, ()), variant)
    return found


def opt_in_tools() -> frozenset[str]:
    """Return the names of all tools that a scenario has to name."""
    return frozenset(name for name, tool in discover_tools().items() if tool.opt_in)


@cache
def discover_tools() -> dict[str, Tool]:
    """Find the tools of all apps, keyed by name."""
    return {tool.name: tool for box in discover_toolboxes().values() for tool in box}


@cache
def read_only_tools() -> frozenset[str]:
    """Return the names of the tools that change nothing."""
    return frozenset(name for name, tool in discover_tools().items() if tool.read_only)


def reserved_names() -> frozenset[str]:
    """Return the names of modules and packages in this folder that serve no app."""
    rooms = {info.name for info in pkgutil.iter_modules(__path__) if info.ispkg}
    return NOT_APPS | rooms
