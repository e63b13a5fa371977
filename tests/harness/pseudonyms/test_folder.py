"""An office is replaced as a whole: all formats, names of files, the report and the mapping."""

from __future__ import annotations

import json
import stat
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.harness.pseudonyms.measuring import files_of
from trainee_bench.harness.pseudonyms.folder import pseudonymise
from trainee_bench.harness.pseudonyms.report import CannotPseudonymise, write_mapping
from trainee_bench.harness.pseudonyms.texts import KnownNames
from trainee_bench.world.workbook.model import Sheet, Workbook
from trainee_bench.world.workbook.xlsx import from_xlsx, to_xlsx

PEOPLE = "name,title,manager\nJörg Müller,Clerk,\nHenrik Olsen,Clerk,Jörg Müller\n"
REAL = ("Jörg", "Müller", "Mueller", "Henrik", "Olsen", "nordkabel", "Nordkabel")
NONE = KnownNames()


def mail() -> bytes:
    message = EmailMessage(policy=policy.default.clone(utf8=True))
    message["From"] = "Jörg Müller <joerg.mueller@nordkabel.de>"
    message["To"] = '"Olsen, Henrik" <henrik.olsen@nordkabel.de>'
    message["Subject"] = "The offer of Nordkabel GmbH"
    message["Message-ID"] = "<q1.7@nordkabel.de>"
    message.set_content("Hi Henrik,\n\nsee drive:/Müller/plan_henrik.md.\n\nBest,\nJörg\n")
    message.add_attachment(
        b"Contact,Euros\nHenrik Olsen,1200\n", maintype="text", subtype="csv",
        filename="Olsen.csv",
    )  # fmt: skip
    return message.as_bytes().replace(message.get_boundary("").encode() or b"=", b"=_7")


@pytest.fixture
def office(tmp_path: Path) -> Path:
    folder = tmp_path / "office"
    (folder / "mail").mkdir(parents=True)
    (folder / "drive" / "Müller").mkdir(parents=True)
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (folder / "office.yaml").write_text("company: Nordkabel GmbH\ntrainee: Henrik Olsen\n")
    (folder / "mail" / "1.eml").write_bytes(mail())
    (folder / "drive" / "Müller" / "plan_henrik.md").write_text("Henrik's plan\n")
    (folder / "drive" / "plan.png").write_bytes(b"\x89PNG\0")
    (folder / "drive" / "list.json").write_text('{"who": "J\\u00f6rg", "euros": 1200}\n')
    event = "BEGIN:VEVENT\r\nSUMMARY:Talk\\, with Jörg\\nand Henrik\r\nEND:VEVENT\r\n"
    (folder / "calendar.ics").write_bytes(event.encode())
    cells = {"A1": "Contact", "B1": "Euros", "A2": "Jörg Müller", "B2": "1200"}
    sums = {"A1": '=COUNTIF(Olsen!A2:A9,"Jörg Müller")', "A2": "=SUM(Olsen!B2:B9)"}
    sheets = (Sheet(name="Olsen", cells=cells), Sheet(name="Sums", cells=sums))
    (folder / "drive" / "list.xlsx").write_bytes(to_xlsx(Workbook(sheets=sheets)))
    return folder


def test_no_real_name_is_left_in_any_file_or_file_name(office: Path) -> None:
    report = pseudonymise(office, "s", NONE)
    for name, content in files_of(office).items():
        shown = name + "\n"
        if name.endswith(".xlsx"):
            shown += from_xlsx(content).model_dump_json()
        elif name.endswith(".eml"):
            message = message_from_bytes(content, policy=policy.default)
            shown += "\n".join(map(str, message.values()))
            for part in message.walk():
                if not part.is_multipart():
                    shown += part.get_content() + str(part.get_filename())
        elif not name.endswith(".png"):
            shown += content.decode()
        assert not [real for real in REAL if real.casefold() in shown.casefold()], name
    assert report.left_over == ()
    assert report.renamed == 2


def test_the_same_person_has_the_same_pseudonym_in_all_files(office: Path) -> None:
    names = pseudonymise(office, "s", NONE).mapping
    first, last = names["Jörg"], names["Müller"]
    files = files_of(office)
    assert f"{first} {last},Clerk," in files["people.csv"].decode()
    message = message_from_bytes(files["mail/1.eml"], policy=policy.default)
    assert message["From"].addresses[0].display_name == f"{first} {last}"
    workbook = from_xlsx(files["drive/list.xlsx"])
    assert workbook.sheet().cells["A2"] == f"{first} {last}"
    assert workbook.sheet().name == names["Olsen"]
    assert f'"{first} {last}"' in workbook.sheet("Sums").cells["A1"]
    assert workbook.sheet("Sums").cells["A2"] == f"=SUM({names['Olsen']}!B2:B9)"
    assert f"SUMMARY:Talk\\, with {first}\\nand {names['Henrik']}" in files["calendar.ics"].decode()
    assert files["drive/list.json"].decode() == f'{{"who": "{first}", "euros": 1200}}\n'


def test_a_path_in_a_text_leads_to_the_renamed_file(office: Path) -> None:
    pseudonymise(office, "s", NONE)
    message = message_from_bytes((office / "mail/1.eml").read_bytes(), policy=policy.default)
    text = message.get_body().get_content()  # type: ignore[union-attr]
    path = text.partition("drive:/")[2].partition(". ")[0].split("\n")[0].removesuffix(".")
    assert (office / "drive" / path).read_text().endswith("'s plan\n")


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(
    office: Path, tmp_path: Path
) -> None:
    real = files_of(office)
    made = []
    for at, seed in enumerate(["s", "s", "t"]):
        folder = tmp_path / str(at)
        for name, content in real.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        pseudonymise(folder, seed, NONE)
        made.append(files_of(folder))
    assert made[0] == made[1]
    assert made[0]["people.csv"] != made[2]["people.csv"]


def test_pictures_are_listed_as_not_looked_into(office: Path) -> None:
    report = pseudonymise(office, "s", NONE)
    assert [skipped.file for skipped in report.not_looked_into] == ["drive/plan.png"]
    assert "picture" in report.not_looked_into[0].why


def test_the_mapping_is_written_only_to_a_named_file_that_its_owner_reads(
    office: Path, tmp_path: Path
) -> None:
    report = pseudonymise(office, "s", NONE)
    path = tmp_path / "mapping.json"
    write_mapping(path, report, office)
    assert json.loads(path.read_text(encoding="utf-8"))["Jörg"] == report.mapping["Jörg"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(CannotPseudonymise, match="exists"):
        write_mapping(path, report, office)
    with pytest.raises(CannotPseudonymise, match="must not hold real names"):
        write_mapping(office / "mapping.json", report, office)


def test_a_failure_leaves_the_office_as_it_was(office: Path) -> None:
    (office / "drive" / "broken.xlsx").write_bytes(b"PK no workbook")
    before = files_of(office)
    with pytest.raises(CannotPseudonymise, match=r"drive/broken\.xlsx"):
        pseudonymise(office, "s", NONE)
    assert files_of(office) == before
    assert [path.name for path in office.parent.iterdir()] == ["office"]


def test_a_wrong_folder_or_seed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CannotPseudonymise, match="no files"):
        pseudonymise(tmp_path, "s", NONE)
    with pytest.raises(CannotPseudonymise, match="no folder"):
        pseudonymise(tmp_path / "none", "s", NONE)
    with pytest.raises(CannotPseudonymise, match="seed is empty"):
        pseudonymise(tmp_path, "", NONE)


def test_files_without_names_keep_their_bytes(tmp_path: Path) -> None:
    folder = tmp_path / "office"
    folder.mkdir()
    table = b'"Item";"Euros"\r\n"Chair, red";12,50\r\n\r\n'
    (folder / "items.csv").write_bytes(table)
    (folder / "notes.txt").write_bytes(b"the total is 12.50\r\nno more\x0c\n")
    pseudonymise(folder, "s", NONE)
    assert files_of(folder) == {
        "items.csv": table, "notes.txt": b"the total is 12.50\r\nno more\x0c\n"
    }  # fmt: skip
