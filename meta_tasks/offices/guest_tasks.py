"""Built-in tasks on the days of an own office: they work where the company has what they need.

A built-in family looks for people by their department. If the company lacks one, the refusal names
it, and the line of office.yaml that puts another in its place.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle
from typing import Any

from pydantic import PrivateAttr

from trainee_bench.meta_tasks.authoring.asking import heads_first
from trainee_bench.meta_tasks.meta_task import ComposableTask, TaskInstance
from trainee_bench.meta_tasks.task_context import CompositionError, TaskContext
from trainee_bench.world.company.people import Company, Department, Person
from trainee_bench.world.errors import NotFound


class _HostCompany(Company):
    """The company of an own office, which remembers the departments that it was asked for in
    vain."""

    _missing: dict[str, None] = PrivateAttr(default_factory=dict)

    def staff(
        self,
        department: str | None = None,
        title: str | None = None,
        manager: bool | None = None,
    ) -> tuple[Person, ...]:
        """Return the people who match, and remember a department in which nobody does."""
        found = super().staff(department, title, manager)
        if not found and department is not None:
            self._missing[department] = None
        return found

    def department(self, name: str) -> Department:
        """Return the department of this name, or remember that there is none.

        Raises NotFound, and CompositionError if titles do not show who leads it.
        """
        try:
            found = super().department(name)
        except NotFound:
            self._missing[name] = None
            raise
        head, listed = found.managers[0], sorted(found.people, key=lambda person: person.name)
        if heads_first(listed)[:1] != [head]:
            raise CompositionError(
                f"{head.name} leads {found.name}, but titles do not show it: {head.name} is "
                f"{head.title}; people.csv needs a title such as Head of {found.name}"
            )
        return found

    @property
    def missing(self) -> tuple[str, ...]:
        """The departments in which a family found nobody whom it needs."""
        return tuple(self._missing)


def generate_in_own_office(
    meta_task: ComposableTask, rule: str, context: TaskContext
) -> TaskInstance[Any]:
    """Return the scene of a task in the company of an own office.

    Raises CompositionError, which says what the company lacks for a built-in task or complication.
    """
    company = context.company
    people = sorted(company.people, key=lambda person: not person.is_manager)
    host = _HostCompany(
        name=company.name,
        domain=company.domain,
        people=tuple(people),
        trainee=company.trainee,
        roles=company.roles,
    )
    try:
        return meta_task.generate(replace(context, company=host))
    except (CompositionError, NotFound) as error:
        if not host.missing:
            raise
        raise CompositionError(_refusal(rule, host, error)) from None


def _refusal(rule: str, host: _HostCompany, error: Exception) -> str:
    names = sorted({department.name for department in host.departments})
    roles = ", ".join(
        f"{missing.casefold()}: {name}"
        for missing, name in zip(host.missing, cycle(names), strict=False)
    )
    return (
        f"{rule} does not fit {host.name}: {str(error).rstrip('.')}. It looks for people in "
        f"{', '.join(host.missing)}. Name one of your departments ({', '.join(names)}) for each in "
        f"office.yaml, such as roles: {{{roles}}}, or leave the task out"
    )
