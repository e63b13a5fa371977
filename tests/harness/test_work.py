"""A staged day or week worked by hand, graded without a harness, and explained need by need."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.harness.episodes.test_weeks import WEEK
from tests.harness.runs import LINKS, call, config, day, run_day, week_file
from tests.printed_samples import printed


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A staged week of three days."""
    path = tmp_path / "week.world"
    call("stage", week_file(tmp_path, *WEEK), "one", path)
    return path


def answers(world: Path, *lines: str) -> list[dict[str, object]]:
    done = call("work", world, "call", given="\n".join(lines))
    return [json.loads(line) for line in done.output.splitlines()]


def test_a_week_is_worked_call_by_call_and_day_by_day(world: Path) -> None:
    told = call("work", world, "prompt").output
    assert "It is Monday" in told and "T1: " in told and "T3: " not in told
    assert "turns" not in told
    note = json.dumps({"tool": "desk_write_note", "args": {"text": "remember the code"}})
    first, second = answers(world, note, '{"tool": "desk_now"}')
    assert (first["failed"], first["time"]) == (False, "2025-10-06T08:01:00")
    assert "Monday" in str(second["text"])
    assert call("work", world, "next-day").output == "It is Tuesday, 08:00.\n"
    assert "It is Tuesday" in call("work", world, "prompt").output
    (notes,) = answers(world, '{"tool": "desk_read_notes"}')
    assert "remember the code" in str(notes["text"])
    call("work", world, "next-day")
    over = call("work", world, "next-day", exits=1)
    assert "last working day" in over.output
    assert "Score 0.00 over 4 tasks" in call("grade", world).output


def test_a_line_that_is_no_call_is_answered_and_does_nothing(world: Path) -> None:
    lines = ("nonsense", '{"args": {}}', "", '{"tool": "desk_now", "args": {"x": 1}}')
    unreadable, unnamed, refused = answers(world, *lines)
    for one, word in ((unreadable, "JSON"), (unnamed, "tool"), (refused, "x")):
        assert one["failed"] and word in str(one["text"])
    assert unreadable["time"] is None and unnamed["time"] is None
    assert refused["time"] == "2025-10-06T08:01:00"


def test_the_tools_are_those_of_the_day(world: Path) -> None:
    listed = [json.loads(line) for line in call("work", world, "tools").output.splitlines()]
    names = {tool["name"]: tool["minutes"] for tool in listed}
    assert names["desk_tasks"] == 1 and names["desk_wait"] == 0
    assert not any(name.startswith("verifier") for name in names)


def test_any_day_of_a_scenario_can_be_staged(tmp_path: Path) -> None:
    path = config(tmp_path, one=[day(LINKS), {**day("sales.top_sales_employee"), "name": "two"}])
    call("stage", path, "one", tmp_path / "w", "--day", 2)
    assert "Highest sales in" in call("work", tmp_path / "w", "prompt").output


@pytest.mark.parametrize(
    ("scenario", "options", "why"),
    [
        ("none", (), "there is no scenario 'none'"),
        ("one", ("--day", 2), "one is a week, which is staged as a whole; leave out --day."),
        ("one", ("--day", 4), "one is a week, which is staged as a whole; leave out --day."),
    ],
)
def test_a_day_that_cannot_be_staged_is_exit_2_and_leaves_nothing(
    tmp_path: Path, scenario: str, options: tuple[object, ...], why: str
) -> None:
    path = tmp_path / "w"
    assert (
        why in call("stage", week_file(tmp_path, *WEEK), scenario, path, *options, exits=2).output
    )
    assert not path.exists()


def test_a_day_that_a_scenario_does_not_have_is_refused_with_the_last_one(tmp_path: Path) -> None:
    path = config(tmp_path, one=[day(LINKS), {**day("sales.top_sales_employee"), "name": "two"}])
    done = call("stage", path, "one", tmp_path / "w", "--day", 4, exits=2)
    assert not (tmp_path / "w").exists()
    assert "one has no day 4; its last is 2, so write --day 2." in done.output


def test_a_world_that_is_there_is_not_staged_over(world: Path, tmp_path: Path) -> None:
    before = world.read_bytes()
    call("stage", week_file(tmp_path, *WEEK), "one", world, exits=2)
    assert world.read_bytes() == before


@pytest.mark.parametrize("step", ["prompt", "tools", "call", "next-day"])
def test_a_file_that_is_no_world_cannot_be_worked(tmp_path: Path, step: str) -> None:
    call("work", tmp_path / "none", step, exits=2)


def test_a_picture_is_saved_beside_the_world_and_named(tmp_path: Path) -> None:
    path = tmp_path / "ads.world"
    call("stage", config(tmp_path, one=[day("ads_strategy.balanced.easy")]), "one", path)
    (listed,) = answers(path, '{"tool": "files_list", "args": {"folder": "drive:/"}}')
    find = '{"tool": "files_search", "args": {"query": ".png"}}'
    (found,) = answers(path, find)
    pictures = re.findall(r"(?:drive|workspace):/\S+?\.png", f"{listed} {found}")
    view = json.dumps({"tool": "files_view_image", "args": {"path": pictures[0]}})
    first, second = answers(path, view, view)
    assert first["pictures"] == [str(tmp_path / "ads-1.png")]
    assert second["pictures"] == [str(tmp_path / "ads-2.png")]
    assert (tmp_path / "ads-1.png").read_bytes().startswith(b"\x89PNG")


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The worlds that oracle and nothing have left."""
    folder = tmp_path_factory.mktemp("run")
    agents = ("--agent", "oracle", "--agent", "nothing")
    run_day(folder, *agents, rules=("kb_fix.easy", "meeting_attend.sum.u1"))
    return folder / "out" / "worlds"


graded = partial(call, "grade")


def test_honest_work_is_complete(worlds: Path) -> None:
    done = graded(worlds / "one.day_1.oracle.1.world")
    assert "Score 1.00 over 2 tasks, 2 of them complete." in done.output


def test_missed_points_are_reported_with_what_was_seen_and_more_in_each_tier(worlds: Path) -> None:
    path = worlds / "one.day_1.nothing.1.world"
    told = [graded(path, "--tier", tier).output for tier in (1, 2, 3)]
    assert "Score 0.00 over 2 tasks, 0 of them complete." in told[0]
    assert "seen: " in told[0] and "where: " not in told[0]
    assert "where: " in told[1] and "how: " not in told[1]
    assert "how: " in told[2]


def test_json_holds_every_checkpoint(worlds: Path) -> None:
    done = graded(worlds / "one.day_1.nothing.1.world", "--json")
    day_grade = json.loads(done.output)
    assert day_grade["score"] == 0
    assert {task["rule"] for task in day_grade["tasks"]} == {"kb_fix.easy", "meeting_attend.sum.u1"}
    assert all(not check["passed"] for task in day_grade["tasks"] for check in task["checkpoints"])


def test_a_file_that_is_no_world_is_exit_2(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("x", encoding="utf-8")
    assert "not a world" in graded(path, exits=2).output


def changed(world: Path, folder: Path, *statements: str) -> Path:
    """A copy of *world* in which the statements were executed past its tools."""
    path = folder / "copy.world"
    path.write_bytes(world.read_bytes())
    with closing(sqlite3.connect(path)) as db, db:
        for statement in statements:
            db.execute(statement)
    return path


def test_a_world_whose_content_was_changed_is_graded_as_its_log_repeats_it(
    worlds: Path, tmp_path: Path
) -> None:
    erased = "UPDATE file SET content = x'00' WHERE changed_by <> ''"
    done = graded(changed(worlds / "one.day_1.oracle.1.world", tmp_path, erased))
    assert "copy.world is damaged or was changed outside of its tools" in done.output
    assert "Score 1.00 over 2 tasks" in done.output


def test_a_world_whose_log_does_not_repeat_is_not_graded(worlds: Path, tmp_path: Path) -> None:
    world = worlds / "one.day_1.oracle.1.world"
    for statement, said in (
        (
            "UPDATE action SET text = 'all is well' WHERE seq = 2",
            "action 2 differs from its record",
        ),
        ("UPDATE action SET arguments = '{' WHERE seq = 2", "copy.world is damaged"),
    ):
        assert said in graded(changed(world, tmp_path, statement), exits=2).output


ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"


def explained(*arguments: str) -> str:
    return call("explain", *arguments).output


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
        (("first_day", "--at", "noon"), "'noon' is not a time; write it like 11:30"),
        (("first_day", "--at", "11:30+02:00"), "'11:30+02:00' is not a time; write it like 11:30"),
        (("first_day", "--at", "11:30:30"), "'11:30:30' is not a time; write it like 11:30"),
        (("first_day", "--day", "4"), "first_day has no day 4; its last is"),
        (("kb_fix.easy", "--day", "2"), "kb_fix.easy has no day 2; its last is 1"),
        (("kb_fix.easy", "--svg", "no/such/day.svg"), "there is no folder no/such; create it"),
    ],
)
def test_a_day_that_cannot_be_explained_is_refused_with_advice(
    arguments: tuple[str, ...], told: str
) -> None:
    done = call("explain", *arguments, exits=2)
    assert told in " ".join(done.output.split())


def test_a_scenario_of_ones_own_is_found_in_its_file(tmp_path: Path) -> None:
    file = config(tmp_path, one=[day(LINKS)])
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
    file = week_file(tmp_path, day(LINKS), day("sales.top_sales_employee"))
    first, second = (explained("one", "--config", str(file), "--day", number) for number in "12")
    assert "kb/articles" in first and "kb/articles" not in second
    assert first.startswith("TaskRoot T1") and second.startswith("TaskRoot T2")


def test_the_documentation_shows_what_is_printed() -> None:
    command = "explain kb_fix.easy --seed 1 --at 08:10"
    page = ROOT / "docs" / "how_it_works" / "scheduling.md"
    (sample,) = printed.samples_of(page, f"trainee-bench {command}")
    assert printed.find_difference(sample, explained(*command.split()[1:])) is None
