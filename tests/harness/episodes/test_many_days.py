"""An episode over several calendar weeks: run, reported, repeated, verified, copied and worked by
hand."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.harness.runs import call, day, invoke, read, week_file
from tests.harness.test_verify import edit_line
from trainee_bench.harness.analysis.statistics.week_parts import day_parts, policy_days

LINKS, CLAIMS = "kb_fix.easy", "week.claims"
DAYS = [day(), day(), day(), day(), day(LINKS), day(CLAIMS), *[day() for _ in range(4)]]
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
_DATES = (6, 7, 8, 9, 10, 13, 14, 15, 16, 17)
NAMES = [f"{weekday}, {date} October" for weekday, date in zip(_WEEKDAYS * 2, _DATES, strict=True)]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of ten days by the oracle."""
    folder = tmp_path_factory.mktemp("many")
    invoke("--config", week_file(folder, *DAYS), "--agent", "oracle", "--out", folder / "out")
    return folder / "out"


@pytest.fixture
def run(ran: Path, tmp_path: Path) -> Path:
    """A copy of that folder."""
    return Path(shutil.copytree(ran, tmp_path / "run"))


def test_each_day_has_its_own_name_and_figures(ran: Path) -> None:
    (worked,) = read(ran)
    assert (worked.score, worked.success) == (1.0, True)
    assert [one.name for one in worked.days] == NAMES
    assert [one.due for one in worked.days] == [0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    tables = (ran / "report.md").read_text(encoding="utf-8")
    assert "Working days" in tables and NAMES[9] in tables
    assert f"{NAMES[4]} · 1 task due, score 1.00" in (ran / "report.html").read_text("utf-8")


def test_a_duty_s_parts_lie_on_the_days_of_its_calendar_week(ran: Path) -> None:
    (worked,) = read(ran)
    assert {part.day for part in day_parts(worked) if part.whole_week} == {5, 6, 7, 8, 9}
    assert {part.offset for part in policy_days(worked)} == {-2, -1, 0, 1, 2}


def test_it_is_repeated_and_verified_and_a_changed_day_is_found(run: Path) -> None:
    call("replay", run)
    call("verify", run)
    (worked,) = read(run)
    days = [*worked.days]
    days[5] = days[5].model_copy(update={"name": "Monday"})
    edit_line(run, worked.episode, lambda line: {"days": tuple(days)})
    told = call("verify", run, exits=1).output
    assert "the line has a day Monday, its week Monday, 13 October" in " ".join(told.split())


def test_by_hand_the_weekend_passes_and_a_copy_says_its_day(tmp_path: Path) -> None:
    file, world = week_file(tmp_path, day(LINKS), *[day() for _ in range(6)]), tmp_path / "my.world"
    call("stage", file, "one", world)
    for _ in range(5):
        passed = call("work", world, "next-day").output
    assert "Monday, 13 October" in passed or "2025-10-13" in passed
    prompt = call("work", world, "prompt").output
    assert "It is Monday, 2025-10-13 08:00" in prompt
    copied = call("snapshot", world, tmp_path / "copy.world").output
    assert "the world on Monday, 13 October at 08:00" in " ".join(copied.split())
    found = call("work", world, "call", given=json.dumps({"tool": "desk_now"})).output
    assert "2025-10-13" in found
