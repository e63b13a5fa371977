"""The score of a sample: the grade of its day, however the solver ended."""

from __future__ import annotations

import math
from collections.abc import Iterable

from inspect_ai.event import ToolEvent
from inspect_ai.log import transcript
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState
from pydantic import JsonValue

from trainee_bench.harness.agents.external.isolation import NO_ISOLATION
from trainee_bench.harness.episodes.identity import INSIDER
from trainee_bench.harness.episodes.npcs import SCRIPTED_BRAIN
from trainee_bench.harness.integrations.inspect_ai.explanation import explain_tasks
from trainee_bench.harness.integrations.inspect_ai.staged_days import SampleDay, day_of
from trainee_bench.harness.records.frozen_model import FrozenModel
from trainee_bench.harness.session.frozen import FrozenDigests
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.mcp_servers import default_toolboxes
from trainee_bench.mcp_servers.serving.result_text import ResultView
from trainee_bench.mcp_servers.verifier import DayGrade
from trainee_bench.meta_tasks.scenario import GENERATOR_VERSION, SCORE_VERSION

OWN_MODELS = "trainee_bench"
"""The API of models that know a day's secrets: see `KnownCallsModel`."""
_REFUSED = "parsing"
"""The type of error with which Inspect refuses a call: an unknown tool, or wrong arguments."""


class SampleIdentity(FrozenModel):
    """The conditions of a sample's score besides its model and seed; only equal ones are compared.

    ``limits`` are those of our own loop, None with other solvers. ``refused_by_inspect`` counts the
    calls that Inspect itself refused: they took no simulated time, unlike with our other runners.
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
    frozen: FrozenDigests


@scorer(metrics={"score": [mean(), stderr()], "success": [mean(), stderr()]})
def day_score() -> Scorer:
    """The day's score from 0 to 1, and whether everything was done (1 or 0)."""

    async def score(state: TaskState, target: Target) -> Score:
        day = day_of(state)
        grade = day.day.grade()
        return Score(
            value=score_value(grade.score, success=grade.success),
            explanation="\n\n".join([*_not_worked(day), explain_tasks(grade.tasks)]),
            metadata=_metadata(day, grade, insider=state.model.api == OWN_MODELS),
        )

    return score


def score_value(score: float | None, *, success: bool) -> dict[str, float]:
    """Return a score's two values; NaN if nothing could be graded, so that Inspect skips it."""
    if score is None:
        return {"score": math.nan, "success": math.nan}
    return {"score": score, "success": float(success)}


def _not_worked(day: SampleDay) -> Iterable[str]:
    """Yield a remark on a week whose later days have not begun."""
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
        "incidents": dict(sorted(day.incidents.items())),
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
        frozen=day.frozen,
    )
