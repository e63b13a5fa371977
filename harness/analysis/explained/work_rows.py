"""The rows of a picture of honest work: the needs of each task as a tree, in plain words.

A need that several others share appears once, where it was met first. So each call of the day has
one place, unless it served several needs at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from trainee_bench.harness.testbench.explained_day import ExplainedDay
from trainee_bench.meta_tasks.work.engine import Act
from trainee_bench.meta_tasks.work.explain import ExplainedNeed, fields_in_short
from trainee_bench.meta_tasks.work.standing import STANDING

_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")
_PARAMETER = re.compile(r"\w+=\w+")
_PLAINER = {
    "All": "All of these",
    "FileHas": "File written",
    "Once": "Done once",
    "Says": "What is said",
    "TableHas": "Table written",
    "Told": "Told by",
}
"""Plainer names for kinds of needs that do not read well."""
_STANDING = ("Standing work", "for tasks of later days")
"""The name and the title of work that belongs to no task of its day."""


@dataclass(frozen=True)
class WorkRow:
    """A row for a need or a task.

    ``depth`` is the depth in its task's tree, ``acts`` has the calls that served it, and
    ``minutes`` what it took, for a task with everything that was done for it. ``waits_for`` and
    ``error`` say what it waits for or why it failed, "" for neither. ``ended`` needs are not needed
    any more. With ``waits_below``, a row further down says what is waited for.
    """

    depth: int
    name: str
    about: str
    acts: Sequence[Act]
    minutes: int
    waits_for: str = ""
    error: str = ""
    ended: bool = False
    waits_below: bool = False


def work_rows(day: ExplainedDay) -> Iterator[list[WorkRow]]:
    """Yield the rows of each task and of standing work; the first is the task itself."""
    placed = set[int]()
    for root in day.explanation.tasks:
        (task,) = root.fields
        further = [act for act in day.acts[task] if id(act) not in placed]
        yield [*_task_rows(day, task, root), *_ended_rows(day, task, further)]
        placed.update(map(id, further))


def _task_rows(day: ExplainedDay, task: str, root: ExplainedNeed) -> Iterator[WorkRow]:
    """Yield the task and the tree of its needs.

    The need for its work is left out, because it says no more than the task does.
    """
    shown = _once(root) or replace(root, parts=())
    while len(shown.parts) == 1 and shown.parts[0].kind == "Worked" and not shown.acts:
        inner = shown.parts[0]
        shown = replace(inner, error=inner.error or shown.error)
    error = day.failures.get(task, shown.error)
    took = _minutes(day.acts[task])
    waits = _waits_in_words(shown.waits_for, task)
    below = any(map(_waits, shown.parts))
    name, title = (task, day.titles[task]) if task != STANDING else _STANDING
    yield WorkRow(0, name, title, shown.acts, took, waits, error, waits_below=below)
    for part in shown.parts:
        yield from _rows(part, task, 1)


def _rows(need: ExplainedNeed, task: str, depth: int) -> Iterator[WorkRow]:
    about = _about(need.fields, task)
    below = any(map(_waits, need.parts))
    waits = _waits_in_words(need.waits_for, task)
    yield WorkRow(
        depth, in_words(need.kind), about, need.acts, _minutes(need.acts), waits, need.error,
        ended=need.past, waits_below=below,
    )  # fmt: skip
    for part in need.parts:
        yield from _rows(part, task, depth + 1)


def _ended_rows(day: ExplainedDay, task: str, acts: Sequence[Act]) -> Iterator[WorkRow]:
    """Yield rows for needs that are no longer in the graph, such as an answered question."""
    gone = {id(act) for act in day.explanation.further}
    by_need = dict[object, list[Act]]()
    for act in acts:
        if id(act) in gone:
            by_need.setdefault(act.why[0], []).append(act)
    for served in by_need.values():
        need = served[0].why[0]
        about = _about(fields_in_short(need), task)
        kind = in_words(type(need).__name__)
        yield WorkRow(1, kind, about, served, _minutes(served), ended=True)


def _once(need: ExplainedNeed) -> ExplainedNeed | None:
    """Return *need* without repeated needs and those that took no effort; None if nothing is
    left."""
    if need.repeated:
        return None
    parts = [part for part in map(_once, need.parts) if part is not None]
    kept = replace(need, parts=tuple(parts))
    return kept if kept.took_effort else None


def _waits(need: ExplainedNeed) -> bool:
    return bool(need.waits_for) or any(map(_waits, need.parts))


def in_words(kind: str) -> str:
    """Return the name of a kind of need in words: "File text"."""
    return _PLAINER.get(kind) or _WORD.sub(" ", kind.strip("_")).lower().capitalize()


def _about(fields: Sequence[str], task: str) -> str:
    """Return what a need of *task* is about, each part once.

    The task's own id is left out, because the row's place shows it. So are parameters, which only
    distinguish needs.
    """
    others = (field for field in dict.fromkeys(fields) if field != task)
    return " · ".join(field for field in others if not _PARAMETER.fullmatch(field))


def _waits_in_words(waits_for: str, task: str) -> str:
    """Return what is waited for, with the kinds of needs in words."""
    told = []
    for part in filter(None, waits_for.split("; ")):
        kind, _, about = part.partition(" ")
        known = kind in ("a", "news,")
        told.append(
            part if known else f"{in_words(kind)} {_about(about.split(', '), task)}".strip()
        )
    return "; ".join(told)


def _minutes(acts: Sequence[Act]) -> int:
    return sum((act.until - act.at) // timedelta(minutes=1) for act in acts)
