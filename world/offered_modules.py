"""Modules that installed packages offer by entry points, for families and apps beside the built-in
ones."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType

FAMILIES, APPS, TOOLBOXES = (
    "trainee_bench.families",
    "trainee_bench.apps",
    "trainee_bench.toolboxes",
)
"""The groups of entry points. The value of each is a module: of a family, of an app's tables and
verbs, of an app's tools."""


@cache
def _offers() -> tuple[EntryPoint, ...]:
    """Return the offers of all three groups. Looking through all packages takes some hundredths of
    a second, so it is done once."""
    found = entry_points()
    return tuple(
        offer for group in (FAMILIES, APPS, TOOLBOXES) for offer in found.select(group=group)
    )


@cache
def offered_modules(group: str) -> dict[str, ModuleType]:
    """Return the modules that packages offer in a *group*, by name, sorted. Raises ImportError for
    one that cannot be imported."""
    found = {offer.name: offer.load() for offer in _offers() if offer.group == group}
    return {name: found[name] for name in sorted(found)}


@cache
def package_of(group: str, name: str) -> str:
    """Return the package that offers *name* in a *group*, with its version; "" for a built-in
    one."""
    for offer in _offers():
        if (offer.group, offer.name) == (group, name) and offer.dist is not None:
            return f"{offer.dist.name} {offer.dist.version}"
    return ""
