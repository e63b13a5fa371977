"""Discovery of the one class that each module of a package defines."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterable
from types import ModuleType
from typing import Any


def one_class_per_module(
    package: str, path: Iterable[str], base: type, attribute: str, what: str
) -> dict[str, type[Any]]:
    """Return the one class of each module of *package* (whose files are in *path*), sorted by
    module. The class can be instantiated, inherits from *base*, and its *attribute* is the module's
    name.

    Raises TypeError for a module without exactly one such class; *what* names it in the message.
    """
    names = sorted(info.name for info in pkgutil.iter_modules(path))
    modules = {name: importlib.import_module(f"{package}.{name}") for name in names}
    return {
        name: the_class_of(module, name, base, attribute, what) for name, module in modules.items()
    }


def the_class_of(module: ModuleType, name: str, base: type, attribute: str, what: str) -> type[Any]:
    """Return the one class of *module* that inherits from *base* and whose *attribute* is *name*.

    Raises TypeError if there is not exactly one; *what* names it in the message.
    """
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
    return classes[0]
