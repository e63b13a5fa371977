"""Whatever a folder has, its office is read, or refused soon, with the file and the remedy."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.meta_tasks.offices.test_reading_an_office import EVENT, LETTER, MAIL, REPLY, TASK, edit
from trainee_bench.harness.scaffolding.office_folder import template_folder
from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.offices.office import read_office
from trainee_bench.meta_tasks.offices.office_file import OfficeFile
from trainee_bench.meta_tasks.offices.opened import replaced
from trainee_bench.meta_tasks.offices.source import MAX_DEPTH, OfficeError, read_yaml
from trainee_bench.meta_tasks.task_context import CompositionError

SECONDS = 20
"""Far more than a small file needs, even on a busy machine."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(
        template_folder(), tmp_path / "nordlicht", ignore=shutil.ignore_patterns("__pycache__")
    )
    return tmp_path / "nordlicht"


def refusal(folder: Path) -> str:
    with pytest.raises(OfficeError) as refused:
        read_office(folder)
    return str(refused.value)


# YAML -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["[" * 10_000, "a: " + "{a: " * 3_000, "- " * 10_000, "? " * 5_000,
     "".join(f"{' ' * depth}a:\n" for depth in range(900))],
)  # fmt: skip
def test_deep_nesting_is_refused_before_it_is_parsed(tmp_path: Path, text: str) -> None:
    file = tmp_path / "office.yaml"
    file.write_text(text, encoding="utf-8")
    begins = time.monotonic()
    with pytest.raises(OfficeError, match=f"line [0-9]+: it has more than {MAX_DEPTH} levels"):
        read_yaml(file, OfficeFile)
    assert time.monotonic() - begins < SECONDS


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name: x\nday: 2026-13-45\n", "line 2: .*month"),
        (f"name: x\nday: {'9' * 5_000}\n", "line 2: .*quotes"),
        ("name: x\nname: y\n", "line 2: .*duplicate key"),
        ("name: x\ncompany: [A]\ndomain: a.example\n", "line 2: company: this is no text"),
        ("- name\n", "line 1: .*it has no entries"),
        ("name: x\ncompany: A\ndomain: a.example\nday: 1066-10-14\n", "line 4: day"),
        ("name: !!python/object:os.system x\n", "line 1: "),
        ("name: \"\0\"\n", "line 1: it has a NUL"),
        ("---\nname: x\n---\nname: y\n", "line 3: .*another document"),
        (" " * 500_001, "500,000 is the most"),
    ],
)  # fmt: skip
def test_yaml_that_says_nothing_sensible_is_refused_with_its_line(
    tmp_path: Path, text: str, words: str
) -> None:
    file = tmp_path / "office.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(OfficeError, match=words):
        read_yaml(file, OfficeFile)


@pytest.mark.parametrize("value", ["1e22", ".inf", ".nan", "0.0000000001", "9" * 30])
def test_a_number_that_no_page_can_state_is_refused_and_not_taken_for_a_text(
    folder: Path, value: str
) -> None:
    edit(folder, TASK, "hotel_limit: 130", f"hotel_limit: {value}")
    assert "too many digits" in refusal(folder)


def test_a_date_with_a_time_is_no_value(folder: Path) -> None:
    edit(folder, REPLY, "value: 2026-03-11", "value: 2026-03-11 10:00:00")
    assert "line 17" in refusal(folder) and "not both" in refusal(folder)


# shapes of files ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["people.csv", "rooms.csv", "known.yaml", "calendar.ics"])
def test_a_folder_in_place_of_a_file_is_refused(folder: Path, name: str) -> None:
    (folder / name).unlink(missing_ok=True)
    (folder / name).mkdir()
    assert name in refusal(folder)


@pytest.mark.parametrize("name", ["drive", "mail", "tasks"])
def test_a_file_in_place_of_a_folder_is_refused(folder: Path, name: str) -> None:
    shutil.rmtree(folder / name, ignore_errors=True)
    (folder / name).write_text("x", encoding="utf-8")
    assert "it is no folder" in refusal(folder)


def test_a_name_that_nobody_can_read_is_refused(folder: Path) -> None:
    (folder / "drive" / "a\nb.txt").write_text("x", encoding="utf-8")
    assert r"'drive/a\nb.txt' cannot be shown; rename it" in refusal(folder)


def test_a_file_whose_path_no_drive_has_is_refused(folder: Path) -> None:
    deep = folder / "drive" / Path(*"abcdefghijklmnopqrstuvw")
    deep.mkdir(parents=True)
    (deep / "x.txt").write_text("x", encoding="utf-8")
    assert "Folders can be at most" in refusal(folder)


def test_a_file_on_the_drive_has_one_spelling_of_its_name(folder: Path) -> None:
    (folder / "drive" / "u\u0308ber.txt").write_text("x", encoding="utf-8")
    assert "drive:/\u00fcber.txt" in read_office(folder).drive
    (folder / "drive" / "\u00fcber.txt").write_text("x", encoding="utf-8")
    assert "two files have this name" in refusal(folder)


def test_a_pool_with_fewer_rows_than_are_sampled_is_refused(folder: Path) -> None:
    edit(folder, TASK, "sample: 24", "sample: 4000")
    assert "line 35: vary.expenses" in refusal(folder) and "sample fewer" in refusal(folder)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("id,decision,paid", "id,decision,sum", "line 1: its columns are id, decision, sum"),
        ("id,decision,paid", "", "line 1: its columns are missing"),
        ("X-1006,cut,130", "X-1006,cut,1,30", "line 4: it has 4 cells"),
    ],
)
def test_checked_rows_are_rows_of_the_table(folder: Path, old: str, new: str, words: str) -> None:
    edit(folder, "tasks/travel_expenses/checked.csv", old, new)
    assert words in refusal(folder)


def test_a_short_line_of_a_table_has_empty_cells(folder: Path) -> None:
    edit(folder, "drive/finance/expenses_2026-02.csv", "X-1024,spa,DKK,6.48", "X-1024,spa")
    office = read_office(folder)
    with replaced(office):
        single_task_day("nordlicht.travel_expenses", 0)


# doubled things and odd hours -----------------------------------------------------------------


def test_two_topics_with_one_question_are_refused(folder: Path) -> None:
    edit(
        folder, "known.yaml", "- ask:", "- ask: [where is the Travel policy?]\n  says: No.\n- ask:"
    )
    assert "known.yaml, line 4" in refusal(folder) and "in other words" in refusal(folder)


@pytest.mark.parametrize("hours", ["23:00-02:00", "09:00-09:00", "9-17", "24:00-25:00", "08:00"])
def test_hours_that_are_none_are_refused(folder: Path, hours: str) -> None:
    edit(folder, "people.csv", "08:30-18:00,4", f"{hours},4")
    assert "people.csv, line 2" in refusal(folder)


def test_somebody_may_work_all_day(folder: Path) -> None:
    edit(folder, "people.csv", "08:30-18:00,4", "00:00-23:59,4")
    assert read_office(folder).company.person("Greta Sommer").hours.ends.hour == 23


# calendars ------------------------------------------------------------------------------------

SECOND = EVENT[EVENT.index("BEGIN:VEVENT") : EVENT.index("END:VCALENDAR")]


def calendar(folder: Path, **changes: str) -> None:
    """Write a calendar with the usual event and a second one that differs in *changes*."""
    second = SECOND.replace("weekly-1", "weekly-2").replace("Weekly round", "Second round")
    for name, value in changes.items():
        lines = [f"{name}:{value}" if line.startswith(name) else line
                 for line in second.split("\r\n")]  # fmt: skip
        second = "\r\n".join(lines)
    text = EVENT.replace("END:VCALENDAR", second + "END:VCALENDAR").format(more="")
    (folder / "calendar.ics").write_text(text, encoding="utf-8", newline="")


def test_a_room_that_is_taken_is_refused_with_the_lines_of_both_events(folder: Path) -> None:
    calendar(folder, DTSTART="20260302T103000", DTEND="20260302T113000")
    said = refusal(folder)
    assert "calendar.ics, line 14: Firn is taken by 'Weekly round' on line 4" in said
    assert "another room or time" in said


def test_a_room_is_free_when_the_meeting_before_ends(folder: Path) -> None:
    calendar(folder, DTSTART="20260302T110000", DTEND="20260302T120000")
    assert len(read_office(folder).meetings) == 2


def test_a_room_with_too_few_seats_is_refused_and_a_larger_one_named(folder: Path) -> None:
    people = ["ines.albrecht", "tomasz.kern", "paula.richter", "li.lei"]
    more = "".join(f"ATTENDEE:mailto:{name}@nordlicht.example\r\n" for name in people)
    text = EVENT.replace("LOCATION:Firn", "LOCATION:Sund").format(more=more)
    (folder / "calendar.ics").write_text(text, encoding="utf-8")
    said = refusal(folder)
    assert "line 4" in said and "7 people come, but Sund has 6 seats; Firn has 10" in said


# fuzzing --------------------------------------------------------------------------------------

ODD = ("", "[]", "{}", "null", "true", "-1", "9" * 40, "1e400", "2026-13-45", "25:99", "[a, b]",
       "{a: b}", "!!set {a}", "|", "\u202e", "x" * 3_000, "../../etc/passwd", "drive:/", "{value}",
       "{", "a||b", "\0")  # fmt: skip
Change = Callable[[random.Random, bytes], bytes]


def _lines(change: Callable[[random.Random, list[bytes], int], None]) -> Change:
    def changed(draws: random.Random, data: bytes) -> bytes:
        lines = data.split(b"\n")
        change(draws, lines, draws.randrange(len(lines)))
        return b"\n".join(lines)

    return changed


def _other_value(draws: random.Random, lines: list[bytes], place: int) -> None:
    line, odd = lines[place], draws.choice(ODD).encode()
    if b": " in line:
        lines[place] = line.partition(b": ")[0] + b": " + odd
    elif b"," in line:
        cells = line.split(b",")
        cells[draws.randrange(len(cells))] = odd
        lines[place] = b",".join(cells)
    else:
        lines[place] = odd


def _at_a_place(insert: bytes, *, instead: int) -> Change:
    def changed(draws: random.Random, data: bytes) -> bytes:
        place = draws.randrange(len(data) + 1)
        return data[:place] + insert + data[place + instead :]

    return changed


CHANGES: dict[str, Change] = {
    "drop a line": _lines(lambda draws, lines, place: lines.pop(place) and None),
    "double a line": _lines(lambda draws, lines, place: lines.insert(place, lines[place])),
    "indent a line": _lines(
        lambda draws, lines, place: lines.insert(place, b"  " + lines.pop(place))
    ),
    "another value": _lines(_other_value),
    "another character": _at_a_place(b"\xf0", instead=1),
    "a bracket": _at_a_place(b"[", instead=1),
    "a NUL": _at_a_place(b"\0", instead=0),
    "a carriage return": _at_a_place(b"\r", instead=0),
    "cut off": lambda draws, data: data[: draws.randrange(len(data))],
    "UTF-16": lambda draws, data: data.decode().encode("utf-16"),
    "a byte-order mark": lambda draws, data: b"\xef\xbb\xbf" + data,
    "Windows' line ends": lambda draws, data: data.replace(b"\n", b"\r\n"),
    "nothing": lambda draws, data: b"",
}
FILES = ("office.yaml", "people.csv", "rooms.csv", "known.yaml", "calendar.ics", "mail/1.eml", TASK,
         "tasks/meeting_prep/task.yaml", REPLY, LETTER, "tasks/travel_expenses/checked.csv",
         "tasks/travel_expenses/expenses_pool.csv", "drive/handbook/travel_policy.md")  # fmt: skip


@pytest.mark.parametrize("what", CHANGES)
def test_a_damaged_office_is_refused_by_name_or_read_and_composed(folder: Path, what: str) -> None:
    (folder / "mail").mkdir()
    (folder / "mail" / "1.eml").write_text(MAIL, encoding="utf-8")
    (folder / "calendar.ics").write_text(EVENT.format(more=""), encoding="utf-8")
    draws = random.Random(what)
    for name in FILES:
        file, whole = folder / name, (folder / name).read_bytes()
        file.write_bytes(CHANGES[what](draws, whole))
        begins = time.monotonic()
        for said in _refusals(folder):
            assert str(folder) in said or "nordlicht" in said, name
        assert time.monotonic() - begins < SECONDS, name
        file.write_bytes(whole)


def _refusals(folder: Path) -> list[str]:
    """Why the office is not read, or which of its tasks cannot be composed, and why."""
    try:
        office = read_office(folder)
    except OfficeError as refused:
        return [str(refused)]
    found = []
    with replaced(office):
        for rule in office.rules:
            try:
                single_task_day(rule, 0)
            except CompositionError as refused:
                found.append(str(refused))
    return found
