"""Names in any script in answers, and in texts that one template writes and reads."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.world.many_scripts import (
    ARABIC,
    COMPANY,
    JOERG,
    NAMES,
    called,
    company_of,
    decomposed,
    generated_names,
    groups_of_names,
)
from trainee_bench.meta_tasks.answers import AnswerKeys, mentions
from trainee_bench.meta_tasks.authoring import (
    FULL_NAME,
    TextTemplate,
    ValueTemplate,
    english_list,
    separated,
)

KEYS = AnswerKeys(COMPANY.people)


@pytest.mark.parametrize("name", NAMES)
def test_a_person_is_the_same_in_every_encoding_and_by_id_and_address(name: str) -> None:
    person = called(name)
    ways = [name, decomposed(name), f" {name} ", person.id, person.email]

    assert {KEYS.person(written) for written in ways} == {person.id}


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("JÖRG MÜLLER-GROẞ", JOERG),
        ("Jorg Muller Gross", JOERG),
        ("Siobhán O’Neill", "Siobhán O'Neill"),
        ("IŞIL ÇAĞLAR", "Işıl Çağlar"),
        ("işil çağlar", "Işıl Çağlar"),
        ("ＡＮＡ Šimić", "Ana Šimić"),
        ("JAN GROSS", "Jan Gross"),
        ("Jan Groß", "Jan Groß"),
    ],
)
def test_case_accents_and_width_do_not_count_unless_somebody_differs_by_them(
    written: str, name: str
) -> None:
    assert KEYS.person(written) == called(name).id


def test_letters_without_decomposition_have_their_usual_replacements() -> None:
    keys = AnswerKeys(company_of(["Søren Łukasz", "Soren Lund"]).people)

    assert keys.person("Soren Lukasz") == keys.person("SØREN ŁUKASZ") == "soren.lukasz"
    assert keys.person("Sören Lund") == "soren.lund"


@given(groups_of_names())
def test_answers_that_name_different_people_differ(names: list[str]) -> None:
    people = company_of(names).people
    keys = AnswerKeys(people)

    found = [keys.person(decomposed(person.name)) for person in people]
    assert found == [person.id for person in people]


@pytest.mark.parametrize(
    ("text", "name", "named"),
    [
        ("the list of jörg müller-groß's team", JOERG, True),
        (f"({ARABIC}, 5)", ARABIC, True),
        ("पर शर्मा है", "शर्म", False),
        ("Nina", "नीना", False),
    ],
)
def test_a_text_mentions_a_name_as_separate_words(text: str, name: str, named: bool) -> None:
    assert mentions(text, name) is named


# templates --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Handed:
    """Who hands something to whom."""

    giver: str
    taker: str
    helpers: tuple[str, ...]


HANDED = TextTemplate(
    Handed,
    "Ask {giver}, who has it. {giver}'s list goes to {taker} in Sales; {helpers} will help.",
    {"giver": FULL_NAME, "taker": FULL_NAME, "helpers": english_list(FULL_NAME)},
)
LINES = ValueTemplate("Here:\n{value}\n", separated(FULL_NAME, "\n", before="- "))


@given(st.lists(generated_names(), min_size=3, max_size=6))
def test_a_template_reads_the_names_that_it_has_written(names: list[str]) -> None:
    handed = Handed(names[0], names[1], tuple(names[2:]))
    text = HANDED.render(handed)

    assert HANDED.parse(text) == handed
    assert HANDED.search(f"Hello Robin!\nOf course. {text} Bye.") == handed
    assert LINES.search(f"Dear all,\n{LINES.render(tuple(names))}Bye") == tuple(names)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["{value} knows it.", "{value} in Sales has it", "{value}: yes"])
def test_a_name_at_the_beginning_of_a_template_is_found_within_a_text(name: str, text: str) -> None:
    template = ValueTemplate(text, FULL_NAME)

    for before in ("", "Sure. ", "OK, as always: ", "I think that "):
        assert template.search(f"{before}{template.render(name)}") == name
