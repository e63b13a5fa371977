"""The worth of each step of an episode, as its page shows it."""

from __future__ import annotations

import os
import shlex
from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel

from trainee_bench.harness.records.worth import (
    CheckpointDecision,
    DecisionKind,
    EpisodeWorth,
    LossOrigin,
    StepLoss,
    StoredWorths,
    UnusableWorth,
    WorthPoint,
)
from trainee_bench.harness.studio.opened_run import ShownEpisode, shown_path
from trainee_bench.harness.studio.worth_jobs import WorthJobLine
from trainee_bench.harness.worth.loss_words import (
    costliest_losses,
    costly_step,
    how_certain,
    price_in_words,
    step_told,
    tasks_told,
)


class WorthState(StrEnum):
    """Whether there are values: stored, not computed yet, or stored but unusable. They are
    impossible while the day is being worked, or if it left no world."""

    STORED = "stored"
    MISSING = "missing"
    UNUSABLE = "unusable"
    IMPOSSIBLE = "impossible"


class ShownPoint(BaseModel):
    """The best score that was possible after a step; ``exact`` if it is certain. ``harmed`` are the
    tasks with harm that could no longer be undone."""

    step: int
    at: datetime
    value: float
    exact: bool
    harmed: tuple[str, ...]


class ShownTaskLoss(BaseModel):
    """The loss of a step on one task: see `TaskLoss`."""

    task: str
    share: float
    origin: LossOrigin
    checkpoints: tuple[str, ...]


class ShownLoss(BaseModel):
    """A step that lost something, in the words of the report: "09:25, mail sent to all" and
    "success lost on every task". ``step`` is None for the end of the work. ``rank`` is 0 for the
    largest loss, None for one that rounds to nothing. ``value`` is the best score still possible
    after it."""

    step: int | None
    told: str
    price: str
    lost: float
    value: float
    rank: int | None
    harmful: bool
    tasks: tuple[ShownTaskLoss, ...]


class ShownDecision(BaseModel):
    """The decision on a missed checkpoint, as shown: see `CheckpointDecision`."""

    task: str
    checkpoint: str
    kind: DecisionKind
    step: int
    told: str
    handed_in: int | None


class WorthCurve(BaseModel):
    """The values of a day before the first step and after each, and its final score.

    It also has the steps that lost something, in order, and the decisions on missed checkpoints. If
    it is ``overloaded``, the values are shares of the best result that is possible on the day.
    """

    points: tuple[ShownPoint, ...]
    end: float
    losses: tuple[ShownLoss, ...]
    decisions: tuple[ShownDecision, ...]
    cautions: tuple[str, ...]
    overloaded: bool


class ShownWorth(BaseModel):
    """The known worth of an episode's steps.

    Without a ``curve``, ``why`` gives the reason, and ``command`` computes it ("" if nothing can).
    ``job`` is the computation that this studio began. ``unasked`` says whether the page may start
    one without a click: nobody has stopped it, and the values can be stored.
    """

    state: WorthState
    curve: WorthCurve | None = None
    why: str = ""
    command: str = ""
    job: WorthJobLine | None = None
    unasked: bool = False


def shown_worth(episode: ShownEpisode, job: WorthJobLine | None) -> ShownWorth:
    """Return the worth of the steps of *episode* for its page; *job* computes it."""
    result = episode.result
    if result is None or episode.spec is None:
        why = "The worth of each step can be computed once the day is over."
        if episode.spec is None:
            why = "The worth of each step is computed only for episodes of a run."
        return ShownWorth(state=WorthState.IMPOSSIBLE, why=why)
    if result.world is None or episode.run.own_file(result.world) is None:
        return ShownWorth(
            state=WorthState.IMPOSSIBLE,
            why="The worth of each step is computed from the episode's world, but the run's folder "
            "does not have it.",
        )
    command = shlex.join(
        ("trainee-bench", "worth", shown_path(episode.run.path), "--episode", episode.name)
    )
    state, why, worth = (
        WorthState.MISSING,
        "The worth of each step has not been computed yet.",
        None,
    )
    try:
        worth = StoredWorths(episode.run.path).check(result)
    except UnusableWorth as error:
        state, why = WorthState.UNUSABLE, str(error)
    if worth is None:
        unasked = job is None and os.access(episode.run.path, os.W_OK)
        return ShownWorth(state=state, why=why, command=command, job=job, unasked=unasked)
    scenario, day = episode.spec.scenario, episode.spec.day
    days = scenario.days if scenario.week else scenario.days[day : day + 1]
    overloaded = any(plan.best for plan in days)
    return ShownWorth(state=WorthState.STORED, curve=_curve(worth, overloaded), job=job)


def _curve(worth: EpisodeWorth, overloaded: bool) -> WorthCurve:
    ranked = costliest_losses(worth, len(worth.losses))
    return WorthCurve(
        points=tuple(map(_point, worth.points)),
        end=worth.end.value,
        losses=tuple(_loss(worth, loss, ranked) for loss in worth.losses),
        decisions=tuple(_decision(worth, decision) for decision in worth.decisions),
        cautions=tuple(how_certain([worth])),
        overloaded=overloaded,
    )


def _decision(worth: EpisodeWorth, decision: CheckpointDecision) -> ShownDecision:
    return ShownDecision(
        task=decision.task,
        checkpoint=decision.checkpoint,
        kind=decision.kind,
        step=decision.step,
        told=step_told(worth, decision.at, decision.did),
        handed_in=decision.handed_in,
    )


def _point(point: WorthPoint) -> ShownPoint:
    return ShownPoint(
        step=point.step,
        at=point.at,
        value=point.value,
        exact=point.is_exact,
        harmed=tuple(point.harm),
    )


def _loss(worth: EpisodeWorth, loss: StepLoss, ranked: list[StepLoss]) -> ShownLoss:
    after = worth.end if loss.step is None else worth.points[loss.step]
    return ShownLoss(
        step=loss.step,
        told=costly_step(worth, loss),
        price=price_in_words(worth, loss),
        lost=loss.lost,
        value=after.value,
        rank=ranked.index(loss) if loss in ranked else None,
        harmful=bool(loss.harm),
        tasks=tuple(
            ShownTaskLoss(
                task=task.task, share=task.share, origin=task.origin, checkpoints=task.checkpoints
            )
            for task in tasks_told(worth, loss)
        ),
    )
