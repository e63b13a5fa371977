"""The families, one per file (or folder). Each is found without being named: a module here
defines exactly one concrete MetaTask whose ``family`` is the module's name. A broken one
stops everything.

The files of a folder have the same names in all families, as far as a family needs them:

    __init__.py      the family: parameters, rules, how a task is staged, what is checked
    brief.py         the words of the task, of what colleagues tell and of what is read
    deliverables.py  what is handed in, and what of it is right
    work.py          how somebody works the task: honestly, cheaply, in other ways
    data.py          what is drawn from the seed
    subject.py       what the task is about: its terms, and what follows from them (or a folder)
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
