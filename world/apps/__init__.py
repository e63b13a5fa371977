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


@cache
def discover_apps() -> tuple[ModuleType, ...]:
    """Import all apps, sorted by name.

    Raises TypeError for a module in this folder that has no ``SCHEMA``.
    """
    found = []
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda info: info.name):
        module = importlib.import_module(f"{__name__}.{info.name}")
        if not isinstance(getattr(module, "SCHEMA", None), str):
            raise TypeError(f"{module.__name__} is in the folder of apps but has no SCHEMA")
        found.append(module)
    return tuple(found)
