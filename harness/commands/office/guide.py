"""``trainee-bench office guide``: everything that an author of an office needs, on one page."""

from __future__ import annotations

from importlib import resources

import typer


def guide() -> None:
    """Print how to write an office: every file, every entry, what is proved, and an example."""
    page = resources.files("trainee_bench.meta_tasks.offices") / "guide.md"
    typer.echo(page.read_text(encoding="utf-8"))
