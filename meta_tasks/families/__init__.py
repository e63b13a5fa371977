"""The families, one per file (or folder). Each is found without being named: a module here
defines exactly one concrete MetaTask whose ``family`` is the module's name. A broken one
stops everything.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from trainee_bench.meta_tasks.discovery import one_class_per_module
from trainee_bench.meta_tasks.meta_task import MetaTask


@cache
def discover_families() -> dict[str, type[MetaTask[Any]]]:
    """Every family by its name, sorted. Raises TypeError for a module that has none."""
    return one_class_per_module(__name__, __path__, MetaTask, "family", "MetaTask of family")
