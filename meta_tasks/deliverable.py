"""Deliverables: models that describe to agents what to hand in, and that grading reads.

The description of fields, units and rounding in an objective is rendered from the model that later
parses the file. So what is asked for is what is graded.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from trainee_bench.meta_tasks.answers import texts_without_kind
from trainee_bench.world.errors import first_flaw


@dataclass(frozen=True)
class InvalidDeliverable:
    """The reason why a deliverable cannot be read, in words for its author."""

    seen: str


class Deliverable(BaseModel):
    """A JSON file with exactly these fields. Give every field a description.

    A text field has one of the types of `answers`, which say when two texts are the same. A model
    with another text type raises TypeError.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _without_blanks(cls, data: Any) -> Any:
        """Strip the spaces around texts, times and amounts."""
        return (
            {key: _stripped(value) for key, value in data.items()}
            if isinstance(data, dict)
            else data
        )

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        super().__pydantic_init_subclass__(**options)
        if plain := texts_without_kind(cls):
            raise TypeError(
                f"{cls.__name__}.{plain[0]} is text; declare its kind instead of str: Text, "
                "PersonRef, Code, ClockText, RecordId or PathText (see meta_tasks/answers.py)"
            )

    @classmethod
    def describe(cls) -> str:
        """Return the fields as a bulleted list in words, nested lists of objects indented."""
        return "\n".join(_lines(cls, 0))

    @classmethod
    def parse(cls, text: str) -> Self | InvalidDeliverable:
        """Return the deliverable in *text* (JSON, a byte-order mark allowed), or what is wrong with
        it."""
        try:
            data = json.loads(text.removeprefix("\ufeff"))
            json.dumps(data, ensure_ascii=False).encode()  # a grade cannot quote half a character
        except (ValueError, RecursionError) as error:
            return InvalidDeliverable(f"the file is not JSON ({type(error).__name__})")
        try:
            return cls.model_validate(data)
        except RecursionError:
            return InvalidDeliverable("the file has too many nested lists to be read")
        except ValidationError as error:
            where, flaw = first_flaw(error)
            return InvalidDeliverable(
                f"the file does not have the fields asked for: {where or 'the whole file'}: {flaw}"
            )


def values_in(model: BaseModel) -> str:
    """Return the values of all fields, one on each line, without the fields' names."""
    return "\n".join(_leaves(model.model_dump(mode="json")))


def _leaves(value: Any) -> list[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [leaf for item in value for leaf in _leaves(item)]
    return [str(value)]


def _stripped(value: Any) -> Any:
    if isinstance(value, str):
        return value.strip()
    return [_stripped(item) for item in value] if isinstance(value, list) else value


def _lines(model: type[BaseModel], depth: int) -> list[str]:
    lines = []
    for name, field in model.model_fields.items():
        inner = _inner_model(field.annotation)
        is_list = "list of objects, " if inner is not None else ""
        words = field.description or ""
        lines.append(f"{'  ' * depth}- `{name}` ({is_list or _kind(field.annotation)}{words})")
        if inner is not None:
            lines += _lines(inner, depth + 1)
    return lines


def _inner_model(annotation: Any) -> type[BaseModel] | None:
    for inner in getattr(annotation, "__args__", ()):
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            return inner
    return None


def _kind(annotation: Any) -> str:
    kinds = {int: "integer, ", float: "number, ", str: "text, ", bool: "true or false, "}
    return kinds.get(annotation, "")
