"""Checkpoints that many families have: having been told, and those of some parameters only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from trainee_bench.meta_tasks.checkpoints import (
    Checkpoint,
    GradingContext,
    Verdict,
    declared_checkpoints,
)
from trainee_bench.meta_tasks.meta_task import MetaTask

AS_DECLARED: Mapping[str, float] = {}


def was_told(
    grading: GradingContext[Any],
    clue: str,
    yes: str = "you were told at {at:%H:%M}",
    no: str = "nobody has told you",
) -> Verdict:
    """Whether the clue of this name was told, whatever the employee wrote themself; *yes* may
    say when, as ``{at}``."""
    at = grading.clue_released_at(clue)
    return Verdict(at is not None, no if at is None else yes.format(at=at))


def were_told(grading: GradingContext[Any], clues: Sequence[str], who: str) -> Verdict:
    """Whether every clue of these names was told: "2 of 3 managers have told you", where *who*
    is "managers have told you"."""
    count = sum(grading.clue_released_at(clue) is not None for clue in clues)
    return Verdict(count == len(clues), f"{count} of {len(clues)} {who}")


def choose_checkpoints(
    family: type[MetaTask[Any]],
    outcomes: Sequence[str],
    only_with: Mapping[str, str],
    weights: Mapping[str, float] = AS_DECLARED,
    needs: str | None = None,
) -> tuple[Checkpoint, ...]:
    """Those declared by *family* that are called *outcomes*, then the process points that are
    the keys of *only_with*, each with the outcome it counts with.

    *weights* are in place of the declared ones. The outcomes count only with the process point
    *needs*, if one is named. Raises KeyError for a name that is not declared.
    """
    declared = {mark.name: mark for mark in declared_checkpoints(family)}
    declared |= {name: replace(declared[name], weight=given) for name, given in weights.items()}
    process = [replace(declared[name], only_with=with_) for name, with_ in only_with.items()]
    wanted = (replace(declared[name], needs=needs or declared[name].needs) for name in outcomes)
    return (*wanted, *process)
