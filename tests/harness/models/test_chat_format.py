"""A conversation becomes messages that any server takes, and loses nothing on the way."""

from __future__ import annotations

import base64
import json
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.harness.models.chat_format import (
    parse_arguments,
    to_chat_messages,
    to_chat_tools,
)
from trainee_bench.harness.models.conversation import (
    ConversationMessage,
    ModelReply,
    ModelRequest,
    ModelToolCall,
    ToolMessage,
)
from trainee_bench.harness.models.conversation import UserMessage as Said
from trainee_bench.harness.session.turns import Thought, ToolInfo, ToolResult
from trainee_bench.world.transaction import Picture

PICTURE = Picture(b"\x89PNG", "image/png")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=5,
)


def call(id: str = "c1", name: str = "desk_now", text: str = "{}") -> ModelToolCall:
    return ModelToolCall(id, name, text, parse_arguments(text))


def answered(made: ModelToolCall, text: str = "10:00", *pictures: Picture) -> ToolMessage:
    return ToolMessage(made, ToolResult(text, {}, datetime(2025, 1, 6), pictures=pictures))


def messages(*said: ConversationMessage, system: str = "") -> list[Any]:
    return list(to_chat_messages(ModelRequest(system, said)))


def test_a_conversation_keeps_its_order_and_its_words() -> None:
    made = call(text='{"minutes":  30}')
    assert messages(
        Said("Begin."), ModelReply("I wait.", (made,)), answered(made), ModelReply("Done."),
        system="You are new here.",
    ) == [
        {"role": "system", "content": "You are new here."},
        {"role": "user", "content": "Begin."},
        {
            "role": "assistant",
            "content": "I wait.",
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "desk_now", "arguments": '{"minutes":  30}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "10:00"},
        {"role": "assistant", "content": "Done."},
    ]  # fmt: skip


@pytest.mark.parametrize("torn", ['{"path": "dri', "[1]", "NaN", '{"a": NaN}', "null", "[" * 99999])
def test_arguments_that_are_no_object_stand_as_none_and_the_answer_says_what_they_were(
    torn: str,
) -> None:
    made = call(text=torn)
    assert made.arguments is None
    said, answer = messages(ModelReply("", (made,)), answered(made, "Not done."))
    assert said["tool_calls"][0]["function"]["arguments"] == "{}"
    assert torn[:400] in answer["content"] and answer["content"].endswith("\nNot done.")
    assert len(answer["content"]) < 700


def test_nothing_at_all_stands_for_no_arguments() -> None:
    made = call(text="")
    assert made.arguments == {}
    (said,) = messages(ModelReply("", (made,)))
    assert said["tool_calls"][0]["function"]["arguments"] == "{}"


@given(st.dictionaries(st.text(), JSON, max_size=3))
def test_arguments_mean_what_was_written(meant: dict[str, Any]) -> None:
    assert parse_arguments(json.dumps(meant)) == meant


@pytest.mark.parametrize(
    ("wild", "tame"), [("desk now!", "desk_now_"), ("", "unnamed"), ("x" * 99, "x" * 64)]
)
def test_a_name_that_servers_refuse_is_tamed(wild: str, tame: str) -> None:
    (said,) = messages(ModelReply("", (call(name=wild),)))
    assert said["tool_calls"][0]["function"]["name"] == tame


def test_a_reply_of_nothing_is_said_to_be_one() -> None:
    (said,) = messages(ModelReply(""))
    assert said["content"]


def test_what_a_model_thought_before_its_calls_goes_along_for_servers_that_demand_it() -> None:
    thought = Thought("", reasoning="Hm.")
    first, second = messages(ModelReply("", (call(),), thought=thought), ModelReply("So."))
    assert first["reasoning_content"] == "Hm." and "reasoning_content" not in second


def test_pictures_follow_all_the_answers_of_their_turn() -> None:
    first, second = call("c1", "files_look"), call("c2", "desk_now")
    shown = messages(
        ModelReply("", (first, second)),
        answered(first, "A scan.", PICTURE, PICTURE), answered(second),
        ModelReply("I see."),
    )  # fmt: skip
    assert [one["role"] for one in shown] == ["assistant", "tool", "tool", "user", "assistant"]
    assert shown[1]["content"] == "A scan.\n(See the 2 pictures below.)"
    intro, *pictures = shown[3]["content"]
    assert intro == {"type": "text", "text": "Shown by files_look:"}
    url = f"data:image/png;base64,{base64.b64encode(PICTURE.data).decode()}"
    assert pictures == [{"type": "image_url", "image_url": {"url": url}}] * 2


def test_pictures_of_the_last_turn_are_shown_too() -> None:
    made = call()
    assert (
        messages(ModelReply("", (made,)), answered(made, "A scan.", PICTURE))[-1]["role"] == "user"
    )


def test_tools_are_functions_with_their_schema_and_not_strict() -> None:
    schema = {"type": "object", "properties": {"until": {"type": "string"}}}
    (function,) = to_chat_tools([ToolInfo("desk_wait", "Wait. 1 min.", schema, 1)])
    assert function == {
        "type": "function",
        "function": {
            "name": "desk_wait", "description": "Wait. 1 min.", "parameters": schema,
            "strict": False,
        },
    }  # fmt: skip
