"""The expressions that read exported files take no longer than in step with them."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator

import pytest

from tests.expressions.automaton import NotJudged
from tests.expressions.growth import growth
from trainee_bench.harness import pseudonyms

PARTS_OF_LINES = {"_HOUSE_BEFORE"}
"""Searched in twelve characters only."""


def expressions() -> Iterator[tuple[str, re.Pattern[str]]]:
    for module in pkgutil.iter_modules(pseudonyms.__path__):
        loaded = importlib.import_module(f"{pseudonyms.__name__}.{module.name}")
        for name, value in vars(loaded).items():
            if isinstance(value, re.Pattern) and name not in PARTS_OF_LINES:
                yield f"{module.name}.{name}", value
            elif name == "_DATES":
                yield from ((f"{module.name}.{name}.{n}", e) for n, (e, _) in enumerate(value))


@pytest.mark.parametrize("name", [name for name, _ in expressions()])
def test_no_expression_outgrows_the_text_that_it_reads(name: str) -> None:
    expression = dict(expressions())[name]
    try:
        found = growth(expression.pattern, expression.flags, "search")
    except NotJudged as reason:
        found = str(reason)
    assert found is None
