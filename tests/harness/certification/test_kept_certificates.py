"""Certificates in an office's folder: the world of each broken trial, and what is kept of them."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path

import pytest

from trainee_bench.harness.certification.certificates import CLAIMS
from trainee_bench.harness.certification.claim import Certificate, Claim
from trainee_bench.harness.certification.claim_words import CLAIM_WORDS
from trainee_bench.harness.certification.office_badges import keep_office_badges
from trainee_bench.harness.records.office_certificates import (
    FILE,
    MOST_FLAWS,
    KeptCertificate,
    read_certificates,
)
from trainee_bench.harness.records.tried_world import TriedWorld
from trainee_bench.harness.scaffolding.office_folder import write_office
from trainee_bench.meta_tasks.offices.office import Office, read_office
from trainee_bench.meta_tasks.offices.opened import VARIABLE, open_office

RULES = ("harbour.meeting_prep", "harbour.travel_expenses")
CHANGED = TriedWorld(7, policy={"meal_limit": "40"})


@pytest.fixture
def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Office:
    monkeypatch.setenv(VARIABLE, os.environ.get(VARIABLE, ""))
    list(write_office(tmp_path / "harbour"))
    return open_office(tmp_path / "harbour")


def certificate(rule: str, *flaws: tuple[str, TriedWorld | None]) -> Certificate:
    claim = Claim("live policy", tried=len(flaws) + 1)
    claim.broken, claim.broken_in = [text for text, _ in flaws], [world for _, world in flaws]
    return Certificate(rule, 3, (claim,))


def kept(office: Office, *certificates: Certificate) -> KeptCertificate:
    list(keep_office_badges(certificates, 0))
    return read_certificates(office)[certificates[0].rule]


def test_a_broken_trial_has_the_world_of_its_seed_or_the_one_that_is_given() -> None:
    claim = Claim("solvable")
    with claim.trying(RULES[0], 3):
        claim.expect(True, "this holds")
        claim.expect(False, "at the seed")
        claim.expect(False, "with another value", CHANGED)
    with claim.trying(RULES[0], 4):
        raise ZeroDivisionError
    with claim.trying(RULES[0], 5, stated=True):
        claim.expect(False, "what the author states")
    claim.expect(False, "over all seeds")
    assert claim.broken_in == [TriedWorld(3), CHANGED, TriedWorld(4), None, None]


def test_every_claim_says_in_a_sentence_what_it_is() -> None:
    assert list(CLAIM_WORDS) == list(CLAIMS)
    assert all(said.endswith(".") for said in CLAIM_WORDS.values())


def test_worlds_and_words_of_broken_trials_are_read_as_they_were_kept(office: Office) -> None:
    found = kept(office, certificate(RULES[1], ("of no world", None), ("two\nlines", CHANGED)))
    assert found.office == office.reference and found.seeds == 3
    (claim,) = found.broken
    assert [(flaw.text, flaw.world) for flaw in claim.flaws] == [
        ("two\\nlines", CHANGED),
        ("of no world", None),
    ]


def test_only_the_first_trials_of_a_claim_are_kept_with_their_number(office: Office) -> None:
    many = [(f"seed {seed}", TriedWorld(seed)) for seed in range(50)]
    (claim,) = kept(office, certificate(RULES[1], *many)).broken
    assert (len(claim.flaws), claim.broken) == (MOST_FLAWS, 50)


def test_a_new_certificate_leaves_those_of_other_rules_and_the_digest(office: Office) -> None:
    kept(office, certificate(RULES[0]))
    kept(office, certificate(RULES[1], ("broke", CHANGED)))
    assert set(read_certificates(office)) == set(RULES)
    assert read_office(office.folder).reference == office.reference


def test_nothing_is_written_through_a_link(office: Office, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.write_text("mine", encoding="utf-8")
    (office.folder / FILE).symlink_to(target)
    lines = list(keep_office_badges([certificate(RULES[0])], 0))
    assert "cannot be written" in lines[0]
    assert target.read_text(encoding="utf-8") == "mine"
    assert read_certificates(office) == {}


def test_a_certificate_as_json_has_the_worlds_too() -> None:
    written = asdict(certificate(RULES[1], ("broke", CHANGED)))
    assert written["claims"][0]["broken_in"][0]["policy"] == {"meal_limit": "40"}
