"""The errors of an import: a refused item, and an import that cannot begin."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


class ItemRefused(Exception):
    """An item cannot be imported; the text gives the reason and the remedy."""


class CannotImport(Exception):
    """The import cannot begin; the text gives the reason and the remedy."""


def extra_module(name: str) -> ModuleType:
    """Import a module of the extra ``office``. Raises CannotImport if it is not installed."""
    try:
        return import_module(name)
    except ImportError as error:
        missing = (error.name or name).partition(".")[0]
        raise CannotImport(
            f"The package {missing} is missing; install it: pip install 'trainee-bench[office]'"
        ) from None
