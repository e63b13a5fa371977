"""The contract of an experiment: which runs it needs, and what its page shows.

RunOptions ──plans()──► RunPlan by name ──execute──► ExperimentResults ──page()──► Document
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, TypeVar

from pydantic import ValidationError

from trainee_bench.harness.agents.scripted import ALL_SCRIPTED
from trainee_bench.harness.analysis.experiments.measures import results_of_agent
from trainee_bench.harness.analysis.experiments.paper import NOT_COMPARABLE, Row
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.plan_builder import build_plan
from trainee_bench.harness.documents.document import (
    Block,
    Chart,
    Charts,
    Document,
    Grid,
    Paragraph,
    Section,
)
from trainee_bench.harness.records.plan import AgentConfig, PlanError, RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.world.errors import first_flaw


@dataclass(frozen=True)
class ExperimentResults:
    """The plan and the results of each run of an experiment, by the run's name."""

    plans: Mapping[str, RunPlan]
    results: Mapping[str, Sequence[EpisodeResult]]
    guided: Sequence[EpisodeResult] = ()
    """Results of another run, which people guided; no other figure includes them."""

    @property
    def all(self) -> list[EpisodeResult]:
        """The results of all runs together."""
        return [result for results in self.results.values() for result in results]


class Experiment(ABC):
    """One experiment.

    ``config`` is the shipped benchmark that it runs on. ``any_run`` means that it can use the
    results of an existing run, ``takes_people`` that it shows those of a run that people guided.
    """

    name: ClassVar[str]
    config: ClassVar[str]
    any_run: ClassVar[bool] = False
    takes_people: ClassVar[bool] = False

    def plans(self, options: RunOptions) -> dict[str, RunPlan]:
        """Return the experiment's runs by name, each usable as a folder name. Raises PlanError."""
        return {"run": self.plan(options)}

    def plan(self, options: RunOptions) -> RunPlan:
        """Return a plan with these options on this experiment's benchmark. Raises PlanError."""
        if not (options.model or options.agent or options.agent_command):
            raise PlanError(
                "Choose models with --model ALIAS (--model scripted needs no key), or other agents "
                "with --agent or --agent-command."
            )
        return build_plan(replace(options, config=options.config or Path(self.config)))

    @abstractmethod
    def page(self, results: ExperimentResults) -> Document:
        """Return the tables and charts of *results*; the page says if results are incomplete."""


def experiment_document(title: str, *sections: Section) -> Document:
    """Return the page of an experiment."""
    return Document(
        title=title,
        genre="Trainee-Bench · experiment",
        blocks=sections,
        footer=(
            "Compare only runs with the same identity. experiment.md has the same content as text; "
            "each run's folder has its own report."
        ),
    )


def result_section(grids: Sequence[Grid], legend: str, *charts: Chart) -> Section:
    """Return the experiment's own tables, what they mean, and its charts."""
    blocks: tuple[Block, ...] = (*grids, Paragraph(legend, "note"), Charts(charts))
    return Section("Results", blocks)


def paper_section(source: str, titles: Row, rows: Sequence[Row]) -> Section:
    """Return the paper's own figures from *source*, set apart and marked as not comparable."""
    blocks = (Paragraph(NOT_COMPARABLE), Grid.from_rows(titles, rows))
    return Section(f"The paper's {source}", blocks, aside=True)


LEARNER = "learner"
Mode = TypeVar("Mode")


def named_agents(agents: Sequence[AgentConfig]) -> list[tuple[str, AgentConfig]]:
    """Return the agents by name: by their models' names if all are learners."""
    learners = all(agent.agent == LEARNER for agent in agents)
    return [((learners and agent.model) or agent.name, agent) for agent in agents]


def learning_options(options: RunOptions, scripted: Iterable[str]) -> RunOptions:
    """Return *options* for learners of the models, if no agents are named.

    The alias ``scripted`` means all models in *scripted*.
    """
    aliases = {ALL_SCRIPTED: tuple(scripted)}
    models = [name for alias in options.model or () for name in aliases.get(alias, (alias,))]
    return replace(options, model=models, agent=options.agent or ([LEARNER] if models else None))


def results_by_mode(
    plan: RunPlan,
    results: Sequence[EpisodeResult],
    mode_of: Callable[[AgentConfig], Mode],
    suffixes: Mapping[Mode, str],
) -> dict[str, dict[Mode, Sequence[EpisodeResult]]]:
    """Return the results by the agents' names without mode suffixes, and by mode."""
    by_name: dict[str, dict[Mode, Sequence[EpisodeResult]]] = {}
    for agent in plan.agents:
        mode = mode_of(agent)
        by_mode = by_name.setdefault(agent.name.removesuffix(suffixes[mode]), {})
        by_mode[mode] = results_of_agent(results, agent.name)
    return by_name


def with_agents(plan: RunPlan, agents: Sequence[AgentConfig]) -> RunPlan:
    """Return the same plan with other agents. Raises PlanError if their ids collide."""
    try:
        return RunPlan.model_validate(plan.model_dump() | {"agents": list(agents)})
    except ValidationError as error:
        _, flaw = first_flaw(error)
        raise PlanError(flaw) from None
