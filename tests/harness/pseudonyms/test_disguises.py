"""Names are found in escapes, base64, divided and spaced words; figures keep their sums."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from trainee_bench.harness.pseudonyms.drawing import Draws
from trainee_bench.harness.pseudonyms.folder import pseudonymise
from trainee_bench.harness.pseudonyms.meanings import Meaning, meaning_of
from trainee_bench.harness.pseudonyms.numbers import invented_number
from trainee_bench.harness.pseudonyms.texts import KnownNames, Pseudonyms
from trainee_bench.harness.pseudonyms.visitor import Place
from trainee_bench.world.workbook.model import Sheet, Workbook
from trainee_bench.world.workbook.xlsx import from_xlsx, to_xlsx

KNOWN = KnownNames(people=("Sieglinde Käsbohrer",))


def replaced(text: str) -> tuple[str, str]:
    """What becomes of *text*, and the pseudonym of Käsbohrer."""
    pseudonyms = Pseudonyms("s", KNOWN)
    made = pseudonyms.text(text)
    entry = pseudonyms.names.find("Käsbohrer")
    assert entry is not None
    return made, entry.pseudonym


@pytest.mark.parametrize(
    "written",
    [
        "https://x.example/users/K%C3%A4sbohrer/a",
        "https://x.example/?q=%20K%C3%A4sbohrer",
        "K&auml;sbohrer",
        "K\\u00e4sbohrer",
        "K=C3=A4sbohrer",
        "Käs-\nbohrer kam",
        "> Käs-\r\n> bohrer kam",
        "K Ä S B O H R E R",
        "die Käsbohrerin",
        "die Käsbohrersche Regel",
    ],
)
def test_a_name_in_disguise_is_replaced(written: str) -> None:
    made, pseudonym = replaced(f"\n{written}\n")
    plain = made.replace(" ", "") if written.startswith("K Ä") else made
    assert pseudonym.casefold() in plain.casefold()
    assert "sbohrer" not in plain.casefold()


def test_a_name_in_base64_is_replaced_within_it() -> None:
    hidden = base64.b64encode("Frau Käsbohrer wohnt hier".encode()).decode()
    made, pseudonym = replaced(f"Anhang:\n{hidden}\n")
    assert pseudonym in base64.b64decode(made.split("\n")[1]).decode()


def test_escapes_of_other_signs_stay() -> None:
    text = "/a%20b%2Fc?d=100%25 x=3D1 &amp; &lt; \\u0022 R&D AT&T\n"
    assert replaced(text)[0] == text


@pytest.mark.parametrize(
    "number",
    ["65 170839 J 008", "756.1234.5678.97", "AB 12 34 56 C", "123-45-6789", "M-OW 4711"],
)
def test_official_numbers_are_known_by_their_form(number: str) -> None:
    made = Pseudonyms("s").text(f"Her number is {number}, as you know.\n")
    assert number not in made and len(made) == len(f"Her number is {number}, as you know.\n")


def test_a_birth_date_keeps_neither_day_nor_month() -> None:
    for seed in range(400):
        made = invented_number("17.08.1939", "birth", Draws(str(seed)))
        assert not made.startswith("17.08.")


@pytest.mark.parametrize(
    "header", ["Mobile revenue", "Mobil Umsatz", "Postal costs", "Cell count", "Fax Kosten"]
)
def test_columns_of_figures_are_no_telephone_numbers(header: str) -> None:
    assert meaning_of(header) is Meaning.TEXT


def test_a_sentence_is_no_label_of_a_person() -> None:
    assert meaning_of("Vorgestellt von Brunnhuber") is Meaning.TEXT
    assert meaning_of("From") is Meaning.PERSON


def test_a_code_is_the_same_in_cells_formulas_and_other_sheets(tmp_path: Path) -> None:
    folder = tmp_path / "office"
    folder.mkdir()
    sheets = (
        Sheet(name="A", cells={"A1": "Customer no", "B1": "Sum", "A2": "104711", "B2": "12.5"}),
        Sheet(name="B", cells={"A1": "=SUMIF(A!A2:A9,104711,A!B2:B9)", "A2": "104711"}),
    )
    (folder / "a.xlsx").write_bytes(to_xlsx(Workbook(sheets=sheets)))
    pseudonymise(folder, "s", KnownNames())
    one, two = from_xlsx((folder / "a.xlsx").read_bytes()).sheets
    code = one.cells["A2"]
    assert code != "104711" and one.cells["B2"] == "12.5"
    assert two.cells["A2"] == code and code in two.cells["A1"]


@pytest.mark.parametrize(
    "ids",
    ["<1.Sieglinde@KAESBOHRER-PC>", "<sieglinde.kaesbohrer.1>", "<a@b> <k@kaesbohrerpc> <2@b>"],
)
def test_message_ids_without_a_domain_name_nobody(ids: str) -> None:
    replacer = Pseudonyms("s", KNOWN).replacer()
    made = replacer.field(ids, Meaning.MESSAGE_ID, Place("a.eml"))
    assert "sbohrer" not in made.casefold() and "sieglinde" not in made.casefold()
    assert made.count("<") == ids.count("<")
    assert replacer.field(made, Meaning.MESSAGE_ID, Place("a.eml")) == made
