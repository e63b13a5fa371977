"""The rule for equal answers: what it forgives, what it never does, and that everything follows
it."""

from __future__ import annotations

import ast
import re
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks import catalog
from trainee_bench.meta_tasks.answers import (
    AnswerKeys,
    ClockText,
    Code,
    PathText,
    PersonRef,
    RecordId,
    Text,
    TextKind,
    mentions,
    same_text,
    text_key,
    texts_without_kind,
)
from trainee_bench.meta_tasks.deliverable import Deliverable
from trainee_bench.world.company.people import Person, create_company

META_TASKS = Path(__file__).parent.parent.parent / "meta_tasks"
COMPANY = create_company(1)
PEOPLE = (*COMPANY.people, COMPANY.trainee)
KEYS = AnswerKeys(PEOPLE)
MARA, BEN, *_ = PEOPLE
NO_CHARACTERS = ("Cn", "Co")
"""The categories of codes without characters: not assigned, or for private use (seven of eight)."""
WORDS = st.text(st.one_of(st.sampled_from("abA1.,- _\u2013\u00a0\u0301\u200b"), st.characters()))


# labels ----------------------------------------------------------------------------------------


@given(WORDS)
def test_folding_a_text_twice_changes_nothing(words: str) -> None:
    assert text_key(text_key(words)) == text_key(words)


@given(WORDS, WORDS)
def test_two_labels_are_the_same_in_either_order(one: str, other: str) -> None:
    assert same_text(one, other) == same_text(other, one)
    assert same_text(one, one)


def test_every_character_is_folded_once_and_for_all() -> None:
    for character in map(chr, range(sys.maxunicode + 1)):
        if unicodedata.category(character) not in NO_CHARACTERS:
            folded = text_key(f"a{character}b")
            assert text_key(folded) == folded


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("  Open\u2011Air   MUSEUM ", "open air museum"),
        ("full_disk", "full disk"),
        ("Caf\u00e9 Br\u00fchl", "cafe bruhl"),
        ("Cafe\u0301 Bruhl", "cafe bruhl"),
        ("a\u200bb\u00adc", "abc"),
        ("\uff37eb\u201301", "web 01"),
        ("Basil-&-Bay", "basil & bay"),
        ("A \u2014 B", "a b"),
        ("- Ada", "- ada"),
        ("-5", "-5"),
        ("\u22125", "-5"),
        ("minus -5", "minus -5"),
        ("", ""),
    ],
)
def test_a_label_without_case_accents_blanks_and_dashes(written: str, folded: str) -> None:
    assert text_key(written) == folded


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("web-01", "web-02"),
        ("web-01", "web01"),
        ("W\u0456-Fi", "Wi-Fi"),
        ("5", "-5"),
        ("about -5", "about 5"),
        ("1.5", "15"),
        ("Ada", "- Ada"),
        ("\u304b", "\u304c"),
        ("=", "\u2260"),
    ],
)
def test_labels_that_say_something_else_stay_different(one: str, other: str) -> None:
    assert not same_text(one, other)


def test_folding_takes_no_more_than_a_few_times_as_long_for_each_character() -> None:
    # marks out of order make normalising a whole text quadratic: here it would take minutes
    marks = "a" + "\u0301\u0323" * 300_000
    assert text_key(marks) == "a"
    assert text_key("a" + " -" * 300_000 + "b") == "a b"
    assert text_key("a" + "-" * 300_000 + "b") == "a b"


@pytest.mark.parametrize(
    ("note", "label", "there"),
    [
        ("Cost centre: k1234.", "K1234", True),
        ("K1234", "K1234", True),
        ("K12345", "K1234", False),
        ("AK1234", "K1234", False),
        ("", "K1234", False),
    ],
)
def test_a_label_is_mentioned_as_words_of_its_own(note: str, label: str, there: bool) -> None:
    assert mentions(note, label) is there


# people ------------------------------------------------------------------------------------------


def ways_to_write(person: Person) -> list[str]:
    known = [person.name, person.id, person.email]
    return [
        *known,
        *map(str.upper, known),
        person.name.lower(),
        person.name.replace(" ", "\u00a0"),
        person.name.replace(" ", "_"),
        f" {person.name} ",
    ]


def test_somebody_is_meant_by_name_id_and_address_in_every_spelling() -> None:
    for person in PEOPLE:
        assert {KEYS.person(written) for written in ways_to_write(person)} == {person.id}


def test_a_part_of_a_name_and_a_name_nobody_has_mean_nobody() -> None:
    for written in (MARA.first_name, f"{MARA.name}x", f"{MARA.name} {BEN.name}", ""):
        assert KEYS.person(written) == text_key(written)


def test_a_name_that_two_people_have_is_compared_as_text() -> None:
    twin = BEN.model_copy(update={"id": "twin", "name": MARA.name.upper()})
    keys = AnswerKeys([MARA, twin])
    assert keys.person(MARA.name) == text_key(MARA.name)
    assert keys.person(MARA.id) == MARA.id
    assert keys.person(twin.id) == "twin"


@pytest.mark.parametrize("size", [10, 50, 500])
def test_no_two_colleagues_are_called_the_same_however_they_are_written(size: int) -> None:
    for seed in range(5 if size == 500 else 40):
        company = create_company(seed, size)
        everybody = (*company.people, company.trainee)
        called = [
            text_key(way) for person in everybody for way in (person.id, person.name, person.email)
        ]
        assert len(set(called)) == 3 * len(everybody)


# the other kinds, and whole rows -----------------------------------------------------------------


class Line(Deliverable):
    """A text of each kind."""

    label: Text
    who: PersonRef
    code: Code
    at: ClockText
    id: RecordId
    path: PathText
    others: list[PersonRef]
    amount: float


RIGHT = Line(
    label="Open-Air Museum",
    who=MARA.name,
    code="ABCD-0123",
    at="09:30",
    id="INV-041",
    path="/home",
    others=[MARA.name, BEN.name],
    amount=-5.0,
)


@pytest.mark.parametrize(
    ("field", "written", "same"),
    [
        ("label", "OPEN AIR museum", True),
        ("label", "Open-Air Museums", False),
        ("who", MARA.id, True),
        ("who", BEN.id, False),
        ("code", "abcd0123", True),
        ("code", "abcd 0123", True),
        ("code", "ABCD-0124", False),
        ("at", "9:30", True),
        ("at", "9:31", False),
        ("id", " INV-041\u00a0", True),
        ("id", "inv-041", False),
        ("id", "INV\u2011041", False),
        ("id", "INV 041", False),
        ("id", "INV-042", False),
        ("path", "home/", True),
        ("path", "/Home", False),
        ("others", [BEN.email, MARA.id], True),
        ("others", [MARA.name, MARA.id], False),
        ("others", [MARA.name, BEN.name, BEN.id], False),
        ("others", [MARA.name], False),
        ("amount", -5.0, True),
        ("amount", 5.0, False),
    ],
)
def test_each_kind_of_field_is_compared_in_its_own_way(
    field: str, written: object, same: bool
) -> None:
    given_ = Line.model_validate({**RIGHT.model_dump(), field: written})
    assert KEYS.differing(given_, RIGHT) == ([] if same else [field])


class Report(Deliverable):
    """Rows in a report."""

    lines: list[Line]


def test_rows_of_a_report_count_in_any_order_and_each_as_often_as_it_is_there() -> None:
    other = RIGHT.model_copy(update={"id": "INV-042"})
    again = RIGHT.model_copy(update={"who": MARA.email})
    assert not KEYS.differing(Report(lines=[other, again]), Report(lines=[RIGHT, other]))
    assert KEYS.differing(Report(lines=[again, RIGHT]), Report(lines=[RIGHT, other])) == ["lines"]


@given(st.text(), st.text())
def test_two_ids_of_records_are_the_same_only_letter_by_letter(one: str, other: str) -> None:
    same = KEYS.key(TextKind.RECORD, one) == KEYS.key(TextKind.RECORD, other)
    assert same is (one.strip() == other.strip())


# nobody goes round it ----------------------------------------------------------------------------


def deliverables(base: type[BaseModel] = Deliverable) -> Iterator[type[BaseModel]]:
    for made in base.__subclasses__():
        if made.__module__.startswith("trainee_bench."):
            yield made
        yield from deliverables(made)


def test_every_text_in_a_deliverable_of_any_rule_has_a_kind() -> None:
    for rule in list(catalog.all_rules())[::5]:
        single_task_day(rule, 0)  # some models are made for a seed
    found = {model.__name__: texts_without_kind(model) for model in deliverables()}
    assert len(found) >= 40
    assert not {name: fields for name, fields in found.items() if fields}


def test_a_deliverable_with_a_text_of_no_kind_cannot_be_defined() -> None:
    class Inner(BaseModel):
        names: tuple[str, ...]

    with pytest.raises(TypeError, match=r"Plain.word is text; declare its kind"):

        class Plain(Deliverable):
            word: str

    with pytest.raises(TypeError, match=r"Optional.word is text"):

        class Optional(Deliverable):
            word: str | None

    with pytest.raises(TypeError, match=r"Outer.rows.names is text"):

        class Outer(Deliverable):
            rows: list[Inner]

    class Fine(Deliverable):
        kind: Literal["open", "closed"]
        word: Text | None

    assert not texts_without_kind(Fine)


FOLDED_FOR_ANOTHER_REASON = {
    "complications/hidden_instructions.py: booked": "a code of one shape, found in a note",
    "complications/outside_mail.py: apply": "an address that is made",
    "complications/unannounced_handover.py: _path": "the name of a file that is made",
    "complications/unannounced_handover.py: _file_about": "the name of a file that is read",
    "families/ads_strategy/__init__.py: _letters": "an entry of somebody else's scenario",
    "families/resume_select/data.py: unmet_criteria": "skills in résumés, by the task's own words",
    "families/transactions/subject/paid_twice.py: find": "numbers of invoices, by the manual",
    "families/transactions/subject/paid_twice.py: _as_typed": "numbers of invoices that are drawn",
    "families/week/marks.py: each_day": "the name of a checkpoint",
    "families/week/__init__.py: _respelled": "a mail of another way of working, for certificates",
}
"""The places where families and complications fold a text that is not an answer."""
FOLDS = {"casefold", "lower", "upper", "swapcase", "normalize", "fold_text"}


def test_no_family_and_no_complication_folds_an_answer_itself() -> None:
    found = set()
    for folder in ("families", "complications"):
        for path in sorted((META_TASKS / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and folds(node):
                    found.add(f"{path.relative_to(META_TASKS)}: {node.name}")
    assert found == FOLDED_FOR_ANOTHER_REASON.keys()


def folds(function: ast.AST) -> bool:
    """Return whether it calls something that folds a text."""
    return any(
        isinstance(node, ast.Call)
        and (getattr(node.func, "attr", "") in FOLDS or getattr(node.func, "id", "") in FOLDS)
        for node in ast.walk(function)
    )


def test_the_page_on_scoring_states_the_rule() -> None:
    page = (META_TASKS.parent / "docs/how_it_works/scoring.md").read_text("utf-8")
    said = " ".join(page.split())
    for words in ("case, accents, dashes and blanks", "name, id or address", "compared exactly"):
        assert words in said
    assert unicodedata.is_normalized("NFC", page) and re.search("## Equal answers", page)
