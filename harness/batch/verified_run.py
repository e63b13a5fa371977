"""Verifying a whole run: its plan, that each episode has one line, and every line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Collection

from trainee_bench.harness.episodes.verification import VerifiedDay, verify_result
from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder


async def verify_lines(
    folder: RunFolder, plan: RunPlan, episodes: Collection[str] = ()
) -> AsyncIterator[VerifiedDay]:
    """Verify the lines of the run in *folder*, or those of *episodes*, in the plan's order.

    Lines of episodes that the plan does not have come last. Raises ResultFileError.
    """
    lines: dict[str, list[EpisodeResult]] = defaultdict(list)
    for result in folder.ledger.lines():
        if not episodes or result.episode in episodes:
            lines[result.episode].append(result)
    for spec in plan.episode_specs():
        told = lines.pop(spec.id, [])
        if not told:
            continue
        day = await verify_result(spec, told[0], folder.path)
        if any(line != told[0] for line in told):
            problem = f"it has {len(told)} lines that differ; the first one counts"
            day = VerifiedDay(day.episode, day.actions, (*day.problems, problem))
        yield day
    for episode in lines:
        yield VerifiedDay(episode, 0, ("the plan has no such episode",))


def missing_episodes(folder: RunFolder, plan: RunPlan) -> list[str]:
    """The episodes of *plan* without a line. Raises ResultFileError."""
    there = {result.episode for result in folder.ledger.read()}
    return [spec.id for spec in plan.episode_specs() if spec.id not in there]
