"""One name has one pseudonym in all its forms; pseudonyms keep the form; numbers stay valid."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainee_bench.harness.pseudonyms.drawing import iban_check, luhn_digit
from trainee_bench.harness.pseudonyms.folding import WORD, key_of
from trainee_bench.harness.pseudonyms.texts import KnownNames, Pseudonyms

FIRST = "Jörg Anna Henrik Zoë Deepak Søren Greta".split()
LAST = "Müller Schönwald Weber Petersen Østergård Quorlan Iyer".split()
JOERG = KnownNames(people=("Jörg Müller",))
people = st.tuples(st.sampled_from(FIRST), st.sampled_from(LAST))
seeds = st.text("abcdef0123", min_size=1, max_size=6)


def replaced(text: str, seed: str = "s", known: KnownNames = JOERG) -> str:
    return Pseudonyms(seed, known).text(text)


def words(text: str) -> list[str]:
    return WORD.findall(text)


def pair(seed: str = "s") -> tuple[str, str]:
    first, last = words(replaced("Jörg Müller", seed))
    return first, last


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("We met Jörg at noon.", "We met {first} at noon."),
        ("We met Müller at noon.", "We met {last} at noon."),
        ("Jörg's plan", "{first}'s plan"),
        ("Jörg’s plan", "{first}’s plan"),
        ("Müllers Plan", "{last}s Plan"),
        ("JÖRG MÜLLER", "{FIRST} {LAST}"),
        ("Müller, Jörg", "{last}, {first}"),
        ("J. Müller agreed.", "{f}. {last} agreed."),
        ("ask jmueller or joergm", "ask {fl}{llower} or {flower}{ll}"),
        ("folder joerg_mueller here", "folder {flower}_{llower} here"),
    ],
)
def test_a_person_has_one_pseudonym_in_every_form(text: str, made: str) -> None:
    first, last = pair()
    plain_first, plain_last = key_of(first), key_of(last)
    expected = made.format(
        first=first, last=last, FIRST=first.upper(), LAST=last.upper(), f=first[0],
        fl=plain_first[0], ll=plain_last[0], flower=plain_first, llower=plain_last,
    )  # fmt: skip
    assert replaced(text) == expected


@pytest.mark.parametrize("form", ["Mueller", "Muller", "MUELLER", "Mu\u0308ller"])
def test_a_name_without_its_diacritics_or_decomposed_is_the_same_name(form: str) -> None:
    _, last = pair()
    assert key_of(replaced(f"It was {form} again.")) == key_of(f"It was {last} again.")


@given(people, seeds)
@settings(max_examples=10, deadline=None)
def test_the_same_mention_has_the_same_pseudonym_in_all_texts(
    person: tuple[str, str], seed: str
) -> None:
    first, last = person
    pseudonyms = Pseudonyms(seed, KnownNames(people=(f"{first} {last}",)))
    made_first, made_last = words(pseudonyms.text(f"{first} {last}"))
    assert words(pseudonyms.text(f"Hi {first},")) == ["Hi", made_first]
    assert words(pseudonyms.text(f"Dear Ms {last},")) == ["Dear", "Ms", made_last]
    assert {first, last}.isdisjoint({made_first, made_last})
    assert made_first != made_last


@given(people, people, seeds)
@settings(max_examples=10, deadline=None)
def test_a_second_pass_changes_nothing(
    one: tuple[str, str], other: tuple[str, str], seed: str
) -> None:
    text = (
        f"Hi {one[0]},\nplease call {' '.join(other)} at +49 30 1234567, born 12.03.1980, or write "
        f"to {key_of(one[0])}.{key_of(one[1])}@nordkabel.de. Invoice no. RE-2026-00417, IBAN "
        f"DE89 3704 0044 0532 0130 00.\nBest regards,\n{' '.join(one)}\nLindenstraße 12\n"
    )
    pseudonyms = Pseudonyms(seed)
    once = pseudonyms.text(text)
    assert pseudonyms.text(once) == once


@given(people, people, seeds)
@settings(max_examples=10, deadline=None)
def test_no_form_of_a_real_name_is_left(
    one: tuple[str, str], other: tuple[str, str], seed: str
) -> None:
    first, last = one
    forms = [
        f"{first} {last}", f"{last}, {first}", f"{first}'s", f"Dr. {last}", f"{last}".upper(),
        unicodedata.normalize("NFD", f"{first} {last}"), f"{key_of(first)}.{key_of(last)}@x.org",
        f"{key_of(first)[0]}{key_of(last)}",
    ]  # fmt: skip
    pseudonyms = Pseudonyms(seed, KnownNames(people=(f"{first} {last}", " ".join(other))))
    made = pseudonyms.text("\n".join(f"we saw {form} there" for form in forms))
    real = {key_of(word) for word in (*one, *other)}
    assert {key_of(word) for word in words(made)}.isdisjoint(real), made
    left = key_of(made)
    for name in words(pseudonyms.text(f"{first} {last}")):
        left = left.replace(key_of(name), "")  # a pseudonym may have a real name inside
    assert not any(key_of(word) in left for word in (first, last) if len(word) > 3)


@given(seeds)
@settings(max_examples=10, deadline=None)
def test_a_seed_gives_the_same_text_again_and_another_seed_another(seed: str) -> None:
    text = "Hi Jörg Müller, call Anna Petersen and Henrik Weber.\n"
    assert replaced(text, seed) == replaced(text, seed)
    assert replaced(text, seed) != replaced(text, f"{seed}x")


def test_pseudonyms_are_no_words_of_the_material_and_differ() -> None:
    names = [f"{first} {last}" for first in FIRST for last in LAST]
    text = "\n".join(f"- Contact: {name}" for name in names)
    made = replaced(text)
    real, new = {key_of(w) for w in words(text)}, {key_of(w) for w in words(made)}
    assert real & new == {"contact"}
    assert len(new) == len(real)


def test_numbers_keep_length_layout_and_check_digits() -> None:
    text = "IBAN DE89 3704 0044 0532 0130 00, card 4111 1111 1111 1111, Tel. +49 (0)30 1234-567"
    made = replaced(text)
    assert made != text
    assert re.sub("[0-9]", "9", made) == re.sub("[0-9]", "9", text)
    iban = made[5:].partition(",")[0].replace(" ", "")
    assert iban_check(iban[:2], iban[4:]) == iban[2:4]
    card = made.partition("card ")[2].partition(",")[0].replace(" ", "")
    assert luhn_digit(card[:-1]) == card[-1]
    assert "+49 (0)" in made


def test_a_phone_number_is_the_same_with_and_without_its_country() -> None:
    made = replaced("Tel. +49 30 1234567\nTel. 030 1234567\n").splitlines()
    assert made[0].replace("+49 ", "0")[5:].replace(" ", "") == made[1][5:].replace(" ", "")


@pytest.mark.parametrize(
    "text",
    [
        "Total 1,250.00 EUR on 12.03.2026, 40 pieces at $9.90 from 09:00 to 17:00.",
        "In May we will meet on Monday, 3 March; Will you come?",
        "Mark the date. The Main Hall is open until August.",
        "The Paris office grows by 12345 units in 2026-02.",
    ],
)
def test_sums_dates_of_business_and_ordinary_words_stay(text: str) -> None:
    known = KnownNames(people=("Mark Hall", "Will May"))
    assert replaced(text, known=known) == text


def test_a_birth_date_changes_in_the_same_way_in_every_form() -> None:
    made = replaced("Born 12.03.1980\nDate of birth: 1980-03-12\n").splitlines()
    day, month, year = made[0].removeprefix("Born ").split(".")
    assert made[1] == f"Date of birth: {year}-{month}-{day}"
    assert (day, month, year) != ("12", "03", "1980")


def test_a_domain_follows_its_company_and_belongs_to_nobody() -> None:
    made = replaced("Nordkabel Systems GmbH, info@nordkabel.de, www.nordkabel.de/jobs")
    company = words(made)[0]
    assert made == (
        f"{company} Systems GmbH, info@{company.lower()}.example, "
        f"www.{company.lower()}.example/jobs"
    )


def test_names_to_keep_stay_and_further_names_go() -> None:
    known = KnownNames(also=("Zwirbel",), keep=("Jörg Müller", "Nordkabel"))
    made = replaced("Jörg Müller of Nordkabel GmbH met Zwirbel today.", known=known)
    assert made.startswith("Jörg Müller of Nordkabel GmbH met ")
    assert "Zwirbel" not in made


@pytest.mark.parametrize(
    ("text", "words_named", "is_replaced"),
    [
        ("Yesterday we saw Henrik there.", "Henrik", True),
        ("We asked Mark about it.", "Mark", True),
        ("Mark my words.", "Mark", False),
        ("We met the great Xyloquent there.", "Xyloquent", False),
        ("Write to sunshine77@web.de soon.", "sunshine77", True),
    ],
)
def test_a_doubtful_place_is_reported(text: str, words_named: str, is_replaced: bool) -> None:
    pseudonyms = Pseudonyms("s", KnownNames(people=("Mark Hall",)))
    made = pseudonyms.text(f"\n{text}", file="a.txt")
    found = [u for u in pseudonyms.uncertain() if u.words == words_named]
    assert [(u.file, u.lines, u.replaced) for u in found] == [("a.txt", (2,), is_replaced)]
    assert found[0].why
    assert (words_named in made) is not is_replaced


def test_a_pseudonym_keeps_script_and_gender() -> None:
    text = "- Contact: Иван Петров\n- Contact: 李雷\n- Contact: Anna Weber\n"
    cyrillic, chinese, _ = replaced(text).splitlines()
    assert re.fullmatch(r"- Contact: [А-Яа-яЁё]+ [А-Яа-яЁё]+", cyrillic)
    assert re.fullmatch(r"- Contact: [\u4e00-\u9fff]{2}", chinese)
