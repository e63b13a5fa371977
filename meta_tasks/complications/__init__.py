"""The complications, one per module. Each is found automatically: its module defines a
`Complication` that has the module's name."""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from functools import cache
from typing import Any

from trainee_bench.meta_tasks.complication import Complication
from trainee_bench.meta_tasks.discovery import one_class_per_module
from trainee_bench.meta_tasks.meta_task import MetaTask
from trainee_bench.meta_tasks.work.habits import HABITS, Habit


@cache
def discover_complications() -> dict[str, Complication]:
    """Return every complication by name, sorted. Raises TypeError for a module without one."""
    classes = one_class_per_module(__name__, __path__, Complication, "name", "Complication called")
    for complication in classes.values():
        copyreg.pickle(complication, _by_name)
    return {name: complication() for name, complication in classes.items()}


def known_complication(name: str) -> Complication:
    """Return the complication of this name. Raises KeyError."""
    return discover_complications()[name]


def _by_name(complication: Complication) -> tuple[Callable[[str], Complication], tuple[str]]:
    """Pickle a complication as its name, so that there is one object of each in a process."""
    return known_complication, (complication.name,)


def complications_of(family: type[MetaTask[Any]]) -> tuple[str, ...]:
    """Return the names of the complications that fit *family*, sorted."""
    known = discover_complications()
    return tuple(name for name in known if known[name].fits(family))


def drawn_for(family: type[MetaTask[Any]]) -> tuple[str, ...]:
    """Return the names of the complications with which days are drawn for *family*, sorted."""
    known = discover_complications()
    return tuple(name for name in complications_of(family) if known[name].drawn)


def careful_habits() -> tuple[Habit, ...]:
    """Return all habits that a worker should have. Nobody tells which complications a day has."""
    known = [habit for found in discover_complications().values() for habit in found.habits]
    return tuple(dict.fromkeys([*HABITS, *known]))


def habits_ignoring(complication: Complication) -> tuple[Habit, ...]:
    """Return the habits of a worker who is careful but ignores *complication*."""
    own = {type(habit) for habit in complication.habits}
    careful = (habit for habit in careful_habits() if type(habit) not in own)
    return (*careful, *complication.ignoring)
