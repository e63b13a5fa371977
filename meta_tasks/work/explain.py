"""Explanations of what a worker did: the needs of a day as a graph, and the calls that served them.

TaskRoot T1
└─ Worked T1
   ├─ FileText drive:/kb/articles/onboarding_guide.md, T1
   │  └─ ReadText drive:/kb/articles/onboarding_guide.md   [08:02 files_read (1 min)]
   └─ HandedIn T1
      └─ Submitted T1, …   [09:04 desk_submit (5 min)]
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.meta_tasks.work.engine import Act, Engine
from trainee_bench.meta_tasks.work.ledger import Cell
from trainee_bench.meta_tasks.work.need import Call, Need, Pause, Wanted

_LONGEST = 60
"""The most characters of a field's value that are shown."""
_MOST_CALLS = 3
_SHORT = (str, int, datetime, tuple)
_ABOUT = ("to", "path", "target", "folder", "server", "meeting", "query", "room", "until")
"""The arguments that say what a call is about, the most telling first."""


@dataclass(frozen=True)
class ExplainedNeed:
    """A need of the graph: its kind, its fields in short, the calls that served it, what it waits
    for ("" for nothing), its error, and the needs it was made from. The last parts were used only
    by an earlier run."""

    kind: str
    fields: tuple[str, ...]
    acts: tuple[Act, ...]
    waits_for: str
    error: str
    parts: tuple[ExplainedNeed, ...]
    repeated: bool = False
    """Whether it was shown before, with its parts."""
    past: bool = False
    """Whether it is no longer needed, such as a question that has been answered."""

    @property
    def about(self) -> str:
        """Its fields in one line."""
        return ", ".join(dict.fromkeys(self.fields))

    @property
    def took_effort(self) -> bool:
        """Whether it took calls, waits for something, has failed, or has parts."""
        return bool(self.acts or self.waits_for or self.error or self.parts)


def explain(engine: Engine, tasks: Sequence[Cell], acts: Sequence[Act]) -> Explanation:
    """Return what *engine* has done for *tasks*, the cells of their roots, and what it waits for
    now. *acts* are the calls that were made for them."""
    seen = set[Cell]()
    present = _needed(tasks)
    graphs = tuple(_explained(engine, root, present, seen) for root in tasks)
    served = {id(engine.acts[number]) for cell in seen for number in cell.acts}
    return Explanation(graphs, tuple(act for act in acts if id(act) not in served))


def _needed(tasks: Sequence[Cell]) -> set[Cell]:
    """Return the cells from which those of *tasks* are made."""
    found, ahead = set(tasks), [*tasks]
    for cell in ahead:
        new = {*cell.used, *cell.awaiting} - found
        found |= new
        ahead += new
    return found


def _explained(engine: Engine, cell: Cell, present: set[Cell], seen: set[Cell]) -> ExplainedNeed:
    """Return *cell* with its parts. Cells outside *present* are no longer needed."""
    before = cell in seen
    seen.add(cell)
    used = () if before else tuple(dict.fromkeys((*cell.used, *cell.awaiting)))
    past = () if before else tuple(old for old in cell.earlier if old not in present | seen)
    parts = [_explained(engine, part, present, seen) for part in (*used, *past)]
    return ExplainedNeed(
        type(cell.need).__name__,
        fields_in_short(cell.need),
        tuple(engine.acts[number] for number in cell.acts),
        _waiting(cell),
        failure_in_words(cell.error) if cell.error else "",
        tuple(part for part in parts if part.took_effort or not part.past),
        before,
        cell not in present,
    )


def failure_in_words(error: Exception) -> str:
    """Return why a task is not done. A tool's refusal says so itself; any other error is shown with
    its type and its place in the family or complication."""
    if isinstance(error, (ToolFailed, TimeoutError)):
        return str(error)
    places = [
        f"{Path(frame.filename).parent.name}/{Path(frame.filename).name}, line {frame.lineno}"
        for frame in traceback.extract_tb(error.__traceback__)
        if {"families", "complications"} & set(Path(frame.filename).parts)
    ]
    return f"{type(error).__name__}: {error}" + (f" ({places[-1]})" if places else "")


def fields_in_short(need: Need[Any]) -> tuple[str, ...]:
    """Return the fields of *need* that say what it is about, each in short."""
    found = []
    for field in fields(need):  # type: ignore[arg-type] # needs are dataclasses
        value = getattr(need, field.name)
        if field.compare and not isinstance(value, Need) and not _has_needs(value):
            words = _short(" ".join(_in_words(value).split()))
            if not isinstance(value, int):
                found.append(words)
            elif value != field.default:
                found.append(f"{field.name}={words}")
    return tuple(text for text in found if text not in ("", "()"))


def _named(need: Need[Any]) -> str:
    return f"{type(need).__name__} {', '.join(fields_in_short(need))}"


def _in_words(value: object) -> str:
    """Return a field's value as text. A value with fields is shown by its short fields."""
    if isinstance(value, datetime):
        return f"{value:%H:%M}"
    if isinstance(value, tuple):
        return ", ".join(map(_in_words, value))
    if is_dataclass(value):
        parts = (getattr(value, field.name) for field in fields(value) if field.compare)
        return " ".join(_in_words(part) for part in parts if isinstance(part, _SHORT))
    return str(value)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _has_needs(value: object) -> bool:
    return isinstance(value, tuple) and any(isinstance(item, Need) for item in value)


def _waiting(cell: Cell) -> str:
    """Return what an unsatisfied need waits for."""
    match cell.request:
        case Call(tool):
            return f"a call of {tool}"
        case Pause(until):
            return f"news, until {until:%H:%M}"
        case Wanted():
            open_needs = [used.need for used in cell.awaiting if not used.clean]
            return "; ".join(map(_named, open_needs))
    return ""


@dataclass(frozen=True)
class Explanation:
    """The graph of each task, and the calls for needs that are no longer in the graph, such as a
    question that need not be asked any more once it was answered."""

    tasks: tuple[ExplainedNeed, ...]
    further: tuple[Act, ...]

    @property
    def has_past(self) -> bool:
        """Whether any call served a need that is no longer needed."""
        return bool(self.further) or any(map(_has_past, self.tasks))

    def as_text(self, *, everything: bool = False) -> str:
        """Return the graphs as an indented text, one need per line. Only with *everything* does it
        show needs that took no call and wait for nothing, needs that were shown before, and why
        each call came before others."""
        shown = self.tasks if everything else tuple(map(_with_effort, self.tasks))
        lines = [line for root in shown for line in _lines(root, "", "", everything)]
        if self.further:
            lines += ["", "Calls for needs that have been met since:"]
            lines += [f"  {_told_all([act], everything)}   {_reasons(act)}" for act in self.further]
        return "\n".join(lines)


def _has_past(need: ExplainedNeed) -> bool:
    return need.past or any(map(_has_past, need.parts))


def _with_effort(need: ExplainedNeed) -> ExplainedNeed:
    """Return *need* with only those parts that took calls, wait for something, or have failed, each
    where it comes first."""
    parts = tuple(_with_effort(part) for part in need.parts if not part.repeated)
    return replace(need, parts=tuple(part for part in parts if part.took_effort))


def _told_all(acts: Sequence[Act], everything: bool) -> str:
    """Return all calls that served a need as text; of many calls only their number, the first and
    the last."""
    in_words = partial(call_in_words, priority=everything)
    if len(acts) <= _MOST_CALLS:
        return ", ".join(map(in_words, acts))
    return f"{len(acts)} calls, from {in_words(acts[0])} to {in_words(acts[-1])}"


def call_in_words(act: Act, *, priority: bool = False) -> str:
    """Return a call in short: when it was made, of what, how long it took, and with *priority* why
    it came before others."""
    about = next((str(act.arguments[name]) for name in _ABOUT if act.arguments.get(name)), "")
    minutes = (act.until - act.at) // timedelta(minutes=1)
    came_first = f"; {act.priority}" if priority and act.priority else ""
    words = (f"{act.at:%H:%M}", act.tool, _short(about), f"({minutes} min{came_first})")
    return " ".join(word for word in words if word)


def _reasons(act: Act) -> str:
    return "; ".join(map(_named, act.why))


def _lines(need: ExplainedNeed, lead: str, further: str, everything: bool) -> Iterator[str]:
    if need.repeated:
        yield f"{lead}{need.kind} {need.about}   [see above]"
        return
    notes = [
        "no longer needed" if need.past else "",
        _told_all(need.acts, everything),
        f"waits for {need.waits_for}" if need.waits_for else "",
        f"failed: {need.error}" if need.error else "",
    ]
    told = "; ".join(note for note in notes if note)
    yield f"{lead}{need.kind} {need.about}{f'   [{told}]' if told else ''}".rstrip()
    for place, part in enumerate(need.parts):
        last = place == len(need.parts) - 1
        branch, below = ("└─ ", "   ") if last else ("├─ ", "│  ")
        yield from _lines(part, further + branch, further + below, everything)
