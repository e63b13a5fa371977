"""Ids in questions count exactly, or not at all."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainee_bench.world.colleagues.understanding import Intent, QuestionInterpreter, Topic, hear
from trainee_bench.world.colleagues.understanding.identifiers import KnownIds, fits, likeness, shape
from trainee_bench.world.colleagues.understanding.normalise import normalize_text

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
