"""Real families whose objective or page is edited to contradict their oracle and truth."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from trainee_bench.harness.certification.solvable import certify_solvable
from trainee_bench.meta_tasks.authoring import TextTemplate
from trainee_bench.meta_tasks.authoring import handbook as handbooks
from trainee_bench.meta_tasks.families import kb_fix
from trainee_bench.meta_tasks.families.kb_fix.brief import ArticleBrief

SEEDS = range(90_001, 90_002)
"""Days that no other test has composed, and cached, from the texts as they are."""


@dataclass(frozen=True)
class Edited:
    """A template in whose text some words are exchanged for others, both ways."""

    template: TextTemplate[ArticleBrief]
    old: str
    new: str

    def render(self, value: ArticleBrief) -> str:
        text = self.template.render(value)
        assert self.old in text
        return text.replace(self.old, self.new)

    def parse(self, text: str) -> ArticleBrief:
        return self.template.parse(text.replace(self.new, self.old))


async def test_an_objective_that_contradicts_its_oracle_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rule = "Leave everything else exactly as it is."
    edited = Edited(kb_fix.OBJECTIVE, rule, "Correct the spelling, too.")
    monkeypatch.setattr(kb_fix, "OBJECTIVE", edited)
    claim = await certify_solvable("kb_fix.easy", SEEDS)
    assert f"the objective does not say: {rule}" in claim.broken[0]


async def test_a_page_that_contradicts_the_oracle_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def edited(name: str) -> str:
        return plain(name).replace("are neither a rise nor a fall", "are a rise")

    plain = handbooks.resource_text
    monkeypatch.setattr(handbooks, "resource_text", edited)
    claim = await certify_solvable("sales.all_depts_qoq_count", SEEDS)
    assert "sales_handbook.md does not say: a quarter is compared" in claim.broken[0]
