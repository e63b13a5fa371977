"""The complications, one per file. Each is found without being named: a module here that defines a
`Complication` calls it by the module's name.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache
from typing import Any

from trainee_bench.meta_tasks.complication import Complication
from trainee_bench.meta_tasks.meta_task import MetaTask


@cache
def discover_complications() -> dict[str, Complication]:
    """Every complication by its name, sorted. Raises TypeError for a module that has none."""
    found = {}
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda info: info.name):
        module = importlib.import_module(f"{__name__}.{info.name}")
        classes = [
            member
            for member in vars(module).values()
            if inspect.isclass(member)
            and issubclass(member, Complication)
            and not inspect.isabstract(member)
            and getattr(member, "name", None) == info.name
        ]
        if len(classes) != 1:
            raise TypeError(f"{module.__name__} must define one Complication called {info.name!r}")
        found[info.name] = classes[0]()
    return found


def complications_of(family: type[MetaTask[Any]]) -> tuple[str, ...]:
    """The names of the complications that fit *family*, sorted."""
    return tuple(name for name, one in discover_complications().items() if one.fits(family))
