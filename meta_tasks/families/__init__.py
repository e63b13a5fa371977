"""The families, one per file (or folder). Each is found without being named: a module here
defines exactly one concrete MetaTask whose ``family`` is the module's name. A broken one
stops everything.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache
from typing import Any

from trainee_bench.meta_tasks.meta_task import MetaTask


@cache
def discover_families() -> dict[str, type[MetaTask[Any]]]:
    """Every family by its name, sorted. Raises TypeError for a module that has none."""
    found = {}
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda info: info.name):
        module = importlib.import_module(f"{__name__}.{info.name}")
        classes = [
            member
            for member in vars(module).values()
            if inspect.isclass(member)
            and issubclass(member, MetaTask)
            and not inspect.isabstract(member)
            and getattr(member, "family", None) == info.name
        ]
        if len(classes) != 1:
            raise TypeError(f"{module.__name__} must define one MetaTask of family {info.name!r}")
        found[info.name] = classes[0]
    return found
