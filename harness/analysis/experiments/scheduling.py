"""How the days of an experiment were scheduled, by condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trainee_bench.harness.analysis.experiments.experiment import ExperimentResults
from trainee_bench.harness.analysis.experiments.measures import agents_by_score, results_of_agent
from trainee_bench.harness.analysis.scheduling.schedule_section import (
    schedule_details,
    schedule_grid,
)
from trainee_bench.harness.analysis.scheduling.schedule_summary import summarise_days, worked_days
from trainee_bench.harness.documents.document import Section
from trainee_bench.harness.records.results import EpisodeResult


def scheduling_sections(results: ExperimentResults) -> list[Section]:
    """A section with a row for each agent in each run, the best score first; none where no run has
    measured schedules."""
    return schedules_by_condition(
        {
            agent if len(results.plans) == 1 else f"{agent}, {name}": results_of_agent(run, agent)
            for name, run in results.results.items()
            for agent in agents_by_score(run)
        }
    )


def schedules_by_condition(conditions: Mapping[str, Sequence[EpisodeResult]]) -> list[Section]:
    """A section with a row for the results of each condition; none where none has schedules."""
    measured = {name: worked_days(results) for name, results in conditions.items()}
    summaries = [summarise_days(name, worked) for name, worked in measured.items() if worked]
    if not summaries:
        return []
    return [Section("Scheduling", (schedule_grid(summaries), *schedule_details(summaries)))]
