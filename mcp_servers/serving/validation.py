"""The step that the arguments of every tool pass, of all servers: read, validated, or refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from trainee_bench.mcp_servers.serving.arguments import (
    UNSERIALIZABLE,
    USUAL_LENGTH,
    fits_sqlite,
    text_length,
)
from trainee_bench.mcp_servers.serving.flaws import describe_flaws
from trainee_bench.mcp_servers.serving.json_arguments import read_arguments
from trainee_bench.mcp_servers.serving.schema import JsonSchema
from trainee_bench.world.errors import Invalid

Arguments = TypeVar("Arguments", bound=BaseModel)


def parse_arguments(
    tool: str,
    given: Mapping[str, JsonValue],
    model: type[Arguments],
    schema: JsonSchema,
    longest: int = USUAL_LENGTH,
) -> Arguments:
    """The arguments *given* to *tool* as *model*, whose input schema is *schema*.

    *longest* is the maximum of characters together. Raises Invalid with a text that shows the
    correct form.
    """
    _limit(tool, given, longest)
    read = read_arguments(given, schema)
    _limit(tool, read, longest)  # the JSON in a text may hold what no argument may
    try:
        parsed = model.model_validate(read)
    except ValidationError as error:
        taken = ", ".join(model.model_fields) or "no arguments"
        said = "; ".join(describe_flaws(error, read))
        raise Invalid(f"{tool}: {said}. It takes: {taken}.") from None
    for name, value in vars(parsed).items():
        if not isinstance(value, str) and not fits_sqlite(value):
            what = "holds a number too large to be stored; give one of at most 18 digits"
            raise Invalid(f"{tool}: {name!r} {what}.")
    return parsed


def _limit(tool: str, given: Mapping[str, JsonValue], longest: int) -> None:
    """Raise Invalid if *given* cannot be stored, or is too long for this tool."""
    length = text_length(given)
    if length is None:
        raise Invalid(f"{tool}: {UNSERIALIZABLE}")
    if length > longest:
        raise Invalid(
            f"{tool}: the arguments have {length:,} characters; {longest:,} at most are read. "
            "Shorten them, or put a long text into a file."
        )
