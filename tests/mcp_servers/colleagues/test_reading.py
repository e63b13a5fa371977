"""Whatever a model says is read as a draft, or as none."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_servers.colleagues.reading import MALFORMED, read
from world.drafted import Draft
from world.tact import PLACE

TOPICS = ("T1/owner", "T2/code")
TELLS = '{"topic": 2, "asks_back": [], "reply": "Sure. {told}"}'
TOLD = Draft(text="Sure. {told}", clue="T2/code")


@pytest.mark.parametrize(
    "text",
    [
        TELLS,
        f"```json\n{TELLS}\n```",
        f"Here is my answer:\n{TELLS}\nI hope that helps.",
        '{"reply": "Sure. {told}", "topic": "2", "asks_back": [], "mood": "good"}',
        '{"topic": 2, "asks_back": [], "reply": "Sure."}',
        '{"topic": 2, "asks_back": [], "reply": "Sure.\\n\\n{{ TOLD }}"}',
        '{"topic": 2, "asks_back": [7], "reply": "Sure. [told]"}',
    ],
)
def test_a_decision_is_found_in_what_models_put_around_it(text: str) -> None:
    assert read(text, TOPICS) == TOLD


def test_numbers_stand_for_topics_and_none_for_none() -> None:
    back = '{"topic": null, "asks_back": [1, 9, 1, 2], "reply": "Which?"}'
    assert read(back, TOPICS) == Draft(text="Which?", asks_back=TOPICS)
    for none in ("null", "0"):
        chat = f'{{"topic": {none}, "asks_back": [], "reply": "Hello!"}}'
        assert read(chat, TOPICS) == Draft(text="Hello!")


@pytest.mark.parametrize(
    "text",
    [
        "", "Hello!", "null", "[]", "{}", '"reply"', '{"topic": 1}', TELLS[:-1],
        '{"topic": 3, "asks_back": [], "reply": "Sure. {told}"}',
        '{"topic": -1, "asks_back": [], "reply": "Sure. {told}"}',
        '{"topic": [1, 2], "asks_back": [], "reply": "{told}"}',
        '{"topic": "all", "asks_back": [], "reply": "{told}"}',
        '{"topic": null, "asks_back": [3], "reply": "Which?"}',
        '{"topic": null, "asks_back": [], "reply": ["Hello"]}',
        f"{TELLS} {TELLS}",
        "[" * 100_000,
    ],
)  # fmt: skip
def test_what_is_no_decision_is_malformed(text: str) -> None:
    assert read(text, TOPICS) == MALFORMED


def test_a_reply_without_end_is_cut_and_stays_too_long_to_be_said() -> None:
    draft = read(json.dumps({"topic": None, "asks_back": [], "reply": "ha " * 50_000}), TOPICS)
    assert 600 < len(draft.text) <= 2_000


@given(st.text() | st.binary().map(lambda data: data.decode(errors="surrogateescape")))
def test_nothing_a_model_says_breaks_us_or_what_is_recorded(text: str) -> None:
    for said in (text, json.dumps({"topic": 1, "asks_back": [], "reply": text})):
        draft = read(said, TOPICS)
        assert Draft.model_validate_json(draft.model_dump_json()) == draft
        assert draft.clue in ("", *TOPICS)
        assert not draft.clue or PLACE in draft.text
