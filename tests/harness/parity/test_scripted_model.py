"""The scripted model makes a script's calls in every dialect, and each reaches the office."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import httpx2
import pytest
from openai import OpenAI

from trainee_bench.harness import parity
from trainee_bench.harness.environment.day import Day
from trainee_bench.harness.parity.check import (
    ShownText,
    check_doors,
    check_script,
    parity_document,
)
from trainee_bench.harness.parity.door import Door, DoorRun, UnknownDoor, find_doors
from trainee_bench.harness.parity.script import ChangedCalls, ParityScript, parity_scripts
from trainee_bench.harness.parity.scripted_model import (
    ScriptedModelServer,
    least_value,
    serve_in_thread,
)
from trainee_bench.harness.session.turns import ToolCall

CALLS = (
    ToolCall("no_such_tool", {"anything": None}),
    ToolCall("desk_tasks"),
    ToolCall("desk_wait", {"minutes": 30, "until": 'Grüße "12"'}),
)
OFFERED = ("other_tasks", "mcp__office__desk_tasks", "mcp__office__desk_wait")
TEXT, PICTURE = "It is late.", "iVBORw0KGgo="
Made = list[tuple[str, dict[str, Any]]]
"""The calls that a client was told to make."""
FINISHED = "I have gone home."


@pytest.fixture
def model() -> ScriptedModelServer:
    return ScriptedModelServer(CALLS)


@pytest.fixture
def url(model: ScriptedModelServer) -> Iterator[str]:
    with serve_in_thread(model) as address:
        yield address


def check(model: ScriptedModelServer, made: Made, said: object) -> None:
    """Check a client that answered each call with TEXT, and the last one also with a picture."""
    assert [name for name, _ in made] == [f"mcp__office__{call.name}" for call in CALLS]
    assert [given for _, given in made] == [dict(call.arguments) for call in CALLS]
    assert said == FINISHED
    assert model.results == dict.fromkeys(range(len(CALLS)), TEXT)
    assert model.pictures == 1
    assert model.unknown == []


@pytest.mark.parametrize("streamed", [False, True])
def test_in_chat_completions(model: ScriptedModelServer, url: str, streamed: bool) -> None:
    tools: Any = [{"type": "function", "function": {"name": name}} for name in OFFERED]
    messages: list[Any] = [{"role": "user", "content": "Work."}]
    made: Made = []
    with OpenAI(base_url=f"{url}/v1", api_key="none") as client:
        chat = client.chat.completions
        while True:
            asked: Any = {"model": "any", "messages": messages, "tools": tools}
            if streamed:
                with chat.stream(**asked) as stream:
                    done: Any = stream.get_final_completion()
            else:
                done = chat.create(**asked)
            message = done.choices[0].message
            if not message.tool_calls:
                return check(model, made, message.content)
            (call,) = message.tool_calls
            made.append((call.function.name, json.loads(call.function.arguments)))
            given = [{"id": call.id, "type": "function", "function": call.function.model_dump()}]
            messages.append({"role": "assistant", "tool_calls": given})
            messages.append({"role": "tool", "tool_call_id": call.id, "content": TEXT})
            if len(made) == len(CALLS):
                shown = {"type": "image_url", "image_url": {"url": PICTURE}}
                messages.append({"role": "user", "content": [shown]})


@pytest.mark.parametrize("streamed", [False, True])
def test_in_responses(model: ScriptedModelServer, url: str, streamed: bool) -> None:
    tools: Any = [{"type": "function", "name": name, "parameters": {}} for name in OFFERED]
    items: list[Any] = [{"role": "user", "content": "Work."}]
    made: Made = []
    with OpenAI(base_url=f"{url}/v1", api_key="none") as client:
        while True:
            asked: Any = {"model": "any", "input": items, "tools": tools}
            if streamed:
                with client.responses.stream(**asked) as stream:
                    done: Any = stream.get_final_response()
            else:
                done = client.responses.create(**asked)
            (item,) = done.output
            if item.type == "message":
                return check(model, made, done.output_text)
            made.append((item.name, json.loads(item.arguments)))
            items.append({
                "type": "function_call", "call_id": item.call_id, "name": item.name,
                "arguments": item.arguments,
            })  # fmt: skip
            output = [{"type": "input_text", "text": TEXT}]
            if len(made) == len(CALLS):
                output.append({"type": "input_image", "image_url": PICTURE})
            items.append({
                "type": "function_call_output", "call_id": item.call_id, "output": output,
            })  # fmt: skip


@pytest.mark.parametrize("streamed", [False, True])
def test_in_anthropics_messages(model: ScriptedModelServer, url: str, streamed: bool) -> None:
    messages: list[Any] = [{"role": "user", "content": "Work."}]
    made: Made = []
    while True:
        body = {
            "messages": messages, "tools": [{"name": name} for name in OFFERED],
            "stream": streamed,
        }  # fmt: skip
        answer = httpx2.post(f"{url}/v1/messages?beta=true", json=body)
        block = message_block(answer.text) if streamed else answer.json()["content"][0]
        if block["type"] == "text":
            return check(model, made, block["text"])
        made.append((block["name"], block["input"]))
        content: list[Any] = [{"type": "text", "text": TEXT}]
        if len(made) == len(CALLS):
            content.append({"type": "image", "source": {"type": "base64", "data": PICTURE}})
        result = {"type": "tool_result", "tool_use_id": block["id"], "content": content}
        messages.append({"role": "assistant", "content": [block]})
        messages.append({"role": "user", "content": [result]})


def message_block(stream: str) -> dict[str, Any]:
    """Return the only block of a streamed message."""
    block: dict[str, Any] = {}
    pieces = ""
    for event in stream.strip().split("\n\n"):
        name, data = (line.partition(": ")[2] for line in event.split("\n"))
        told = json.loads(data)
        assert told["type"] == name
        if name == "content_block_start":
            block = told["content_block"]
        elif name == "content_block_delta":
            pieces += told["delta"].get("text", told["delta"].get("partial_json"))
    assert name == "message_stop"
    return {**block, "text": pieces} if block["type"] == "text" else {
        **block, "input": json.loads(pieces)
    }  # fmt: skip


@pytest.mark.parametrize("method", ["generateContent", "streamGenerateContent"])
def test_in_geminis_dialect(model: ScriptedModelServer, url: str, method: str) -> None:
    contents: list[Any] = [{"role": "user", "parts": [{"text": "Work."}]}]
    tools = [{"functionDeclarations": [{"name": name} for name in OFFERED]}]
    made: Made = []
    while True:
        asked = {"contents": contents, "tools": tools}
        answer = httpx2.post(f"{url}/v1beta/models/any:{method}?alt=sse", json=asked)
        told = json.loads(answer.text.removeprefix("data: "))
        (part,) = told["candidates"][0]["content"]["parts"]
        if "text" in part:
            return check(model, made, part["text"])
        call = part["functionCall"]
        made.append((call["name"], call["args"]))
        result = {"id": call["id"], "name": call["name"], "response": {"output": TEXT}}
        contents.append({"role": "model", "parts": [part]})
        contents.append({"role": "user", "parts": [{"functionResponse": result}]})
        if len(made) == len(CALLS):
            contents[-1]["parts"].append({"inlineData": {"data": PICTURE}})


def test_a_client_that_offers_no_tool_of_the_script_is_told_that_all_is_done(url: str) -> None:
    asked = {"messages": [{"role": "user", "content": "Give this talk a title."}]}
    answer = httpx2.post(f"{url}/v1/chat/completions", json=asked).json()
    assert answer["choices"][0]["message"] == {"role": "assistant", "content": FINISHED}
    assert answer["usage"]["total_tokens"] == 110


def test_tokens_are_counted_where_a_dialect_asks_for_it(url: str) -> None:
    counted = httpx2.post(f"{url}/v1/messages/count_tokens", json={"messages": []})
    assert counted.json() == {"input_tokens": 100}
    counted = httpx2.post(f"{url}/v1beta/models/any:countTokens", json={"contents": []})
    assert counted.json() == {"totalTokens": 100}


def test_a_request_in_no_dialect_is_refused_and_remembered(
    model: ScriptedModelServer, url: str
) -> None:
    assert httpx2.get(f"{url}/v1/models").status_code == 404
    assert model.unknown == ["GET /v1/models"]


def test_where_json_is_required_the_smallest_valid_value_is_given(url: str) -> None:
    schema = {
        "type": "OBJECT",
        "required": ["why", "which", "sure", "many", "names"],
        "properties": {
            "why": {"type": "STRING"}, "which": {"type": "STRING", "enum": ["a", "b"]},
            "sure": {"type": "NUMBER", "minimum": 0.5}, "many": {"type": "BOOLEAN"},
            "names": {"type": "ARRAY"}, "more": {"type": "STRING"},
        },
    }  # fmt: skip
    least = {"why": "", "which": "a", "sure": 0.5, "many": False, "names": []}
    assert least_value(schema) == least
    config = {"responseMimeType": "application/json", "responseJsonSchema": schema}
    asked = {"contents": [{"parts": [{"text": "?"}]}], "generationConfig": config}
    told = httpx2.post(f"{url}/v1beta/models/any:generateContent", json=asked).json()
    assert json.loads(told["candidates"][0]["content"]["parts"][0]["text"]) == least


def test_tools_that_are_offered_in_a_namespace_are_called_in_it(url: str) -> None:
    tools = [{"type": "function", "name": name} for name in ("desk_tasks", "desk_wait")]
    asked = {"input": [], "tools": [{"type": "namespace", "name": "mcp__office", "tools": tools}]}
    (item,) = httpx2.post(f"{url}/v1/responses", json=asked).json()["output"]
    assert (item["namespace"], item["name"]) == ("mcp__office", "no_such_tool")


VALID, MALFORMED, PICTURE_SCRIPT = parity_scripts()


@dataclass
class Losing(Door):
    """A door that answers some calls itself."""

    loses: tuple[int, ...] = ()
    tells: bool = True
    name: ClassVar[str] = "losing"

    def play(self, script: ParityScript, folder: Path) -> DoorRun:
        reached = [call for place, call in enumerate(script.calls) if place not in self.loses]
        day = Day(script.scenario)
        day.reset()
        day.step(reached)
        told = script.refused(reached) if self.tells else ()
        return DoorRun(day.digest(), day.grade().score, told)


class Missing(Door):
    """A door whose software nobody has."""

    name: ClassVar[str] = "missing"
    packages: ClassVar[tuple[str, ...]] = ("trainee-bench", "no-such-package")

    def play(self, script: ParityScript, folder: Path) -> DoorRun:
        raise AssertionError


class Broken(Door):
    """A door that breaks."""

    name: ClassVar[str] = "broken"

    def play(self, script: ParityScript, folder: Path) -> DoorRun:
        raise RuntimeError("the client has ended")


def test_the_valid_script_is_a_whole_day_and_the_malformed_one_costs_time_at_the_seat() -> None:
    assert VALID.at_the_seat().score == 1
    assert len(MALFORMED.malformed) == 5
    without = MALFORMED.at_the_seat(without=MALFORMED.malformed)
    assert without != MALFORMED.at_the_seat()


def test_our_own_loop_brings_every_call_to_the_office_and_shows_the_model_text_and_picture() -> (
    None
):
    (door,) = find_doors(["harness-memory"])
    (report,) = check_doors([door], [MALFORMED, PICTURE_SCRIPT])
    assert report.same, report
    malformed, picture = report.scripts.values()
    assert malformed.refused == ()
    assert malformed.shown is ShownText.AS_IT_IS
    assert picture.pictures_seen == 1


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["seat", "harness"])
def test_so_do_the_seat_and_all_transports_with_all_scripts(name: str) -> None:
    for report in check_doors(find_doors([name]), parity_scripts()):
        assert report.same, report


def test_a_door_may_refuse_malformed_calls_if_it_says_so() -> None:
    outcome = check_script(Losing(loses=(0, 3)), MALFORMED)
    assert (outcome.problem, outcome.refused) == ("", (0, 3))
    assert outcome.digest != MALFORMED.at_the_seat().digest
    assert "digest" in check_script(Losing(loses=(0, 3), tells=False), MALFORMED).problem


def test_a_door_that_loses_a_valid_call_is_not_the_same() -> None:
    outcome = check_script(Losing(loses=(5,)), MALFORMED)
    assert outcome.problem == "valid calls were lost: 1, from call 6 on"


def test_a_call_that_was_changed_on_its_way_is_named() -> None:
    first = replace(VALID.calls[0], arguments={"wake": True})
    with pytest.raises(ChangedCalls, match=f"call 1 that .*{first.name} .*wake"):
        VALID.refused([first, *VALID.calls[1:]])
    with pytest.raises(ChangedCalls, match=f"call {len(VALID.calls) + 1} that .*desk_wait"):
        VALID.refused([*VALID.calls, ToolCall("desk_wait", {"minutes": 1})])


def test_a_door_that_cannot_be_run_is_reported_and_never_passes() -> None:
    missing, broken = check_doors([Missing(), Broken()], [VALID])
    assert not missing.same
    assert not broken.same
    assert missing.not_run == "no-such-package is not installed"
    assert broken.scripts["valid"].problem == "RuntimeError: the client has ended"
    (grid, *notes) = parity_document([missing, broken]).blocks
    assert "not run" in str(grid)
    assert "differs" in str(grid)
    assert len(notes) == 2


def test_doors_are_found_by_their_own_name_and_by_that_of_their_file() -> None:
    assert [door.name for door in find_doors(["harness"])] == [
        "harness-http", "harness-memory", "harness-stdio",
    ]  # fmt: skip
    with pytest.raises(UnknownDoor, match="try harness"):
        find_doors(["harnes"])
    for door in find_doors():
        assert door.name.startswith(door.file())


def test_requirements_have_a_lowest_version_and_a_door() -> None:
    requirements = Path(*parity.__path__) / "requirements"
    files = {door.file() for door in find_doors()}
    for path in requirements.glob("*.txt"):
        assert path.stem in files, path
        for line in path.read_text(encoding="utf-8").splitlines():
            named = line.removeprefix("#: ") if line.startswith("#: ") else line.partition("#")[0]
            bound = any(sign in named for sign in (">=", "=="))
            no_package = named.startswith(("python ", "tests "))
            assert not named or bound or no_package, (path, line)
