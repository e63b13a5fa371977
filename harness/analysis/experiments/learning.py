"""Learning over the days of a week: gain, transfer, forgetting, and policies followed.

Each agent works every week with its memory on, off, wiped each night, and poisoned each night. If
it is wiped, nothing survives a night, so the difference between on and wiped shows everything that
is remembered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from trainee_bench.harness.agents.runtime.runner import can_learn
from trainee_bench.harness.agents.scripted import GRADED_MODELS, SCRIPTED_MODELS
from trainee_bench.harness.analysis.experiments.agent_charts import (
    forgetting_chart,
    gain_chart,
    policy_charts,
)
from trainee_bench.harness.analysis.experiments.conditions import (
    conditions_section,
    scheduling_sections,
)
from trainee_bench.harness.analysis.experiments.experiment import (
    Experiment,
    ExperimentResults,
    experiment_document,
    learning_options,
    named_agents,
    results_by_mode,
    with_agents,
)
from trainee_bench.harness.analysis.statistics.bootstrap import (
    Estimate,
    format_difference,
    format_estimate,
)
from trainee_bench.harness.analysis.statistics.week_learning import (
    PartFilter,
    PartGain,
    followed_by_offset,
    forgotten_per_day,
    gain,
    gain_per_day,
    paired_gains,
    part_mean,
)
from trainee_bench.harness.analysis.statistics.week_parts import Familiarity
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.documents.document import (
    FILES,
    Charts,
    Column,
    Document,
    Grid,
    Paragraph,
    Section,
    meanings_of,
)
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.records.plan import MemoryMode, PlanError, RunPlan
from trainee_bench.harness.records.results import EpisodeResult

MEMORY_SUFFIXES = {
    MemoryMode.ON: "",
    MemoryMode.OFF: "-off",
    MemoryMode.WIPED: "-wiped",
    MemoryMode.POISONED: "-poisoned",
}
PART_KINDS: Mapping[str, PartFilter] = {
    "all": lambda part: True,
    "one day": lambda part: not part.whole_week,
    "whole week": lambda part: part.whole_week,
}
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
NIGHTS = range(1, len(DAYS))
OFFSETS: Mapping[int, str] = {
    -2: "two days before",
    -1: "the day before",
    0: "the day of the change",
    1: "a day later",
    2: "two days later",
}
_MODES = (
    "Memory on: the agent's own memory and its notes in the office are kept overnight. Off: it "
    "gets no feedback and has no memory of its own; its notes are kept. Wiped: it learns, but "
    "memory and notes are empty in the morning. Poisoned: in both, each number, time, date, "
    "weekday and name of a colleague is false in the morning. Agents without a memory of their "
    "own are not run with memory off, which would be the same as on."
)
_GAIN_NOTE = (
    "Differences on the same parts of the same tasks, in pairs, with 95 % bootstrap confidence "
    "intervals over weeks. A duty of the whole week has a part on each day that its checkpoints "
    "name. Learning shows as a gain while the three controls stay near 0."
)
_KNOWN_NOTE = (
    "Memory on minus wiped, for single-day tasks. A rule or family counts as met from the night "
    "after a task of it was due, when the agent gets feedback on it."
)
_POLICY_NOTE = (
    "Share of duties done by the policy in force, on each day around its change. An agent that "
    "follows the old policy before the change and the new one from that day on has learnt both at "
    "once."
)
_GAIN_COLUMNS = (
    Column("gain", "memory on minus wiped, mean over the days after the first"),
    Column("per day", "slope of the gain over all days: how much it grows from day to day"),
    Column("of its own memory", "memory on minus off, mean over the days after the first", FILES),
    Column(
        "poisoned",
        "poisoned minus wiped, mean over the days after the first; below 0, trusting false notes "
        "costs more than knowing nothing",
    ),
    Column(
        "control: first day", "on minus wiped on the first day; nothing is remembered yet: 0", FILES
    ),
    Column(
        "control: new families",
        "on minus wiped, single-day tasks whose family did not come before; should be near 0",
    ),
    Column(
        "control: thrown away",
        "wiped minus off, single-day tasks: learning whose result is thrown away; should be near 0",
        FILES,
    ),
)
_TRANSFER = Column(
    "transfer",
    "gain on tasks of rules that were not met on an earlier day, if another rule of the family was",
)
_LOST = Column(
    "lost per day",
    "how much the gain on a known rule falls for each night since it was met; 0: nothing is "
    "forgotten",
)


class LearningExperiment(Experiment):
    """Weeks, with memory on, off, wiped and poisoned."""

    name = "learning"
    config = "learning-10"

    def plan(self, options: RunOptions) -> RunPlan:
        """Plan every agent with every treatment of its memory. Raises PlanError."""
        scripted = (name for name in SCRIPTED_MODELS if name not in GRADED_MODELS)
        plan = super().plan(learning_options(options, scripted))
        for scenario in plan.scenarios:
            if not scenario.week:
                raise PlanError(
                    f"learning needs weeks; {scenario.name} is not one. Omit --config to use "
                    f"{self.config}, or give a benchmark of weeks."
                )
            if len(scenario.days) > len(DAYS):
                raise PlanError(
                    f"learning compares the days of one week, but {scenario.name} has "
                    f"{pluralize(len(scenario.days), 'day')}; give a benchmark of weeks."
                )
        return with_agents(
            plan,
            [
                agent.model_copy(update={"memory": mode, "name": name + MEMORY_SUFFIXES[mode]})
                for name, agent in named_agents(plan.agents)
                for mode in MemoryMode
                if mode is not MemoryMode.OFF or can_learn(agent)
            ],
        )

    def page(self, results: ExperimentResults) -> Document:
        """Return the gains with their controls, transfer and forgetting, and policies followed."""
        (plan,) = results.plans.values()
        learners = _learners(plan, results.all)
        return experiment_document(
            "Learning over a week",
            _gain_section(learners),
            _known_section(learners),
            _policy_section(learners),
            *scheduling_sections(results),
            conditions_section(results),
        )


@dataclass(frozen=True)
class _WeekLearner:
    """One agent's results, by the treatment of its memory."""

    name: str
    by_mode: Mapping[MemoryMode, Sequence[EpisodeResult]]

    def gains(self, with_: MemoryMode, without: MemoryMode) -> list[PartGain]:
        """Return the differences between two treatments of memory."""
        return paired_gains(self.by_mode.get(with_, ()), self.by_mode.get(without, ()))

    @cached_property
    def remembered(self) -> list[PartGain]:
        """The gain from everything that is remembered: memory on minus wiped."""
        return self.gains(MemoryMode.ON, MemoryMode.WIPED)

    def row(self, keep: PartFilter) -> list[Estimate | None]:
        """Return the gains and controls over the parts that *keep* accepts, as in _GAIN_COLUMNS."""
        own = self.gains(MemoryMode.ON, MemoryMode.OFF)
        poisoned = self.gains(MemoryMode.POISONED, MemoryMode.WIPED)
        thrown_away = self.gains(MemoryMode.WIPED, MemoryMode.OFF)
        later = _after_first_day(keep)
        return [
            gain(self.remembered, later),
            gain_per_day(self.remembered, keep),
            gain(own, later),
            gain(poisoned, later),
            gain(self.remembered, lambda part: part.day == 0 and keep(part)),
            part_mean(
                self.remembered,
                lambda part: part.familiarity is Familiarity.NOTHING and keep(part),
            ),
            gain(thrown_away, lambda part: not part.whole_week and keep(part)),
        ]

    @property
    def by_day(self) -> list[Estimate | None]:
        """The gain on each day."""
        return [gain(self.remembered, _on(day)) for day in range(len(DAYS))]

    @property
    def by_nights(self) -> list[Estimate | None]:
        """The gain on known rules, by the nights since they were met."""
        return [part_mean(self.remembered, _known_for(nights)) for nights in NIGHTS]

    @property
    def transfer(self) -> Estimate | None:
        """The gain on other rules of known families."""
        return part_mean(self.remembered, lambda part: part.familiarity is Familiarity.FAMILY)

    def followed(self, mode: MemoryMode) -> list[Estimate | None]:
        """Return how often policies were followed around their change, as in OFFSETS."""
        shares = followed_by_offset(self.by_mode.get(mode, ()))
        return [shares.get(offset) for offset in OFFSETS]


def _after_first_day(keep: PartFilter) -> PartFilter:
    return lambda part: part.day > 0 and keep(part)


def _on(day: int) -> PartFilter:
    return lambda part: part.day == day


def _known_for(nights: int) -> PartFilter:
    return lambda part: part.familiarity is Familiarity.RULE and part.nights == nights


def _gain_section(learners: Sequence[_WeekLearner]) -> Section:
    """Return each agent's gain from memory, with the controls, and the gain by day."""
    rows = [
        [learner.name, kind, *map(format_difference, learner.row(keep))]
        for learner in learners
        for kind, keep in PART_KINDS.items()
    ]
    columns = (Column("model"), Column("tasks"), *_GAIN_COLUMNS)
    grid = Grid.from_rows(columns, rows, left_columns=2)
    daily = Grid.from_rows(
        ["gain by day", *DAYS],
        [[learner.name, *map(format_difference, learner.by_day)] for learner in learners],
    )
    chart = gain_chart(DAYS, {learner.name: learner.by_day for learner in learners})
    notes = (Paragraph(_MODES, "note"), Paragraph(_GAIN_NOTE, "note"))
    return Section("Gain over the week", (grid, daily, *notes, meanings_of(grid), Charts((chart,))))


def _known_section(learners: Sequence[_WeekLearner]) -> Section:
    """Return the gain on other rules of a family, and how long a rule is remembered."""
    nights = [
        Column(f"rule met {count} days before" if count > 1 else "rule met the day before")
        for count in NIGHTS
    ]
    rows = [
        [
            learner.name,
            *map(
                format_difference,
                (learner.transfer, *learner.by_nights, forgotten_per_day(learner.remembered)),
            ),
        ]
        for learner in learners
    ]
    grid = Grid.from_rows((Column("model"), _TRANSFER, *nights, _LOST), rows)
    chart = forgetting_chart(
        [str(count) for count in NIGHTS], {learner.name: learner.by_nights for learner in learners}
    )
    notes = Paragraph(_KNOWN_NOTE, "note")
    return Section("Transfer and forgetting", (grid, notes, meanings_of(grid), Charts((chart,))))


def _policy_section(learners: Sequence[_WeekLearner]) -> Section:
    """Return how fast agents follow a changed policy."""
    modes = [mode for mode in MemoryMode if any(mode in learner.by_mode for learner in learners)]
    followed = {
        mode: {learner.name: learner.followed(mode) for learner in learners} for mode in modes
    }
    rows = [
        [learner.name, mode, *map(format_estimate, followed[mode][learner.name])]
        for learner in learners
        for mode in modes
        if mode in learner.by_mode
    ]
    grid = Grid.from_rows(["model", "memory", *OFFSETS.values()], rows, left_columns=2)
    days = [f"{offset:+d}" if offset else "change" for offset in OFFSETS]
    charts = policy_charts(days, followed)
    return Section("A changed policy", (grid, Paragraph(_POLICY_NOTE, "note"), Charts(charts)))


def _learners(plan: RunPlan, results: Sequence[EpisodeResult]) -> list[_WeekLearner]:
    """Return the agents, in the order of the plan."""
    modes = results_by_mode(plan, results, lambda agent: agent.memory, MEMORY_SUFFIXES)
    return [_WeekLearner(name, by_mode) for name, by_mode in modes.items()]
