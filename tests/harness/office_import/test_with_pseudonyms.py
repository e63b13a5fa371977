"""An import with pseudonyms is one step: real names are never left in or beside the office."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.harness.office_import.exports import BERLIN, mail
from tests.harness.runs import call
from trainee_bench.harness.office_import import with_pseudonyms
from trainee_bench.harness.office_import.import_files import import_files
from trainee_bench.harness.office_import.refusals import CannotImport
from trainee_bench.harness.office_import.with_pseudonyms import import_with_pseudonyms
from trainee_bench.harness.pseudonyms.folder import swapped_in
from trainee_bench.harness.pseudonyms.report import CannotPseudonymise
from trainee_bench.harness.pseudonyms.texts import KnownNames

NONE = KnownNames()
SEED = "a long secret seed"


def all_bytes(folder: Path) -> bytes:
    return b"\n".join(
        str(path).encode() + (path.read_bytes() if path.is_file() else b"")
        for path in sorted(folder.rglob("*"))
    )


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "exports"
    folder.mkdir()
    (folder / "a.eml").write_bytes(mail("Hi Jörg Müller,\nsee you.\n").as_bytes())
    (folder / "Müller.csv").write_text("name,euros\nJörg Müller,12\n", encoding="utf-8")
    return folder


def test_a_failure_leaves_no_real_name_and_no_office(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(with_pseudonyms, "pseudonymise", fails)
    with pytest.raises(KeyboardInterrupt):
        import_with_pseudonyms([source], tmp_path / "office", BERLIN, SEED, NONE)
    assert [path.name for path in tmp_path.iterdir()] == ["exports"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGHUP")
@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_closed_terminal_leaves_no_real_name(
    number: str, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_ended(*_: object) -> None:
        os.kill(os.getpid(), getattr(signal, number))
        time.sleep(5)

    monkeypatch.setattr(with_pseudonyms, "pseudonymise", is_ended)
    before = signal.getsignal(signal.SIGTERM)
    hangup = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # as without nohup
    try:
        with pytest.raises(KeyboardInterrupt):
            import_with_pseudonyms([source], tmp_path / "office", BERLIN, SEED, NONE)
    finally:
        signal.signal(signal.SIGHUP, hangup)
    assert [path.name for path in tmp_path.iterdir()] == ["exports"]
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_failure_leaves_an_edited_office_as_it_was(source: Path, tmp_path: Path) -> None:
    office = tmp_path / "office"
    (office / "drive").mkdir(parents=True)
    (office / "drive" / "own.xlsx").write_bytes(b"PK no workbook")
    before = all_bytes(office)
    with pytest.raises(CannotPseudonymise, match=r"own\.xlsx"):
        import_with_pseudonyms([source], office, BERLIN, SEED, NONE)
    assert all_bytes(office) == before


def test_the_report_has_the_paths_after_renaming(source: Path, tmp_path: Path) -> None:
    report, _ = import_with_pseudonyms([source], tmp_path / "office", BERLIN, SEED, NONE)
    became = [path for row in report.rows for path in row.became]
    assert len(became) == 2 and all((tmp_path / "office" / path).is_file() for path in became)
    assert not any("Müller" in path for path in became)


def test_nothing_is_added_to_an_office_of_pseudonyms(source: Path, tmp_path: Path) -> None:
    office = tmp_path / "office"
    import_with_pseudonyms([source], office, BERLIN, SEED, NONE)
    before = all_bytes(office)
    with pytest.raises(CannotImport, match="are pseudonyms"):
        import_with_pseudonyms([source], office, BERLIN, SEED, NONE)
    with pytest.raises(CannotImport, match="are pseudonyms"):
        import_files([source], office, BERLIN)
    assert all_bytes(office) == before


def test_people_for_people_csv_are_named_as_in_the_office(source: Path, tmp_path: Path) -> None:
    office = tmp_path / "office"
    report, _ = import_with_pseudonyms([source], office, BERLIN, SEED, NONE)
    written = b"".join(path.read_bytes() for path in office.rglob("*.eml")).decode()
    assert len(report.unknown_people) == 2
    for person in report.unknown_people:
        assert f"{person.name} <{person.address}>" in written
        assert not {"Ada", "Berg", "Ben", "Kern"} & set(person.name.split())


def test_the_copy_of_the_office_is_no_source_itself(source: Path, tmp_path: Path) -> None:
    office = tmp_path / "office"
    (office / "drive").mkdir(parents=True)
    (office / "drive" / "own.txt").write_text("own")
    report, _ = import_with_pseudonyms([tmp_path], office, BERLIN, SEED, NONE)
    assert len(report.rows) == 2
    assert len(list(office.rglob("own.txt"))) == 1


def test_a_swap_that_is_interrupted_brings_the_folder_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("made", "office"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "which").write_text(name)
    rename = Path.rename

    def stops(path: Path, target: Path) -> Path:
        if path.name == "made":
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", stops)
    with pytest.raises(KeyboardInterrupt):
        swapped_in(tmp_path / "made", tmp_path / "office", tmp_path / "aside")
    assert (tmp_path / "office" / "which").read_text() == "office"


def test_what_a_killed_run_left_is_named(source: Path, tmp_path: Path) -> None:
    (tmp_path / ".office-with-real-names-x1").mkdir()
    with pytest.raises(CannotPseudonymise, match="with-real-names-x1"):
        import_with_pseudonyms([source], tmp_path / "office", BERLIN, SEED, NONE)


@pytest.mark.parametrize("option", ["--json", "--mapping"])
def test_no_file_with_real_names_is_written_into_the_office(
    option: str, source: Path, tmp_path: Path
) -> None:
    office = tmp_path / "office"
    office.mkdir()
    done = call(
        "office", "import", source, "--office", office, "--zone", "Europe/Berlin",
        "--pseudonyms", SEED, option, office / "names.json", exits=2,
    )  # fmt: skip
    assert "must not hold real names" in done.output
    assert not list(office.iterdir())


def test_an_existing_mapping_is_refused_before_anything_is_written(
    source: Path, tmp_path: Path
) -> None:
    (tmp_path / "mapping.json").write_text("{}")
    done = call(
        "office", "import", source, "--office", tmp_path / "office", "--zone", "Europe/Berlin",
        "--pseudonyms", SEED, "--mapping", tmp_path / "mapping.json", exits=2,
    )  # fmt: skip
    assert "exists" in done.output
    assert not (tmp_path / "office").exists()


def test_the_json_report_lists_every_doubtful_word(tmp_path: Path) -> None:
    words = "".join(f"He met Quax{chr(97 + n // 26)}{chr(97 + n % 26)} today.\n" for n in range(80))
    (tmp_path / "notes.txt").write_text(words)
    done = call(
        "office", "import", tmp_path / "notes.txt", "--office", tmp_path / "office",
        "--pseudonyms", "short", "--json", tmp_path / "report.json",
    )  # fmt: skip
    found = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert "The seed is short" in done.output
    assert len({place["words"] for place in found["doubtful"]}) >= 80
