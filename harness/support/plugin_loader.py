"""Loading a user's own code, named as ``module:Name``: an agent, a component, a service."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from trainee_bench.harness.support.interrupts import interrupted
from trainee_bench.harness.support.text import describe_error


class PluginError(Exception):
    """A plugin cannot be loaded; the message says what to change."""


def is_plugin_name(named: str) -> bool:
    """Return whether *named* has the form ``module:Name``."""
    module, _, name = named.partition(":")
    return bool(module and name) and not module.startswith(".")


def load_plugin(named: str, what: str) -> object:
    """Return the object called *named*, None if its module has no such name.

    The working directory is searched, too. *what* says what it should be, such as "an agent".
    Raises PluginError if the module does not exist or cannot be imported.
    """
    module, _, name = named.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return getattr(importlib.import_module(module), name, None)
    except ModuleNotFoundError as error:
        wanted = f"{module}.".startswith(f"{error.name}.")
        why = f"to find {what} in" if wanted else f"which {module} imports"
        raise PluginError(f"There is no module {error.name!r}, {why}.") from None
    except BaseException as error:  # a user's code may raise anything, even SystemExit
        if interrupted():
            raise
        raise PluginError(f"{module} cannot be imported: {describe_error(error)}") from error
