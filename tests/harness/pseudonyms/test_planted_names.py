"""Planted names are found in all forms, and ordinary words stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness.pseudonyms.measuring import files_of, measured
from tests.harness.pseudonyms.planted_office import ORDINARY, planted_office
from tests.harness.pseudonyms.second_office import second_office
from trainee_bench.harness.pseudonyms.folder import pseudonymise
from trainee_bench.harness.pseudonyms.texts import KnownNames

LEAST_RECALL = 0.95
MOST_FALSE = 0.02


@pytest.mark.parametrize("seed", [1, 2])
def test_planted_names_are_found_and_ordinary_words_stay(seed: int, tmp_path: Path) -> None:
    office = planted_office(seed)
    office.write(tmp_path / "office")

    report = pseudonymise(tmp_path / "office", f"seed {seed}", KnownNames())

    found = measured(office.files, files_of(tmp_path / "office"), office.planted, ORDINARY)
    assert found.planted > 1_000
    assert found.recall >= LEAST_RECALL, found.left
    assert found.false_share <= MOST_FALSE, found.replaced
    assert report.left_over == ()


@pytest.mark.parametrize("seed", [1, 2])
def test_planted_names_of_another_style_are_found(seed: int, tmp_path: Path) -> None:
    office, ordinary = second_office(seed)
    office.write(tmp_path / "office")

    report = pseudonymise(tmp_path / "office", f"seed {seed}", KnownNames())

    found = measured(office.files, files_of(tmp_path / "office"), office.planted, ordinary)
    assert found.recall >= LEAST_RECALL, found.left
    assert found.false_share <= MOST_FALSE, found.replaced
    assert report.left_over == ()
