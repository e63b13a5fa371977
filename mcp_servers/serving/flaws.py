"""Describes invalid arguments in terms of JSON, since clients do not know Python's types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, JsonValue, ValidationError
from pydantic_core import ErrorDetails

from trainee_bench.mcp_servers.serving.arguments import (
    UNSERIALIZABLE,
    USUAL_LENGTH,
    fits_sqlite,
    read_arguments,
    text_length,
)
from trainee_bench.mcp_servers.serving.schema import JsonSchema
from trainee_bench.world.errors import Invalid

_JSON_TYPES = {
    "array": ("list_type", "tuple_type", "set_type", "frozen_set_type", "iterable_type"),
    "object": ("dict_type", "model_type", "model_attributes_type", "mapping_type"),
    "text": ("string_type", "string_sub_type", "string_unicode"),
    "whole number": ("int_type", "int_parsing", "int_from_float", "int_parsing_size"),
    "number": ("float_type", "float_parsing", "finite_number"),
    "true or false": ("bool_type", "bool_parsing"),
}
_NAMES = {error: name for name, errors in _JSON_TYPES.items() for error in errors}
_BOUNDS = {
    "greater_than": "more than {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "literal_error": "{expected}",
    "enum": "{expected}",
}
_MOMENTS = ("datetime_", "date_")
_MOST_PLACES, _LONGEST_PLACE, _LONGEST_FLAW = 4, 60, 300


def describe_argument_errors(error: ValidationError, given: Mapping[str, JsonValue]) -> list[str]:
    """Return one phrase for each of the first places in *given* where *error* found a flaw."""
    places: dict[str, list[ErrorDetails]] = {}
    for flaw in error.errors(include_url=False):
        place = _place(flaw, given)
        if place not in places and len(places) == _MOST_PLACES:
            break
        places.setdefault(place, []).append(flaw)
    return [_phrase(place, flaws) for place, flaws in places.items()]


def _place(flaw: ErrorDetails, given: JsonValue | Mapping[str, JsonValue]) -> str:
    """Return the place of *flaw* in *given*.

    The location of *flaw* also names the accepted types; these are left out.
    """
    value: Any = given
    parts: list[str] = []
    for number, part in enumerate(flaw["loc"], 1):
        if _holds(value, part):
            value = value[part]
        elif flaw["type"] != "missing" or number < len(flaw["loc"]):
            continue
        parts.append(str(part))
    return ".".join(parts)[:_LONGEST_PLACE]


def _holds(value: object, part: int | str) -> bool:
    """Whether *value*, which came from JSON, has something at *part*."""
    if isinstance(value, list):
        return isinstance(part, int) and part < len(value)
    return isinstance(value, Mapping) and part in value


def _phrase(place: str, flaws: Sequence[ErrorDetails]) -> str:
    """Return a phrase about the error at *place*.

    A place that accepts several types may have several *flaws*.
    """
    flaw = flaws[0]
    if flaw["type"] == "extra_forbidden":
        return f"there is no argument {place!r}"
    if flaw["type"] == "missing":
        return f"the argument {place!r} is missing"
    kinds = dict.fromkeys(_NAMES[flaw["type"]] for flaw in flaws if flaw["type"] in _NAMES)
    if "number" in kinds:
        kinds.pop("whole number", None)
    if kinds:
        fraction = [*kinds] == ["whole number"] and isinstance(flaw["input"], float)
        found = f"{flaw['input']:g}" if fraction else _kind_of(flaw["input"])
        return f"{place!r} takes {_any_of([*kinds])}, not {found}"
    return f"{place!r}{_bound(flaw)}"[:_LONGEST_FLAW]


def _bound(flaw: ErrorDetails) -> str:
    """Return a phrase about the bound that a value of the right type violates."""
    kind, context = flaw["type"], flaw.get("ctx", {})
    if kind == "too_short":
        least = _counted(context["min_length"], "item")
        return f" takes at least {least}, not {context['actual_length']}"
    if kind == "too_long":
        most = _counted(context["max_length"], "item")
        return f" takes at most {most}, not {context['actual_length']}"
    if kind == "string_too_short":
        return f" takes at least {_counted(context['min_length'], 'character')}"
    if kind == "string_too_long":
        return f" takes at most {_counted(context['max_length'], 'character')}"
    if kind in _BOUNDS:
        return f" takes {_BOUNDS[kind].format(**context)}"
    if kind.startswith(_MOMENTS):
        return " takes a day and a time, such as 2025-10-01T14:30"
    return f": {flaw['msg']}"


def _counted(count: int, thing: str) -> str:
    return f"1 {thing}" if count == 1 else f"{count:,} {thing}s"


def _any_of(kinds: Sequence[str]) -> str:
    """Join the *kinds* of values that a place accepts into one phrase."""
    named = [_with_article(kind) for kind in kinds]
    if len(named) < 3:
        return " or ".join(named)
    return f"{', '.join(named[:-1])}, or {named[-1]}"


def _kind_of(value: object) -> str:
    """Return the JSON type of *value*, as a phrase."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list() | tuple():
            return "an array"
        case _:
            return "an object"


def _with_article(name: str) -> str:
    if name == "true or false":
        return name
    return f"an {name}" if name[0] in "ao" else f"a {name}"


Arguments = TypeVar("Arguments", bound=BaseModel)


def parse_arguments(
    tool: str,
    given: Mapping[str, JsonValue],
    model: type[Arguments],
    schema: JsonSchema,
    longest: int = USUAL_LENGTH,
) -> Arguments:
    """Parse the arguments *given* to *tool* as *model*, whose input schema is *schema*.

    *longest* is the maximum of characters in all arguments together. Raises Invalid with a text
    that shows the correct form.
    """
    _limit(tool, given, longest)
    read = read_arguments(given, schema)
    if read != given:
        _limit(tool, read, longest)  # JSON parsed from a text needs the same checks
    try:
        parsed = model.model_validate(read)
    except ValidationError as error:
        taken = ", ".join(model.model_fields) or "no arguments"
        flaws = "; ".join(describe_argument_errors(error, read))
        raise Invalid(f"{tool}: {flaws}. It takes: {taken}.") from None
    for name, value in vars(parsed).items():
        if not isinstance(value, str) and not fits_sqlite(value):
            what = "contains a number too large to store; use at most 18 digits"
            raise Invalid(f"{tool}: {name!r} {what}.")
    return parsed


def _limit(tool: str, given: Mapping[str, JsonValue], longest: int) -> None:
    """Raise Invalid if *given* cannot be stored, or is too long for this tool."""
    length = text_length(given)
    if length is None:
        raise Invalid(f"{tool}: {UNSERIALIZABLE}")
    if length > longest:
        raise Invalid(
            f"{tool}: the arguments have {length:,} characters; the maximum is {longest:,}. "
            "Shorten them, or put a long text into a file."
        )
