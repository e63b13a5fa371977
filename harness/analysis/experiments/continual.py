"""Table 5: what a second day gains from the feedback on the first, and whether that is learning.

Each model works every scenario in four courses: its days as written, the last one first, each
with its memory wiped before, and the last after a day of other rules. Gain is a day worked with
memory minus the same day without; the days are swapped so that a harder one weighs on neither
side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import ValidationError

from trainee_bench.harness.agents.scripted import ALL_SCRIPTED, SCRIPTED_MODELS
from trainee_bench.harness.agents.scripted.skill import LearningMode
from trainee_bench.harness.analysis.charts.charts import Series, bar_chart, line_chart
from trainee_bench.harness.analysis.experiments import paper
from trainee_bench.harness.analysis.experiments.conditions import conditions_section
from trainee_bench.harness.analysis.experiments.experiment import (
    Experiment,
    ExperimentResults,
    paper_section,
)
from trainee_bench.harness.analysis.experiments.measures import (
    TaskFilter,
    measure_tasks,
    results_of_agent,
)
from trainee_bench.harness.analysis.experiments.page import ExperimentPage, PageFigure, PageSection
from trainee_bench.harness.analysis.report.table import NO_VALUE, Grid, format_estimate
from trainee_bench.harness.analysis.statistics.bootstrap import Estimate
from trainee_bench.harness.analysis.statistics.memory_gain import memory_gain
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.records.plan import AgentConfig, DaySequenceMode, PlanError, RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.scenario_matching import NoMatchingScenario, match_scenarios

LEARNER = "learner"
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
    "CS: mean over scenarios of the mean over their tasks, those of that label alone for easy and "
    "hard. Day 1 is worked first and without memory, day 2 with what was kept of day 1; day 2 "
    "wiped is the same day by the same model with its memory wiped."
)
_GAINS = (
    "Differences in CS on the same instances, in pairs, with 95 % bootstrap intervals over "
    "scenarios. Gain: day 2 with memory of day 1 minus day 2 without. Days swapped: day 1 with "
    "memory of day 2 minus day 1 without. Both orders: the two together. Controls, which ought to "
    "hold 0: other rules, day 2 after feedback on a day that has no rule and no family of rules in "
    "common with it, minus day 2 without; wiped, days after which the memory was wiped minus the "
    "same days worked first of all. Learning is a gain in both orders that its controls do not "
    "share."
)


class ContinualExperiment(Experiment):
    """Two days of the same rules with other values, with memory and without."""

    name = "continual"
    config = "continual-50"

    def plan(self, options: RunOptions) -> RunPlan:
        """Every candidate in every course. Raises PlanError."""
        models = [alias for named in options.model or () for alias in _learning(named)]
        agents = options.agent or ([LEARNER] if models else None)
        plan = super().plan(replace(options, model=models, agent=agents))
        self._refuse_uneven(plan)
        courses = [course for course in DaySequenceMode if course in _possible(plan)]
        candidates = [
            one.model_copy(update={"course": course, "name": name + SEQUENCE_SUFFIXES[course]})
            for name, one in _named(plan.candidates)
            for course in courses
        ]
        try:
            return RunPlan.model_validate(plan.model_dump() | {"candidates": candidates})
        except ValidationError as error:
            flaw = error.errors(include_url=False, include_input=False)[0]
            raise PlanError(flaw["msg"]) from None

    def _refuse_uneven(self, plan: RunPlan) -> None:
        """Raise PlanError unless all scenarios have the same days, two at least."""
        names = {scenario.name: [day.name for day in scenario.days] for scenario in plan.scenarios}
        usual = next(iter(names.values()))
        for scenario, days in names.items():
            if len(days) < 2:
                raise PlanError(
                    f"continual needs scenarios of two days; {scenario} has one: leave --config "
                    f"out for {self.config}, or name a benchmark with days enough."
                )
            if days != usual:
                raise PlanError(
                    f"continual sets day against day by name; those of {scenario} are "
                    f"{', '.join(days)}, elsewhere {', '.join(usual)}: give all the same names."
                )

    def page(self, found: ExperimentResults) -> ExperimentPage:
        """Table 5, the gains and their controls, and a figure of each."""
        (plan,) = found.plans.values()
        days = [day.name for day in plan.scenarios[0].days]
        first, last = days[0], days[-1]
        learners = _learners(plan, found.all)
        rows, gains = [], []
        for one in learners:
            for kind, keep in TASK_FILTERS.items():
                rows.append([one.name, kind, *one.table_row(first, last, keep)])
                gains.append([one.name, kind, *map(_signed, one.gains(keep).values())])
        headings = ["model", "tasks", f"CS {first}", f"CS {last}", f"{last} wiped"]
        overall = [one.gains(TASK_FILTERS["overall"]) for one in learners]
        here = PageSection(
            "Here",
            (Grid(headings, rows), _LEGEND, _days_chart(learners, first, last)),
        )
        worth = PageSection(
            "What memory is worth",
            (
                Grid(["model", "tasks", *_COLUMNS], gains),
                _GAINS,
                _about_others(plan, learners),
                _gains_chart(learners, overall),
            ),
        )
        past = paper_section("Table 5", paper.CONTINUAL_HEADINGS, paper.CONTINUAL)
        title = "Continual learning (the paper's Table 5)"
        return ExperimentPage(title, (here, worth, conditions_section(found), past))


_COLUMNS = ("gain", "days swapped", "both orders", "control: other rules", "control: wiped")
_NO_OTHERS = (
    "The control with other rules was not run: among so few scenarios not each has a partner "
    "without a rule in common."
)
_OTHERS = (
    "The control with other rules stands on {held} of {all} scenarios; in the others the day "
    "before was of a family that came again, so that what was learnt may well help."
)


@dataclass(frozen=True)
class _Learner:
    """One model's results, by the course in which they were won."""

    name: str
    by_course: Mapping[DaySequenceMode, Sequence[EpisodeResult]]

    def on(self, course: DaySequenceMode, day: str) -> list[EpisodeResult]:
        return [result for result in self.by_course.get(course, ()) if result.day == day]

    def table_row(self, first: str, last: str, keep: TaskFilter) -> list[str]:
        written = [self.on(DaySequenceMode.AS_WRITTEN, day) for day in (first, last)]
        sides = (*written, self.on(DaySequenceMode.FORGETFUL, last))
        return [format_estimate(measure_tasks(side, keep).score) for side in sides]

    def gains(self, keep: TaskFilter) -> dict[str, Estimate | None]:
        written, swapped, wiped, after = (
            self.by_course.get(course, ()) for course in SEQUENCE_SUFFIXES
        )
        fresh = [result for result in (*written, *swapped) if result.remembers is None]
        known = (
            memory_gain(written, wiped, keep),
            memory_gain(swapped, wiped, keep),
            memory_gain([*written, *swapped], wiped, keep),
            memory_gain(of_other_families(after), wiped, keep),
            memory_gain([_as_if_remembering(result) for result in wiped], fresh, keep),
        )
        return dict(zip(_COLUMNS, known, strict=True))


def of_other_families(results: Sequence[EpisodeResult]) -> list[EpisodeResult]:
    """Those of *results* that remember one of them with whose tasks they share no family."""
    families = {result.episode: {task.family for task in result.tasks} for result in results}
    return [
        result
        for result in results
        if result.remembers in families
        and families[result.remembers].isdisjoint(families[result.episode])
    ]


def _about_others(plan: RunPlan, learners: Sequence[_Learner]) -> str:
    """On how much the control with other rules stands."""
    if DaySequenceMode.AFTER_OTHERS not in _courses(plan):
        return _NO_OTHERS
    known = [one.by_course.get(DaySequenceMode.AFTER_OTHERS, ()) for one in learners]
    held = {result.scenario for results in known for result in of_other_families(results)}
    return _OTHERS.format(held=len(held), all=len(plan.scenarios))


def _as_if_remembering(result: EpisodeResult) -> EpisodeResult:
    """*result* taken for one with memory: two sides without any differ by chance alone."""
    return result.model_copy(update={"remembers": "nothing"})


def _learners(plan: RunPlan, results: Sequence[EpisodeResult]) -> list[_Learner]:
    """The models, the greatest gain first."""
    by_name: dict[str, dict[DaySequenceMode, Sequence[EpisodeResult]]] = {}
    for one in plan.candidates:
        found = by_name.setdefault(_plain(one), {})
        found[one.course] = results_of_agent(results, one.name)
    made = [_Learner(name, found) for name, found in by_name.items()]
    return sorted(made, key=lambda one: -_mean(one.gains(TASK_FILTERS["overall"])["both orders"]))


def _plain(candidate: AgentConfig) -> str:
    return candidate.name.removesuffix(SEQUENCE_SUFFIXES[candidate.course])


def _named(candidates: Sequence[AgentConfig]) -> list[tuple[str, AgentConfig]]:
    """The candidates, by their models alone where all are learners."""
    learners = all(one.agent == LEARNER for one in candidates)
    return [((learners and one.model) or one.name, one) for one in candidates]


def _mean(estimate: Estimate | None) -> float:
    return estimate.mean if estimate else -1.0


def _courses(plan: RunPlan) -> set[DaySequenceMode]:
    return {candidate.course for candidate in plan.candidates}


def _possible(plan: RunPlan) -> set[DaySequenceMode]:
    """The courses that these scenarios allow: a few may have no partner without common rules."""
    try:
        match_scenarios(plan.scenarios)
    except NoMatchingScenario:
        return set(DaySequenceMode) - {DaySequenceMode.AFTER_OTHERS}
    return set(DaySequenceMode)


def _learning(alias: str) -> tuple[str, ...]:
    """The scripted models that learn, where all scripted ones are asked for."""
    if alias != ALL_SCRIPTED:
        return (alias,)
    return tuple(
        name
        for name, skill in SCRIPTED_MODELS.items()
        if skill.learning is not LearningMode.NOTHING
    )


def _days_chart(learners: Sequence[_Learner], first: str, last: str) -> PageFigure:
    series = [
        Series(
            one.name,
            tuple(
                measure_tasks(one.on(DaySequenceMode.AS_WRITTEN, day)).score
                for day in (first, last)
            ),
        )
        for one in learners
    ]
    title = "CS on the first day and on the second"
    return PageFigure("figure", title, line_chart(title, [first, last], series))


def _gains_chart(
    learners: Sequence[_Learner], overall: Sequence[Mapping[str, Estimate | None]]
) -> PageFigure:
    kinds = _COLUMNS[2:]
    known = [gains[kind] for gains in overall for kind in kinds]
    ends = [abs(end) for one in known if one for end in (one.mean, one.low or 0, one.high or 0)]
    reach = max(0.2, *ends) if ends else 0.2
    title = "What memory is worth, and its controls"
    chart = bar_chart(
        title,
        [one.name for one in learners],
        [Series(kind, tuple(gains[kind] for gains in overall)) for kind in kinds],
        top=reach,
        bottom=-reach,
    )
    return PageFigure("figure-gain", title, chart)


def _signed(estimate: Estimate | None) -> str:
    if estimate is None:
        return NO_VALUE
    mean = f"{estimate.mean:+z.2f}"
    if estimate.low is None or estimate.high is None or estimate.low == estimate.high:
        return mean
    return f"{mean} ({estimate.low:+z.2f} to {estimate.high:+z.2f})"
