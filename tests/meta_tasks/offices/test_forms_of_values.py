"""A table says how dates and numbers are written, and takes a date in any usual spelling."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from trainee_bench.harness.scaffolding.office_folder import write_office
from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day, stage_day
from trainee_bench.meta_tasks.offices.opened import VARIABLE, open_office

TASK = """
title: Due dates
from: Ines Albrecht
ask: Please list by {warranty} until when repairs R-1 and R-2 are due.
files: {warranty: drive:/handbook/warranty.md}
hand_in:
  table:
    path: workspace:/due.csv
    columns:
      id: as on the page
      due: {says: the last day, kind: date}
      hour: {says: the last hour, kind: clock}
      cost: {says: the cost, kind: number}
rows:
  - {id: R-1, due: 2026-03-11, hour: "16:30", cost: 12.5}
  - {id: R-2, due: 2026-04-02, hour: "09:00", cost: 7}
"""


@pytest.fixture
async def day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[StagedDay]:
    monkeypatch.setenv(VARIABLE, os.environ.get(VARIABLE, ""))
    write_office(tmp_path / "due_office")
    (tmp_path / "due_office" / "tasks" / "due").mkdir()
    (tmp_path / "due_office" / "tasks" / "due" / "task.yaml").write_text(TASK, encoding="utf-8")
    open_office(tmp_path / "due_office")
    staged = await stage_day(single_task_day("due_office.due", 0))
    async with staged.world:
        yield staged


def test_the_request_says_how_values_of_a_declared_kind_are_written(day: StagedDay) -> None:
    objective = day.composition.tasks[0].instance.told.objective
    assert "- `id` (as on the page)" in objective
    assert "- `due` (the last day, as YYYY-MM-DD)" in objective
    assert "- `hour` (the last hour, as HH:MM)" in objective
    assert "- `cost` (the cost, a number without a unit)" in objective


@pytest.mark.parametrize(
    ("written", "success"),
    [("2026-03-11", True), ("11.03.2026", True), ("11 March 2026", True), ("12.03.2026", False)],
)
async def test_a_date_counts_in_any_usual_spelling(
    day: StagedDay, written: str, success: bool
) -> None:
    text = f"id,due,hour,cost\nR-1,{written},16:30,12.50\nR-2,2026-04-02,09:00,7\n"
    await day.call("files_write", {"path": "workspace:/due.csv", "text": text})
    await day.call("desk_submit", {"task": "T1"})
    (grade,) = await day.grades()
    assert grade.success is success
