"""The pictures of docs/how_it_works/reading_a_result.md, from measured figures.

    python -m docs.pictures --reading RUN ATTACK.json CLIMB …

reads a run of several models with several attempts and `--ask-confidence`, the JSON of an attack,
and climbs; it writes docs/images/reading.json, from which every picture is drawn.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from trainee_bench.harness.analysis.charts.capacity_chart import (
    CapacityCurve,
    WorkedSize,
    capacity_chart,
)
from trainee_bench.harness.analysis.charts.charts import (
    SERIES_COLOURS,
    Series,
    bar_chart,
    line_chart,
)
from trainee_bench.harness.analysis.statistics.attempts import repeated_work
from trainee_bench.harness.analysis.statistics.bootstrap import Estimate
from trainee_bench.harness.analysis.statistics.calibration import BINS, calibrations
from trainee_bench.harness.analysis.statistics.capacity import WorldOutcome, fit_capacity
from trainee_bench.harness.analysis.statistics.summary import agent_summaries
from trainee_bench.harness.ladder.document import LadderRecord
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.meta_tasks.scenario import GENERATOR_VERSION, SCORE_VERSION

FIGURES = "reading.json"
_PREFIX = "scripted-"


class Value(BaseModel):
    """A mean with its interval; see `Estimate`."""

    model_config = ConfigDict(frozen=True)

    mean: float
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, estimate: Estimate | None) -> Value | None:
        """Return *estimate* as it is stored."""
        return estimate and cls(mean=estimate.mean, low=estimate.low, high=estimate.high)

    @property
    def estimate(self) -> Estimate:
        """The value as charts take it."""
        return Estimate(self.mean, self.low, self.high)


class ReadingFigures(BaseModel):
    """The figures of the page, each by agent. ``pass_all`` begins with k = 1, ``confidence`` has a
    value for each tenth, ``climbs`` the worlds of each climb as (tasks, complete)."""

    model_config = ConfigDict(frozen=True)

    generator_version: int
    score_version: int
    complete: Mapping[str, Value]
    score: Mapping[str, Value]
    pass_all: Mapping[str, tuple[Value, ...]]
    confidence: Mapping[str, tuple[Value | None, ...]]
    climbs: Mapping[str, tuple[tuple[int, bool], ...]]
    attacks: Mapping[str, float]


def read_figures(run: Path, attack: Path, climbs: Sequence[Path]) -> ReadingFigures:
    """Return the figures of a *run*, of the JSON of an *attack*, and of *climbs*."""
    results: Sequence[EpisodeResult] = RunFolder(run).ledger.read()
    summaries = agent_summaries(results)
    records = [
        LadderRecord.model_validate_json((climb / "ladder.json").read_text("utf-8"))
        for climb in climbs
    ]
    for result in results:
        assert result.agent.startswith(_PREFIX), "the page shows scripted models"
    return ReadingFigures(
        generator_version=GENERATOR_VERSION,
        score_version=SCORE_VERSION,
        complete=_values({_short(own.agent): own.complete for own in summaries}),
        score=_values({_short(own.agent): own.score for own in summaries}),
        pass_all={
            _short(own.agent): tuple(_value(rate.all_succeed) for rate in own.days)
            for own in repeated_work(results)
        },
        confidence={
            _short(own.agent): tuple(
                Value.of({group.tenth: group.right for group in own.bins}.get(tenth))
                for tenth in range(BINS)
            )
            for own in calibrations(results)
        },
        climbs={
            _short(record.agent): tuple(
                (world.tasks, world.complete)
                for world in record.worlds
                if world.complete is not None
            )
            for record in records
        },
        attacks=_attacks(attack),
    )


def _short(agent: str) -> str:
    return agent.removeprefix(_PREFIX)


def _value(estimate: Estimate) -> Value:
    return Value(mean=estimate.mean, low=estimate.low, high=estimate.high)


def _values(estimates: Mapping[str, Estimate | None]) -> dict[str, Value]:
    return {name: _value(found) for name, found in estimates.items() if found is not None}


def _attacks(file: Path) -> dict[str, float]:
    """Return the mean score of each attack of a benchmark."""
    report = json.loads(file.read_text("utf-8"))
    return {name: figure["mean"] for name, figure in report["attacks"].items()}


def reading_pictures(figures: ReadingFigures) -> dict[str, str]:
    """Return the pictures of the page as SVG, by file name."""
    sizes = [str(k + 1) for k in range(max(map(len, figures.pass_all.values()), default=0))]
    tenths = [str(round(100 * (place + 0.5) / BINS)) for place in range(BINS)]
    exact = Series(
        "exact",
        tuple(Estimate((place + 0.5) / BINS, None, None) for place in range(BINS)),
        SERIES_COLOURS,
    )
    return {
        "reading_complete.svg": _bars("Days with every task right", figures.complete),
        "reading_score.svg": _bars("Score", figures.score),
        "reading_capacity.svg": capacity_chart(
            "Chance of a complete world", [_curve(*own) for own in figures.climbs.items()]
        ),
        "reading_pass.svg": line_chart(
            "All of k attempts complete (pass^k)",
            sizes,
            [
                Series(name, tuple(value.estimate for value in values))
                for name, values in figures.pass_all.items()
            ],
        ),
        "reading_confidence.svg": line_chart(
            "Share of tasks right, by how sure (percent)",
            tenths,
            [
                *(
                    Series(name, tuple(value and value.estimate for value in values), number)
                    for number, (name, values) in enumerate(figures.confidence.items(), 1)
                ),
                exact,
            ],
        ),
        "reading_attack.svg": _bars(
            "Mean score without the work",
            {name: Value(mean=mean) for name, mean in figures.attacks.items()},
        ),
    }


def _bars(title: str, values: Mapping[str, Value]) -> str:
    return bar_chart(title, [*values], [Series("", tuple(v.estimate for v in values.values()))])


def _curve(name: str, worlds: Sequence[tuple[int, bool]]) -> CapacityCurve:
    outcomes = [WorldOutcome(tasks, complete) for tasks, complete in worlds]
    sizes = tuple(
        WorkedSize(
            size,
            sum(tasks == size for tasks, _ in worlds),
            sum(tasks == size and complete for tasks, complete in worlds),
        )
        for size in sorted({tasks for tasks, _ in worlds})
    )
    return CapacityCurve(name, fit_capacity(outcomes), sizes)


def figures_of_page(images: Path) -> ReadingFigures:
    """Return the figures in the folder *images*."""
    return ReadingFigures.model_validate_json((images / FIGURES).read_text("utf-8"))
