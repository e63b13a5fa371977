"""Rules that take a week are certified over the whole of it, and need memory."""

from __future__ import annotations

import pytest

from tests.quick_round import quick_only
from trainee_bench.harness.certification import memory
from trainee_bench.harness.certification.certificates import CLAIMS
from trainee_bench.harness.certification.memory import FORGETTING, certify_memory
from trainee_bench.harness.testbench.staged_day import PASSING_DAYS, oracle_log, single_task_day
from trainee_bench.meta_tasks.families.week import Week

RULES = [rule.id for rule in Week.rules()]
SEED = range(3, 4)


async def test_the_claim_says_what_forgetting_costs_a_rule_that_takes_a_week() -> None:
    claim = await certify_memory("week.handover", SEED)
    assert claim.holds, claim.broken
    assert claim.facts["forgetting"] >= FORGETTING


async def test_the_claim_says_nothing_of_a_rule_that_takes_a_day() -> None:
    claim = await certify_memory("kb_fix.easy", SEED)
    assert claim.holds and not claim.facts and not claim.notes


async def test_a_rule_that_can_be_worked_without_memory_breaks_the_claim(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "FORGETFUL", "oracle")  # it forgets nothing, so it loses nothing
    claim = await certify_memory("week.rota", SEED)
    assert not claim.holds
    assert "loses only 0.00" in claim.broken[0]


async def test_the_log_of_an_oracle_passes_four_nights() -> None:
    log = await oracle_log(single_task_day("week.extract", 3))
    assert [entry.tool for entry in log if entry.tool in PASSING_DAYS] == [*PASSING_DAYS] * 4


@pytest.mark.parametrize("rule", quick_only(["week.claims"], RULES))
@pytest.mark.parametrize(
    "name", quick_only(["counterfactuals", "process", "pairs", "ahead"], CLAIMS)
)
async def test_every_claim_holds_for_a_rule_that_takes_a_week(rule: str, name: str) -> None:
    claim = await CLAIMS[name](rule, SEED)
    assert claim.holds, claim.broken
