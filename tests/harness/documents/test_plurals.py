"""A number and what it counts agree: "1 call" and "2 calls"."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from trainee_bench.harness.documents.formatting import pluralize

HARNESS = Path(__file__).resolve().parents[3] / "harness"
COUNTED = re.compile(
    r" (?:actions|agents|attempts|calls|cells|days|episodes|families|files|forks|meetings|messages"
    r"|minutes|people|pictures|points|questions|rules|runs|scenarios|seeds|steps|switches|tasks"
    r"|times|tools|tries|turns|weeks|worlds)\b"
)
NEVER_ONE = re.compile(
    r"[A-Z_]{2,}$"  # a constant
    r"|len\((?:names|plan\.agents|told|runs)\)$|(?:attempts|graded|families)$"
    r"|calls_per_turn$|spec\.slack\[1\]$|len\(lines\) - 2$"
    r"|^_list\(steps\)$|^days$"  # of a week
    r"|^count$"  # one has words of its own
)
"""Expressions that are not numbers, or are more than 1 wherever a text counts so."""


@pytest.mark.parametrize(("number", "said"), [(0, "0 calls"), (1, "1 call"), (2, "2 calls")])
def test_only_one_is_singular(number: int, said: str) -> None:
    assert pluralize(number, "call") == said


def test_no_text_of_ours_counts_one_of_something_as_several() -> None:
    bare = [
        f"{path.relative_to(HARNESS)}:{text.lineno}: {{{counted}}}{said.value[:20]}"
        for path in sorted(HARNESS.rglob("*.py"))
        for text in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(text, ast.JoinedStr)
        for value, said in zip(text.values, text.values[1:], strict=False)
        if isinstance(value, ast.FormattedValue)
        and isinstance(said, ast.Constant)
        and COUNTED.match(str(said.value))
        and not NEVER_ONE.search(counted := ast.unparse(value.value))
    ]
    assert not bare, "\n".join(bare)
