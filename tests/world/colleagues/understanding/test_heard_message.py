"""A message is read once: how surely it asks, and which ids are in it."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from trainee_bench.world.colleagues.phrasing import Sentences, sentences
from trainee_bench.world.colleagues.understanding import hear
from trainee_bench.world.colleagues.understanding.asking import Asking
from trainee_bench.world.colleagues.understanding.ids import IdKind, id_kind


@pytest.mark.parametrize(
    ("text", "asking"),
    [
        ("The report lies in the usual folder.", Asking.NOT),
        ("Just so you know: who wrote it can be seen.", Asking.NOT),
        ("I cannot tell you that.", Asking.NOT),
        ("The report is done.", Asking.POSSIBLY),
        ("I request your consent.", Asking.POSSIBLY),
        ("The one who knows it, that would be good.", Asking.LIKELY),
        ("They would send it to us.", Asking.LIKELY),
        ("Is it done？", Asking.OPENLY),
        ("I still need the code.", Asking.OPENLY),
        ("It is web-03, and who mends it.", Asking.OPENLY),
    ],
)
def test_a_message_asks_as_surely_as_its_words_say(text: str, asking: Asking) -> None:
    assert hear(text).asking is asking


def test_the_ids_of_a_message_are_found_with_their_kinds() -> None:
    text = "T2b: is OLD482913 (web-03) in drive:/a/sales_1.csv of 2024, not_here. K7614."
    assert hear(text).ids == (
        ("T2b", IdKind.TASK),
        ("OLD482913", IdKind.CODE),
        ("web-03", IdKind.CODE),
        ("sales_1.csv", IdKind.FILE),
        ("2024", IdKind.NUMBER),
        ("not_here", IdKind.JOINED),
        ("K7614", IdKind.CODE),
    )


@pytest.mark.parametrize("word", ["Hangzhou", "Software Engineer", "website", ""])
def test_a_name_and_a_word_are_no_ids(word: str) -> None:
    assert id_kind(word) is IdKind.NONE


def test_who_talks_is_left_out_of_what_is_understood_and_not_of_the_text() -> None:
    heard = hear("Hi Mara, is it K7614? Tom", ("Mara Lind", "Tom Daly"))
    assert "Mara" not in heard.normalized
    assert "Tom" not in heard.normalized
    assert heard.text.startswith("Hi Mara")


def test_the_same_message_is_heard_once() -> None:
    heard = hear("What is the new id of OLD482913?", ("Mara Lind", "Tom Daly"))
    assert hear(heard.text, heard.between) is heard
    assert heard.pieces is heard.pieces


def test_sentences_that_lack_a_manner_are_refused() -> None:
    said = sentences().model_dump(mode="json")
    del said["remarks"]["tell"]["dry"]
    with pytest.raises(ValidationError, match="tell, dry"):
        Sentences.model_validate(said)
