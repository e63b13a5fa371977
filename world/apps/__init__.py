"""The apps of the company, one per file: rows, events and verbs.

Every module in this folder is an app and is found without being named. It has a
``SCHEMA`` (the SQL of its tables), its events, and a handle class of its verbs. A module
that cannot be imported stops everything.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import ModuleType


@cache
def discover_apps() -> tuple[ModuleType, ...]:
    """All apps, in the order of their names.

    Raises TypeError for a module of this folder that has no ``SCHEMA``.
    """
    found = []
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda info: info.name):
        module = importlib.import_module(f"{__name__}.{info.name}")
        if not isinstance(getattr(module, "SCHEMA", None), str):
            raise TypeError(f"{module.__name__} is in the folder of apps but has no SCHEMA")
        found.append(module)
    return tuple(found)
