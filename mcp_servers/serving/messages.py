"""Parses clients' messages, or says why one is invalid, with its id if it can be read.

Every message that expects an answer gets one, whatever the transport.
"""

from __future__ import annotations

import re

import mcp_types
from pydantic import ValidationError
from pydantic_core import from_json

_NO_MESSAGE = "This is not a JSON-RPC 2.0 message: send one object with jsonrpc, id and method."
_NO_ID = "The id of a request must be a string or an integer; send the request with such an id."


class NoMessage(Exception):
    """A client sent an invalid message; ``answer`` tells it why."""

    def __init__(self, answer: mcp_types.JSONRPCError):
        super().__init__(answer.error.message)
        self.answer = answer


def read_message(sent: bytes) -> mcp_types.JSONRPCMessage:
    """Parse the bytes *sent* as a message. Raises NoMessage."""
    try:
        message = mcp_types.jsonrpc_message_adapter.validate_json(sent, by_name=False)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        if first["type"] != "json_invalid":
            raise _no_message(sent, mcp_types.INVALID_REQUEST, _NO_MESSAGE) from None
        why = f"The message cannot be read. {first['msg']}."
        raise _no_message(sent, mcp_types.PARSE_ERROR, why) from None
    if isinstance(message, mcp_types.JSONRPCNotification) and _has_id(sent):
        # The id has a wrong type, so this looks like a notification, which is never answered.
        raise _no_message(sent, mcp_types.INVALID_REQUEST, _NO_ID)
    return message


def message_id(line: str) -> int | str | None:
    """Return the id in a *line* that may be cut or nested too deeply to parse, None if it shows
    none.

    Only a name in the outermost object counts, since arguments may contain ids.
    """
    depth = 0
    for piece in _PIECE.finditer(line):
        if piece["opens"]:
            depth += 1
        elif piece["closes"]:
            depth -= 1
        elif depth == 1 and piece["text"] == '"id"' and (found := _ID.match(line, piece.end())):
            return int(found["number"]) if found["number"] else found["name"]
    return None


_PIECE = re.compile(r'(?P<text>"(?:[^"\\]|\\.?)*+"?)|(?P<opens>[\[{])|(?P<closes>[\]}])', re.DOTALL)
"""A text, whole or cut at the end of its line, or a bracket."""
_ID = re.compile(
    r'[ \t]{0,9}:[ \t]{0,9}(?:(?P<number>-?[0-9]{1,18})[ \t]{0,9}[,}]|"(?P<name>[^"\\]{0,200})")'
)


def _has_id(sent: bytes) -> bool:
    return b'"id"' in sent and "id" in from_json(sent)


def _no_message(sent: bytes, code: int, why: str) -> NoMessage:
    id = message_id(sent.decode(errors="replace"))
    error = mcp_types.ErrorData(code=code, message=why)
    return NoMessage(mcp_types.JSONRPCError(jsonrpc="2.0", id=id, error=error))
