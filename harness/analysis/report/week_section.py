"""The days of weeks: what each agent scored on the tasks due each day, and the steps it took."""

from __future__ import annotations

from collections.abc import Sequence

from trainee_bench.harness.documents.document import FILES, Grid, Paragraph, Section
from trainee_bench.harness.documents.formatting import format_number
from trainee_bench.harness.records.results import EpisodeResult


def week_sections(results: Sequence[EpisodeResult], agents: Sequence[str]) -> list[Section]:
    """A table with a row for each of *agents* and a column for each day of the week; none if no
    episode is one of a week."""
    names = list(dict.fromkeys(day.name for one in results for day in one.days))
    if not names:
        return []
    rows = [[agent, *(_cell(results, agent, name) for name in names)] for agent in agents]
    note = "Each cell: mean score of the tasks due that day / steps."
    blocks = (Grid.from_rows(["agent", *names], rows), Paragraph(note, "note"))
    return [Section("Days of the week", blocks, media=FILES)]


def _cell(results: Sequence[EpisodeResult], agent: str, name: str) -> str:
    """The figures of *agent* on all days called *name*."""
    days = [day for one in results if one.agent == agent for day in one.days if day.name == name]
    graded = [(day.due, day.score) for day in days if day.score is not None]
    due = sum(count for count, _ in graded)
    score = sum(count * score for count, score in graded) / due if due else None
    steps = sum(day.steps for day in days) / len(days) if days else None
    return f"{format_number(score)} / {format_number(steps, 0)}"
