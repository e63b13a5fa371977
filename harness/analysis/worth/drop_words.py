"""A costly step in the few words that stand beside its drop in a picture."""

from __future__ import annotations

from collections import defaultdict

from trainee_bench.harness.documents.formatting import format_number
from trainee_bench.harness.records.worth import EpisodeWorth, StepLoss
from trainee_bench.harness.worth.loss_words import AS_FAR_AS_KNOWN, tasks_told
from trainee_bench.harness.worth.step_words import WAITED

_LEAST = 0.005
"""A smaller loss is 0.00 in words."""


def step_minutes(worth: EpisodeWorth, loss: StepLoss) -> int:
    """How long the step took; 0 for the end of the work."""
    if loss.step is None:
        return 0
    return int((worth.points[loss.step].at - loss.at).total_seconds() // 60)


def drop_in_words(worth: EpisodeWorth, loss: StepLoss) -> str:
    """When, what and how much: "11:20 waited 41 min: −0.25"."""
    did = f"waited {step_minutes(worth, loss)} min" if loss.did.startswith(WAITED) else loss.did
    price = f"\u2212{format_number(loss.lost)}" if loss.lost >= _LEAST else "success lost"
    return f"{loss.at:%H:%M} {did}: {price}"


def drop_cause(worth: EpisodeWorth, loss: StepLoss) -> str:
    """Return the causes of a loss with their tasks: "T3, T4: deadline passed while idle". Where
    the values beside it are not certainly the best, `AS_FAR_AS_KNOWN` is added. Tasks that ended
    well have lost nothing."""
    by_origin: dict[str, list[str]] = defaultdict(list)
    for task in tasks_told(worth, loss):
        if task.share >= _LEAST or task.success_lost:
            by_origin[task.origin].append(task.task)
    causes = [f"{', '.join(tasks)}: {origin}" for origin, tasks in by_origin.items()]
    known = [] if worth.is_certain(loss) else [AS_FAR_AS_KNOWN]
    return "; ".join([*causes, *known])
