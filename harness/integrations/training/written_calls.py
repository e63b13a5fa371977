"""Tool calls that a model writes into its text, as the chat templates of many models have them.

    <tool_call>{"name": "desk_tasks", "arguments": {}}</tool_call>

For trainers whose environments get a model's text, instead of the calls in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from trainee_bench.harness.models.chat_format import parse_arguments
from trainee_bench.harness.session.turns import ToolCall, ToolInfo

__all__ = ["NOT_A_CALL", "describe_tools", "read_calls", "write_answer", "write_call"]

NOT_A_CALL = (
    'Not done: this is not a JSON object with "name" and "arguments". Nothing happened and no time '
    "passed; correct the call and repeat it."
)
"""The answer to a call that cannot be read."""
_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
_END_OF_THOUGHT = "</think>"


def describe_tools(tools: Sequence[ToolInfo]) -> str:
    """Return a system prompt that lists *tools* and says how to call them."""
    described = [
        json.dumps(
            {
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.input_schema),
            }
        )
        for tool in tools
    ]
    return "\n".join(
        (
            "You work with these tools, one per line:",
            "<tools>",
            *described,
            "</tools>",
            "To call a tool, write a JSON object with its name and arguments:",
            '<tool_call>{"name": "desk_tasks", "arguments": {}}</tool_call>',
            "The answer follows between <tool_response> and </tool_response>.",
            "A message without a call ends your work.",
        )
    )


def read_calls(text: str) -> list[ToolCall | None]:
    """Return the calls in *text*, without those in a thought; None for one that cannot be read.

    The end mark of the last call may be missing, since servers may stop there.
    """
    said = text.rpartition(_END_OF_THOUGHT)[2]
    return [_read(written) for written in _CALL.findall(said)]


def _read(written: str) -> ToolCall | None:
    call = parse_arguments(written.strip())
    if not call:
        return None
    name, arguments = call.get("name"), call.get("arguments", {})
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return None
    return ToolCall(name, arguments)


def write_call(call: ToolCall) -> str:
    """Return *call* as a model writes it."""
    written = json.dumps({"name": call.name, "arguments": dict(call.arguments)})
    return f"<tool_call>\n{written}\n</tool_call>"


def write_answer(text: str) -> str:
    """Return an answer with its marks."""
    return f"<tool_response>\n{text}\n</tool_response>"
