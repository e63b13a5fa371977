"""Finding what a package has one of per module, without naming it."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterable
from typing import Any


def one_class_per_module(
    package: str, path: Iterable[str], base: type, attribute: str, what: str
) -> dict[str, type[Any]]:
    """The class of each module of *package* (whose files lie in *path*), by the module's name,
    sorted: the one that can be made, inherits from *base*, and whose *attribute* is that name.

    Raises TypeError for a module that does not have just one; *what* says what it lacks.
    """
    found = {}
    for name in sorted(info.name for info in pkgutil.iter_modules(path)):
        module = importlib.import_module(f"{package}.{name}")
        classes = [
            member
            for member in vars(module).values()
            if inspect.isclass(member)
            and issubclass(member, base)
            and not inspect.isabstract(member)
            and getattr(member, attribute, None) == name
        ]
        if len(classes) != 1:
            raise TypeError(f"{module.__name__} must define one {what} {name!r}")
        found[name] = classes[0]
    return found
