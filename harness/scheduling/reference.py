"""The oracle's days, worked in this process, as the reference for an agent's schedule.

On a day with more work than hours, the oracle works the best plan.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from trainee_bench.harness.agents.builtin.oracle import OracleFailed
from trainee_bench.harness.agents.runtime.in_process_episode import run_agent_on_day
from trainee_bench.harness.records.frozen_model import FrozenModel
from trainee_bench.harness.records.schedule_figures import ScheduleFigures
from trainee_bench.harness.scheduling.measure import MeasuredDay, add_values, measure_days
from trainee_bench.harness.testbench.staged_day import cache_latest, stage_day
from trainee_bench.mcp_servers.serving.server import package_version
from trainee_bench.mcp_servers.verifier import grade_world
from trainee_bench.meta_tasks.composed_day import ComposedDay
from trainee_bench.meta_tasks.scenario import GENERATOR_VERSION, SCORE_VERSION

_REFERENCES: dict[str, tuple[ReferenceDay, ...]] = {}


@dataclass(frozen=True)
class ReferenceDay:
    """A day of the oracle: what its picture shows, and its figures with their value."""

    day: MeasuredDay
    figures: ScheduleFigures


async def reference_days(composition: ComposedDay) -> tuple[ReferenceDay, ...]:
    """Return the oracle's day, or each day of its week.

    The latest days are cached, because several agents share a day.
    """
    return await agent_days("oracle", composition)


async def agent_days(agent: str, composition: ComposedDay) -> tuple[ReferenceDay, ...]:
    """Let a built-in *agent* work the day or week in this process; return its measured, graded
    days."""
    key = f"{agent} {composition.scenario_day.model_dump_json()}"
    if key not in _REFERENCES:
        staged = await stage_day(composition)
        async with staged.world:
            await run_agent_on_day(agent, staged, OracleFailed)
            measured = await measure_days(staged.world, composition)
            graded = (await grade_world(staged.world)).tasks
        figures = add_values(composition, measured, graded)
        worked = tuple(ReferenceDay(*pair) for pair in zip(measured, figures, strict=True))
        cache_latest(_REFERENCES, key, worked)
    return _REFERENCES[key]


_DAYS = TypeAdapter(tuple[ReferenceDay, ...])


class StoredReference(FrozenModel):
    """A file of the store.

    ``scenario_day`` is the hash of the day that was worked. ``content`` is the hash of ``days``,
    which are JSON.
    """

    scenario_day: str
    version: str
    content: str
    days: str


class ReferenceStore:
    """The oracle's days in the files of *folder*, which is created with the first file."""

    def __init__(self, folder: Path):
        self._folder = folder

    async def days(self, composition: ComposedDay) -> tuple[ReferenceDay, ...]:
        """Return the oracle's day of *composition*, or each day of its week.

        The days are read if this version has worked them before; otherwise they are worked and
        written. Raises OSError if a file cannot be written.
        """
        stored = self._read(composition)
        if stored is not None:
            return stored
        worked = await reference_days(composition)
        self._write(composition, worked)
        return worked

    def _path(self, composition: ComposedDay) -> Path:
        scenario = composition.scenario_day.scenario
        name = f"{scenario.name}.{'week' if scenario.week else composition.spec.name}"
        return self._folder / f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', name).lstrip('.')}.json"

    def _read(self, composition: ComposedDay) -> tuple[ReferenceDay, ...] | None:
        """Read the stored days; None if they are missing, damaged, or of another version."""
        try:
            found = StoredReference.model_validate_json(self._path(composition).read_bytes())
            if found != _record(composition, found.days):
                return None
            days = _DAYS.validate_json(found.days)
        except (OSError, ValidationError):
            return None
        return days if len(days) == len(composition.days) else None

    def _write(self, composition: ComposedDay, days: tuple[ReferenceDay, ...]) -> None:
        self._folder.mkdir(exist_ok=True)
        path = self._path(composition)
        record = _record(composition, _DAYS.dump_json(days).decode())
        draft = path.with_suffix(".draft")
        draft.write_text(record.model_dump_json(), encoding="utf-8")
        draft.replace(path)


def _record(composition: ComposedDay, days: str) -> StoredReference:
    """Return the file of this version with these *days*."""
    return StoredReference(
        scenario_day=_digest(composition.scenario_day.model_dump_json()),
        version=f"{package_version()} generator {GENERATOR_VERSION} score {SCORE_VERSION}",
        content=_digest(days),
        days=days,
    )


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
