"""What is generated into the documents is what the catalogue says."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainee_bench.harness.catalog_page import rendered_pages, replace_table

pytestmark = pytest.mark.every_family
ROOT = Path(__file__).parent.parent


def test_the_readme_and_the_list_of_rules_say_what_the_catalogue_says() -> None:
    for page, text in rendered_pages(ROOT).items():
        assert page.read_text(encoding="utf-8") == text, (
            f"{page.name}: run python -m harness.catalog_page"
        )


def test_a_readme_without_the_marks_is_noticed() -> None:
    with pytest.raises(ValueError, match="catalogue: begin"):
        replace_table("# A readme", "| a |")
