"""``python -m harness.catalog``: every rule with its id, domain, label and parameters.

As JSON also what a rule asks of an agent, measured on a few instances of it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import anyio
import typer
from pydantic import BaseModel, JsonValue

from harness.configuration import load
from harness.in_process import single_task, stage_day
from harness.plan import PlanError
from harness.timetable import rows, timetable
from meta_tasks.catalog import UnknownRule, rules
from meta_tasks.meta_task import Rule, Scene
from meta_tasks.stage import CompositionError

SEEDS = range(3)
"""Instances on which the fewest calls of an oracle are counted."""


class Effort(BaseModel, frozen=True):
    """What a rule asks for: how many clues there are, how many steps from one colleague or
    meeting to the next the longest way has, and the fewest calls an oracle needed."""

    clues: int
    hops: int
    fewest_calls: int


class CatalogEntry(BaseModel, frozen=True):
    """One rule: ``parameters`` are its knobs as set, ``open`` what a seed draws."""

    id: str
    family: str
    domain: str
    label: str
    parameters: dict[str, JsonValue]
    open: tuple[str, ...]
    checkpoints: tuple[str, ...]
    guess_rate: float


def entries() -> list[CatalogEntry]:
    """All rules, family by family."""
    return [_entry(rule) for rule in rules().values()]


def _entry(rule: Rule) -> CatalogEntry:
    knobs: dict[str, JsonValue] = rule.meta_task.model_dump(mode="json")
    return CatalogEntry(
        id=rule.id,
        family=rule.meta_task.family,
        domain=rule.meta_task.domain,
        label=rule.label,
        parameters={name: value for name, value in knobs.items() if value is not None},
        open=tuple(name for name, value in knobs.items() if value is None),
        checkpoints=tuple(mark.sentence for mark in rule.meta_task.checkpoints()),
        guess_rate=rule.guess_rate,
    )


async def efforts() -> dict[str, Effort]:
    """What each rule asks for, by its id."""
    return {id: await _effort(id) for id in rules()}


async def _effort(rule: str) -> Effort:
    scene = single_task(rule, SEEDS[0]).tasks[0].scene
    calls = []
    for seed in SEEDS:
        day = await stage_day(single_task(rule, seed))
        async with day.world:
            failures = await day.run_oracles()
            if failures:
                raise next(iter(failures.values()))
            calls.append(len(await day.world.log()))
    return Effort(clues=len(scene.clues), hops=hops(scene), fewest_calls=min(calls))


def hops(scene: Scene[Any]) -> int:
    """How many clues and expectations the longest way through *scene* has, one after another."""
    after = {clue.id: clue.after for clue in scene.clues}
    after |= {expectation.id: expectation.after for expectation in scene.expectations}
    return max((_way(id, after) for id in after), default=0)


def _way(id: str, after: Mapping[str, tuple[str, ...]]) -> int:
    return 1 + max((_way(before, after) for before in after[id]), default=0)


def command(
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help="As JSON, with checkpoints, clues, hops and the oracle's calls."
        ),
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option(help="Of this benchmark (a file or a shipped name), how tight its days are."),
    ] = None,
) -> None:
    """List every rule with its id, domain, label and parameters; or a benchmark's days."""
    if config is not None:
        _list_days(config, as_json)
        return
    listed = entries()
    if as_json:
        asks = anyio.run(efforts)
        whole = [entry.model_dump() | asks[entry.id].model_dump() for entry in listed]
        typer.echo(json.dumps(whole, indent=1))
        return
    for entry in listed:
        knobs = ", ".join(f"{name}={value}" for name, value in entry.parameters.items())
        drawn = f"  (drawn: {', '.join(entry.open)})" if entry.open else ""
        typer.echo(f"{entry.id:40} {entry.label:5} {entry.domain:24} {knobs}{drawn}")
    typer.echo(f"{len(listed)} rules in {len({entry.family for entry in listed})} families")


def _list_days(config: Path, as_json: bool) -> None:
    try:
        times = timetable(load(config, None).scenarios, os.cpu_count() or 1)
    except (PlanError, UnknownRule, CompositionError) as error:
        typer.echo(f"trainee-bench catalog: {error}", err=True)
        raise typer.Exit(2) from None
    if as_json:
        typer.echo(json.dumps([one.model_dump(mode="json") for one in times], indent=1))
        return
    for line in rows(times):
        typer.echo(line)


if __name__ == "__main__":
    typer.run(command)
