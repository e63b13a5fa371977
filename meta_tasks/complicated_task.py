"""A rule with complications: the family's task, made harder by each of them in turn.

complicate(meta_task, (BusyHolder, Retraction)) ──► a meta-task "sales.…+busy_holder+retraction"
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from types import new_class
from typing import Any, ClassVar

from trainee_bench.meta_tasks.complication import OWN_SHARE, Complicated, Complication, Scene
from trainee_bench.meta_tasks.meta_task import (
    Checkpoint,
    GradingContext,
    MetaTask,
    TaskInstance,
    Verdict,
)
from trainee_bench.meta_tasks.task_context import TaskContext
from trainee_bench.meta_tasks.tool_client import Solver, ToolClient


@dataclass(frozen=True)
class ComplicatedTruth:
    """The truth of the task itself, and the facts of each complication by its name.

    ``believed`` is, by complication, what a worker takes for true who ignores it.
    """

    task: Any
    facts: Mapping[str, Any]
    believed: Mapping[str, Mapping[str, str]]


class ComplicatedTask(MetaTask[Any]):
    """A meta-task of the family `plain` with `complications`; made by `complicate`."""

    plain: ClassVar[type[MetaTask[Any]]]
    complications: ClassVar[tuple[Complication, ...]]

    @property
    def rule_id(self) -> str:
        """The rule's own id, and the names of its complications."""
        plain = self.plain.model_validate(self.model_dump()).rule_id
        return "+".join([plain, *(one.name for one in self.complications)])

    def generate(self, context: TaskContext) -> TaskInstance[Any]:
        """The family's instance, complicated by one after the other."""
        before = copy.deepcopy(context.reservations)
        own = dict(context.secret_seed_offsets)

        def redrawn(secrets: Mapping[str, int]) -> TaskInstance[Any]:
            again = replace(
                context,
                reservations=copy.deepcopy(before),
                secret_seed_offsets={**own, **secrets},
            )
            return self.plain.generate(self, again)

        scene = Scene(context, self.plain.generate(self, context), redrawn)
        applied: dict[str, Complicated] = {}
        for one in self.complications:
            applied[one.name] = one.apply(scene)
            scene = applied[one.name].scene
        truth = ComplicatedTruth(
            scene.instance.truth,
            {name: made.facts for name, made in applied.items()},
            {name: made.believed for name, made in applied.items()},
        )
        return replace(scene.instance, truth=truth)

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Those of the family, then those of the complications."""
        plain = self.plain.checkpoints(self)
        share = OWN_SHARE * sum(mark.weight for mark in plain)
        marks = [replace(mark, check=partial(_check_task, mark)) for mark in plain]
        for one in self.complications:
            own = one.checkpoints()
            marks += [
                replace(
                    mark,
                    weight=0 if mark.forbidden else share * mark.weight / _total(own),
                    check=partial(_check_complication, mark, one),
                )
                for mark in own
            ]
        return tuple(marks)

    @staticmethod
    async def oracle(client: ToolClient) -> None:
        """Replaced by `complicate`, which knows the family."""
        raise NotImplementedError


def complicate(meta_task: MetaTask[Any], complications: Sequence[Complication]) -> MetaTask[Any]:
    """*meta_task* with these complications, the first of them applied first."""
    made = _complicated_class(type(meta_task), tuple(complications))
    return made.model_validate(meta_task.model_dump())


def honest_work(
    family: type[MetaTask[Any]],
    complications: Sequence[Complication],
    ignored: Complication | None = None,
) -> Solver:
    """How the task of *family* is worked with these complications; *ignored* is dealt with as by
    somebody who ignores it."""
    work: Solver = family.oracle
    for one in complications:
        deal = one.ignore if one is ignored else one.work
        work = partial(_deal, deal, work)
    return work


async def _deal(deal: Any, do: Solver, client: ToolClient) -> None:
    await deal(client, do)


@cache
def _complicated_class(
    family: type[MetaTask[Any]], complications: tuple[Complication, ...]
) -> type[MetaTask[Any]]:
    work = honest_work(family, complications)

    async def oracle(client: ToolClient) -> None:
        """The family's oracle, within how an honest worker deals with each complication."""
        await work(client)

    def fill(namespace: dict[str, Any]) -> None:
        namespace["__module__"] = family.__module__
        namespace["plain"] = family
        namespace["complications"] = complications
        namespace["oracle"] = staticmethod(oracle)
        namespace["__annotations__"] = {
            "plain": ClassVar[type[MetaTask[Any]]],
            "complications": ClassVar[tuple[Complication, ...]],
        }

    made: type[MetaTask[Any]] = new_class(
        f"Complicated{family.__name__}", (ComplicatedTask, family), {}, fill
    )
    return made


def _check_task(mark: Checkpoint, owner: Any, grading: GradingContext[ComplicatedTruth]) -> Verdict:
    return mark.check(owner, grading.with_truth(grading.truth.task))


def _check_complication(
    mark: Checkpoint,
    complication: Complication,
    owner: Any,
    grading: GradingContext[ComplicatedTruth],
) -> Verdict:
    return mark.check(complication, grading.with_truth(grading.truth.facts[complication.name]))


def _total(marks: Sequence[Checkpoint]) -> float:
    return sum(mark.weight for mark in marks) or 1
