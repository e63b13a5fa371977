"""What could not be graded and why, in lines for any report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trainee_bench.harness.analysis.statistics.summary import unsupported_tasks
from trainee_bench.harness.records.results import EpisodeResult


@dataclass(frozen=True)
class FaultList:
    """Faults of one kind; ``named`` pairs what has one with what it is.

    ``selected_ids`` says that what has one is an episode, by its id.
    """

    title: str
    named: tuple[tuple[str, str], ...]
    ids: bool


def fault_lists(results: Sequence[EpisodeResult]) -> list[FaultList]:
    """Tasks nobody can stage, episodes that broke, errors of agents' own; without empty lists.

    They stand in the order of the episodes' ids, whichever finished first.
    """
    ordered = sorted(results, key=lambda one: one.episode)
    missing = tuple((name, f"{count} tasks") for name, count in unsupported_tasks(results).items())
    broken = tuple((one.episode, one.error) for one in ordered if one.error is not None)
    own = tuple((one.episode, one.agent_error) for one in ordered if one.agent_error is not None)
    lists = [
        FaultList("Not graded: family not built", missing, ids=False),
        FaultList("Episodes that broke", broken, ids=True),
        FaultList("Errors of the agents' own, graded as the world stood", own, ids=True),
    ]
    return [one for one in lists if one.named]
