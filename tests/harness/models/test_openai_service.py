"""A conversation becomes messages that any server takes, and what its model says is understood."""

from __future__ import annotations

import base64
import json
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.scripted_endpoint import (
    KEY,
    Answer,
    ScriptedEndpoint,
    calls,
    fails,
    says,
    scripted_endpoint,
    too_long_for_llama,
    too_long_for_openai,
)
from trainee_bench.harness.models.chat_format import (
    parse_arguments,
    to_chat_messages,
    to_chat_tools,
)
from trainee_bench.harness.models.conversation import (
    ContextOverflow,
    ConversationMessage,
    FinishReason,
    ModelReply,
    ModelRequest,
    ModelToolCall,
    ToolMessage,
    UserMessage,
)
from trainee_bench.harness.models.conversation import UserMessage as Said
from trainee_bench.harness.models.openai_service import OpenAIService
from trainee_bench.harness.models.prices import Price, PriceTable
from trainee_bench.harness.session.turns import InfrastructureFault, Thought, ToolInfo, ToolResult
from trainee_bench.mcp_servers.llm.client import ChatClient
from trainee_bench.world.transaction import Picture

TOOL = ToolInfo("desk_now", "What time it is.", {"type": "object", "properties": {}}, 1)
ASKED = ModelRequest("Work.", (UserMessage("Begin."),), (TOOL,))
PRICES = PriceTable({"scripted-model": Price(input=1, cached=0.5, output=10)}, "2026-11-01")


async def no_pause(seconds: float) -> None:
    pass


def service(server: ScriptedEndpoint, prices: PriceTable = PRICES) -> OpenAIService:
    config = server.config()
    return OpenAIService(config, ChatClient(config, sleep=no_pause), prices)


async def ask(*script: Answer, prices: PriceTable = PRICES) -> ModelReply:
    async with scripted_endpoint(*script) as server, service(server, prices) as model:
        return await model.reply(ASKED)


async def test_the_request_holds_the_conversation_and_the_tools() -> None:
    async with scripted_endpoint(says("Hello.")) as server, service(server) as model:
        assert model.model == "scripted-model"
        await model.reply(ASKED)
    (asked,) = server.asked
    assert asked["model"] == "scripted-model"
    assert [one["role"] for one in asked["messages"]] == ["system", "user"]
    (tool,) = asked["tools"]
    assert (tool["function"]["name"], tool["function"]["strict"]) == ("desk_now", False)


async def test_text_calls_and_cost_are_understood() -> None:
    usage = {
        "prompt_tokens": 1_000_000, "completion_tokens": 100_000,
        "prompt_tokens_details": {"cached_tokens": 400_000},
    }  # fmt: skip
    reply = await ask(
        says(
            "I look.",
            calls("desk_now", {"zone": "CET"}, id="c1"), calls("desk_wait", '{"min', id="c2"),
            usage=usage, model="scripted-model-2026-01-01", reasoning="It is early.",
        )
    )  # fmt: skip
    now, wait = reply.calls
    assert (now.id, now.name, now.arguments) == ("c1", "desk_now", {"zone": "CET"})
    assert (wait.text, wait.arguments) == ('{"min', None)
    assert reply.finish is FinishReason.DONE
    cost = 0.6 * 1 + 0.4 * 0.5 + 0.1 * 10
    thought = reply.thought
    assert thought.cost_usd == pytest.approx(cost)
    assert (thought.message, thought.reasoning) == ("I look.", "It is early.")
    assert thought.model == "scripted-model-2026-01-01"
    assert (thought.prompt_tokens, thought.completion_tokens, thought.cached_tokens) == (
        1_000_000, 100_000, 400_000,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "finish", "text"),
    [
        (says("All.", finish="stop"), FinishReason.DONE, "All."),
        (says("So far", finish="length"), FinishReason.LENGTH, "So far"),
        (says(None, finish="content_filter"), FinishReason.REFUSAL, ""),
        (says(None, refusal="I will not."), FinishReason.REFUSAL, "I will not."),
        (says("What?", finish="unheard_of"), FinishReason.DONE, "What?"),
        (says(""), FinishReason.DONE, ""),
    ],
)
async def test_why_it_stopped_is_told(answer: Answer, finish: FinishReason, text: str) -> None:
    reply = await ask(answer)
    assert (reply.finish, reply.text, reply.calls) == (finish, text, ())


@pytest.mark.parametrize(("total", "written"), [(105, 95), (125, 115), (None, 95)])
async def test_reasoning_is_output_where_a_service_counts_it_apart(
    total: int | None, written: int
) -> None:
    usage = {
        "prompt_tokens": 10, "completion_tokens": 95, "total_tokens": total,
        "completion_tokens_details": {"reasoning_tokens": 20},
    }  # fmt: skip
    assert (await ask(says("So.", usage=usage))).thought.completion_tokens == written


async def test_tokens_that_a_server_does_not_count_are_unknown() -> None:
    assert (await ask(says("So.", usage=None))).thought == Thought("So.", None, "scripted-model")


async def test_a_model_without_a_price_costs_an_unknown_amount() -> None:
    thought = (await ask(says("So.", usage=(5, 6)), prices=PriceTable({}, "never"))).thought
    assert (thought.prompt_tokens, thought.cost_usd) == (5, None)


@pytest.mark.parametrize("answer", [too_long_for_openai(), too_long_for_llama()])
async def test_a_conversation_too_long_is_the_agents_affair(answer: Answer) -> None:
    with pytest.raises(ContextOverflow):
        await ask(answer)


def too_long_text(param: str | None, message: str) -> Answer:
    return fails(400, message, code="string_above_max_length", param=param)


LONG_DESCRIPTION = "Invalid 'tools[3].function.description': string too long."


@pytest.mark.parametrize("param", ["tools[3].function.description", None])
async def test_a_tool_whose_description_a_server_refuses_is_no_conversation_too_long(
    param: str | None,
) -> None:
    with pytest.raises(InfrastructureFault, match="string too long"):
        await ask(too_long_text(param, LONG_DESCRIPTION))


async def test_a_message_that_a_server_refuses_as_too_long_is_a_conversation_too_long() -> None:
    with pytest.raises(ContextOverflow):
        await ask(too_long_text("messages[1].content", "Invalid 'messages[1].content': too long."))


@pytest.mark.parametrize("answers", [[fails(401, KEY)], [fails(503)] * 6, [fails(429)] * 6])
async def test_a_service_that_is_not_to_be_had_is_a_fault_of_the_infrastructure(
    answers: list[Answer],
) -> None:
    with pytest.raises(InfrastructureFault) as fault:
        await ask(*answers)
    assert KEY not in str(fault.value)


async def test_a_reply_that_its_server_cannot_read_is_an_empty_one_of_the_models_making() -> None:
    garbled = [fails(500, "Failed to parse input at pos 3")] * 2
    async with scripted_endpoint(*garbled) as server, service(server) as model:
        reply = await model.reply(ASKED)
    assert (reply.text, reply.calls, reply.finish) == ("", (), FinishReason.DONE)
    assert model.incidents == {"garbled_reply": 2}


async def test_a_missing_key_is_a_fault_of_the_infrastructure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("MY_OWN_API_KEY", raising=False)
    async with scripted_endpoint() as server:
        with pytest.raises(InfrastructureFault, match="MY_OWN_API_KEY"):
            async with OpenAIService(server.config(key="MY_OWN_API_KEY")):
                pass


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


def test_reasoning_before_calls_is_sent_back_to_servers_that_require_it() -> None:
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
