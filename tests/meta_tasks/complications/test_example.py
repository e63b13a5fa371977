"""The complication that the documentation shows how to write holds what it promises."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from trainee_bench.harness.certification.certificates import certify
from trainee_bench.meta_tasks import complications
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.complications import discover_complications

PAGE = Path(__file__).parents[3] / "docs" / "how_it_works" / "complications.md"
NAME = "waiting_colleague"


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The example, as if it lay among the complications."""
    code = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[0]
    module = ModuleType(f"{complications.__name__}.{NAME}")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(code, str(PAGE), "exec"), vars(module))
    found = {**discover_complications(), NAME: module.WaitingColleague()}
    for place in (complications.__name__, "trainee_bench.meta_tasks.catalog"):
        monkeypatch.setattr(f"{place}.discover_complications", lambda: found)
    yield
    find_rule.__globals__["_complicated"].cache_clear()


@pytest.mark.usefixtures("added")
@pytest.mark.parametrize("rule", ["kb_fix.easy", "sales.top_sales_employee"])
async def test_the_complication_of_the_documentation_bites(rule: str) -> None:
    certificate = await certify(
        f"{rule}+{NAME}", range(1, 2), ("solvable", "pairs", "shown", "complications", "blindness")
    )
    assert [broken for claim in certificate.claims for broken in claim.broken] == []
