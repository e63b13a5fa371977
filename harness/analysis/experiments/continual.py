"""Table 5: the gain on a second day from feedback on the first, and whether it is learning.

Each model works every scenario in four sequences: the days as written, in reverse, with its memory
wiped before each, and the last day after a day of other rules. The gain is a day's score with
memory minus the same day's score without. The reversed sequence cancels a difference in difficulty
between the days.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trainee_bench.harness.agents.scripted import SCRIPTED_MODELS
from trainee_bench.harness.agents.scripted.skill import LearningMode
from trainee_bench.harness.analysis.charts.charts import Series, bar_chart, line_chart
from trainee_bench.harness.analysis.experiments import paper
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
    paper_section,
    result_section,
    results_by_mode,
    with_agents,
)
from trainee_bench.harness.analysis.experiments.measures import measure_tasks
from trainee_bench.harness.analysis.statistics.bootstrap import (
    Estimate,
    format_difference,
    format_estimate,
)
from trainee_bench.harness.analysis.statistics.summary import TaskFilter
from trainee_bench.harness.analysis.statistics.week_learning import memory_gain
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.documents.document import (
    Chart,
    Charts,
    Column,
    Document,
    Grid,
    Paragraph,
    Section,
    meanings_of,
)
from trainee_bench.harness.records.plan import DaySequenceMode, PlanError, RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.scenario_matching import NoMatchingScenario, match_scenarios

SEQUENCE_SUFFIXES = {
    DaySequenceMode.AS_WRITTEN: "",
    DaySequenceMode.REVERSED: "-swapped",
    DaySequenceMode.FORGETFUL: "-wiped",
    DaySequenceMode.AFTER_OTHERS: "-other-rules",
}
TASK_FILTERS: Mapping[str, TaskFilter] = {
    "overall": lambda episode, task: True,
    "easy": lambda episode, task: task.label == "easy",
    "hard": lambda episode, task: task.label == "hard",
}
_LEGEND = (
    "CS: mean over scenarios of the mean score of their tasks; for easy and hard, of the tasks of "
    "that difficulty. The first day is worked without memory, the last day with memory of the "
    "first. Wiped: the same model works the last day again, without memory."
)
_GAIN_NOTE = (
    "Differences in CS on the same instances, in pairs, with 95 % bootstrap confidence intervals "
    "over scenarios. Learning shows as a gain in both orders while both controls stay near 0."
)
_NO_OTHERS = (
    "The control with other rules was not run: with so few scenarios, some have no partner "
    "without a rule in common."
)
_OTHERS = (
    "The control with other rules uses {used} of {all} scenarios; in the rest, the day before "
    "shared a task family, so what was learned there may help."
)
_GAIN_COLUMNS = (
    Column("gain", "last day with memory of the first, minus the last day without"),
    Column("reversed days", "first day with memory of the last, minus the first day without"),
    Column("both orders", "the two gains together"),
    Column(
        "control: other rules",
        "last day after feedback on a day with no rule or task family in common, minus the last "
        "day without memory; should be near 0",
    ),
    Column(
        "control: wiped",
        "days after which memory was wiped, minus the same days worked first; should be near 0",
    ),
)


class ContinualExperiment(Experiment):
    """Two days with the same rules and new values, with memory and without."""

    name = "continual"
    config = "continual-50"

    def plan(self, options: RunOptions) -> RunPlan:
        """Plan every agent in every day sequence. Raises PlanError."""
        learning = (
            name
            for name, skill in SCRIPTED_MODELS.items()
            if skill.learning is not LearningMode.NOTHING
        )
        plan = super().plan(learning_options(options, learning))
        self._check_days(plan)
        modes = [mode for mode in DaySequenceMode if mode in _possible_modes(plan)]
        in_sequences = [
            config.model_copy(update={"day_sequence": mode, "name": name + SEQUENCE_SUFFIXES[mode]})
            for name, config in named_agents(plan.agents)
            for mode in modes
        ]
        return with_agents(plan, in_sequences)

    def _check_days(self, plan: RunPlan) -> None:
        """Raise PlanError unless all scenarios have the same days, at least two."""
        names = {scenario.name: [day.name for day in scenario.days] for scenario in plan.scenarios}
        usual = next(iter(names.values()))
        for scenario, days in names.items():
            if len(days) < 2:
                raise PlanError(
                    f"continual needs scenarios of two days; {scenario} has one. Omit "
                    f"--config to use {self.config}, or give a benchmark with more days."
                )
            if days != usual:
                raise PlanError(
                    f"The continual experiment compares days by name. {scenario} has "
                    f"{', '.join(days)}; others have {', '.join(usual)}. Give them the same names."
                )

    def page(self, results: ExperimentResults) -> Document:
        """Return Table 5, the memory gains with their controls, and a chart of each."""
        (plan,) = results.plans.values()
        days = [day.name for day in plan.scenarios[0].days]
        first, last = days[0], days[-1]
        learners = _learners(plan, results.all)
        scores = [
            [learner.name, kind, *learner.scores(first, last, keep)]
            for learner in learners
            for kind, keep in TASK_FILTERS.items()
        ]
        titles = ["model", "tasks", f"CS {first}", f"CS {last}", f"{last} wiped"]
        grid = Grid.from_rows(titles, scores, left_columns=2)
        return experiment_document(
            "Continual learning (the paper's Table 5)",
            result_section([grid], _LEGEND, _days_chart(learners, first, last)),
            _gain_section(plan, learners),
            *scheduling_sections(results),
            conditions_section(results),
            paper_section("Table 5", paper.CONTINUAL_HEADINGS, paper.CONTINUAL),
        )


def _gain_section(plan: RunPlan, learners: Sequence[_Learner]) -> Section:
    """Return each model's gain from memory, with the controls and a chart."""
    rows = [
        [learner.name, kind, *map(format_difference, learner.gains(keep))]
        for learner in learners
        for kind, keep in TASK_FILTERS.items()
    ]
    columns = (Column("model"), Column("tasks"), *_GAIN_COLUMNS)
    grid = Grid.from_rows(columns, rows, left_columns=2)
    notes = (Paragraph(_GAIN_NOTE, "note"), Paragraph(_about_others(plan, learners), "note"))
    return Section(
        "Memory gain", (grid, *notes, meanings_of(grid), Charts((_gains_chart(learners),)))
    )


@dataclass(frozen=True)
class _Learner:
    """One model's results, by the day sequence in which it worked."""

    name: str
    by_mode: Mapping[DaySequenceMode, Sequence[EpisodeResult]]

    def on(self, mode: DaySequenceMode, day: str) -> list[EpisodeResult]:
        return [result for result in self.by_mode.get(mode, ()) if result.day == day]

    def scores(self, first: str, last: str, keep: TaskFilter) -> list[str]:
        """Return CS of the first day, of the last, and of the last without memory."""
        written = [self.on(DaySequenceMode.AS_WRITTEN, day) for day in (first, last)]
        sides = (*written, self.on(DaySequenceMode.FORGETFUL, last))
        return [format_estimate(measure_tasks(side, keep).score) for side in sides]

    def gains(self, keep: TaskFilter) -> tuple[Estimate | None, ...]:
        """Return the gains and controls, as in _GAIN_COLUMNS."""
        written, swapped, wiped, after = (self.by_mode.get(mode, ()) for mode in SEQUENCE_SUFFIXES)
        fresh = [result for result in (*written, *swapped) if result.remembers is None]
        return (
            memory_gain(written, wiped, keep),
            memory_gain(swapped, wiped, keep),
            memory_gain([*written, *swapped], wiped, keep),
            memory_gain(of_other_families(after), wiped, keep),
            memory_gain([_as_if_remembering(result) for result in wiped], fresh, keep),
        )

    @property
    def overall_gains(self) -> tuple[Estimate | None, ...]:
        """The gains over all tasks."""
        return self.gains(TASK_FILTERS["overall"])


def of_other_families(results: Sequence[EpisodeResult]) -> list[EpisodeResult]:
    """Return the *results* that remember another of them with no task family in common."""
    families = {result.episode: {task.family for task in result.tasks} for result in results}
    return [
        result
        for result in results
        if result.remembers in families
        and families[result.remembers].isdisjoint(families[result.episode])
    ]


def _about_others(plan: RunPlan, learners: Sequence[_Learner]) -> str:
    """Describe how many scenarios the control with other rules uses."""
    if DaySequenceMode.AFTER_OTHERS not in {agent.day_sequence for agent in plan.agents}:
        return _NO_OTHERS
    results = [learner.by_mode.get(DaySequenceMode.AFTER_OTHERS, ()) for learner in learners]
    used = {result.scenario for own in results for result in of_other_families(own)}
    return _OTHERS.format(used=len(used), all=len(plan.scenarios))


def _as_if_remembering(result: EpisodeResult) -> EpisodeResult:
    """Return *result* as if it had memory: two sides without memory differ by chance alone."""
    return result.model_copy(update={"remembers": "nothing"})


def _learners(plan: RunPlan, results: Sequence[EpisodeResult]) -> list[_Learner]:
    """Return the models, the greatest gain in both orders first."""
    modes = results_by_mode(plan, results, lambda agent: agent.day_sequence, SEQUENCE_SUFFIXES)
    learners = [_Learner(name, by_mode) for name, by_mode in modes.items()]
    both_orders = 2
    return sorted(learners, key=lambda learner: -_mean(learner.overall_gains[both_orders]))


def _mean(estimate: Estimate | None) -> float:
    return estimate.mean if estimate else -1.0


def _possible_modes(plan: RunPlan) -> set[DaySequenceMode]:
    """Return the day sequences that these scenarios allow: a few may have no partner of other
    rules."""
    try:
        match_scenarios(plan.scenarios)
    except NoMatchingScenario:
        return set(DaySequenceMode) - {DaySequenceMode.AFTER_OTHERS}
    return set(DaySequenceMode)


def _days_chart(learners: Sequence[_Learner], first: str, last: str) -> Chart:
    series = [
        Series(
            learner.name,
            tuple(
                measure_tasks(learner.on(DaySequenceMode.AS_WRITTEN, day)).score
                for day in (first, last)
            ),
        )
        for learner in learners
    ]
    title = "CS on the first day and on the last"
    return Chart("figure", title, line_chart(title, [first, last], series))


def _gains_chart(learners: Sequence[_Learner]) -> Chart:
    """Draw the gain in both orders and the controls, on an axis that reaches equally far both
    ways."""
    shown = range(2, len(_GAIN_COLUMNS))
    gains = {learner.name: learner.overall_gains for learner in learners}
    known = [own[place] for own in gains.values() for place in shown]
    ends = [
        abs(end) for gain in known if gain for end in (gain.mean, gain.low or 0, gain.high or 0)
    ]
    reach = max(0.2, *ends) if ends else 0.2
    title = "Memory gain and its controls"
    chart = bar_chart(
        title,
        list(gains),
        [
            Series(_GAIN_COLUMNS[place].title, tuple(own[place] for own in gains.values()))
            for place in shown
        ],
        top=reach,
        bottom=-reach,
    )
    return Chart("figure-gain", title, chart)
