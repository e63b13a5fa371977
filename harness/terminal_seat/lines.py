"""A typed line as a call: ``mail_send to=anna.ek subject="On time" body=@text.md attachments:=[]``.

name=text     a text, converted to a number, a boolean or a comma-separated list if needed
name=@file    the text of a file
name:=JSON    any other value
?             lists the tools and their costs; ? TOOL explains one, ? tasks repeats the prompt
"""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from trainee_bench.harness.session.turns import ToolCall, ToolInfo
from trainee_bench.harness.support.text import suggest_names
from trainee_bench.mcp_servers import discover_tools
from trainee_bench.mcp_servers.serving.toolbox import FileUse

HELP = "?"
_YES = {"true": True, "yes": True, "false": False, "no": False}


class CannotRead(Exception):
    """Raised for a line that is not a call; says what would be."""


@dataclass(frozen=True)
class HelpRequest:
    """A question that costs nothing, about a tool, or about all tools if ""."""

    about: str


def read_line(line: str, tools: Mapping[str, ToolInfo]) -> ToolCall | HelpRequest:
    """Return the call in *line*, or the question. Raises CannotRead."""
    text = line.strip()
    if text.startswith(HELP):
        return HelpRequest(text.removeprefix(HELP).strip())
    try:
        name, *words = shlex.split(text)
    except ValueError as error:
        raise CannotRead(f"{error}: put texts with spaces in quotes, such as 'a b'.") from None
    if name not in tools:
        near = suggest_names(name, tools, ["? to see all of them"])
        raise CannotRead(f"There is no tool {name!r}; try {near}.")
    arguments: dict[str, JsonValue] = {}
    for word in words:
        argument, value = _argument(word, tools[name])
        if argument in arguments:
            raise CannotRead(f"{argument} is given twice. Give it only once.")
        arguments[argument] = value
    return ToolCall(name, arguments)


def _argument(word: str, tool: ToolInfo) -> tuple[str, JsonValue]:
    name, sign, value = word.partition("=")
    if not sign:
        raise CannotRead(
            f"{word!r} is not an argument. Write name=value, such as {_example(tool)}."
        )
    if name.endswith(":"):
        try:
            return name[:-1], json.loads(value)
        except json.JSONDecodeError as error:
            raise CannotRead(f"{name} must be followed by JSON: {error}.") from None
    if value.startswith("@"):
        return name, _content(Path(value[1:]))
    return name, _typed(value, _schema(tool).get(name))


def _content(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CannotRead(f"{path} cannot be read as text: {error}.") from None


def _typed(value: str, schema: JsonValue) -> JsonValue:
    """Return *value* converted to the type in the argument's schema. A value that does not fit
    stays text, and the tool reports it."""
    kind = schema.get("type") if isinstance(schema, dict) else "string"
    if kind == "array":
        return [part.strip() for part in value.split(",") if part.strip()]
    if kind == "boolean":
        return _YES.get(value.casefold(), value)
    if kind in ("integer", "number"):
        try:
            return int(value) if kind == "integer" else float(value)
        except ValueError:
            return value
    return value


def _schema(tool: ToolInfo) -> Mapping[str, JsonValue]:
    properties = tool.input_schema.get("properties", {})
    return properties if isinstance(properties, dict) else {}


def argument_names(tool: ToolInfo) -> tuple[str, ...]:
    """Return the names of a tool's arguments."""
    return tuple(_schema(tool))


def duration(tool: ToolInfo) -> str:
    """Return how long a call of *tool* takes, in words."""
    return discover_tools()[tool.name].lasts or f"{tool.minutes} min"


def describe(tool: ToolInfo) -> list[str]:
    """Return the lines that describe a tool and its arguments."""
    lines = [f"{tool.name}: {tool.description}"]
    required = tool.input_schema.get("required", [])
    for name, schema in _schema(tool).items():
        about = schema if isinstance(schema, dict) else {}
        kind = "one of " + ", ".join(map(str, options)) if (options := _options(about)) else ""
        details = " · ".join(filter(None, [str(about.get("description", "")), kind]))
        need = "" if isinstance(required, list) and name in required else " (optional)"
        lines.append(f"  {name}{need}: {details}".rstrip(": "))
    return lines


def _options(schema: Mapping[str, JsonValue]) -> list[JsonValue]:
    found = schema.get("enum", [])
    return found if isinstance(found, list) else []


def _example(tool: ToolInfo) -> str:
    names = argument_names(tool)
    return f"{names[0]}=…" if names else f"{tool.name} alone"


Candidates = Callable[[str, str], list[str]]
"""A function from a line and its last word to the word's completions."""
ShownNames = Callable[[str, Sequence[str]], list[str]]
"""A function from a line and its completions to their display texts."""


def offer_completions(candidates: Candidates, shown: ShownNames) -> None:
    """Complete typed words with *candidates*, and list them with *shown*."""
    if importlib.util.find_spec("readline") is None:  # Windows
        return
    import readline

    def complete(word: str, number: int) -> str | None:
        found = candidates(readline.get_line_buffer()[: readline.get_endidx()], word)
        return found[number] if number < len(found) else None

    def display(word: str, matches: Sequence[str], longest: int) -> None:
        line = readline.get_line_buffer()
        print("\n" + "  ".join(shown(line, matches)))  # noqa: T201 - printed below the line
        print("> " + line, end="", flush=True)  # noqa: T201
        readline.redisplay()

    readline.set_completer(complete)
    readline.set_completer_delims(" ")
    readline.set_completion_display_matches_hook(display)
    readline.parse_and_bind("tab: complete")


def written_path(call: ToolCall) -> str:
    """Return the path that *call* names, in the office's notation; "" if it names none."""
    given = call.arguments.get("path", call.arguments.get("source", ""))
    return re.sub(r"^(\w+):/*", r"\1:/", str(given).strip())


def cannot_be_undone(call: ToolCall, known: Collection[str]) -> bool:
    """Return whether *call* may lose something for good. *known* are the paths that the person has
    read or written. A new file in the workspace loses nothing; on the drive it may replace one."""
    path, tool = written_path(call), discover_tools().get(call.name)
    if call.name == "monitor_start_maintenance":
        return not call.arguments.get("code")
    if tool is None:
        return False
    if tool.files is FileUse.WRITES:
        return path.startswith("drive:") or path in known
    if tool.files is FileUse.CHANGES:
        return path.startswith("drive:") or call.arguments.get("action") == "delete"
    return tool.destructive
