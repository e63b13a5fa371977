"""Why a worker did what it did: the needs of a day as a graph, and the calls that served them.

TaskRoot T1
├─ Beside T1
└─ Worked T1
   ├─ FileText drive:/kb/articles/onboarding_guide.md, T1
   │  └─ ReadText drive:/kb/articles/onboarding_guide.md   [08:02 files_read]
   └─ HandedIn T1
      └─ Submitted T1, …   [09:04 desk_submit]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

from trainee_bench.meta_tasks.work.engine import Act, Engine
from trainee_bench.meta_tasks.work.ledger import Cell
from trainee_bench.meta_tasks.work.need import Call, Need, Pause, Wanted

_LONGEST = 60
"""A field's value is shown with so many characters at most."""


@dataclass(frozen=True)
class ExplainedNeed:
    """A need of the graph: its kind, its fields in short, the calls that served it, what it waits
    for ("" for nothing), its error, and what it was made from."""

    kind: str
    about: str
    acts: tuple[Act, ...]
    waits_for: str
    error: str
    parts: tuple[ExplainedNeed, ...]
    shown_before: bool = False
    """Whether its parts stand where it was shown first."""


def explain(engine: Engine) -> tuple[ExplainedNeed, ...]:
    """The graph of each task of *engine*, as it is now."""
    seen = set[Cell]()
    return tuple(_explained(engine, root, seen) for root in engine.roots)


def _explained(engine: Engine, cell: Cell, seen: set[Cell]) -> ExplainedNeed:
    before = cell in seen
    seen.add(cell)
    used = () if before else tuple(dict.fromkeys((*cell.used, *cell.awaiting)))
    return ExplainedNeed(
        type(cell.need).__name__,
        _about(cell.need),
        tuple(engine.acts[number] for number in cell.acts),
        _waiting(cell),
        str(cell.error or ""),
        tuple(_explained(engine, part, seen) for part in used),
        before and any(True for _ in cell.used),
    )


def _about(need: Need[Any]) -> str:
    found = []
    for field in fields(need):  # type: ignore[arg-type] # needs are dataclasses
        value = getattr(need, field.name)
        if field.compare and not isinstance(value, Need) and not _has_needs(value):
            text = " ".join(str(value).split())
            found.append(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
    return ", ".join(text for text in found if text not in ("", "()"))


def _has_needs(value: object) -> bool:
    return isinstance(value, tuple) and any(isinstance(one, Need) for one in value)


def _waiting(cell: Cell) -> str:
    """What a need that is not satisfied waits for."""
    match cell.request:
        case Call(tool):
            return f"a call of {tool}"
        case Pause(until):
            return f"news, until {until:%H:%M}"
        case Wanted():
            open_needs = [used.need for used in cell.awaiting if not used.clean]
            return "; ".join(f"{type(need).__name__} {_about(need)}" for need in open_needs)
    return ""


def as_text(graph: Sequence[ExplainedNeed]) -> str:
    """*graph* as an indented text, one need a line."""
    return "\n".join(line for root in graph for line in _lines(root, "", ""))


def _lines(need: ExplainedNeed, lead: str, further: str) -> Iterator[str]:
    calls = ", ".join(f"{act.at:%H:%M} {act.tool}" for act in need.acts)
    notes = [
        calls,
        f"waits for {need.waits_for}" if need.waits_for else "",
        f"failed: {need.error}" if need.error else "",
        "see above" if need.shown_before else "",
    ]
    told = "; ".join(note for note in notes if note)
    yield f"{lead}{need.kind} {need.about}{f'   [{told}]' if told else ''}".rstrip()
    for place, part in enumerate(need.parts):
        last = place == len(need.parts) - 1
        branch, below = ("└─ ", "   ") if last else ("├─ ", "│  ")
        yield from _lines(part, further + branch, further + below)
