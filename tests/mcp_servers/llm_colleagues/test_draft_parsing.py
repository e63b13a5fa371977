"""Whatever a model says is read as a draft, or as none."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.mcp_servers.llm_colleagues.drafting import MALFORMED_DRAFT, parse_draft
from trainee_bench.world.colleagues.model_reply import ReplyDraft
from trainee_bench.world.colleagues.reply_filter import PAYLOAD_PLACEHOLDER

TOPICS = ("T1/owner", "T2/code")
TELLS = '{"topic": 2, "asks_back": [], "reply": "Sure. {told}"}'
TOLD = ReplyDraft(text="Sure. {told}", clue="T2/code")


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
    assert parse_draft(text, TOPICS) == TOLD


def test_numbers_stand_for_topics_and_none_for_none() -> None:
    back = '{"topic": null, "asks_back": [1, 9, 1, 2], "reply": "Which?"}'
    assert parse_draft(back, TOPICS) == ReplyDraft(text="Which?", asks_back=TOPICS)
    for none in ("null", "0"):
        chat = f'{{"topic": {none}, "asks_back": [], "reply": "Hello!"}}'
        assert parse_draft(chat, TOPICS) == ReplyDraft(text="Hello!")


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
def test_a_reply_without_a_decision_is_malformed(text: str) -> None:
    assert parse_draft(text, TOPICS) == MALFORMED_DRAFT


def test_a_reply_without_end_is_cut_and_stays_too_long_to_be_said() -> None:
    draft = parse_draft(
        json.dumps({"topic": None, "asks_back": [], "reply": "ha " * 50_000}), TOPICS
    )
    assert 600 < len(draft.text) <= 2_000


@given(st.text() | st.binary().map(lambda data: data.decode(errors="surrogateescape")))
def test_nothing_a_model_says_breaks_us_or_what_is_recorded(text: str) -> None:
    for said in (text, json.dumps({"topic": 1, "asks_back": [], "reply": text})):
        draft = parse_draft(said, TOPICS)
        assert ReplyDraft.model_validate_json(draft.model_dump_json()) == draft
        assert draft.clue in ("", *TOPICS)
        assert not draft.clue or PAYLOAD_PLACEHOLDER in draft.text
