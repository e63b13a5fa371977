"""A function over a Turn becomes a tool: its schemas, its description, what it accepts."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from tests.mcp_servers.toy import TOOLS
from tests.world.toy import Shelf
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.serving.schema import result_schema
from trainee_bench.mcp_servers.serving.toolbox import Toolbox
from trainee_bench.world.errors import Invalid
from trainee_bench.world.transaction import Result, Transaction

BY_NAME = {tool.name: tool for tool in TOOLS}
PUT = BY_NAME["shelf_put"]


class Label(BaseModel):
    title: str


class Side(StrEnum):
    """Which side."""

    LEFT = "left"
    RIGHT = "right"


class Nest(BaseModel):
    """A box in which there may be others."""

    boxes: list[Nest] = []


class Weight(BaseModel):
    grams: Annotated[int, Field(ge=0)]


class Card(BaseModel):
    """A card."""

    title: str
    description: str


class Board(BaseModel):
    """What hangs on the wall."""

    pinned: list[Card] = Field(description="oldest first")


def complaint(arguments: dict[str, Any], tool: str = "shelf_put") -> str:
    with pytest.raises(Invalid) as refused:
        BY_NAME[tool].parse(arguments)
    return str(refused.value)


# declaring --------------------------------------------------------------------------------------


def test_tools_stand_in_the_order_of_their_declaration() -> None:
    assert list(BY_NAME)[:3] == ["shelf_list", "shelf_put", "shelf_clear"]


def test_a_declared_function_can_still_be_called_as_it_was() -> None:
    box = Toolbox("box", "A box.")

    @box.tool()
    def box_open(tx: Transaction) -> Result[Shelf]:
        """Open the box."""
        return Result("open", Shelf(things=()))

    assert box_open(None).text == "open"  # type: ignore[arg-type]


def test_a_tool_bears_its_apps_name_has_a_docstring_and_is_declared_once() -> None:
    box = Toolbox("box", "A box.")

    def lid_open(tx: Transaction) -> Result[Shelf]:
        """Open the lid."""
        return Result("open", Shelf(things=()))

    def box_open(tx: Transaction) -> Result[Shelf]:
        return Result("open", Shelf(things=()))

    with pytest.raises(TypeError, match="lid_open is not a new name of the form box_verb_noun"):
        box.tool()(lid_open)
    with pytest.raises(TypeError, match="box_open has no docstring"):
        box.tool()(box_open)
    box_open.__doc__ = "Open the box."
    box.tool()(box_open)
    with pytest.raises(TypeError, match="box_open is not a new name"):
        box.tool()(box_open)


def test_a_tool_must_say_which_model_its_data_is() -> None:
    box = Toolbox("box", "A box.")

    @box.tool()
    def box_open(tx: Transaction) -> Result[int]:  # type: ignore[type-var]
        """Open the box."""
        raise NotImplementedError

    (tool,) = box
    with pytest.raises(TypeError, match=r"box_open must return Result\[…\] of a pydantic model"):
        _ = tool.data


@pytest.mark.every_app
def test_every_app_has_a_toolbox_of_its_name_and_a_line_about_it() -> None:
    assert set(discover_toolboxes()) >= {
        "calendar",
        "chat",
        "desk",
        "files",
        "mail",
        "monitor",
        "sheets",
    }
    for name, box in discover_toolboxes().items():
        assert box.app == name and box.about.endswith(".") and len(box.about) < 120
        assert list(box), f"{name} has no tools"


# describing -------------------------------------------------------------------------------------


def test_a_description_is_the_docstring_in_one_line_with_the_cost() -> None:
    assert PUT.description() == "Put a thing on the shelf. It stays there. (5 min)"
    assert PUT.description(30) == "Put a thing on the shelf. It stays there. (30 min)"
    assert PUT.description(0) == "Put a thing on the shelf. It stays there."


def test_the_input_schema_is_the_signature_without_the_turn_and_without_padding() -> None:
    assert PUT.input_schema == {
        "type": "object",
        "additionalProperties": False,
        "required": ["thing"],
        "properties": {
            "thing": {"type": "string", "maxLength": 50, "description": "What to put there"},
            "where": {"type": "string", "enum": ["left", "right"], "default": "left"},
            "copies": {"type": "integer"},
        },
    }


def test_an_argument_may_be_called_title() -> None:
    box = Toolbox("box", "A box.")

    @box.tool()
    def box_label(tx: Transaction, title: str, labels: list[Label]) -> Result[Label]:
        """Label the box."""
        raise NotImplementedError

    (tool,) = box
    assert tool.input_schema["properties"]["title"] == {"type": "string"}
    labels = tool.input_schema["properties"]["labels"]
    assert labels["items"]["properties"] == {"title": {"type": "string"}}
    assert tool.output_schema["properties"]["data"]["properties"] == {"title": {"type": "string"}}


def test_a_definition_stands_where_it_is_referred_to_and_what_is_said_there_counts() -> None:
    box = Toolbox("box", "A box.")

    @box.tool()
    def box_turn(
        tx: Transaction, to: Annotated[Side, Field(description="Which way")] = Side.LEFT
    ) -> Result[Shelf]:
        """Turn the box."""
        raise NotImplementedError

    @box.tool()
    def box_nest(tx: Transaction, inner: Nest) -> Result[Shelf]:
        """Put boxes into the box."""
        raise NotImplementedError

    turn, nest = box
    assert turn.input_schema["properties"]["to"] == {
        "type": "string",
        "enum": ["left", "right"],
        "description": "Which way",
        "default": "left",
    }
    assert "$defs" not in turn.input_schema
    with pytest.raises(TypeError, match="Nest contains itself"):
        nest.input_schema  # noqa: B018


def test_null_stays_where_it_means_something() -> None:
    box = Toolbox("box", "A box.")

    @box.tool()
    def box_fill(
        tx: Transaction, must: int | None, either: int | str | None = None, level: int | None = 3
    ) -> Result[Shelf]:
        """Fill the box."""
        raise NotImplementedError

    (tool,) = box
    null = {"type": "null"}
    assert all(null in tool.input_schema["properties"][name]["anyOf"] for name in ("must", "level"))
    assert len(tool.input_schema["properties"]["either"]["anyOf"]) == 3


def test_the_output_schema_has_the_data_the_time_and_the_notices() -> None:
    schema = PUT.output_schema
    assert schema["required"] == ["time", "notices"]
    assert schema["oneOf"] == [{"required": ["data"]}, {"required": ["error"]}]
    assert schema["properties"]["data"]["properties"]["things"]["items"] == {"type": "string"}
    assert schema["properties"]["notices"]["items"]["required"] == ["at", "kind", "text"]


def test_an_output_schema_is_shape_without_prose() -> None:
    assert result_schema(Board)["properties"]["data"] == {
        "type": "object",
        "properties": {"pinned": {"type": "array", "items": {"$ref": "#/$defs/Card"}}},
        "required": ["pinned"],
    }
    assert result_schema(Board)["$defs"]["Card"]["properties"] == {
        "title": {"type": "string"},
        "description": {"type": "string"},
    }


# accepting --------------------------------------------------------------------------------------


def test_right_arguments_are_parsed_with_their_defaults() -> None:
    assert dict(PUT.parse({"thing": "cup"})) == {"thing": "cup", "where": "left", "copies": None}
    assert dict(PUT.parse({"thing": "cup", "copies": "2"}))["copies"] == 2
    assert dict(PUT.parse({"thing": "cup", "copies": None}))["copies"] is None


def test_wrong_arguments_are_named_together_with_what_would_be_right() -> None:
    said = complaint({"where": "up", "colour": "blue"})
    assert said.startswith("shelf_put: the argument 'thing' is missing; 'where' takes 'left' or")
    assert "'left' or 'right'; there is no argument 'colour'." in said
    assert said.endswith("It takes: thing, where, copies.")


def test_a_complaint_stays_short_however_much_is_wrong() -> None:
    assert len(complaint({"x" * 5_000: 1, **{f"a{i}": 1 for i in range(500)}})) < 600
    assert "It takes: no arguments." in complaint({"a": 1}, "shelf_clear")


@pytest.mark.parametrize(
    "thing",
    [
        "half \ud800",
        "nul \0",
        float("nan"),
        float("inf"),
        "x" * 2_000_001,
        10**400,
        ["\udfff"],
        {"a\0": 1},
        [[[]]],
    ],
    ids=lambda thing: repr(thing)[:12],
)
def test_arguments_that_are_not_json_are_refused_with_the_reason(thing: object) -> None:
    deep: Any = thing
    if thing == [[[]]]:
        for _ in range(5_000):
            deep = [deep]
    assert "must be JSON of at most 2,000,000 characters" in complaint({"thing": deep})


def test_arguments_are_refused_by_their_length_before_anything_reads_them() -> None:
    assert complaint({"thing": ["x" * 100_000] * 2}).endswith(
        "the arguments have 200,000 characters; the maximum is 150,000. Shorten them, or "
        "put a long text into a file."
    )
    lax = replace(PUT, longest=200_000)
    with pytest.raises(Invalid, match="thing"):
        lax.parse({"thing": ["x" * 100_000] * 2})


@pytest.mark.parametrize("copies", [2**63, -(2**63) - 1, "99999999999999999999"])
def test_numbers_that_cannot_be_stored_are_refused(copies: object) -> None:
    assert "'copies' contains a number too large" in complaint({"thing": "cup", "copies": copies})
    assert dict(PUT.parse({"thing": "cup", "copies": 2**63 - 1}))["copies"] == 2**63 - 1


def test_numbers_are_looked_for_within_lists_and_objects() -> None:
    box = Toolbox("box", "A box.")

    @box.tool()
    def box_weigh(tx: Transaction, weights: list[Weight], known: dict[str, int]) -> Result[Weight]:
        """Weigh the box."""
        raise NotImplementedError

    (tool,) = box
    tool.parse({"weights": [{"grams": 1}], "known": {"a": 1}})
    with pytest.raises(Invalid, match="'weights' contains a number too large"):
        tool.parse({"weights": [{"grams": 1}, {"grams": 2**64}], "known": {}})
    with pytest.raises(Invalid, match="'known' contains a number too large"):
        tool.parse({"weights": [], "known": {"a": 2**64}})


def test_text_of_all_scripts_is_sound() -> None:
    for text in ("žluťoučký kůň", "日本語", "🏴‍☠️", "\t\n\r", "\u202e"):
        assert dict(PUT.parse({"thing": text}))["thing"] == text


# variants -------------------------------------------------------------------------------------


def _toolbox_with_a_variant() -> Toolbox:
    box = Toolbox("shelf", "A shelf.")

    @box.tool(minutes=7, destructive=True)
    def shelf_empty(tx: Transaction) -> Result[Label]:
        """Empty the shelf."""
        return Result("Empty.", Label(title=""))

    @box.variant("shelf_empty", "labelled")
    def shelf_empty_labelled(tx: Transaction, title: str) -> Result[Label]:
        """Empty the shelf and label it."""
        return Result("Empty.", Label(title=title))

    return box


def test_a_variant_has_its_own_arguments_and_words_and_all_else_of_its_tool() -> None:
    box = _toolbox_with_a_variant()
    (usual,), (other,) = box, box.varied({"shelf_empty": "labelled", "mail_reply": "copies"})
    assert (usual.name, usual.about) == ("shelf_empty", "Empty the shelf.")
    assert (other.name, other.about) == ("shelf_empty", "Empty the shelf and label it.")
    assert (other.minutes, other.destructive) == (7, True)
    assert list(other.input_schema["properties"]) == ["title"]
    assert [tool.about for tool in box] == ["Empty the shelf."], "the toolbox itself is as before"


def test_an_unknown_variant_of_a_tool_is_refused() -> None:
    with pytest.raises(KeyError):
        _toolbox_with_a_variant().varied({"shelf_empty": "painted"})


def test_a_toolbox_without_variants_of_its_tools_is_itself() -> None:
    box = _toolbox_with_a_variant()
    assert box.varied({"mail_reply": "copies"}) is box


def test_no_variant_differs_from_its_tool_in_what_the_day_counts() -> None:
    for box in discover_toolboxes().values():
        usual = {tool.name: tool for tool in box}
        for (name, _), variant in box.variants.items():
            assert replace(variant, verb=usual[name].verb, about=usual[name].about) == usual[name]
            assert variant.output_schema == usual[name].output_schema
