"""Complications are certified: they bite, they can be dealt with, and decoration is refused."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

import pytest

from tests.quick_round import quick_only
from trainee_bench.harness.certification.certificates import certify
from trainee_bench.harness.certification.complications import certify_complications
from trainee_bench.harness.certification.text_ablation import certify_shown
from trainee_bench.meta_tasks import complications
from trainee_bench.meta_tasks.catalog import find_rule, matching_rules
from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene
from trainee_bench.meta_tasks.complications import discover_complications
from trainee_bench.meta_tasks.families import discover_families

RULES: Mapping[str, str] = {
    "ads_strategy": "ads_strategy.balanced.easy",
    "attendance": "attendance.has_late_or_early.L1",
    "data_completion": "data_completion.sales.quarter_from_months.easy",
    "event_planning": "event_planning.B2",
    "kb_fix": "kb_fix.easy",
    "meeting_attend": "meeting_attend.write.u2",
    "meeting_book": "meeting_book.department.c2",
    "resume_select": "resume_select.pool6",
    "sales": "sales.top_sales_employee",
    "transactions": "transactions.n2.a0",
    "website_analysis": "website_analysis.slow_asset.h1.code",
}
"""A rule of each family."""
SINGLE = [
    f"{RULES[family]}+{name}"
    for name, complication in discover_complications().items()
    for family, made in discover_families().items()
    if family in RULES and complication.fits(made)
]
TOGETHER = [
    "ads_strategy.balanced.easy+old_minutes+policy_change",
    "attendance.total_absence_days.L3+mixed_formats+outside_mail",
    "data_completion.sales.qoq_rate.very_hard+flawed_contribution+policy_change",
    "data_completion.transactions.tax_fee.hard+changed_request+corrected_file",
    "event_planning.B2+clashing_invitation+retraction",
    "event_planning.C2_cost+retraction+slow_holder",
    "kb_fix.away.medium+curious_colleague+outside_mail",
    "kb_fix.away.medium+busy_holder+nobody_knows",
    "sales.sales_statistics+clashing_invitation+nobody_knows",
    "kb_fix.easy+hidden_instructions+slow_holder",
    "resume_select.pool9+outside_mail+split_knowledge",
    "sales.per_dept_top_n+busy_holder+corrected_file",
    "sales.sales_statistics+busy_holder+retraction",
    "sales.sales_statistics+policy_change+sign_off",
    "sales.top_sales_employee+changed_request+many_records",
    "transactions.n2.a0+changed_request+curious_colleague",
    "transactions.n4.a1+many_records+sign_off",
    "event_planning.B2+busy_holder+clashing_invitation+policy_change",
    "resume_select.pool9+changed_request+curious_colleague+old_minutes",
    "sales.per_dept_top_n+changed_request+many_records+sign_off",
    "sales.sales_statistics+busy_holder+outside_mail+retraction",
    "transactions.n2.a0+hidden_instructions+many_records+slow_holder",
    "ads_strategy.balanced.hard+busy_holder+changed_request+unannounced_handover",
    "attendance.total_absence_days.L3+busy_holder+truncated_file+unannounced_handover",
    "data_completion.sales.qoq_rate.hard+changed_request+hidden_instructions+unannounced_correction",
    "ads_strategy.balanced.easy+busy_holder+slow_holder+unannounced_handover",
    "kb_fix.hard+busy_holder+policy_change+unannounced_handover",
    "kb_fix.hard+clashing_invitation+curious_colleague+unannounced_handover",
    "sales.per_dept_top_n+corrected_file+retraction",
    "sales.per_dept_top_n+policy_change+unannounced_correction+unannounced_handover",
    "sales.per_dept_top_n+retraction+unannounced_correction",
    "transactions.n5.a1+busy_holder+unannounced_correction+unannounced_handover",
]
SAMPLED = 10
"""The sampling rate of single complications for all claims, which take half a minute each."""
QUICK = {
    "kb_fix.easy+changed_request",
    "sales.top_sales_employee+corrected_file",
    "transactions.n2.a0+outside_mail",
    "transactions.n2.a0+unannounced_handover",
    "kb_fix.easy+unannounced_handover",
    "kb_fix.easy+retraction",
    "sales.top_sales_employee+retraction",
    "sales.top_sales_employee+unannounced_correction",
    "resume_select.pool6+busy_holder",
    "kb_fix.easy+busy_holder",
    "kb_fix.easy+slow_holder",
    "sales.top_sales_employee+old_minutes",
    "sales.top_sales_employee+sign_off",
    "sales.top_sales_employee+split_knowledge",
    "sales.top_sales_employee+wrong_colleague",
    "kb_fix.easy+nobody_knows",
    "kb_fix.easy+hidden_instructions+slow_holder",
    "sales.sales_statistics+busy_holder+retraction",
}


@pytest.mark.parametrize("rule", quick_only(QUICK, [*SINGLE, *TOGETHER]))
@pytest.mark.timeout(300)
async def test_a_worker_that_deals_with_it_succeeds_and_one_that_ignores_it_falls_short(
    rule: str,
) -> None:
    certificate = await certify(rule, range(1, 2), ("solvable", "complications"))
    assert [broken for claim in certificate.claims for broken in claim.broken] == []
    assert certificate.holds


@pytest.mark.sweep
@pytest.mark.timeout(900)
@pytest.mark.parametrize("rule", SINGLE[::SAMPLED])
async def test_a_complicated_rule_holds_every_claim(rule: str) -> None:
    certificate = await certify(rule, range(3, 4))
    assert [broken for claim in certificate.claims for broken in claim.broken] == []


@pytest.mark.parametrize("seed", [3, 11])
async def test_an_answer_of_one_name_is_another_by_records_that_do_not_count(seed: int) -> None:
    rule = "attendance.late_early_employee.L3+many_records"
    claim = await certify_complications(rule, range(seed, seed + 1))
    assert claim.holds, claim.broken


async def test_of_a_plain_rule_there_is_nothing_to_prove() -> None:
    claim = await certify_complications("kb_fix.easy", range(1))
    assert claim.holds and claim.inapplicable == "this rule has no complications"


def test_rules_are_selected_with_their_complications() -> None:
    found = matching_rules(["sales.*+retraction"])
    assert found and all(id.startswith("sales.") and id.endswith("+retraction") for id in found)


class Decoration(Complication):
    """A complication that says something irrelevant."""

    name = "decoration"
    kind = ComplicationKind.SIZE
    stage = Stage.READING
    about = "There is one more sentence."

    def apply(self, scene: Scene) -> Complicated:
        return Complicated(scene.with_note("The weather is fine today."))


class Harmless(Decoration):
    """A safety complication that does not harm anybody who gives in."""

    name = "harmless"
    kind = ComplicationKind.SAFETY


@pytest.fixture(params=[Decoration, Harmless])
def useless(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Complication:
    one: Complication = request.param()
    found = {**discover_complications(), one.name: one}
    for module in (complications, "trainee_bench.meta_tasks.catalog"):
        target = module if isinstance(module, str) else module.__name__
        monkeypatch.setattr(f"{target}.discover_complications", lambda: found)
    return one


async def test_a_complication_that_does_nothing_breaks_the_claim(useless: Complication) -> None:
    rule = find_rule(f"kb_fix.easy+{useless.name}").id
    claim = await certify_complications(rule, range(1, 2))
    assert not claim.holds
    assert f"seed 1: a worker that ignores {useless.name} loses only 0.00; " in claim.broken
    harmless = f"seed 1: a worker that ignores {useless.name} does no harm"
    assert (harmless in claim.broken) == (useless.kind is ComplicationKind.SAFETY)


async def test_of_a_request_that_changes_the_last_one_is_heeded_in_all_that_it_says() -> None:
    claim = await certify_shown("kb_fix.easy+changed_request", range(4))
    assert claim.holds and claim.facts["left_out"], claim.broken


async def test_a_sentence_that_nobody_heeds_is_found_in_a_request_that_has_changed(
    useless: Complication,
) -> None:
    claim = await certify_shown(f"kb_fix.easy+changed_request+{useless.name}", range(4))
    assert any("succeeds without '- The weather is fine today.'" in flaw for flaw in claim.broken)


# the complication that the documentation shows how to write -------------------------------


PAGE = Path(__file__).parents[3] / "docs" / "how_it_works" / "complications.md"
NAME = "waiting_colleague"


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Add the example to the complications."""
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
