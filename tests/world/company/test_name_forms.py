"""Names in any script: how they are tidied, compared, shortened and made handles."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.world.many_scripts import (
    COMPANY,
    JOERG,
    NAMES,
    company_of,
    decomposed,
    generated_names,
    groups_of_names,
    office_of_many_scripts,
)
from tests.world.office import do
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.company.name_forms import (
    first_name,
    handles_of,
    names_in,
    names_person,
    parts_of_name,
    tidied_name,
)
from trainee_bench.world.company.people import Company, Person, create_company
from trainee_bench.world.errors import NotFound
from trainee_bench.world.transaction import Transaction


@pytest.mark.parametrize("name", NAMES)
def test_a_name_in_any_script_is_tidy_and_its_other_encodings_become_it(name: str) -> None:
    assert tidied_name(name) == name
    assert tidied_name(f"  {decomposed(name).replace(' ', '  ')}\u200e") == name


@pytest.mark.parametrize(
    "written", ["", "jörg müller", "R2D2 Müller", "Müller, Jörg", "Jörg (Finance)", "Ö" * 200]
)
def test_no_other_text_is_a_name(written: str) -> None:
    with pytest.raises(ValueError, match="name"):
        tidied_name(written)


def test_full_width_letters_become_the_usual_ones() -> None:
    assert tidied_name("Ｊöｒｇ Ｌｅｅ") == "Jörg Lee"


@pytest.mark.parametrize(
    ("name", "handle"),
    [
        ("Mara Lindt", "mara.lindt"),
        (JOERG, "jorg.muller-gross"),
        ("Siobhán O'Neill", "siobhan.oneill"),
        ("Nguyễn Thị Minh Khai", "nguyen.thi.minh.khai"),
        ("Işıl Çağlar", "isil.caglar"),
        ("J. R. Müller", "j.r.muller"),
    ],
)
def test_a_handle_has_the_latin_letters_of_a_name(name: str, handle: str) -> None:
    assert handles_of([name]) == (handle,)


def test_a_name_without_latin_letters_gets_its_number_and_equal_handles_differ() -> None:
    names = ["Jan Groß", "李雷", "Jan Gross", "محمد الأحمد"]

    assert handles_of(names) == ("jan.gross", "person-2", "jan.gross-2", "person-4")


@given(groups_of_names(most=8))
def test_handles_are_different_ascii_words(names: list[str]) -> None:
    handles = handles_of(names)

    assert len(set(handles)) == len(names)
    assert all(handle.isascii() and handle == handle.lower() for handle in handles)
    assert not any(
        set(handle) - set("abcdefghijklmnopqrstuvwxyz0123456789.-") for handle in handles
    )


def test_people_of_the_built_in_company_keep_their_handles() -> None:
    people = create_company(7, 200).people

    assert handles_of([person.name for person in people]) == tuple(p.id for p in people)


@pytest.mark.parametrize(
    ("name", "first"),
    [
        (JOERG, "Jörg"),
        ("李雷", "李雷"),
        ("J. R. Müller", "J. R. Müller"),
        ("Dr. Ana Šimić", "Ana"),
        ("Madonna", "Madonna"),
    ],
)
def test_colleagues_use_the_first_word_that_is_no_initial_and_no_title(
    name: str, first: str
) -> None:
    assert first_name(name) == first


def test_a_name_of_many_words_may_be_shortened_at_both_ends() -> None:
    parts = parts_of_name("María del Carmen García López")

    assert {"María", "María del Carmen", "García López", "López"} <= set(parts)
    assert not {"del", "María del", "María del Carmen García López"} & set(parts)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("jörg müller-groß", JOERG),
        (decomposed("Jörg"), JOERG),
        ("JORG MULLER-GROSS", JOERG),
        ("Müller", "J. R. Müller"),
        ("muller", "J. R. Müller"),
        ("O’Neill", "Siobhán O'Neill"),
        ("IŞIL", "Işıl Çağlar"),
        ("isil caglar", "Işıl Çağlar"),
        ("madonna", "Madonna"),
        ("García López", "María del Carmen García López"),
        ("ana simic", "Ana Šimić"),
        ("Jan Groß", "Jan Groß"),
        ("jan gross", "Jan Gross"),
        ("नीना", "नीना शर्मा"),
        ("Սարգսյան", "Նարե Սարգսյան"),
        ("person-3", "李雷"),
    ],
)
def test_a_company_finds_people_by_any_spelling_of_a_name(written: str, name: str) -> None:
    assert COMPANY.person(written).name == name


@pytest.mark.parametrize("written", ["Ana", "Jan", "शर्मा", "Zoë", "Groß-Müller"])
def test_an_ambiguous_or_unknown_name_finds_nobody(written: str) -> None:
    with pytest.raises(NotFound):
        COMPANY.person(written)


def test_an_accent_decides_between_two_people() -> None:
    company = company_of(["Jorg Muller", "Jörg Müller", "Ann Lee"])

    assert company.person("jorg muller").name == "Jorg Muller"
    assert company.person("JÖRG MÜLLER").name == "Jörg Müller"
    with pytest.raises(NotFound, match=r"Jorg Muller \(.*\) or Jörg Müller \("):
        company.person("Jörg Muller")


def _found(company: Company, written: str) -> str:
    try:
        return company.person(written).name
    except NotFound:
        return ""


@given(groups_of_names(), st.data())
def test_nobody_is_taken_for_somebody_else(names: list[str], data: st.DataObject) -> None:
    company, name = company_of(names), data.draw(st.sampled_from(names))

    for written in (name, decomposed(name), name.lower(), f" {name} "):
        assert _found(company, written) in (name, "")
    if not any(name in parts_of_name(other) for other in names if other != name):
        assert _found(company, decomposed(name)) == name


@pytest.mark.parametrize("name", NAMES)
async def test_the_directory_finds_everybody_by_name_and_address_in_any_encoding(
    name: str,
) -> None:
    async with await office_of_many_scripts() as world:
        for written in (name, decomposed(name), name.lower(), f"{name} <{_address(name)}>"):
            found = await do(world, partial(_find, written))
            assert found.name == name


def _find(who: str, tx: Transaction) -> Person:
    return Directory(tx).find(who)


def _address(name: str) -> str:
    return next(person.email for person in COMPANY.people if person.name == name)


async def test_the_directory_takes_a_name_without_accents_if_it_is_clear() -> None:
    async with await office_of_many_scripts() as world:
        found = await do(world, lambda tx: Directory(tx).find("siobhan o'neill"))
        with pytest.raises(NotFound, match="Jan Groß"):
            await do(world, lambda tx: Directory(tx).find("Jan Groſsz"))

    assert found.name == "Siobhán O'Neill"


@given(generated_names(), generated_names())
def test_a_text_names_only_the_people_whose_whole_names_it_has(one: str, other: str) -> None:
    text = f"Ask {one}, who knows more about it."

    assert names_in(text, [one, other]) == (one,) or one.startswith(other) or other in one
    assert names_person(text, one)


def test_a_double_name_does_not_name_the_bearer_of_its_first_half() -> None:
    text = "Ana Šimić-Kovačević has it."

    assert names_in(text, NAMES) == ("Ana Šimić-Kovačević",)
    assert not names_person(text, "Ana Šimić")
    assert not names_person("Ask Ana Simic-Kovac.", "Ana Simic")
    assert not names_person("Ask Eva-Ana Simic.", "Ana Simic")
    assert names_person("Ask Ana Simic - she has it.", "Ana Simic")
