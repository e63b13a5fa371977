"""A slot of a text that may be empty: what is not there is None."""

from __future__ import annotations

from typing import TypeVar

from trainee_bench.meta_tasks.authoring.converters import Converter

T = TypeVar("T")


def optional(each: Converter[T]) -> Converter[T | None]:
    """A value as *each* writes it, or None as no text at all."""
    return Converter(
        f"(?:{each.pattern})?",
        lambda text: each.parse(text) if text else None,
        lambda value: "" if value is None else each.render(value),
    )
