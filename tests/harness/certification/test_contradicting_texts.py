"""Real families whose objective or page is edited to contradict their honest work and truth."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from itertools import count
from typing import Any

import pytest

from trainee_bench.harness.certification.solvable import certify_solvable
from trainee_bench.meta_tasks.authoring import Wording
from trainee_bench.meta_tasks.authoring import handbook as handbooks

SEEDS = count(90_001)
"""Days that no other test has composed, and cached, from the texts as they are."""


@dataclass(frozen=True)
class Edited:
    """A template in whose text some words are exchanged for others. It reads the text back as if
    it did not notice."""

    template: Wording[Any]
    old: str
    new: str
    plain: dict[str, str] = field(default_factory=dict)

    def render(self, value: object) -> str:
        text = self.template.render(value)
        assert self.old in text
        edited = text.replace(self.old, self.new)
        self.plain[edited] = text
        return edited

    def parse(self, text: str) -> object:
        return self.template.parse(self.plain[text])


async def broken_by(rule: str) -> str:
    """What breaks the claim that an honest worker does a day of *rule*."""
    seed = next(SEEDS)
    claim = await certify_solvable(rule, range(seed, seed + 1))
    (flaw,) = claim.broken
    return flaw


CONTRADICTIONS = [
    ("kb_fix.easy", "Leave everything else exactly as it is.", "Correct the spelling, too."),
    ("attendance.top_percent_employees.L1", "both descending", "both ascending"),
    ("attendance.top_percent_employees.L2", "; take the first ", "; leave out the first "),
    ("attendance.late_early_employee.L1", "if several tie, the one of them", "of those who tie"),
    ("attendance.total_absence_days.L1", "lunch included", "lunch left out"),
    ("attendance.average_overtime_hours.L3", "Round only at the end", "Round every day"),
    ("attendance.employees_with_most_remote_days.L4", "all of them if", "any of them if"),
    ("data_completion.web.funnel.easy", "with a decimal point", "with a decimal comma"),
    ("data_completion.sales.qoq_rate.easy", "within half a unit", "within a tenth"),
    ("data_completion.transactions.tax_fee.easy", "the complete rows are from earlier", "all are"),
    ("sales.cross_depts_extreme_employee", "No two employees who are ranked", "Some employees"),
    ("meeting_book.moved.c2", "The length never changes.", "Make it shorter by the delay."),
    ("meeting_book.department.c1", ", ask that person about them, by name", ", leave them out"),
]


@pytest.mark.parametrize("left_out", [False, True], ids=["contradicts", "is left out"])
@pytest.mark.parametrize(("rule", "old", "new"), CONTRADICTIONS, ids=[c[1] for c in CONTRADICTIONS])
async def test_an_objective_that_contradicts_honest_work_or_leaves_a_rule_out_is_refused(
    monkeypatch: pytest.MonkeyPatch, rule: str, old: str, new: str, left_out: bool
) -> None:
    folder = f"trainee_bench.meta_tasks.families.{rule.partition('.')[0]}"
    family = import_module(folder)
    edited = Edited(family.OBJECTIVE, old, "" if left_out else new)
    monkeypatch.setattr(family, "OBJECTIVE", edited)
    monkeypatch.setattr(import_module(f"{folder}.work"), "OBJECTIVE", edited)
    flaw = await broken_by(rule)
    assert "the objective does not say: " in flaw


PAGES = [
    ("sales.all_depts_qoq_count", "are neither a rise nor a fall", "are a rise"),
    (
        "attendance.average_overtime_hours.L2",
        "An absent day is neither, and it has no overtime",
        "",
    ),
    ("attendance.total_absence_days.L4", "with no valid punch is", "with one punch or none is"),
    ("attendance.attendance_statistics.L3", "full blocks of {block} minutes", "minutes"),
    ("data_completion.web.rolling_avg.easy", "and the six before it", "and the seven before it"),
    ("data_completion.web.funnel.medium", "Such a cell is not empty", "Such a cell is empty"),
]


@pytest.mark.parametrize(("rule", "old", "new"), PAGES, ids=[page[1] for page in PAGES])
async def test_a_page_that_contradicts_honest_work_is_refused(
    monkeypatch: pytest.MonkeyPatch, rule: str, old: str, new: str
) -> None:
    def edited(name: str) -> str:
        assert old in plain(name)
        return plain(name).replace(old, new)

    plain = handbooks.resource_text
    monkeypatch.setattr(handbooks, "resource_text", edited)
    assert ".md does not say: " in await broken_by(rule)


async def test_what_the_manual_says_of_days_with_only_an_out_is_what_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    documents = import_module("trainee_bench.meta_tasks.families.attendance.subject.documents")
    monkeypatch.setattr(
        documents, "_ONE_IS_ENOUGH", documents._ONE_IS_ENOUGH.replace("overtime count", "nothing")
    )
    flaw = await broken_by("attendance.average_overtime_hours.L1")
    assert "does not say: Without an `in` it is not late; leaving early and overtime" in flaw
