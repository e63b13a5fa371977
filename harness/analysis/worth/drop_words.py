"""A costly step in the few words that stand beside its drop in a picture."""

from __future__ import annotations

from collections import defaultdict

from trainee_bench.harness.analysis.charts.svg import shortened, text_width
from trainee_bench.harness.documents.formatting import format_number
from trainee_bench.harness.records.worth import EpisodeWorth, LossOrigin, StepLoss
from trainee_bench.harness.scheduling.measure import MeasuredDay
from trainee_bench.harness.worth.loss_words import AS_FAR_AS_KNOWN, WAITED, tasks_told

_LEAST = 0.005
"""A smaller loss is 0.00 in words."""


def step_minutes(worth: EpisodeWorth, loss: StepLoss) -> int:
    """How long the step took; 0 for the end of the work."""
    if loss.step is None:
        return 0
    return int((worth.points[loss.step].at - loss.at).total_seconds() // 60)


def did_in_words(worth: EpisodeWorth, loss: StepLoss) -> str:
    """Return what the step did, or how long it waited."""
    waited = loss.did.startswith(WAITED)
    return f"waited {step_minutes(worth, loss)} min" if waited else loss.did


def drop_in_words(worth: EpisodeWorth, loss: StepLoss) -> str:
    """When, what and how much: "11:20 waited 41 min: −0.25"."""
    return _drop_in_words(loss, did_in_words(worth, loss))


def drop_within(worth: EpisodeWorth, loss: StepLoss, room: float, size: float) -> str:
    """The same in *room* pixels for a face of *size*: what was done is shortened, never the
    price."""
    room -= text_width(_drop_in_words(loss, ""), size)
    return _drop_in_words(loss, shortened(did_in_words(worth, loss), room, size))


def _drop_in_words(loss: StepLoss, did: str) -> str:
    price = f"\u2212{format_number(loss.lost)}" if loss.lost >= _LEAST else "success lost"
    return f"{loss.at:%H:%M} {did}: {price}"


def losing_tasks(worth: EpisodeWorth, loss: StepLoss) -> dict[LossOrigin, list[str]]:
    """Return the tasks that lost by a step, by what they lost it to. Tasks that ended well have
    lost nothing."""
    by_origin: dict[LossOrigin, list[str]] = defaultdict(list)
    for task in tasks_told(worth, loss):
        if task.share >= _LEAST or task.success_lost:
            by_origin[task.origin].append(task.task)
    return dict(by_origin)


def task_of_step(day: MeasuredDay, loss: StepLoss) -> str | None:
    """The task to which the call of a costly step belongs; None if it belongs to none."""
    return next(
        (
            lane.timing.task
            for lane in day.lanes
            for span in lane.worked
            if span.starts <= loss.at < span.ends
        ),
        None,
    )


def drop_cause(worth: EpisodeWorth, loss: StepLoss, day: MeasuredDay | None = None) -> str:
    """Return the causes of a loss with their tasks: "lost on T3, T4: deadline passed while idle".
    With *day*, it names the task that kept the agent busy meanwhile. It adds `AS_FAR_AS_KNOWN`
    unless the values beside the loss are certainly the best."""
    busy_with = None if day is None else task_of_step(day, loss)
    causes = []
    for origin, tasks in losing_tasks(worth, loss).items():
        other = origin is LossOrigin.BUSY and busy_with not in (None, *tasks)
        causes.append(f"{', '.join(tasks)}: {origin}{f' with {busy_with}' if other else ''}")
    lost = [f"lost on {'; '.join(causes)}"] if causes else []
    known = [] if worth.is_certain(loss) else [AS_FAR_AS_KNOWN]
    return "; ".join([*lost, *known])
