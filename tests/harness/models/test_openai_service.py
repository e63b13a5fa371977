"""What a server's model says is understood: text, calls, why it ended, what it cost."""

from __future__ import annotations

import pytest

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
from trainee_bench.harness.models.conversation import (
    ContextOverflow,
    FinishReason,
    ModelReply,
    ModelRequest,
    UserMessage,
)
from trainee_bench.harness.models.openai_service import OpenAIService
from trainee_bench.harness.models.prices import Price, PriceTable
from trainee_bench.harness.session.turns import InfrastructureFault, Thought, ToolInfo
from trainee_bench.mcp_servers.llm.client import ChatClient

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


async def test_what_a_server_does_not_count_is_unknown() -> None:
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
