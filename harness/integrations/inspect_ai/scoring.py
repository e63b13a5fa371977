"""The score of a sample: the grade of its day as it stands, however the solver ended, and why, in
words: every checkpoint, and what was found."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Protocol

from inspect_ai.event import ToolEvent
from inspect_ai.log import transcript
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState
from pydantic import JsonValue

from trainee_bench.harness.agents.external.isolation import NO_ISOLATION
from trainee_bench.harness.episodes.identity import INSIDER
from trainee_bench.harness.episodes.npcs import SCRIPTED_BRAIN
from trainee_bench.harness.integrations.inspect_ai.staged_days import SampleDay, day_of
from trainee_bench.harness.records.frozen_model import FrozenModel
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.mcp_servers import default_toolboxes
from trainee_bench.mcp_servers.serving.result_text import ResultView
from trainee_bench.mcp_servers.verifier import DayGrade
from trainee_bench.meta_tasks.scenario import GENERATOR_VERSION, SCORE_VERSION

_OURS = "trainee_bench"
"""The API of models that know a day's secrets: see `KnownCallsModel`."""
_REFUSED = "parsing"
"""The kind of error with which Inspect refuses a call: an unknown tool, or wrong arguments."""


class SampleIdentity(FrozenModel):
    """What a sample's score depends on besides its model and seed; only equal ones are compared.

    ``limits`` are those of our own loop, None with another solver. ``refused_by_inspect`` counts
    the calls that Inspect refused itself: they took no simulated time, as they would elsewhere.
    """

    score_version: int = SCORE_VERSION
    generator: int = GENERATOR_VERSION
    tools: tuple[str, ...]
    npc_brain: str = SCRIPTED_BRAIN
    modality: str
    guidance: int
    limits: EpisodeLimits | None
    isolation: str
    results: ResultView = ResultView.TEXT
    refused_by_inspect: int


@scorer(metrics={"score": [mean(), stderr()], "success": [mean(), stderr()]})
def day_score() -> Scorer:
    """The day's score from 0 to 1, and whether all of it was done (1 or 0)."""

    async def score(state: TaskState, target: Target) -> Score:
        day = day_of(state)
        grade = day.day.grade()
        return Score(
            value=score_value(grade.score, success=grade.success),
            explanation="\n\n".join([*_not_worked(day), explain_tasks(grade.tasks)]),
            metadata=_metadata(day, grade, insider=state.model.api == _OURS),
        )

    return score


def score_value(score: float | None, *, success: bool) -> dict[str, float]:
    """A score's two values; not numbers where nothing could be graded, which means skip."""
    if score is None:
        return {"score": math.nan, "success": math.nan}
    return {"score": score, "success": float(success)}


def _not_worked(day: SampleDay) -> Iterable[str]:
    """What is to be said of a week whose later days have not begun."""
    days = len(day.day.composition.days)
    if day.place + 1 < days:
        yield (
            f"Only {day.place + 1} of the {days} days of this week began. Solvers other than "
            "office_loop need each_day around them."
        )


def _metadata(day: SampleDay, grade: DayGrade, *, insider: bool) -> dict[str, JsonValue]:
    return {
        "digest": day.day.digest(),
        "days_begun": day.place + 1,
        "steps": day.steps,
        "tool_calls": day.calls,
        "failed_calls": day.failed_calls,
        "refused_calls": day.refused_calls,
        "ended": [why.value for why in day.ended],
        "identity": _identity(day, insider=insider).model_dump(mode="json"),
        "tasks": [task.model_dump(mode="json") for task in grade.tasks],
    }


def _identity(day: SampleDay, *, insider: bool) -> SampleIdentity:
    scenario = day.day.composition.scenario_day.scenario
    offered = default_toolboxes() if scenario.tools is None else scenario.tools
    refused = [
        event
        for event in transcript().events
        if isinstance(event, ToolEvent) and event.error and event.error.type == _REFUSED
    ]
    return SampleIdentity(
        tools=tuple(sorted(offered)),
        modality=scenario.modality,
        guidance=scenario.guidance,
        limits=day.limits,
        isolation=INSIDER if insider else NO_ISOLATION,
        refused_by_inspect=len(refused),
    )


class GradedCheck(Protocol):
    """A checkpoint of a grade or a result."""

    @property
    def sentence(self) -> str:
        """What has to hold."""

    @property
    def weight(self) -> float:
        """What it counts for."""

    @property
    def passed(self) -> bool:
        """Whether it holds."""

    @property
    def seen(self) -> str:
        """What was found."""


class ExplainedTask(Protocol):
    """A task of a grade or a result."""

    @property
    def task(self) -> str:
        """Its id on its day."""

    @property
    def rule(self) -> str:
        """Its rule."""

    @property
    def score(self) -> float | None:
        """From 0 to 1; None if it could not be graded."""

    @property
    def success(self) -> bool:
        """Whether it is complete and without harm."""

    @property
    def checkpoints(self) -> Sequence[GradedCheck]:
        """What was checked."""

    @property
    def harm(self) -> tuple[str, ...]:
        """What happened that must not."""

    @property
    def error(self) -> str | None:
        """Why it could not be graded or, beside a score, which checks broke."""


def explain_tasks(tasks: Sequence[ExplainedTask]) -> str:
    """The score of each of *tasks* with all its checkpoints, as Markdown."""
    return "\n\n".join(map(_explained, tasks))


def _explained(task: ExplainedTask) -> str:
    if task.score is None:
        return f"**{task.task}** `{task.rule}`: could not be graded ({task.error})"
    done = ", complete" if task.success else ""
    lines = [f"**{task.task}** `{task.rule}`: {task.score:.2f}{done}", ""]
    for check in task.checkpoints:
        mark = "passed" if check.passed else "**missed**"
        sentence = check.sentence.rstrip(".")
        lines.append(f"- {mark} (weight {check.weight:g}): {sentence}. Found: {check.seen}")
    lines += [f"- **harm**: {harm}" for harm in task.harm]
    lines += [f"- **a check broke**: {task.error}"] if task.error else []
    return "\n".join(lines)
