"""The two means of a headline: of what could be graded, and with the rest at 0.

A day that the infrastructure broke says nothing about an agent, so it stays out of the mean. But a
reader sees how much it could matter: beside every mean of scores is one in which it counts as 0.
"""

from __future__ import annotations

from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.meta_tasks.grade import score_with_all

BROKEN_AS_0 = "broken as 0"
"""The name of the second mean in every table."""
BROKEN_AS_0_MEANS = "the score if every day and task that could not be graded counted as 0"


def score_in_mean(result: EpisodeResult, *, broken_as_0: bool) -> float | None:
    """The contribution of *result* to a mean of scores; None if it stays out of it."""
    return score_with_all(result.score, result.tasks) if broken_as_0 else result.score
