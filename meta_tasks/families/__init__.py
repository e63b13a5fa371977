"""Task families: one module or package each, discovered automatically.

Each module here defines exactly one concrete MetaTask whose ``family`` is the module's name. A
broken module makes the discovery of all families fail.

Packages share these file names. A family has only the files that it needs.

    __init__.py      the family: parameters, rules, staging, checkpoints
    brief.py         texts: the objective, facts that colleagues tell, pages
    deliverables.py  formats of the submitted files, and their grading
    work.py          scripted solvers: the honest one and the cheapest shortcut
    data.py          values drawn from the seed
    subject.py       terms and calculations of the subject (may be a package)
"""

from __future__ import annotations

from functools import cache
from typing import Any

from trainee_bench.meta_tasks.discovery import one_class_per_module, the_class_of
from trainee_bench.meta_tasks.meta_task import MetaTask
from trainee_bench.world.offered_modules import FAMILIES, offered_modules, package_of


@cache
def discover_families() -> dict[str, type[MetaTask[Any]]]:
    """Return all families by name: the built-in ones, sorted, then those that installed packages
    offer (entry points of the group ``trainee_bench.families``).

    Raises TypeError for a module without a family, and for a family that takes a built-in name.
    """
    kind = "family", "MetaTask of family"
    found = one_class_per_module(__name__, __path__, MetaTask, *kind)
    for name, module in offered_modules(FAMILIES).items():
        if name in found:
            package = package_of(FAMILIES, name)
            raise TypeError(f"{package} offers a family {name}, which is a built-in name")
        found[name] = the_class_of(module, name, MetaTask, *kind)
    return found
