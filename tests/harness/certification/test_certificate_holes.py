"""Each hole that an edit could tear into a sound family breaks a claim that names it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from tests.harness.certification.parcels import Parcels
from trainee_bench.harness.certification import certificates
from trainee_bench.harness.certification.asking import certify_asking
from trainee_bench.harness.certification.certificates import CLAIMS
from trainee_bench.harness.certification.claim import Claim
from trainee_bench.harness.certification.counterfactuals import certify_counterfactuals
from trainee_bench.harness.certification.mutants import certify_mutants
from trainee_bench.harness.certification.process_points import certify_process
from trainee_bench.harness.certification.task_pairs import certify_pairs
from trainee_bench.harness.certification.text_ablation import certify_shown
from trainee_bench.harness.certification.uninformed import certify_uninformed
from trainee_bench.meta_tasks import catalog

SEEDS = range(3)
HOLES: tuple[tuple[str, Callable[[str, range], Awaitable[Claim]], str], ...] = (
    ("one_ask", certify_asking, "T1/code can be asked for in 1 ways only"),
    ("two_values", certify_asking, "the secret of T1/code takes 2 values"),
    ("plain_paths", certify_pairs, "two tasks on a day both use workspace:/parcel.json"),
    ("told_worth_half", certify_process, "told are 50% of the points"),
    ("told_without_outcome", certify_process, "told takes no work and counts without an outcome"),
    ("contradiction", certify_shown, "the oracle succeeds without 'Add 5 kg for the box.'"),
    ("unread_list", certify_shown, "the oracle succeeds without drive:/parcels/rules.md"),
    ("unread_mail", certify_shown, "the oracle succeeds without the mail 'Hi'"),
    ("unstated", certify_shown, "the oracle states nothing of 'Weigh it without its box.'"),
    ("unsaid_word", certify_shown, "nobody says 'stamped'"),
    ("tolerance", certify_mutants, "kilograms: a little more passes"),
    ("sign", certify_mutants, "balance: another sign passes"),
    ("column", certify_mutants, "note: a letter changed passes"),
    ("no_mail", certify_pairs, "the objective speaks of a mail, and none comes"),
    ("no_file", certify_pairs, "the objective names drive:/parcels/rules.md, which is not there"),
    ("secret_holder", certify_counterfactuals, "its family has to name all who may have one"),
    ("no_requester", certify_pairs, "nobody of the company gives the task"),
)


@pytest.fixture(autouse=True)
def _catalog_of_parcels(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = {rule.id: rule for rule in Parcels.rules()}
    monkeypatch.setattr(catalog, "all_rules", lambda: rules)


@pytest.mark.parametrize("claim", [name for name in CLAIMS if name not in ("guesses", "cheats")])
async def test_every_claim_holds_for_the_family_without_a_hole(claim: str) -> None:
    tried = await CLAIMS[claim]("parcels.none", SEEDS)
    assert tried.holds, tried.broken


@pytest.mark.parametrize(("hole", "certify", "said"), HOLES, ids=[hole for hole, _, _ in HOLES])
async def test_a_family_with_a_hole_is_refused_by_name(
    hole: str, certify: Callable[[str, range], Awaitable[Claim]], said: str
) -> None:
    claim = await certify(f"parcels.{hole}", SEEDS)
    assert any(said in flaw for flaw in claim.broken), claim.broken


async def test_who_guesses_a_secret_of_two_values_is_found_out_where_nothing_asks_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sound = await certify_uninformed("parcels.two_values", SEEDS)
    assert sound.holds, sound.broken
    claim = await certify_uninformed("parcels.two_values_not_needed", SEEDS)
    assert "the guesser, who is told nothing, scores" in claim.broken[0]


@pytest.mark.parametrize("name", CLAIMS)
async def test_a_claim_that_raises_names_rule_and_seed_and_goes_on(name: str) -> None:
    claim = await CLAIMS[name]("parcels.raises", range(4, 6))
    raised = [flaw for flaw in claim.broken if "ZeroDivisionError: this family" in flaw]
    assert not claim.holds
    assert {flaw.partition(":")[0] for flaw in raised} == {
        "parcels.raises, seed 4",
        "parcels.raises, seed 5",
    }


async def test_a_claim_that_raises_outside_of_any_seed_names_the_rule_and_the_others_are_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def broken(rule: str, seeds: range) -> Claim:
        raise ZeroDivisionError("this claim cannot be tried")

    monkeypatch.setattr(certificates, "CLAIMS", {**CLAIMS, "solvable": broken})
    certificate = await certificates.certify("parcels.none", range(4, 6), ["solvable", "asking"])
    first, second = certificate.claims
    assert "parcels.none, seeds 4 to 5: ZeroDivisionError: this claim" in first.broken[0]
    assert second.holds and not certificate.holds


async def test_a_certificate_of_a_rule_that_raises_is_written_all_the_same() -> None:
    certificate = await certificates.certify("parcels.raises", range(1), ["solvable", "shown"])
    assert certificate.rule == "parcels.raises" and not certificate.holds
