"""Colleagues understand English; the names in their messages may be in any script."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.world.many_scripts import (
    ARABIC,
    COMPANY,
    JOERG,
    LI,
    NAMES,
    ROBIN,
    SIOBHAN,
    called,
    company_of,
    decomposed,
    groups_of_names,
    office_of_many_scripts,
)
from tests.world.office import at, do, wait_until
from trainee_bench.world.apps.chat import Chat
from trainee_bench.world.colleagues.addressing import addressees, part_for, strip_address
from trainee_bench.world.colleagues.knowledge import Clue, Knowledge
from trainee_bench.world.colleagues.phrasing import in_first_person, said_once
from trainee_bench.world.colleagues.reply_filter import normalized_words, rejection_reason
from trainee_bench.world.colleagues.understanding import (
    Intent,
    QuestionInterpreter,
    Topic,
    hear,
)
from trainee_bench.world.company.name_forms import loosened, may_be_in, name_pattern
from trainee_bench.world.transaction import Transaction

PEOPLE = COMPANY.people
OWNERS = (
    "李雷",
    "韩梅梅",
    "김철수",
    "김영희",
    "नीना शर्मा",
    "नाना शर्मा",
    ARABIC,
    "Jörg Müller-Groß",
)
"""People whose surcharges differ. Some of their names have all letters but one in common."""


def surcharge_of(name: str) -> Topic:
    """The topic of a person's surcharge."""
    return Topic(
        id=name,
        asks=(
            f"What is {name}'s travel surcharge?",
            f"How high is the travel surcharge of {name}?",
            f"Which travel surcharge does {name} get?",
            f"Could you tell me the travel surcharge for {name}?",
            f"How much travel surcharge is {name} paid?",
        ),
    )


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Jörg, what is it?", [JOERG]),
        (decomposed("Jörg: what is it?"), [JOERG]),
        ("Jorg or Siobhan, what is it?", [JOERG, SIOBHAN]),
        ("李雷, who knows it?", [LI]),
        ("محمد: who knows it?", [ARABIC]),
        ("Madonna and Khai, who knows it?", ["Madonna", "Nguyễn Thị Minh Khai"]),
        ("Ana Šimić-Kovačević, please tell me.", ["Ana Šimić-Kovačević"]),
        ("Ana Simic, please tell me.", ["Ana Šimić"]),
        ("Ana, please tell me.", []),
        ("Jan Groß: which one?", ["Jan Groß"]),
        ("Jan Gross: which one?", ["Jan Gross"]),
        ("J. R. Müller: which one?", ["J. R. Müller"]),
        ("@Işıl which one?", ["Işıl Çağlar"]),
        ("नीना: which one?", ["नीना शर्मा"]),
        ("Will, which one?", ["Will May"]),
        ("Hi Will which one is it?", ["Will May"]),
        ("Will you tell me which one it is in May?", []),
        ("Who will tell me what I may do?", []),
    ],
)
def test_a_message_to_a_group_addresses_exactly_those_whom_it_names(
    text: str, names: list[str]
) -> None:
    assert [person.name for person in addressees(text, PEOPLE)] == names


@given(groups_of_names(), st.data())
def test_a_whole_name_in_any_encoding_addresses_nobody_else(
    names: list[str], data: st.DataObject
) -> None:
    people, name = company_of(names).people, data.draw(st.sampled_from(names))

    for written in (name, decomposed(name)):
        found = addressees(f"{written}: 5?", people)
        assert [person.name for person in found] == [name]


def test_everybody_in_a_group_reads_their_own_part() -> None:
    text = "One question each. Jörg: where is it? 李雷, Siobhán: who knows it?"

    assert part_for(text, called(JOERG), PEOPLE) == "One question each. where is it?"
    assert part_for(text, called(LI), PEOPLE) == "One question each. who knows it?"
    assert part_for(text, called(SIOBHAN), PEOPLE) == "One question each. who knows it?"
    assert strip_address("Jorg, 李雷 and Siobhán: where is it?", called(LI), PEOPLE) == (
        "where is it?"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Hi Jörg, is Jörg's surcharge 5?",
        "Hi Joerg, is Jörgs surcharge 5?",
        decomposed("Hi Jörg, is Jörgs surcharge 5?"),
        "Hi JÖRG MÜLLER-GROSS, is Müller-Groß' surcharge 5?",
    ],
)
def test_the_name_of_the_listener_is_no_part_of_the_question(text: str) -> None:
    unnamed = hear(text, (JOERG, "Robin Hale")).unnamed

    assert unnamed.replace("'s", "").replace("'", "").split() == [
        "Hi", ",", "is", "surcharge", "5?",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "unnamed"),
    [
        ("Will, what will it be in May?", ", what will it be in May?"),
        ("May I know what Will thinks?", "May I know what  thinks?"),
        ("Will you tell me?", "Will you tell me?"),
    ],
)
def test_words_that_are_also_the_listeners_name_stay(text: str, unnamed: str) -> None:
    assert hear(text, ("Will May", "Robin Hale")).unnamed == unnamed


@pytest.mark.parametrize("name", OWNERS)
def test_a_question_about_a_person_is_about_nobody_else(name: str) -> None:
    interpreter = QuestionInterpreter([surcharge_of(owner) for owner in OWNERS])
    for text in (
        f"What is {name}'s travel surcharge?",
        f"Hello, how high is the travel surcharge of {decomposed(name)}?",
    ):
        understood = interpreter.understand(hear(text, ("Mara Lindt", "Robin Hale")))
        assert (understood.intent, understood.topics) == (Intent.CLEAR, (name,)), text
    inflected = interpreter.understand(hear(f"is {name}s travel surcharge known, how high is it?"))
    assert inflected.topics[0] == name


@pytest.mark.parametrize("known", [name for name in OWNERS if not name.isascii()])
def test_the_fact_of_one_person_is_not_told_for_another(known: str) -> None:
    interpreter = QuestionInterpreter([surcharge_of(known)])
    for name in OWNERS:
        if name != known:
            understood = interpreter.understand(hear(f"What is {name}'s travel surcharge?"))
            assert understood.intent is not Intent.CLEAR, name


def test_the_keeper_in_any_script_speaks_in_the_first_person() -> None:
    text = "Jörg Müller-Groß in Sales knows it; ask Jörg Müller-Groß."

    assert in_first_person(text, JOERG) == "I know it; ask me."
    assert in_first_person(decomposed(text), JOERG) == "I know it; ask me."
    assert in_first_person("Ask Ana Šimić-Kovačević.", "Ana Šimić") == "Ask Ana Šimić-Kovačević."
    assert in_first_person("Ask Ana Simic-Kovac.", "Ana Simic") == "Ask Ana Simic-Kovac."


def test_initials_end_no_sentence() -> None:
    assert said_once(["J. R. Müller has it. Österreich too.", "J. R. Müller is in."]) == [
        "J. R. Müller has it.",
        "Österreich too.",
        "J. R. Müller is in.",
    ]


def test_a_model_may_greet_its_reader_in_any_script_and_name_nobody_else() -> None:
    everybody, reader = normalized_words(NAMES), normalized_words([LI])

    def flaw(reply: str) -> str:
        return rejection_reason(reply, tells=False, allowed=reader, names=everybody)

    assert flaw("Hello 李雷, sorry, I have no idea.") == ""
    assert flaw("Hello 韩梅梅, sorry, I have no idea.") != ""
    assert flaw("Hello Siobhán, sorry, I have no idea.") == "a name"


def _clue(holder: str, about: str, payload: str) -> Clue:
    return Clue(id=f"T1/{holder}", holder=holder, payload=payload, asks=surcharge_of(about).asks)


@pytest.mark.parametrize("name", [JOERG, LI, ARABIC, "Madonna", "Will May", "नीना शर्मा"])
async def test_a_colleague_in_any_script_answers_about_others_and_themselves(name: str) -> None:
    person = called(name)
    other = "김철수"

    def know(tx: Transaction) -> None:
        Knowledge(tx).add_clue(_clue(person.id, other, "It is 5 euros."))

    async with await office_of_many_scripts() as world:
        await wait_until(world, at(10))
        await do(world, know)
        text = f"Hello {name}, what is {other}'s travel surcharge?"
        sent = await do(world, lambda tx: Chat(tx).send(decomposed(name), text), minutes=30)
        said = await do(world, lambda tx: Chat(tx).history(name, after=sent.id), ROBIN)

    assert any("It is 5 euros." in message.text for message in said)


_ODD = {"i": "ıİ", "s": "ſ", "k": "\u212a", " ": "\u00a0 ", ".": ".", "-": "‐–", "'": "’`"}
_HARD = ("Kirsi Isak", "kirsi.isak-2", "O'Brien-Smith", "d'Sousa", "May", "Will Kass", *NAMES)


@st.composite
def _written(draw: st.DrawFn, name: str) -> str:
    """Another spelling of *name*: other cases and widths, odd signs, and signs left out."""
    letters = []
    for letter in name:
        wide = chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter
        ways = [letter, letter.upper(), letter.lower(), wide, *_ODD.get(letter.lower(), "")]
        ways += [""] if letter in ".'-" else []
        letters.append(draw(st.sampled_from(ways)))
    return "".join(letters)


@given(st.sampled_from(_HARD), st.data(), st.text(max_size=5))
def test_a_name_is_looked_for_wherever_its_pattern_would_find_it(
    name: str, data: st.DataObject, around: str
) -> None:
    text = around + data.draw(_written(name)) + around
    if re.search(name_pattern(name), text, re.IGNORECASE):
        assert may_be_in(loosened(text), name)
