"""Two episodes side by side: aligned calls, their differences, and joined tasks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from enum import StrEnum

from pydantic import BaseModel

from trainee_bench.harness.records.results import TaskResult
from trainee_bench.harness.studio.states import NO_CHANGES, AppChanges
from trainee_bench.world.action_log import LogEntry


class AlignmentKind(StrEnum):
    """The relation of two aligned calls: the same, the same tool with a difference, or
    unmatched."""

    SAME = "same"
    OTHER_ARGUMENTS = "other_arguments"
    OTHER_RESULT = "other_result"
    ONLY_A = "only_a"
    ONLY_B = "only_b"


class AlignedCall(BaseModel):
    """A line of the comparison: the numbers of the two calls, None for a missing call."""

    a: int | None
    b: int | None
    kind: AlignmentKind


class AlignedEpisodes(BaseModel):
    """The lines of a comparison; ``first_difference`` is the index of the first line that differs,
    None if all are the same."""

    lines: tuple[AlignedCall, ...]
    first_difference: int | None


class ComparedTask(BaseModel):
    """A task with its result in both episodes, None where an episode does not have it."""

    rule: str
    family: str
    a: TaskResult | None
    b: TaskResult | None


class CallDifference(BaseModel):
    """A line that differs, and the apps that its calls changed."""

    line: int
    a: tuple[str, ...]
    b: tuple[str, ...]


class CallDifferences(BaseModel):
    """The differences in reading order: those that changed the world come first, and ``changing``
    counts them."""

    differences: tuple[CallDifference, ...]
    changing: int


def join_tasks(
    a: Iterable[TaskResult], b: Iterable[TaskResult], same_day: bool
) -> tuple[ComparedTask, ...]:
    """Join the tasks of two episodes of the same day by their rules, and in a week also by the day
    they were given. Tasks of different days stay separate, even with the same rule."""
    left, right = _by_place(a), _by_place(b)
    shared = left.keys() & right.keys() if same_day else frozenset[_Place]()
    joined = [_compared(task, right[at] if at in shared else None) for at, task in left.items()]
    unmatched = (task for at, task in right.items() if at not in shared)
    return (*joined, *(_compared(None, task) for task in unmatched))


_Place = tuple[str, int | None, int]
"""The key of a task: its rule, its day of the week, and how many tasks with this rule the day had
before."""


def _by_place(tasks: Iterable[TaskResult]) -> Mapping[_Place, TaskResult]:
    seen = Counter[tuple[str, int | None]]()
    found: dict[_Place, TaskResult] = {}
    for task in tasks:
        given = (task.rule, task.published_day)
        found[(*given, seen[given])] = task
        seen[given] += 1
    return found


def _compared(a: TaskResult | None, b: TaskResult | None) -> ComparedTask:
    named = a or b
    assert named is not None
    return ComparedTask(rule=named.rule, family=named.family, a=a, b=b)


def order_differences(
    aligned: AlignedEpisodes, a: Sequence[AppChanges], b: Sequence[AppChanges]
) -> CallDifferences:
    """Return the differences of *aligned*. *a* and *b* hold the changes of each step, from state 0
    on, as far as they are known."""
    found = [
        CallDifference(line=n, a=_apps(a, line.a), b=_apps(b, line.b))
        for n, line in enumerate(aligned.lines)
        if line.kind is not AlignmentKind.SAME
    ]
    changing = [difference for difference in found if difference.a or difference.b]
    others = [difference for difference in found if not (difference.a or difference.b)]
    return CallDifferences(differences=(*changing, *others), changing=len(changing))


def _apps(changes: Sequence[AppChanges], step: int | None) -> tuple[str, ...]:
    known = step is not None and step < len(changes)
    return tuple(changes[step] if known and step is not None else NO_CHANGES)


def align_logs(a: Sequence[LogEntry], b: Sequence[LogEntry]) -> AlignedEpisodes:
    """Align two logs by tool and arguments, then the remaining gaps by tool only."""
    lines: list[AlignedCall] = []
    matcher = SequenceMatcher(None, _exact(a), _exact(b), autojunk=False)
    for kind, a1, a2, b1, b2 in matcher.get_opcodes():
        if kind == "equal":
            lines += [_pair(left, right) for left, right in zip(a[a1:a2], b[b1:b2], strict=True)]
        else:
            lines += _by_tool(a[a1:a2], b[b1:b2])
    differing = (n for n, line in enumerate(lines) if line.kind is not AlignmentKind.SAME)
    return AlignedEpisodes(lines=tuple(lines), first_difference=next(differing, None))


def _by_tool(a: Sequence[LogEntry], b: Sequence[LogEntry]) -> list[AlignedCall]:
    lines: list[AlignedCall] = []
    matcher = SequenceMatcher(
        None, [entry.tool for entry in a], [entry.tool for entry in b], autojunk=False
    )
    for kind, a1, a2, b1, b2 in matcher.get_opcodes():
        if kind == "equal":
            lines += [_pair(left, right) for left, right in zip(a[a1:a2], b[b1:b2], strict=True)]
        else:
            lines += [
                AlignedCall(a=left.seq, b=None, kind=AlignmentKind.ONLY_A) for left in a[a1:a2]
            ]
            lines += [
                AlignedCall(a=None, b=right.seq, kind=AlignmentKind.ONLY_B) for right in b[b1:b2]
            ]
    return lines


def _pair(a: LogEntry, b: LogEntry) -> AlignedCall:
    if a.arguments != b.arguments:
        kind = AlignmentKind.OTHER_ARGUMENTS
    elif (a.ok, a.text) != (b.ok, b.text):
        kind = AlignmentKind.OTHER_RESULT
    else:
        kind = AlignmentKind.SAME
    return AlignedCall(a=a.seq, b=b.seq, kind=kind)


def _exact(log: Sequence[LogEntry]) -> list[str]:
    return [f"{entry.tool} {json.dumps(entry.arguments, sort_keys=True)}" for entry in log]
