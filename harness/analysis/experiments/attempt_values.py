"""The values of attempts by day: whether an attempt was complete, and its score."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from trainee_bench.harness.analysis.experiments.measures import results_of_agent
from trainee_bench.harness.analysis.statistics.summary import score_in_mean
from trainee_bench.harness.records.results import EpisodeResult

DayKey = tuple[str, str]
"""A scenario and one of its days, by name."""
Values = Mapping[DayKey, Sequence[float]]
"""The values of one agent's attempts, by day."""


@dataclass(frozen=True)
class AttemptMeasure:
    """A figure of an attempt: its value, and the value that counts if it could not be graded.

    ``noun`` names a mean of it within a sentence.
    """

    title: str
    noun: str
    value: Callable[[EpisodeResult], float]
    of_all: Callable[[EpisodeResult], float]


def _complete(result: EpisodeResult) -> float:
    return float(result.success)


def _score(result: EpisodeResult) -> float:
    return score_in_mean(result, broken_as_0=False) or 0.0


def _score_of_all(result: EpisodeResult) -> float:
    return score_in_mean(result, broken_as_0=True) or 0.0


MEASURES = (
    AttemptMeasure(
        "complete",
        "the share of complete days",
        _complete,
        lambda result: float(result.success and not result.broken),
    ),
    AttemptMeasure("score", "the mean score", _score, _score_of_all),
)


def values_by_day(
    results: Sequence[EpisodeResult], agent: str, measure: AttemptMeasure
) -> dict[DayKey, list[float]]:
    """Return the values of the attempts of *agent* that were graded in full, by day."""
    found: dict[DayKey, list[float]] = defaultdict(list)
    for result in results_of_agent(results, agent):
        if not result.broken:
            found[result.scenario, result.day].append(measure.value(result))
    return dict(sorted(found.items()))


def values_of_all_by_day(
    results: Sequence[EpisodeResult], agent: str, measure: AttemptMeasure
) -> dict[DayKey, list[float]]:
    """Return the values of all attempts of *agent*, by day; broken ones count as failures."""
    found: dict[DayKey, list[float]] = defaultdict(list)
    for result in results_of_agent(results, agent):
        found[result.scenario, result.day].append(measure.of_all(result))
    return found
