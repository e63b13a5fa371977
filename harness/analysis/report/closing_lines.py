"""The last lines of a run: which steps cost the most, and what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.records.worth import EpisodeWorth, StepLoss
from trainee_bench.harness.worth.loss_words import costliest_losses, loss_in_words


def closing_lines(folder: RunFolder, results: Sequence[EpisodeResult]) -> list[str]:
    """The costliest step of each agent, as far as that was computed, and the next command."""
    stored = [folder.worths.read(result) for result in sorted(results, key=lambda one: one.episode)]
    costliest = [_in_words(*found) for found in _costliest([worth for worth in stored if worth])]
    heading = ["Costliest step of each agent:"] if costliest else []
    return [*heading, *costliest, f"Next: trainee-bench studio {shlex.quote(str(folder.path))}"]


def _costliest(worths: Iterable[EpisodeWorth]) -> list[tuple[EpisodeWorth, StepLoss]]:
    """The costliest step of each agent that lost anything, the greatest loss first."""
    by_agent: dict[str, tuple[EpisodeWorth, StepLoss]] = {}
    for worth in worths:
        for loss in costliest_losses(worth, 1):
            known = by_agent.get(worth.agent)
            if known is None or loss.lost > known[1].lost:
                by_agent[worth.agent] = (worth, loss)
    return sorted(by_agent.values(), key=lambda found: -found[1].lost)


def _in_words(worth: EpisodeWorth, loss: StepLoss) -> str:
    where = f"{worth.agent} · {worth.scenario} · {worth.day}"
    return f"  {where} · {loss_in_words(worth, loss)}"
