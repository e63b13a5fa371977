"""How a day can be worked, need by need, as the command prints it."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from tests.printed_samples import printed
from trainee_bench.harness.cli import app

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"


def explained(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["explain", *arguments])
    assert done.exit_code == 0, done.output
    return done.output


def test_each_need_is_shown_with_the_call_that_served_it_and_its_minutes() -> None:
    told = explained("kb_fix.easy", "--seed", "1")
    (brief,) = (line for line in told.splitlines() if "DeskListing" in line)
    assert brief.endswith("DeskListing    [08:01 desk_tasks (1 min)]")
    (read,) = (line for line in told.splitlines() if "ReadText" in line)
    assert "files_read drive:/kb/articles/" in read and read.endswith("(1 min)]")
    (submitted,) = (line for line in told.splitlines() if "Submitted T1" in line)
    assert "desk_submit (1 min)]" in submitted


def test_a_question_that_has_been_answered_stays_with_the_need_that_it_served() -> None:
    lines = explained("kb_fix.easy", "--seed", "1").splitlines()
    (place,) = (place for place, line in enumerate(lines) if "Asked T1" in line)
    assert "no longer needed; " in lines[place] and "chat_send_message" in lines[place]
    assert lines[place].endswith("(5 min)]") and "Told T1" in lines[place - 1]


def test_everything_also_tells_why_a_call_came_before_others() -> None:
    told = explained("kb_fix.easy", "--seed", "1", "--all")
    (read,) = (line for line in told.splitlines() if "ReadText" in line)
    assert read.endswith("(1 min; look or ask, due 20:00)]")


def test_a_day_that_is_stopped_shows_who_waits_for_what() -> None:
    told = explained("kb_fix.easy", "--seed", "1", "--at", "08:10")
    waiting = [line for line in told.splitlines() if "waits for" in line]
    assert waiting[0] == "TaskRoot T1   [waits for Worked T1]"
    assert any("Answered" in line for line in waiting)
    assert "desk_submit" not in told


def test_only_one_task_is_shown_if_it_is_named() -> None:
    told = explained("first_day", "--task", "T2")
    assert [line.split()[1] for line in told.splitlines() if line.startswith("TaskRoot")] == ["T2"]


def test_needs_that_took_no_call_are_shown_only_if_all_are_wanted() -> None:
    short, whole = explained("kb_fix.easy"), explained("kb_fix.easy", "--all")
    assert "MoreResults T1" not in short and "MoreResults T1" in whole


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nothing",), "no scenario 'nothing'; it has first_day"),
        (("kb_fix.esy",), "kb_fix.easy"),
        (("first_day", "--task", "T9"), "this day has no task 'T9'; it has T1"),
        (("first_day", "--at", "noon"), "'noon' is no time; write it like 11:30"),
        (("first_day", "--at", "11:30+02:00"), "'11:30+02:00' is no time; write it like 11:30"),
        (("first_day", "--at", "11:30:30"), "'11:30:30' is no time; write it like 11:30"),
        (("first_day", "--day", "4"), "first_day has no day 4; its last is"),
        (("kb_fix.easy", "--day", "2"), "kb_fix.easy has no day 2; its last is 1"),
        (("kb_fix.easy", "--svg", "no/such/day.svg"), "there is no folder no/such; make it"),
    ],
)
def test_what_cannot_be_explained_is_refused_with_what_would_be_right(
    arguments: tuple[str, ...], told: str
) -> None:
    done = CliRunner().invoke(app, ["explain", *arguments])
    assert done.exit_code == 2
    assert told in " ".join(done.output.split())


def test_a_scenario_of_ones_own_is_found_in_its_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text(
        '{"name": "mine", "scenarios": [{"name": "one", "days": [{"tasks": '
        '[{"rule": "kb_fix.easy"}]}]}]}',
        encoding="utf-8",
    )
    assert explained("one", "--config", str(file)).startswith("TaskRoot T1")


def test_the_day_is_drawn_into_a_file_with_the_same_calls(tmp_path: Path) -> None:
    file = tmp_path / "day.svg"
    assert explained("kb_fix.easy", "--seed", "1", "--svg", str(file)) == f"{file}\n"
    root = ElementTree.fromstring(file.read_text(encoding="utf-8"))
    assert root.tag == f"{SVG}svg"
    told = explained("kb_fix.easy", "--seed", "1", "--all")
    (read,) = (
        title.text for title in root.iter(f"{SVG}title") if "files_read" in (title.text or "")
    )
    assert f"[{read}]" in told


def test_a_later_day_of_a_week_is_explained_after_those_before_it(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    days = [{"tasks": [{"rule": "kb_fix.easy"}]}, {"tasks": [{"rule": "sales.top_sales_employee"}]}]
    week = {"name": "one", "week": True, "days": days}
    file.write_text(json.dumps({"name": "mine", "scenarios": [week]}), encoding="utf-8")
    first, second = (explained("one", "--config", str(file), "--day", day) for day in "12")
    assert "kb/articles" in first and "kb/articles" not in second
    assert first.startswith("TaskRoot T1") and second.startswith("TaskRoot T2")


def test_the_documentation_shows_what_is_printed() -> None:
    command = "explain kb_fix.easy --seed 1 --at 08:10"
    page = ROOT / "docs" / "how_it_works" / "scheduling.md"
    (sample,) = printed.samples_of(page, f"trainee-bench {command}")
    assert printed.find_difference(sample, explained(*command.split()[1:])) is None
