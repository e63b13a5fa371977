"""Two episodes side by side: their calls aligned, where they differ, and their tasks joined."""

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
    """How two aligned calls relate: the same call, the same tool otherwise called, or one alone."""

    SAME = "same"
    OTHER_ARGUMENTS = "other_arguments"
    OTHER_RESULT = "other_result"
    ONLY_A = "only_a"
    ONLY_B = "only_b"


class AlignedCall(BaseModel):
    """A line of the comparison: the numbers of the two calls, None where one has none."""

    a: int | None
    b: int | None
    kind: AlignmentKind


class AlignedEpisodes(BaseModel):
    """The lines of a comparison; ``first_difference`` is the place of the first line that is not
    the same on both sides, None if all are."""

    lines: tuple[AlignedCall, ...]
    first_difference: int | None


class ComparedTask(BaseModel):
    """A task with the results of both episodes, None where an episode has none."""

    rule: str
    family: str
    a: TaskResult | None
    b: TaskResult | None


class CallDifference(BaseModel):
    """A line that is not the same on both sides, and the apps in which its calls changed
    something."""

    line: int
    a: tuple[str, ...]
    b: tuple[str, ...]


class CallDifferences(BaseModel):
    """The differences in the order in which they are looked at: those that changed something in
    the world come first; ``changing`` counts them."""

    differences: tuple[CallDifference, ...]
    changing: int


def join_tasks(
    a: Iterable[TaskResult], b: Iterable[TaskResult], same_day: bool
) -> tuple[ComparedTask, ...]:
    """The tasks of two episodes: those of the same day joined by their rules, and in a week by the
    days on which they were given. Tasks of different days stand alone, whatever their rules."""
    left, right = _by_place(a), _by_place(b)
    shared = left.keys() & right.keys() if same_day else frozenset[_Place]()
    joined = [_compared(task, right[at] if at in shared else None) for at, task in left.items()]
    alone = (task for at, task in right.items() if at not in shared)
    return (*joined, *(_compared(None, task) for task in alone))


_Place = tuple[str, int | None, int]
"""A task of a day: its rule, the day of the week, and how often that day had the rule before."""


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
    """The differences of *aligned*; *a* and *b* have what each step changed, from state 0 on, as
    far as that is known."""
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
    """Align two logs by tool and arguments, then what lies between by tool alone."""
    lines: list[AlignedCall] = []
    matcher = SequenceMatcher(None, _exact(a), _exact(b), autojunk=False)
    for kind, a1, a2, b1, b2 in matcher.get_opcodes():
        if kind == "equal":
            lines += [_pair(one, other) for one, other in zip(a[a1:a2], b[b1:b2], strict=True)]
        else:
            lines += _by_tool(a[a1:a2], b[b1:b2])
    differing = (n for n, line in enumerate(lines) if line.kind is not AlignmentKind.SAME)
    return AlignedEpisodes(lines=tuple(lines), first_difference=next(differing, None))


def _by_tool(a: Sequence[LogEntry], b: Sequence[LogEntry]) -> list[AlignedCall]:
    lines: list[AlignedCall] = []
    matcher = SequenceMatcher(
        None, [one.tool for one in a], [one.tool for one in b], autojunk=False
    )
    for kind, a1, a2, b1, b2 in matcher.get_opcodes():
        if kind == "equal":
            lines += [_pair(one, other) for one, other in zip(a[a1:a2], b[b1:b2], strict=True)]
        else:
            lines += [AlignedCall(a=one.seq, b=None, kind=AlignmentKind.ONLY_A) for one in a[a1:a2]]
            lines += [AlignedCall(a=None, b=one.seq, kind=AlignmentKind.ONLY_B) for one in b[b1:b2]]
    return lines


def _pair(one: LogEntry, other: LogEntry) -> AlignedCall:
    if one.arguments != other.arguments:
        kind = AlignmentKind.OTHER_ARGUMENTS
    elif (one.ok, one.text) != (other.ok, other.text):
        kind = AlignmentKind.OTHER_RESULT
    else:
        kind = AlignmentKind.SAME
    return AlignedCall(a=one.seq, b=other.seq, kind=kind)


def _exact(log: Sequence[LogEntry]) -> list[str]:
    return [f"{one.tool} {json.dumps(one.arguments, sort_keys=True)}" for one in log]
