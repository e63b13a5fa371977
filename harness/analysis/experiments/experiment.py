"""The contract of an experiment: which runs it takes, and what page comes of their results.

RunOptions ──plans()──► RunPlan by name ──execute──► ExperimentResults ──page()──► ExperimentPage
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from trainee_bench.harness.analysis.experiments.page import ExperimentPage, PageSection
from trainee_bench.harness.analysis.experiments.paper import NOT_COMPARABLE, Row
from trainee_bench.harness.analysis.report.table import Grid
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.plan_builder import build_plan
from trainee_bench.harness.records.plan import PlanError, RunPlan
from trainee_bench.harness.records.results import EpisodeResult


@dataclass(frozen=True)
class ExperimentResults:
    """What came of an experiment: the plan and the results of each of its runs, by name."""

    plans: Mapping[str, RunPlan]
    results: Mapping[str, Sequence[EpisodeResult]]

    @property
    def all(self) -> list[EpisodeResult]:
        """The results of all runs together."""
        return [result for results in self.results.values() for result in results]


class Experiment(ABC):
    """One experiment of the paper. ``config`` is the shipped benchmark that it runs on;
    ``any_run`` says that an existing run's results can stand for its own."""

    name: ClassVar[str]
    config: ClassVar[str]
    any_run: ClassVar[bool] = False

    def plans(self, options: RunOptions) -> dict[str, RunPlan]:
        """Its runs by name, each good as a folder's name. Raises PlanError."""
        return {"run": self.plan(options)}

    def plan(self, options: RunOptions) -> RunPlan:
        """A plan for *options*, on this experiment's benchmark. Raises PlanError."""
        if not (options.model or options.agent or options.agent_command):
            raise PlanError(
                "Name the agents: --model ALIAS for a model (--model scripted needs no key), "
                "--agent or --agent-command for others."
            )
        return build_plan(replace(options, config=options.config or Path(self.config)))

    @abstractmethod
    def page(self, found: ExperimentResults) -> ExperimentPage:
        """The tables and figures of what was found; incomplete results give an honest page."""


def paper_section(what: str, headings: Row, rows: Sequence[Row]) -> PageSection:
    """The paper's own figures, set apart and marked as no measure of ours."""
    return PageSection(f"The paper's {what}", (NOT_COMPARABLE, Grid(headings, rows)), aside=True)
