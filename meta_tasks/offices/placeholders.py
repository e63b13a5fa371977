"""Names of values in braces in texts, as in {meal_limit}."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping

from trainee_bench.meta_tasks.offices.values import Listed, write_value

PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]{0,30})\}")
"""A name in braces in a text."""


def fill(text: str, values: Mapping[str, Listed]) -> str:
    """Return a text with the *values* in place of their names in braces; other braces stay."""
    return PLACEHOLDER.sub(
        lambda named: write_value(values[named[1]]) if named[1] in values else named[0], text
    )


def names_in(text: str, values: Container[str]) -> tuple[str, ...]:
    """Return the names of *values* that a text contains in braces, each once, in order."""
    return tuple(dict.fromkeys(name for name in PLACEHOLDER.findall(text) if name in values))
