"""Certificates as people read them."""

from __future__ import annotations

import pytest
from rich.console import Console

from trainee_bench.harness.certification.certificates import (
    CLAIMS,
    UnknownClaimError,
    matching_claims,
)
from trainee_bench.harness.certification.claim import Certificate, Claim
from trainee_bench.harness.certification.tables import (
    certificate_details,
    certificate_document,
    cheat_grid,
)
from trainee_bench.harness.documents.console import print_document
from trainee_bench.harness.documents.document import Bullet


def certificate(*, broken: bool = False, guess_seeds: int = 200) -> Certificate:
    solvable = Claim("solvable", tried=3, facts={"calls_min": 7, "calls_max": 9})
    withheld = Claim("ablation", tried=2, facts={"loss owner": 1.0, "loss code": 0.5})
    cheats = Claim(
        "cheats",
        tried=4,
        facts={"sprayer mean": 0.01, "sprayer max": 0.125, "nothing mean": 0, "nothing max": 0},
        notes=["sprayer passes owner 1x"],
        broken=["seed 1: sprayer reaches full score"] if broken else [],
    )
    mutants = Claim("mutants", tried=9, facts={"wrong": 8, "harmless": 5})
    share = {"commonest": 1 / guess_seeds, "guess_seeds": guess_seeds}
    guesses = Claim("guesses", tried=1, facts=share)
    return Certificate("door.code", 3, (solvable, withheld, cheats, guesses, mutants))


def shown(*certificates: Certificate) -> str:
    console = Console(width=200)
    with console.capture() as captured:
        print_document(certificate_document(certificates), console)
    return captured.get()


def test_a_row_says_what_the_oracle_needed_what_is_lost_and_what_the_best_cheat_earned() -> None:
    row = shown(certificate())
    for figure in ("door.code", "holds", "7–9", "0.50–1.00", "sprayer 0.010 (0.12)", "0.5%"):
        assert figure in row
    assert "8 + 5" in row


def test_a_broken_certificate_says_so_in_its_row() -> None:
    assert "BROKEN" in shown(certificate(broken=True))


def test_only_cheats_that_earned_something_are_told_with_what_they_passed() -> None:
    (item,) = certificate_details([certificate()])
    assert item == Bullet("sprayer 0.010 (0.12); sprayer passes owner 1x", id="door.code")


def test_the_share_of_the_most_common_answer_names_its_seeds_and_needs_enough_of_them() -> None:
    many, few = shown(certificate(guess_seeds=200)), shown(certificate(guess_seeds=3))
    assert "most common answer (200 seeds)" in many and "0.5%" in many
    assert "most common answer (3 seeds)" in few and "33.3%" not in few


def test_what_each_cheat_earned_stands_by_family_with_mean_and_highest_score() -> None:
    other = Certificate(
        "door.lock", 3, (Claim("cheats", facts={"sprayer mean": 0.03, "sprayer max": 0.5}),)
    )
    grid = cheat_grid([certificate(), other])
    assert [[*row] for row in grid.rows] == [
        ["door", "nothing", "0.000", "0.00"],
        ["door", "sprayer", "0.020", "0.50"],
    ]


def test_single_claims_are_tried_in_their_order_and_others_refused() -> None:
    assert matching_claims(["cheats", "uninformed", "cheats"]) == ["uninformed", "cheats"]
    assert matching_claims([]) == list(CLAIMS)
    with pytest.raises(UnknownClaimError, match="no claim is called 'cheat'; there are solvable"):
        matching_claims(["cheat"])
