"""A rule with complications: the family's task, made harder by each of them in turn.

complicate(meta_task, (BusyHolder, Retraction)) ──► a meta-task "sales.…+busy_holder+retraction"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from trainee_bench.meta_tasks.checkpoints import Checkpoint, GradingContext, Verdict
from trainee_bench.meta_tasks.complication import OWN_SHARE, Complicated, Complication, Stage
from trainee_bench.meta_tasks.complication_scene import FIRST, Generate, Scene, with_task_id
from trainee_bench.meta_tasks.meta_task import MetaTask, TaskInstance
from trainee_bench.meta_tasks.missing_facts import MissingFact
from trainee_bench.meta_tasks.task_context import CompositionError, TaskContext, TaskOutput


@dataclass(frozen=True)
class ComplicatedTruth:
    """The truth of the task itself, and the facts of each complication by its name.

    For each complication, ``believed`` maps texts to what a worker who ignores it takes them for.
    """

    task: Any
    facts: Mapping[str, object]
    believed: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class ComplicatedTask:
    """The task `plain` with `complications`, ordered by stage and name. `complicate` makes it. It
    can be composed and graded like a plain one."""

    plain: MetaTask[Any]
    complications: tuple[Complication, ...]

    @property
    def family_class(self) -> type[MetaTask[Any]]:
        """The family of the plain task."""
        return self.plain.family_class

    @property
    def application_order(self) -> list[Complication]:
        """The complications in the order in which they change the task. One that replaces the
        request goes first, since the others must fit the second request."""
        return sorted(
            self.complications, key=lambda complication: complication.stage is not Stage.REQUEST
        )

    @property
    def rule_id(self) -> str:
        """The rule's own id and the sorted names of its complications."""
        return "+".join(
            [self.plain.rule_id, *sorted(complication.name for complication in self.complications)]
        )

    @property
    def policy_changes_on(self) -> int | None:
        """The same day as for the plain task."""
        return self.plain.policy_changes_on

    def generate(self, context: TaskContext) -> TaskInstance[Any]:
        """Return the family's instance after all complications were applied in turn. Raises
        CompositionError where they do not go together."""
        self._check_together()
        first, context = self._requests(context)
        instance, generate = _draw(self.plain, first)
        reserved = context.reservations.copy()

        def another(number: int) -> tuple[TaskInstance[Any], Generate]:
            context.reservations.reset(reserved)
            own = replace(
                context,
                task=f"{context.task}+",
                key=(*context.key, "another", number),
                open_draws={},
            )
            instance, generate = _draw(self.plain, own)
            return (
                with_task_id(instance, own.task, context.task),
                lambda secrets: with_task_id(generate(secrets), own.task, context.task),
            )

        scene = Scene(
            context=context,
            told=instance.told,
            hidden=instance.hidden,
            graded=instance.graded,
            plain=instance,
            generate=generate,
            another=another,
        )
        applied, changes = dict[str, Complicated](), list[datetime]()
        steps = list[tuple[Complication, Scene, Scene]]()
        ordered = self.application_order
        for place, complication in enumerate(ordered):
            scene = _with_room_for(ordered[place + 1 :], scene)
            try:
                applied[complication.name] = complication.apply(scene)
            except CompositionError as error:
                raise CompositionError(
                    f"{self.rule_id}: {complication.name} cannot be added: {error}"
                ) from None
            if complication.stage.changes_result:
                changes += _moments(scene, applied[complication.name].scene)
            steps.append((complication, scene, applied[complication.name].scene))
            scene = applied[complication.name].scene
        for place, (complication, before, own) in enumerate(steps):
            later = [_exchanged(*scenes) for _, *scenes in steps[place + 1 :]]
            exchanged = [secrets for secrets in later if secrets]
            scene = complication.settle(scene, before, own, exchanged)
        truth = ComplicatedTruth(
            scene.graded.truth,
            {name: made.facts for name, made in applied.items()},
            {name: made.believed for name, made in applied.items()},
        )
        output = self._output(scene.graded.task_output, changes)
        graded = replace(
            scene.graded, truth=truth, task_output=output, missing=self._missing(truth.facts)
        )
        return TaskInstance(scene.told, scene.hidden, graded)

    def _missing(self, facts: Mapping[str, object]) -> MissingFact | None:
        """Return the fact that does not exist, if a complication says so."""
        found = (own.missing(facts[own.name]) for own in self.complications)
        return next((fact for fact in found if fact is not None), None)

    def _check_together(self) -> None:
        """Raise CompositionError if a result may not exist and another complication asks for it, or
        if it may lack two facts: a return names one."""
        doubtful = [own for own in self.complications if own.may_be_impossible]
        if len(doubtful) > 1:
            names = " and ".join(own.name for own in doubtful)
            raise CompositionError(
                f"{self.rule_id}: {names} may each make the task impossible, but a return names "
                "one open point; leave one of them out"
            )
        wanting = [own for own in self.complications if own.needs_result]
        if doubtful and wanting:
            raise CompositionError(
                f"{self.rule_id}: {wanting[0].name} asks for something to be done with the result, "
                f"which with {doubtful[0].name} may not exist; leave one of them out"
            )

    def _output(self, output: TaskOutput | None, changes: Sequence[datetime]) -> TaskOutput | None:
        """Return the result that other tasks can take, and when it *changes*. There is none if the
        request changes: the file's name would reveal what is going to be asked for. Nor is there
        one if the task may be impossible."""
        if output is None or any(
            complication.stage is Stage.REQUEST or complication.may_be_impossible
            for complication in self.complications
        ):
            return None
        return replace(output, settles=max(changes, default=None))

    def _requests(self, context: TaskContext) -> tuple[TaskContext, TaskContext]:
        """Return the contexts of the first and the last request. Each request has its own
        secrets."""
        if not any(complication.stage is Stage.REQUEST for complication in self.complications):
            return context, context
        offsets = context.secret_seed_offsets
        first = {
            name.removeprefix(f"{FIRST}/"): offset
            for name, offset in offsets.items()
            if name.startswith(f"{FIRST}/")
        }
        return replace(context, secret_seed_offsets=first), context

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Return the checkpoints of the family, then those of the complications."""
        plain = self.plain.checkpoints()
        share = OWN_SHARE * sum(mark.weight for mark in plain)
        marks = [
            replace(
                mark,
                check=partial(
                    _check_task, mark, self.complications if _is_outcome(mark) else (), self.plain
                ),
            )
            for mark in plain
        ]
        for complication in self.complications:
            own = complication.checkpoints()
            marks += [
                replace(
                    mark,
                    name=mark_name(complication, mark),
                    weight=0 if mark.forbidden else share * mark.weight / _total(own),
                    check=partial(_check_complication, mark, complication, plain, self.plain),
                )
                for mark in own
            ]
        return tuple(marks)


def _exchanged(before: Scene, after: Scene) -> Mapping[str, int]:
    """Return the secrets that a complication has exchanged."""
    return {name: draw for name, draw in after.secrets.items() if before.secrets.get(name) != draw}


def mark_name(complication: Complication, mark: Checkpoint) -> str:
    """Return the name of a checkpoint of *complication* among those of a task."""
    return f"{complication.name}_{mark.name}"


def _moments(before: Scene, after: Scene) -> list[datetime]:
    """Return the times of the events that *after* has and *before* lacks."""
    new = (planned for planned in after.hidden.events if planned not in before.hidden.events)
    return [planned.due for planned in new if planned.due is not None]


def _with_room_for(complications: Sequence[Complication], scene: Scene) -> Scene:
    """Return *scene* with time reserved for the *complications* that follow, one after the other. A
    change leaves that time before the deadline and, for questions, before colleagues go home."""
    reserved = asking = 0
    for later in reversed(complications):
        reserved = max(reserved, later.leaves) + later.takes
        if asking or later.asks:
            asking = max(asking, later.asks) + later.takes
    return replace(scene, reserved=reserved, asking=asking)


def _draw(task: MetaTask[Any], context: TaskContext) -> tuple[TaskInstance[Any], Generate]:
    """Return the family's instance, and a function that draws it again with other secrets."""
    before = context.reservations.copy()

    def again(secrets: Mapping[str, int]) -> TaskInstance[Any]:
        drawn = {**context.secret_seed_offsets, **secrets}
        own = replace(context, reservations=before.copy(), secret_seed_offsets=drawn)
        return task.generate(own)

    return task.generate(context), again


def complicate(meta_task: MetaTask[Any], complications: Sequence[Complication]) -> ComplicatedTask:
    """Return *meta_task* with these complications. Their order does not matter (see `Stage`)."""
    ordered = sorted(
        complications, key=lambda complication: (complication.stage, complication.name)
    )
    return ComplicatedTask(meta_task, tuple(ordered))


def _check_task(
    mark: Checkpoint,
    complications: Sequence[Complication],
    task: MetaTask[Any],
    owner: object,
    grading: GradingContext[ComplicatedTruth],
) -> Verdict:
    """Return the verdict of the family's check, unless a complication withholds the outcome."""
    verdict = grading.with_truth(grading.truth.task).verdict_of(mark, task)
    for complication in complications if verdict.passed else ():
        why = complication.withholds(grading.with_truth(grading.truth.facts[complication.name]))
        if why:
            return Verdict(False, f"{verdict.seen}; {why}")
    return verdict


def _check_complication(
    mark: Checkpoint,
    complication: Complication,
    plain: Sequence[Checkpoint],
    task: MetaTask[Any],
    owner: object,
    grading: GradingContext[ComplicatedTruth],
) -> Verdict:
    """Return the verdict of the complication's check. It counts only with an outcome of the
    task."""
    verdict = mark.check(complication, grading.with_truth(grading.truth.facts[complication.name]))
    if mark.forbidden or not verdict.passed:
        return verdict
    own = grading.with_truth(grading.truth.task)
    passed = {mark.name for mark in plain if own.verdict_of(mark, task).passed}
    if any(
        mark.name in passed and mark.counts_with in (None, *passed)
        for mark in plain
        if _is_outcome(mark)
    ):
        return verdict
    return Verdict(False, f"{verdict.seen}; it counts only with an outcome of the task")


def _is_outcome(mark: Checkpoint) -> bool:
    return not mark.only_with and not mark.forbidden


def _total(marks: Sequence[Checkpoint]) -> float:
    return sum(mark.weight for mark in marks) or 1
