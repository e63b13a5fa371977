"""Analysis of messages, ids in them, and topics that may be taken for each other."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from trainee_bench.world.colleagues.phrasing import Sentences, sentences
from trainee_bench.world.colleagues.understanding import (
    Intent,
    Interpretation,
    QuestionInterpreter,
    Topic,
    hear,
    topics_collide,
)
from trainee_bench.world.colleagues.understanding.asking import Asking
from trainee_bench.world.colleagues.understanding.identifiers import KnownIds, fits, likeness, shape
from trainee_bench.world.colleagues.understanding.ids import IdKind, id_kind
from trainee_bench.world.colleagues.understanding.matcher import TopicMatcher
from trainee_bench.world.colleagues.understanding.normalise import normalize_text
from trainee_bench.world.colleagues.understanding.topic_collision import mistakes_ask


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


def test_names_of_writer_and_listener_are_left_out_of_the_analysis_but_not_of_the_text() -> None:
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


# identifiers ------------------------------------------------------------------------------


CHARTS = Topic(
    "charts",
    (
        "What is the new id of chart OLD482913?",
        "Which chart replaces OLD100347?",
        "How are the old chart ids OLD482913 and OLD100347 mapped to the new ones?",
        "What are the new ids of your charts in budgeting.md?",
        "I am fixing links. What is the new chart id for OLD482913?",
    ),
    ("OLD482913", "OLD100347", "budgeting.md"),
)
OTHERS = Topic(
    "others",
    tuple(
        ask.replace("OLD482913", "OLD600001")
        .replace("OLD100347", "OLD600002")
        .replace("budgeting.md", "privacy.md")
        for ask in CHARTS.asks
    ),
    ("OLD600001", "OLD600002", "privacy.md"),
)
ASK = "Could you tell me the new id of chart {}?"
LISTENER = QuestionInterpreter([CHARTS, OTHERS])


@pytest.mark.parametrize(
    "id", ["OLD482913", "old482913", "Old482913", "“OLD482913”", "`OLD100347`"]
)
def test_an_exact_id_is_enough_whatever_its_case_and_quotes(id: str) -> None:
    assert LISTENER.understand(hear(ASK.format(id))).topics == ("charts",)


@pytest.mark.parametrize(
    "id",
    [
        "OLD482914", "OLD48291", "OLD4829130", "OLD482931", "OLD-482913", "OLD 482913", "482913",
        "NEW482913", "0LD482913", "OLD482913-2", "XOLD482913", "OLD482913x", "OLD999999",
    ],
)  # fmt: skip
def test_a_misquoted_id_is_never_clear(id: str) -> None:
    assert LISTENER.understand(hear(ASK.format(id))).intent in (Intent.DOUBTFUL, Intent.NONE)


@settings(deadline=None)
@given(st.from_regex(r"OLD[0-9]{4,8}", fullmatch=True))
def test_no_other_number_is_ever_clear(id: str) -> None:
    understood = LISTENER.understand(hear(ASK.format(id)))
    if understood.intent is Intent.CLEAR:
        (topic,) = understood.topics
        assert id in {"charts": CHARTS, "others": OTHERS}[topic].keys


def test_the_id_decides_between_topics_that_are_asked_for_alike() -> None:
    assert LISTENER.understand(hear(ASK.format("OLD600002"))).topics == ("others",)


def test_of_two_topics_ids_the_first_one_is_answered() -> None:
    question = "What are the new ids of the charts OLD600001 and OLD482913?"
    assert LISTENER.understand(hear(question)).topics == ("others",)


def test_without_an_id_topics_that_are_asked_for_alike_are_asked_back_about() -> None:
    understood = LISTENER.understand(hear("What is the new id of your chart?"))
    assert understood.intent is Intent.DOUBTFUL
    assert set(understood.topics) == {"charts", "others"}


def test_the_right_file_with_a_wrong_id_is_not_clear() -> None:
    question = "What is the new id of chart OLD482931 in budgeting.md?"
    assert LISTENER.understand(hear(question)).intent is not Intent.CLEAR


def test_a_right_id_is_clear_beside_files_that_are_nobodys() -> None:
    question = "I read handbook.md. What is the new id of chart OLD482913?"
    assert LISTENER.understand(hear(question)).topics == ("charts",)


def test_an_id_of_somebody_else_sends_the_question_there() -> None:
    listener = QuestionInterpreter([CHARTS], [OTHERS])
    assert listener.understand(hear(ASK.format("OLD600001"))).intent is Intent.NONE
    assert listener.foreign_topic(hear(ASK.format("OLD600001"))) == "others"


def test_a_mark_cannot_be_typed() -> None:
    keyring = KnownIds(["OLD482913"])
    mark = keyring.mark(normalize_text("new id of OLD482913?")).split()[-2]
    assert keyring.marked(mark) == "old482913"
    forged = ASK.format(mark)
    assert LISTENER.understand(hear(forged)).intent is not Intent.CLEAR


@pytest.mark.parametrize(
    ("literal", "expected"), [("OLD482913", "a9"), ("db-prod-01", "a-a-9"), ("14:30", "9:9")]
)
def test_a_shape_is_runs_and_separators(literal: str, expected: str) -> None:
    assert shape(literal) == expected


@pytest.mark.parametrize(
    ("literal", "expected"),
    [("old482931", "slip"), ("482913", "slip"), ("old777777", "other"), ("q3", ""), ("14:30", "")],
)
def test_likeness_tells_slips_from_other_ids(literal: str, expected: str) -> None:
    assert likeness(literal, "old482913") == expected


def test_another_server_is_another_topic() -> None:
    assert fits(["db-prod-01"], [], ["db-prod-07"]) == "doubt"
    assert fits(["db-prod-01"], [], ["web-test-17"]) == "barred"
    assert fits(["db-prod-01"], ["db-prod-01"], ["web-test-17"]) == "exact"
    assert fits(["db-prod-01"], [], []) == "open"


# topics that collide ----------------------------------------------------------------------


def asks(subject: str, *ids: str) -> tuple[str, ...]:
    quoted = " and ".join(ids)
    return (
        f"What is the new id of {quoted}?",
        f"Which {subject} replaces {quoted}? I need it today.",
        f"I am updating the {subject}. What became of {quoted}?",
        f"Could you tell me about {quoted}, please?",
        f"Which ids do the old {subject} have now?",
    )


TOPICS = (
    Topic("charts", asks("charts", "OLD482913", "OLD482914"), ("OLD482913", "OLD482914", "a.md")),
    Topic("others", asks("charts", "OLD900001"), ("OLD900001", "b.md")),
    Topic("one slip", asks("charts", "OLD482915"), ("OLD482915",)),
    Topic("a server", asks("server", "web-01"), ("web-01",)),
    Topic("a meeting", asks("meeting", "K-318"), ("K-318",)),
    Topic("the same meeting", asks("meeting", "K-318"), ("K-318",)),
    Topic("no ids", asks("charts", "all of them"), ()),
    Topic("a file", asks("report", "sales_q3.csv"), ("sales_q3.csv",)),
    Topic("a word", asks("project", "heron"), ("heron",)),
)
PAIRS = list(combinations(TOPICS, 2))


def weighed(a: Topic, b: Topic) -> bool:
    """Return the same by weighing every ask of both topics."""
    matcher = TopicMatcher((a, b))
    return any(
        mistakes_ask(matcher, ask, at) for at, topic in enumerate((a, b)) for ask in topic.asks
    )


@pytest.mark.parametrize(("a", "b"), PAIRS, ids=lambda topic: topic.id)
def test_ids_spare_work_and_change_nothing(a: Topic, b: Topic) -> None:
    assert topics_collide(a, b) == topics_collide(b, a) == weighed(a, b)


IDS = st.from_regex(r"(OLD|NEW|K-|web-)[0-9]{2,3}|[a-c]{1,2}\.(md|csv)", fullmatch=True)
KEYED = st.lists(IDS, min_size=1, max_size=2, unique=True)
SUBJECTS = st.sampled_from(("charts", "server", "meeting"))


@given(SUBJECTS, KEYED, SUBJECTS, KEYED)
def test_ids_give_the_same_outcome_as_weighing(
    subject: str, ids: list[str], other: str, others: list[str]
) -> None:
    a = Topic("a", asks(subject, *ids), tuple(ids))
    b = Topic("b", asks(other, *others), tuple(others))
    assert topics_collide(a, b) == weighed(a, b)


def test_some_of_the_pairs_collide_and_some_do_not() -> None:
    assert {topics_collide(a, b) for a, b in PAIRS} == {True, False}


@pytest.mark.parametrize(
    "ask",
    [
        "What is the new id of chart OLD820365, 'Risks by likelihood and cost', in risks.md?",
        "What is the new id of your chart “Reports to the privacy contact” (OLD820365)?",
        "What is the new id of OLD820365, Risks by likelihood and cost?",
    ],
)
def test_the_title_beside_an_exact_id_does_not_disturb_a_question(ask: str) -> None:
    """The id decides, though the words of the title may ask something else."""
    asks = (
        "What is the new id of chart OLD820365?",
        "Which chart replaces OLD820365?",
        "What number does OLD820365 have now?",
        "What is OLD820365 called since the chart service has moved?",
        "The link to chart OLD820365 is dead. What is the current id?",
        "I am fixing the links in the knowledge base. What is the new id for OLD820365?",
        "What do I have to put instead of OLD820365?",
    )
    listener = QuestionInterpreter([Topic("chart", asks, ("OLD820365", "risks.md"))])
    assert listener.understand(hear(ask)) == Interpretation(Intent.CLEAR, ("chart",))
