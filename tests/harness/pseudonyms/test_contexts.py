"""Names that no list has are known by the words beside them; ordinary words in such places stay."""

from __future__ import annotations

import pytest

from trainee_bench.harness.pseudonyms.texts import Pseudonyms

ENGLISH = "This is the letter, and it was written to you.\n"
GERMAN = "Das ist der Brief, und er ist nicht für mich.\n"


def replaced(line: str, language: str) -> str:
    """What becomes of *line* in a letter in this language."""
    return Pseudonyms("s").text(f"{language}{language}{line}\n").split("\n")[2]


@pytest.mark.parametrize(
    ("line", "language", "name"),
    [
        ("We spoke to J. Wexbridge, who agreed.", ENGLISH, "Wexbridge"),
        ("Es kommen H. Brandlmoser und andere.", GERMAN, "Brandlmoser"),
        ("Trewhellan v Smith is heard on Monday.", ENGLISH, "Trewhellan"),
        ("In Sachen Brandlmoser ./. Huber ist Termin.", GERMAN, "Brandlmoser"),
        ("Visite bei Pat. Brandlmoser und Pfleger Unterthiner.", GERMAN, "Unterthiner"),
        ("Die Patientin Brandlmoser schläft.", GERMAN, "Brandlmoser"),
        ("Brandlmoser, Hedwig: Entlassung morgen", GERMAN, "Brandlmoser"),
        ("Anwesend: Anna Huber, Bernd Maier, Quirin Brandlmoser", GERMAN, "Quirin"),
        ("Directors: Ann Lee (Chair), Bob Smith, Percival Wexbridge.", ENGLISH, "Percival"),
        ("Wexbridge says she never saw it.", ENGLISH, "Wexbridge"),
        ("Brandlmoser berichtet vom Gespräch.", GERMAN, "Brandlmoser"),
        ("Please ask Wexbridge about it.", ENGLISH, "Wexbridge"),
        ("The judge was Fergus Haldwick yesterday.", ENGLISH, "Haldwick"),
        ("Wexbridge's letter has come.", ENGLISH, "Wexbridge"),
        ("Dann kam Olena Shevchenko herein.", GERMAN, "Shevchenko"),
        ("Mit McKennaway geht das.", GERMAN, "McKennaway"),
        ("Ben told me so.", ENGLISH, "Ben"),
        ("Wir danken Gerhard Richter dafür.", GERMAN, "Richter"),
    ],
)
def test_a_name_is_known_by_its_context(line: str, language: str, name: str) -> None:
    assert name not in replaced(line, language)


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("Please see Exhibit B. Questions are welcome.", ENGLISH),
        ("The Receiver wrote to the Trustee.", ENGLISH),
        ("The new Shelvings are in our great Warehouse.", ENGLISH),
        ("Wir brauchen z. B. Blutkultur, Befund und Drainage.", GERMAN),
        ("Kalium bitte wiederholen, Blutkultur abnehmen.", GERMAN),
        ("Vorgestellt von allen: Kolon, Mamma und Niere.", GERMAN),
    ],
)
def test_an_ordinary_word_in_such_a_place_stays(line: str, language: str) -> None:
    assert replaced(line, language) == line


def test_a_word_that_also_occurs_in_small_letters_is_no_name() -> None:
    text = f"{ENGLISH}Please send the escrow now. We asked Escrow about it, and Wexbridge too.\n"
    made = Pseudonyms("s").text(text)
    assert "Escrow" in made and "Wexbridge" not in made
