"""The apps of the company, one per module: tables, events and verbs.

Every module in this folder is an app and is discovered automatically. It has a ``SCHEMA`` (the
SQL of its tables), its events, and a handle class with its verbs. If one cannot be imported,
discovery fails.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import ModuleType

from trainee_bench.world.offered_modules import APPS, offered_modules


@cache
def discover_apps() -> tuple[ModuleType, ...]:
    """Import all apps, sorted by name, then those that installed packages offer (entry points of
    the group ``trainee_bench.apps``).

    Raises TypeError for a module that has no ``SCHEMA``.
    """
    found = []
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda info: info.name):
        module = importlib.import_module(f"{__name__}.{info.name}")
        found.append(module)
    found += offered_modules(APPS).values()
    for module in found:
        if not isinstance(getattr(module, "SCHEMA", None), str):
            raise TypeError(f"{module.__name__} is an app but has no SCHEMA")
    return tuple(found)
