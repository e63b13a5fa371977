"""Properties of every message: one interpretation, at any length, in any script."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import understanding as measured
from trainee_bench.world.colleagues.understanding import (
    Intent,
    QuestionInterpreter,
    Topic,
    hear,
    topics_collide,
)
from trainee_bench.world.colleagues.understanding.normalise import stem
from trainee_bench.world.colleagues.understanding.topic_profile import build_profile

TOPICS, LISTENERS = measured.office()
QUESTIONS = [q for half in measured.HALVES for q in measured.questions(half)]
MANAGER = LISTENERS["hr_manager"]
EMPTY_WORDS = (
    "please could you tell me what the is of and I need to know who where when how thanks hi "
    "it that banana kangaroo violin glacier umbrella telescope we are not yes maybe "
    "today new file all which"
)


@settings(deadline=None)
@given(st.text(max_size=400))
def test_any_text_is_understood_somehow(text: str) -> None:
    understood = MANAGER.understand(hear(text))
    match understood.intent:
        case Intent.CLEAR:
            assert len(understood.topics) == 1
        case Intent.DOUBTFUL:
            assert 1 <= len(set(understood.topics)) == len(understood.topics) <= 3
        case _:
            assert understood.topics == ()
    assert MANAGER.foreign_topic(hear(text)) is None or understood.intent is Intent.NONE


@settings(deadline=None)
@given(st.text(max_size=200), st.lists(st.sampled_from(sorted(TOPICS)), max_size=4))
def test_any_text_may_answer_a_question_back(text: str, asked_back: list[str]) -> None:
    understood = MANAGER.understand(hear(text), asked_back=asked_back)
    own = {"website_owner", "attendance_rules", "intern_handbook", "free_thursday"}
    assert set(understood.topics) <= own


@settings(deadline=None)
@given(st.lists(st.sampled_from(EMPTY_WORDS.split()), max_size=30).map(" ".join))
def test_without_a_word_of_the_topic_nothing_is_clear(text: str) -> None:
    assert MANAGER.understand(hear(text + "?")).intent is not Intent.CLEAR


@given(st.sampled_from(QUESTIONS), st.integers(min_value=1, max_value=2))
def test_a_question_is_understood_the_same_way_twice(
    question: measured.Question, times: int
) -> None:
    fresh = measured.office()[1][question.to] if times == 2 else LISTENERS[question.to]
    assert fresh.understand(hear(question.ask)) == LISTENERS[question.to].understand(
        hear(question.ask)
    )


@settings(deadline=None)
@given(st.permutations(["website_owner", "attendance_rules", "intern_handbook", "free_thursday"]))
def test_the_order_of_topics_does_not_matter(order: list[str]) -> None:
    others = [topic for id, topic in TOPICS.items() if id not in order]
    listener = QuestionInterpreter([TOPICS[id] for id in order], others[::-1])
    for question in QUESTIONS:
        if question.to == "hr_manager":
            assert listener.understand(hear(question.ask)) == MANAGER.understand(hear(question.ask))


@pytest.mark.parametrize(
    "text",
    [
        "a" * 10_000,
        "who " * 2_500,
        "Where is the intern handbook? " * 334,
        "please " * 1_500,
        "." * 10_000,
        "and " * 2_500,
        "\ue000" * 10_000,
        "\u0301" * 10_000,
        "\ufdfa" * 10_000,
        "OLD482913 " * 1_000,
        "(((" * 3_000,
        "\x00\ud800 who" * 500,
        "can you " * 1_250,
    ],
)
def test_a_message_of_ten_thousand_characters_is_taken_calmly(text: str) -> None:
    for listener in (MANAGER, LISTENERS["analyst"]):
        assert listener.understand(hear(text)).intent in Intent


def test_the_same_question_many_times_is_one_question() -> None:
    assert MANAGER.understand(hear("Where is the intern handbook? " * 300)).topics == (
        "intern_handbook",
    )


def test_many_threads_may_ask_one_listener() -> None:
    expected = [LISTENERS[q.to].understand(hear(q.ask)) for q in QUESTIONS]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda q: LISTENERS[q.to].understand(hear(q.ask)), QUESTIONS))
    assert found == expected


def test_two_processes_with_different_hash_seeds_agree() -> None:
    root = Path(__file__).resolve().parents[4]
    script = (
        "import json; from benchmarks import understanding as m; "
        "from trainee_bench.world.colleagues.understanding import hear; _, office = m.office(); "
        "print(json.dumps([[*office[q.to].understand(hear(q.ask)).topics, office[q.to].understand("
        "hear(q.ask)).intent, office[q.to].foreign_topic(hear(q.ask))] for h in m.HALVES "
        "for q in m.questions(h)]))"
    )
    other = "1" if os.environ.get("PYTHONHASHSEED") == "4242" else "4242"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONHASHSEED": other, "PYTHONPATH": str(root)},
    )  # fmt: skip
    heard = [(LISTENERS[q.to].understand(hear(q.ask)), LISTENERS[q.to], q) for q in QUESTIONS]
    assert json.loads(done.stdout) == [
        [*parsed.topics, parsed.intent, listener.foreign_topic(hear(question.ask))]
        for parsed, listener, question in heard
    ]


def test_topics_about_one_subject_do_not_collide_while_the_same_topic_twice_does() -> None:
    assert not topics_collide(TOPICS["maintenance_approver"], TOPICS["maintenance_code"])
    assert not topics_collide(TOPICS["list_clara"], TOPICS["list_boris"])
    assert not topics_collide(TOPICS["ads_handbook"], TOPICS["ads_data"])
    again = Topic("again", TOPICS["tax_rates"].asks)
    assert topics_collide(TOPICS["tax_rates"], again)


def test_topics_that_share_an_ask_collide() -> None:
    one = TOPICS["sales_handbook"]
    other = Topic("other", (*TOPICS["tax_rates"].asks, "Where is the handbook about sales?"))
    assert topics_collide(one, other) and topics_collide(other, one)


def test_colleagues_of_the_corpus_know_topics_that_can_be_told_apart() -> None:
    # two articles with charts of one owner are told apart by their ids, and asked back without
    ids = sorted(TOPICS)
    for number, one in enumerate(ids):
        for other in ids[number + 1 :]:
            if not (one.startswith("chart_") and other.startswith("chart_")):
                assert not topics_collide(TOPICS[one], TOPICS[other]), (one, other)


@settings(deadline=None)
@given(st.from_regex(r"[a-z]{1,20}", fullmatch=True))
def test_a_stem_is_never_longer_nor_empty(word: str) -> None:
    assert 0 < len(stem(word)) <= len(word)


@pytest.mark.parametrize(
    "words",
    [
        "approve approves approved approving approval",
        "locate located location locations",
        "policy policies",
        "purchase purchases purchasing",
        "authorise authorize authorised authorisation authorization",
        "available availability",
        "responsible responsibility",
        "trainee trainees",
        "invite invited invitation",
    ],
)
def test_inflections_share_a_stem(words: str) -> None:
    assert len({stem(word) for word in words.split()}) == 1


@pytest.mark.parametrize("pair", [("mapping", "map"), ("outing", "out"), ("website", "web")])
def test_different_words_keep_different_stems(pair: tuple[str, str]) -> None:
    assert stem(pair[0]) != stem(pair[1])


def test_the_core_of_a_topic_is_what_its_asks_share() -> None:
    assert ("marta", "olsen") in build_profile(TOPICS["deputy_of_marta"]).core
    assert build_profile(TOPICS["maintenance_code"]).core == (("code",), ("maintenance",))
    assert build_profile(TOPICS["website_owner"]).core, "homepage and site mean the website"
