"""Write the catalog as Markdown into three pages.

These are the README's table of families, docs/rules.md, and the table of complications in
docs/how_it_works/complications.md. To write them, run:

    python -m trainee_bench.harness.generation.catalog_markdown

A test compares the pages with the catalog.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from trainee_bench.harness.generation.rule_catalog import (
    CatalogEntry,
    ComplicationEntry,
    catalog_entries,
    complication_entries,
)
from trainee_bench.meta_tasks.complications import complications_of
from trainee_bench.meta_tasks.families import discover_families
from trainee_bench.meta_tasks.meta_task import Difficulty

COMPLICATIONS = Path("docs", "how_it_works", "complications.md")
BEGIN, END = "<!-- catalogue: begin -->", "<!-- catalogue: end -->"


def families_table(listed: Sequence[CatalogEntry]) -> str:
    """Return a row for each family: subject, domain, and the number of rules of each difficulty."""
    lines = [
        "| family | what it is about | domain | rules | easy | hard |",
        "|---|---|---|--:|--:|--:|",
    ]
    total = [0, 0]
    for name, rules in entries_by_family(listed):
        easy = sum(rule.label == Difficulty.EASY for rule in rules)
        total = [total[0] + easy, total[1] + len(rules) - easy]
        about, domain = _about(name), rules[0].domain.replace("_", " ")
        lines.append(
            f"| `{name}` | {about} | {domain} | {len(rules)} | {easy} | {len(rules) - easy} |"
        )
    lines.append(f"| {len(lines) - 2} families | | | **{sum(total)}** | {total[0]} | {total[1]} |")
    return "\n".join(lines)


def rules_page(listed: Sequence[CatalogEntry]) -> str:
    """Return the page of all rules with their difficulty, parameters, and what a seed draws."""
    parts = [
        "# Every rule",
        (
            "Written by `python -m trainee_bench.harness.generation.catalog_markdown`. "
            "`trainee-bench catalog --json` adds the checkpoints, clues, hops and the fewest calls "
            "an honest worker needed."
        ),
    ]
    for name, rules in entries_by_family(listed):
        parts.append(f"## {name}\n\n{_about(name)}")
        drawn = ", ".join(f"`{name}`" for name in rules[0].open) or "nothing further"
        parts.append(f"A seed draws, unless a scenario fixes it: {drawn}.")
        family = discover_families()[name]
        if family.whole_week:
            parts.append("Each task takes a whole week; days never have one.")
        fitting = ", ".join(f"`{name}`" for name in complications_of(family)) or "none"
        parts.append(f"[Complications](how_it_works/complications.md) that fit: {fitting}.")
        rows = ["| rule | label | parameters |", "|---|---|---|"]
        rows += [f"| `{rule.id}` | {rule.label} | {_parameters(rule)} |" for rule in rules]
        parts.append("\n".join(rows))
    return "\n\n".join(parts) + "\n"


def complications_table(listed: Sequence[ComplicationEntry]) -> str:
    """Return a row for each complication: its kind, effect, needs, and the families that it
    fits."""
    lines = ["| complication | kind | what it does | needs | fits |", "|---|---|---|---|---|"]
    for entry in listed:
        needs = ", ".join(f"`{feature}`" for feature in entry.needs) or "nothing"
        families = ", ".join(f"`{family}`" for family in entry.families)
        lines.append(f"| `{entry.name}` | {entry.kind} | {entry.about} | {needs} | {families} |")
    return "\n".join(lines)


def entries_by_family(listed: Sequence[CatalogEntry]) -> Iterator[tuple[str, list[CatalogEntry]]]:
    """Yield the entries of each family, in the catalog's order."""
    for name, rules in groupby(listed, key=lambda entry: entry.family):
        yield name, list(rules)


def replace_table(page: str, table: str) -> str:
    """Return *page* with *table* between the markers. Raises ValueError if they are missing."""
    head, mark, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not mark or not end:
        raise ValueError(f"the page lacks {BEGIN} or {END}")
    return f"{head}{BEGIN}\n{table}\n{END}{tail}"


def rendered_pages(root: Path) -> dict[Path, str]:
    """Return the text that each page should have, by its path in the repository *root*."""
    listed, readme = catalog_entries(), root / "README.md"
    harder, complicated = root / COMPLICATIONS, complications_table(complication_entries())
    return {
        readme: replace_table(readme.read_text(encoding="utf-8"), families_table(listed)),
        harder: replace_table(harder.read_text(encoding="utf-8"), complicated),
        root / "docs" / "rules.md": rules_page(listed),
    }


def _about(family: str) -> str:
    """Return the first sentence of the family's docstring."""
    return " ".join((discover_families()[family].__doc__ or "").split("\n\n")[0].split())


def _parameters(rule: CatalogEntry) -> str:
    return ", ".join(f"{name} {value}" for name, value in rule.parameters.items())


def main() -> None:
    """Write the pages."""
    for page, text in rendered_pages(Path(__file__).resolve().parents[2]).items():
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
