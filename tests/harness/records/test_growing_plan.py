"""The plan of a climb grows as a whole, for one process at a time, and readers notice it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness.builders import plan
from trainee_bench.harness.records.climb import Climb
from trainee_bench.harness.records.plan import PlanError, RunPlan
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.studio.runs import ShownRuns


def climb(*scenarios: str) -> RunPlan:
    return plan(*scenarios).model_copy(update={"climb": Climb(rounds=(1,) * len(scenarios))})


def test_a_grown_plan_is_read_as_it_was_written_and_a_seal_is_kept(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run", climb("one"))
    folder.grow(folder.plan(), climb("one", "two"))
    assert folder.plan() == climb("one", "two").sealed()
    assert sorted(file.name for file in folder.path.iterdir()) == ["run.json"]


def test_a_plan_that_another_process_has_let_grow_is_not_replaced(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run", climb("one"))
    before = folder.plan()
    folder.grow(before, climb("one", "two"))
    with pytest.raises(PlanError, match="Another process has continued"):
        folder.grow(before, climb("one", "three"))
    assert folder.plan() == climb("one", "two").sealed()


def test_a_locked_run_does_not_grow(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run", climb("one"))
    with folder.locked(), pytest.raises(PlanError, match="Another process works"):
        RunFolder.open(folder.path).grow(folder.plan(), climb("one", "two"))


def test_a_lock_on_a_plan_that_was_replaced_is_no_lock_on_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = RunFolder.create(tmp_path / "run", climb("one"))
    late = RunFolder.open(folder.path)
    replaced = []

    def slow_lock(file: object) -> bool:
        if not replaced:  # the other process is quicker
            replaced.append(True)
            folder.grow(folder.plan(), climb("one", "two"))
        return True

    monkeypatch.setattr("trainee_bench.harness.records.run_folder.lock", slow_lock)
    with pytest.raises(PlanError, match="Another process works"), late.locked():
        pass


def test_the_studio_shows_the_rounds_that_were_added_since_it_opened_a_climb(
    tmp_path: Path,
) -> None:
    folder = RunFolder.create(tmp_path / "run", climb("one"))
    runs = ShownRuns([folder.path])
    assert [episode.name for episode in runs.run(0).episodes()] == ["one.day_1.nothing.1"]
    folder.grow(folder.plan(), climb("one", "two"))
    runs.refresh()
    names = [episode.name for episode in runs.run(0).episodes()]
    assert names == ["one.day_1.nothing.1", "two.day_1.nothing.1"]


def test_a_plan_without_a_climb_is_written_as_before(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run", plan("one"))
    assert "climb" not in (folder.path / "run.json").read_text(encoding="utf-8")
