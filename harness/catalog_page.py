"""Write the pages that are made from the rule catalog: README.md's table and docs/rules.md.

    python -m trainee_bench.harness.catalog_page

A test compares both with the catalog.
"""

from __future__ import annotations

from pathlib import Path

from trainee_bench.harness.generation.catalog_markdown import rendered_pages


def main() -> None:
    """Write both pages."""
    for page, text in rendered_pages(Path(__file__).resolve().parent.parent).items():
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
