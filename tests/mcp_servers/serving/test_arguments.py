"""Arguments are read as clients mean them, and refused in words that say what would be right."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.serving.arguments import is_serializable, read_arguments
from trainee_bench.world.errors import Invalid

DEEP: JsonValue = 1
for _ in range(40):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    "value",
    [
        "text",
        "",
        "Grüße 😀",
        0,
        -1.5,
        True,
        None,
        [1, [2, {"a": "b"}]],
        ["x"] * 90_000,
        "x" * 10**6,
    ],
)
def test_sound_json_of_a_sane_size_is_speakable(value: JsonValue) -> None:
    assert is_serializable({"value": value})


@pytest.mark.parametrize(
    "value",
    [
        "\0",
        "half \ud800 of a character",
        float("nan"),
        float("inf"),
        10**400,
        "x" * 2_000_001,
        ["x"] * 100_001,
        [[1] * 1_000] * 101,
        DEEP,
    ],
    ids=["nul", "half", "nan", "inf", "huge", "long", "many", "many in rows", "deep"],
)
def test_unloggable_and_far_too_large_arguments_are_not(value: JsonValue) -> None:
    assert not is_serializable({"value": value})


def test_the_names_of_arguments_are_held_to_the_same() -> None:
    assert not is_serializable({"half \ud800": 1})


TOOLS = {tool.name: tool for box in discover_toolboxes().values() for tool in box}


def parsed(tool: str, **arguments: Any) -> dict[str, Any]:
    return dict(TOOLS[tool].parse(arguments))


def complaint(tool: str, **arguments: Any) -> str:
    with pytest.raises(Invalid) as refused:
        TOOLS[tool].parse(arguments)
    return str(refused.value)


MAIL = {"to": ["ann"], "subject": "s", "body": "b"}


def test_null_stands_for_the_default() -> None:
    assert parsed("mail_send", **MAIL, cc=None, attachments=None) == parsed("mail_send", **MAIL)
    assert parsed("mail_list", label=None) == parsed("mail_list")


def test_null_for_an_argument_without_a_default_is_a_missing_argument() -> None:
    said = complaint("mail_send", to=None, subject="s", body="b")
    assert said.startswith("mail_send: the argument 'to' is missing.")


def test_null_for_an_argument_that_does_not_exist_is_refused() -> None:
    assert "there is no argument 'bcc'" in complaint("mail_send", **MAIL, bcc=None)


def test_lists_and_objects_are_taken_as_json_in_a_text() -> None:
    assert parsed("mail_send", **{**MAIL, "to": '["ann", "bob"]'})["to"] == ("ann", "bob")
    edits = parsed("files_edit", path="p", edits='[{"old": "a", "new": "b"}]')["edits"]
    assert [(edit.old, edit.new) for edit in edits] == [("a", "b")]
    edits = parsed("files_edit", path="p", edits=['{"old": "a", "new": "b"}'])["edits"]
    assert [(edit.old, edit.new) for edit in edits] == [("a", "b")]
    rows = parsed("sheets_append", path="p", rows='[["x", 1, null]]')["rows"]
    assert rows == [["x", 1, None]]


def test_a_text_where_a_text_is_wanted_stays_the_text_it_is() -> None:
    assert parsed("files_write", path="p", text='["a"]')["text"] == '["a"]'
    assert parsed("mail_send", **{**MAIL, "to": ['["a"]']})["to"] == ('["a"]',)
    (test,) = parsed("sheets_query", path="p", where=[{"column": "c", "op": "=", "value": "[1]"}])[
        "where"
    ]
    assert test.value == "[1]"


def test_a_cell_may_be_null() -> None:
    assert parsed("sheets_append", path="p", rows=[[None, "x"]])["rows"] == [[None, "x"]]


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("mail_send", {**MAIL, "to": "ann"}, "'to' takes an array, not a text"),
        ("mail_send", {**MAIL, "to": "[ann"}, "'to' takes an array, not a text"),
        ("mail_send", {**MAIL, "to": {"a": 1}}, "'to' takes an array, not an object"),
        ("mail_send", {**MAIL, "to": [3]}, "'to.0' takes a text, not a number"),
        ("mail_send", {**MAIL, "to": [None]}, "'to.0' takes a text, not null"),
        ("mail_send", {**MAIL, "body": ["b"]}, "'body' takes a text, not an array"),
        ("files_edit", {"path": "p", "edits": ["x"]}, "'edits.0' takes an object, not a text"),
        (
            "sheets_query",
            {"path": "p", "limit": "many"},
            "'limit' takes a whole number, not a text",
        ),
        ("calendar_find_busy", {"people": []}, "'people' takes at least 1 item, not 0"),
    ],
)
def test_refusals_name_the_types_of_json(tool: str, arguments: dict[str, Any], said: str) -> None:
    assert complaint(tool, **arguments).startswith(f"{tool}: {said}")


@pytest.mark.parametrize(
    "text",
    [
        '["\\ud800"]',
        '["\\u0000"]',
        "[NaN]",
        "[1e999]",
        "[" * 40 + "]" * 40,
    ],
    ids=["half a character", "NUL", "NaN", "infinity", "depth"],
)
def test_the_json_in_a_text_may_not_hold_what_no_argument_may(text: str) -> None:
    with pytest.raises(Invalid) as refused:
        TOOLS["calendar_find_busy"].parse({"people": text})
    with pytest.raises(Invalid) as listed:
        TOOLS["calendar_find_busy"].parse({"people": json.loads(text)})
    assert str(refused.value) == str(listed.value)
    assert str(refused.value).startswith("calendar_find_busy: The arguments must be JSON of")


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=20))
def test_a_value_that_fits_no_schema_is_left_unchanged(value: Any) -> None:
    assert read_arguments({"x": value}, {"properties": {}}) == {"x": value}
    wanted = {"properties": {"x": {"type": "string"}}}
    expected = {} if value is None else {"x": value}
    assert read_arguments({"x": value}, wanted) == expected


@given(st.lists(st.text()))
def test_a_list_and_its_json_are_read_alike(names: list[str]) -> None:
    schema = {"properties": {"x": {"type": "array", "items": {"type": "string"}}}}
    assert read_arguments({"x": json.dumps(names)}, schema) == {"x": names}


def _parts(schema: Any) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [part for item in schema for part in _parts(item)]
    if not isinstance(schema, dict):
        return []
    return [schema, *(part for item in schema.values() for part in _parts(item))]


@pytest.mark.every_app
@pytest.mark.parametrize("name", TOOLS)
def test_schemas_are_taken_by_strict_model_services(name: str) -> None:
    tool = TOOLS[name]
    assert len(tool.description()) <= 1_024
    for part in _parts(tool.input_schema.get("properties", {})):
        assert not isinstance(part.get("type"), list)
        assert "enum" not in part or "type" in part


WRONG: tuple[Any, ...] = ([[{"a": None}]], {"a": [{}]}, True, -1.5, "\u200d", 5, [], "[[{}]]", None)
OUR_WORDS = re.compile(
    r"\b(str|int|float|bool|dict|tuple|none|None|True|False|Input|String|valid|\w+Error)\b"
)


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


def test_a_value_missing_within_a_list_is_named_with_its_place() -> None:
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
        ("mail_read", {"mail": 2**63}, "'mail' contains a number too large to store; use at most"),
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
