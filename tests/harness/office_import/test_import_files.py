"""The door and the command: nothing is overwritten, left half done, or left out in silence."""

from __future__ import annotations

import builtins
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.harness.office_import.exports import BERLIN, calendar, imported, mail, row, text
from tests.harness.runs import call
from trainee_bench.harness.office_import.import_files import import_files
from trainee_bench.harness.office_import.options import ImportOptions
from trainee_bench.harness.office_import.refusals import CannotImport
from trainee_bench.harness.office_import.report import ImportOutcome


def snapshot(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_second_import_says_so_and_changes_nothing(tmp_path: Path) -> None:
    files: dict[str, bytes | str] = {"a.csv": "a;b\n1,5;2\n", "a.eml": mail().as_bytes()}
    imported(tmp_path, files)
    before = snapshot(tmp_path / "office")
    again = imported(tmp_path, files)
    assert {found.outcome for found in again.rows} == {ImportOutcome.UNCHANGED}
    assert snapshot(tmp_path / "office") == before


@pytest.mark.parametrize("present", ["plan.csv", "PLAN.csv"])
def test_another_file_of_that_name_is_never_overwritten(tmp_path: Path, present: str) -> None:
    drive = tmp_path / "office" / "drive"
    drive.mkdir(parents=True)
    (drive / present).write_text("mine")
    found = row(tmp_path, "plan.csv", "a,b\n1,2\n")
    assert found.outcome is ImportOutcome.REFUSED and f"drive/{present}" in found.notes[0]
    assert snapshot(tmp_path / "office") == {f"drive/{present}": b"mine"}


def test_another_mail_with_the_same_id_is_refused(tmp_path: Path) -> None:
    imported(tmp_path, {"a.eml": mail("first").as_bytes()})
    found = row(tmp_path, "b.eml", mail("second").as_bytes())
    assert found.outcome is ImportOutcome.REFUSED and "mail/001-budget.eml" in found.notes[0]
    assert list(snapshot(tmp_path / "office")) == ["mail/001-budget.eml"]


def test_a_folder_is_imported_with_its_folders_and_links_are_named(tmp_path: Path) -> None:
    inner = tmp_path / "Share" / "Plans: old"
    inner.mkdir(parents=True)
    (inner / "a.txt").write_text("a")
    (tmp_path / "Share" / "link.txt").symlink_to(inner / "a.txt")
    report = import_files([tmp_path / "Share"], tmp_path / "office", BERLIN)
    assert snapshot(tmp_path / "office") == {"drive/Share/Plans- old/a.txt": b"a"}
    refused = [found for found in report.rows if found.outcome is ImportOutcome.REFUSED]
    assert [Path(found.source).name for found in refused] == ["link.txt"]


def test_a_failed_write_leaves_no_part_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "hardlink_to", full)
    monkeypatch.setattr(Path, "replace", full)
    found = row(tmp_path, "a.txt", "a")
    assert "No space left on device" in found.notes[0]
    assert snapshot(tmp_path / "office") == {}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"zone": "Mars/North"}, "no time zone 'Mars/North'"),
        ({"encoding": "rot13"}, "no encoding 'rot13'"),
        ({"encoding": "nothing"}, "no encoding 'nothing'"),
        ({"weeks": 0}, "--weeks"),
        ({"owner": "Ada"}, "--owner"),
    ],
)
def test_a_wrong_option_stops_the_import_before_it_begins(
    tmp_path: Path, changes: dict[str, object], says: str
) -> None:
    with pytest.raises(CannotImport, match=says):
        imported(tmp_path, {"a.txt": "a"}, **changes)
    assert not (tmp_path / "office").exists()


def test_sources_that_are_not_there_or_are_the_office_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CannotImport, match="no file or folder"):
        import_files([tmp_path / "none"], tmp_path / "office", BERLIN)
    imported(tmp_path, {"a.txt": "a"})
    with pytest.raises(CannotImport, match="in the office already"):
        import_files([tmp_path / "office" / "drive"], tmp_path / "office", BERLIN)


def test_without_the_extra_the_error_names_the_command_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "charset_normalizer", None)
    with pytest.raises(CannotImport, match=r"pip install 'trainee-bench\[office\]'"):
        imported(tmp_path, {"a.txt": "слово".encode("koi8-r")})


def test_the_import_of_plain_files_needs_no_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def refusing(name: str, *rest: Any, **more: Any) -> Any:
        if name.partition(".")[0] in ("pypdf", "docx", "pptx", "lxml", "charset_normalizer"):
            raise ImportError(name=name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", refusing)
    report = imported(tmp_path, {"a.csv": "a,b\n1,2\n", "a.eml": mail().as_bytes()})
    assert report.count(ImportOutcome.IMPORTED) == 2


ROOM = "trainee_bench.harness.office_import"


def test_a_mailbox_past_the_limits_is_imported_up_to_them_and_the_rest_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{ROOM}.import_session.MAX_MAILS", 2)
    monkeypatch.setattr(f"{ROOM}.mailboxes.MAX_FILE_BYTES", 2_000)
    bodies = ["small", "large " * 500, "third", "fourth"]
    mails = [mail(body, id=f"<{n}@x.example>").as_bytes() for n, body in enumerate(bodies)]
    box = b"".join(b"From x Mon Nov 30 09:00:00 2026\n" + found + b"\n" for found in mails)
    report = imported(tmp_path, {"a.mbox": box})
    assert [(found.item, found.outcome.value) for found in report.rows] == [
        ("mail 1", "imported"),
        ("mail 2", "refused"),
        ("mail 3 and all after it", "refused"),
    ]
    assert "At most 2 mails" in report.rows[2].notes[0]
    assert list(snapshot(tmp_path / "office")) == ["mail/001-budget.eml"]


def test_a_file_past_the_limit_of_bytes_is_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("import_session", "limits"):
        monkeypatch.setattr(f"{ROOM}.{module}.MAX_FILE_BYTES", 100)
    assert "at most 100 can be imported" in row(tmp_path, "a.txt", "x" * 101).notes[0]


def test_too_many_files_are_refused_before_any_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{ROOM}.import_files.MAX_FILES", 1)
    with pytest.raises(CannotImport, match="more than 1 files"):
        imported(tmp_path, {"a.txt": "a", "b.txt": "b"})
    assert not (tmp_path / "office").exists()


def test_the_command_prints_a_table_and_writes_json(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a;b\n1;2\n")
    (tmp_path / "b.zip").write_bytes(b"PK\x03\x04")
    (tmp_path / "c.eml").write_bytes(mail().as_bytes())
    office, out = tmp_path / "office", tmp_path / "report.json"
    done = call(
        "office", "import", tmp_path / "a.csv", tmp_path / "b.zip", tmp_path / "c.eml",
        "--office", office, "--zone", "Europe/Berlin", "--json", out, exits=1,
    )  # fmt: skip
    assert "drive/a.csv" in done.output and "3 items: 1 imported, 1 converted, 1 refused." in (
        done.output
    )
    assert "ada@x.example" in done.output
    report = json.loads(out.read_text())
    assert [found["outcome"] for found in report["rows"]] == ["converted", "refused", "imported"]
    assert report["unknown_people"][0]["times"] == 1
    assert text(tmp_path, "drive/a.csv") == "a,b\n1,2\n"


@pytest.mark.parametrize("option", [("--from", "soon"), ("--zone", "Mars")])
def test_the_command_explains_a_wrong_option(tmp_path: Path, option: tuple[str, str]) -> None:
    (tmp_path / "a.txt").write_text("a")
    done = call(
        "office", "import", tmp_path / "a.txt", "--office", tmp_path / "o", *option, exits=2
    )
    assert option[1] in done.stderr


def test_an_office_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "office").mkdir()
    for content, says in (("day: soon", "day is 'soon'"), ("a: [", "is not YAML")):
        (tmp_path / "office" / "office.yaml").write_text(content)
        with pytest.raises(CannotImport, match=says):
            imported(tmp_path, {"a.ics": calendar()}, ImportOptions())
