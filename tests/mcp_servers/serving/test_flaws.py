"""Refusals of arguments speak of JSON and say what would be right, whichever tool refuses."""

from __future__ import annotations

import re
from typing import Any

import pytest

from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.world.errors import Invalid

TOOLS = {tool.name: tool for box in discover_toolboxes().values() for tool in box}
WRONG: tuple[Any, ...] = ([[{"a": None}]], {"a": [{}]}, True, -1.5, "\u200d", 5, [], "[[{}]]", None)
OUR_WORDS = re.compile(
    r"\b(str|int|float|bool|dict|tuple|none|None|True|False|Input|String|valid|\w+Error)\b"
)


def complaint(tool: str, **arguments: Any) -> str:
    with pytest.raises(Invalid) as refused:
        TOOLS[tool].parse(arguments)
    return str(refused.value)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([[[1]]], "'rows.0.0' takes a text, a number, or true or false, not an array"),
        (
            [[1], [2, {"a": 1}]],
            "'rows.1.1' takes a text, a number, or true or false, not an object",
        ),
        ('[["x", [1]]]', "'rows.0.1' takes a text, a number, or true or false, not an array"),
    ],
)
def test_a_cell_is_named_once_with_all_that_it_takes(rows: Any, said: str) -> None:
    assert complaint("sheets_append", path="p", rows=rows) == (
        f"sheets_append: {said}. It takes: path, rows, sheet."
    )


def test_the_value_of_a_filter_is_named_once_with_all_that_it_takes() -> None:
    where = [{"column": "str", "op": "=", "value": [1]}]
    assert "'where.0.value' takes a text, a number, or true or false, not an array." in complaint(
        "sheets_query", path="p", where=where
    )


def test_what_is_missing_within_a_list_is_named_with_its_place() -> None:
    said = complaint("files_edit", path="p", edits=[{"old": "a"}, {"old": "a", "new": "b", "x": 1}])
    assert "the argument 'edits.0.new' is missing; there is no argument 'edits.1.x'." in said


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("mail_read", {"mail": 1.5}, "'mail' takes a whole number, not 1.5."),
        ("mail_read", {"mail": 1e308}, "'mail' takes a whole number, not 1e+308."),
        ("mail_read", {"mail": 1, "offset": -1}, "'offset' takes at least 0."),
        ("monitor_read_logs", {"server": "s", "lines": 99}, "'lines' takes at most 60."),
        ("mail_search", {"query": ""}, "'query' takes at least 1 character."),
        ("mail_search", {"query": "x" * 201}, "'query' takes at most 200 characters."),
        (
            "sheets_change",
            {"path": "p", "action": "drop", "sheet": "s"},
            "'action' takes 'add', 'rename' or 'delete'.",
        ),
        (
            "monitor_read_logs",
            {"server": "s", "before": "noon"},
            "'before' takes a day and a time, such as 2025-10-01T14:30.",
        ),
        ("mail_read", {"mail": 2**63}, "'mail' holds a number too large to be stored; give one"),
    ],
)
def test_bounds_and_choices_are_told(tool: str, arguments: dict[str, Any], said: str) -> None:
    assert complaint(tool, **arguments).startswith(f"{tool}: {said}")


@pytest.mark.every_app
@pytest.mark.parametrize("name", TOOLS)
def test_no_refusal_has_words_of_python(name: str) -> None:
    for argument in [*TOOLS[name].input_schema.get("properties", {}), "x"]:
        for wrong in WRONG:
            said = complaint(name, **{argument: wrong, "no such argument": 1})
            assert not OUR_WORDS.search(said), said
