"""Results of pure functions are kept in memory and, if asked, in a folder for other processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from trainee_bench.harness.environment.day import Day
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.kept_days import composed
from trainee_bench.world.kept_results import (
    DAYS_VARIABLE,
    FOLDER_VARIABLE,
    InvalidCacheSetting,
    days_kept,
    folder_used,
    keep_results,
    kept_on_disk,
    kept_per_day,
)


@pytest.fixture(autouse=True)
def _default_setting() -> Iterator[None]:
    yield
    keep_results()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A new folder in which results are kept."""
    keep_results(folder=tmp_path / "kept")
    return tmp_path / "kept"


class Counted:
    """A function that counts how often it is called."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> str:
        self.calls += 1
        return "made"


def made_anew(make: Counted) -> bool:
    """Ask once more, and return whether the result was made for that."""
    before = make.calls
    assert kept_on_disk("kind", "key", make) == "made"
    return make.calls > before


def test_a_result_is_made_once_and_then_read_from_the_folder(folder: Path) -> None:
    make = Counted()
    assert made_anew(make)
    assert not made_anew(make)
    assert len(list(folder.iterdir())) == 1


def test_another_key_and_another_kind_are_other_results(folder: Path) -> None:
    found = [
        kept_on_disk(kind, key, lambda kind=kind, key=key: f"{kind} {key}")  # type: ignore[misc]
        for kind in "ab"
        for key in "cd"
    ]
    assert found == ["a c", "a d", "b c", "b d"]
    assert len(list(folder.iterdir())) == 4


@pytest.mark.parametrize("damage", ["", "shorter", "changed", "empty pickle"])
def test_a_damaged_file_is_ignored_and_made_again(folder: Path, damage: str) -> None:
    make = Counted()
    made_anew(make)
    (file,) = folder.iterdir()
    content = file.read_bytes()
    changed = {
        "shorter": content[:-1],
        "changed": content[:-1] + bytes([content[-1] ^ 1]),
        "empty pickle": content[:32],
    }
    file.write_bytes(changed.get(damage, b""))
    assert made_anew(make)
    assert file.read_bytes() == content
    assert not made_anew(make)


def test_a_file_that_others_may_write_is_not_read(folder: Path) -> None:
    make = Counted()
    made_anew(make)
    (file,) = folder.iterdir()
    file.chmod(0o666)
    assert made_anew(make)


def test_a_link_is_not_followed(folder: Path, tmp_path: Path) -> None:
    make = Counted()
    made_anew(make)
    (file,) = folder.iterdir()
    elsewhere = file.rename(tmp_path / "elsewhere")
    file.symlink_to(elsewhere)
    assert made_anew(make)


def test_a_folder_that_others_may_write_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    with pytest.raises(InvalidCacheSetting, match="chmod go-w"):
        keep_results(folder=tmp_path)


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InvalidCacheSetting, match="name another folder"):
        keep_results(folder=tmp_path / "file")


def test_fewer_than_one_day_are_refused() -> None:
    with pytest.raises(InvalidCacheSetting, match="at least 1 day"):
        keep_results(days=0)


def test_a_folder_that_is_gone_costs_a_warning_and_no_result(folder: Path) -> None:
    folder.rmdir()
    with pytest.warns(UserWarning, match="cannot be kept"):
        assert kept_on_disk("kind", "key", Counted()) == "made"


def test_a_file_is_only_for_its_user_and_nothing_half_written_stays(folder: Path) -> None:
    made_anew(Counted())
    (file,) = folder.iterdir()
    assert file.stat().st_mode & 0o077 == 0
    assert not file.name.startswith(".")


def test_caches_have_room_for_their_results_of_each_day() -> None:
    calls: list[int] = []

    @kept_per_day(2)
    def twice(number: int) -> int:
        calls.append(number)
        return 2 * number

    keep_results(days=2)
    assert [twice(number) for number in (1, 2, 3, 4, 1)] == [2, 4, 6, 8, 2]
    assert calls == [1, 2, 3, 4]
    assert [twice(number) for number in (5, 2)] == [10, 4]
    assert calls == [1, 2, 3, 4, 5, 2]


ASKED = """
from trainee_bench.world.kept_results import days_kept, folder_used
print(days_kept(), folder_used())
"""


def test_the_environment_sets_days_and_folder_of_a_new_process(tmp_path: Path) -> None:
    given = {DAYS_VARIABLE: "7", FOLDER_VARIABLE: str(tmp_path / "kept")}
    asked = subprocess.run(
        [sys.executable, "-c", ASKED],
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        check=True,
    )
    assert asked.stdout.split() == ["7", str(tmp_path / "kept")]


def test_without_a_folder_nothing_is_written() -> None:
    keep_results(days=3)
    assert (days_kept(), folder_used()) == (3, None)


def test_a_day_from_the_folder_gives_the_same_world_and_grade(folder: Path) -> None:
    scenario = find_scenario()
    composed(scenario)
    assert [file.name.split("-")[0] for file in folder.iterdir()] == ["day"]
    keep_results(folder=folder)
    kept = composed(scenario)
    assert kept == compose_day(scenario)
    days = [Day.of(kept), Day.of(compose_day(scenario))]
    starts = [day.reset() for day in days]
    assert starts[0] == starts[1]
    assert days[0].digest() == days[1].digest()
    assert days[0].grade() == days[1].grade()
    for day in days:
        day.close()
