"""Our runs as Inspect logs, which ``inspect view`` lists: one log for each agent.

The content comes from results and trajectories. The times of messages are simulated and are in
their metadata; the times of a log are the times when the run's files were written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from inspect_ai.log import (
    EvalError,
    EvalLog,
    EvalSample,
    EvalSampleLimit,
    EvalSpec,
    EvalStats,
    recompute_metrics,
    write_eval_log,
)
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentReasoning,
    ContentText,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.scorer import Score
from inspect_ai.tool import ToolCall
from pydantic import JsonValue

from trainee_bench.harness.exports.recorded_episodes import (
    CannotExport,
    JsonObject,
    RecordedEpisode,
    objects_in,
    picture_url,
    recorded_episodes,
)
from trainee_bench.harness.integrations.inspect_ai.explanation import explain_tasks
from trainee_bench.harness.integrations.inspect_ai.scoring import score_value
from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.session.limits import EndReason
from trainee_bench.mcp_servers.serving.server import package_version

_SCORER = "day_score"
_LIMITS = {
    EndReason.STEP_LIMIT: ("turn", "steps"),
    EndReason.TOKEN_LIMIT: ("token", "tokens"),
    EndReason.COST_LIMIT: ("cost", "cost_usd"),
    EndReason.TIME_LIMIT: ("time", "seconds"),
}
"""Inspect's names of our limits, and their fields."""


def write_run_logs(run: Path, out: Path, agent: str = "") -> list[Path]:
    """Write a log for each agent of the run in the folder *run* into the folder *out*, which is
    created if needed. Return the paths. With *agent*, write only that agent's log.

    The same run gives the same names. Raises PlanError or ResultFileError if *run* holds no
    readable run, and CannotExport if there is nothing to export or *out* cannot be written.
    """
    folder = RunFolder.open(run)
    plan = folder.plan()
    recorded = {episode.result.episode: episode for episode in recorded_episodes(run, agent)}
    results = [result for result in folder.ledger.read() if agent in ("", result.agent)]
    agents = dict.fromkeys(result.agent for result in results)
    if not agents:
        raise CannotExport("this run has no episode to export; try another --agent")
    written = []
    for name in agents:
        own = [result for result in results if result.agent == name]
        log = _log(folder, plan, own, recorded)
        path = out / f"{_began(folder):%Y-%m-%dT%H-%M-%S}_{plan.benchmark}_{log.eval.task_id}.eval"
        try:
            out.mkdir(parents=True, exist_ok=True)
            write_eval_log(log, str(path), format="eval")
        except OSError as error:
            raise CannotExport(f"{path} cannot be written: {error.strerror}") from None
        written.append(path)
    return written


def _log(
    folder: RunFolder,
    plan: RunPlan,
    results: Sequence[EpisodeResult],
    recorded: dict[str, RecordedEpisode],
) -> EvalLog:
    """Return the log of one agent."""
    samples = [_sample(result, recorded.get(result.episode)) for result in results]
    model = _model(results[0], recorded.get(results[0].episode))
    log = EvalLog(
        status="success",
        eval=EvalSpec.model_validate(_header(folder, plan, results, model)),
        stats=EvalStats(
            started_at=_began(folder).isoformat(),
            completed_at=_written(folder.ledger.path).isoformat(),
            model_usage={model: _usage(results)},
        ),
        samples=samples,
    )
    recompute_metrics(log)
    return log


def _header(
    folder: RunFolder, plan: RunPlan, results: Sequence[EpisodeResult], model: str
) -> dict[str, JsonValue]:
    """Return the header of a log; its ids follow from plan and agent."""
    agent = results[0].agent
    id = sha256(f"{plan.seal}\n{agent}".encode()).hexdigest()[:22]
    ids: list[JsonValue] = [*dict.fromkeys(map(_sample_id, results))]
    metrics: dict[str, JsonValue] = {
        value: [{"name": "inspect_ai/mean"}, {"name": "inspect_ai/stderr"}]
        for value in ("score", "success")
    }
    return {
        "eval_id": id,
        "run_id": plan.seal[:22],
        "task_id": id,
        "created": _began(folder).isoformat(),
        "task": f"trainee_bench/{plan.benchmark.replace('-', '_')}",
        "task_display_name": plan.benchmark,
        "task_version": f"{plan.generator}.{plan.score_version}",
        "solver": agent,
        "model": model,
        "dataset": {"name": plan.benchmark, "samples": len(ids), "sample_ids": ids},
        "config": {"epochs": max(result.attempt for result in results)},
        "packages": {"trainee-bench": package_version()},
        "scorers": [{"name": _SCORER, "metrics": metrics}],
        "metadata": {
            "agent": agent,
            "generator": plan.generator,
            "score_version": plan.score_version,
            "plan": plan.seal,
        },
    }


def _sample(result: EpisodeResult, recorded: RecordedEpisode | None) -> EvalSample:
    messages = [] if recorded is None else list(recorded_messages(recorded))
    prompts = [message for message in messages if isinstance(message, ChatMessageUser)]
    error = None
    if result.error is not None:
        error = EvalError(message=result.error, traceback=result.error, traceback_ansi=result.error)
    return EvalSample(
        id=_sample_id(result),
        epoch=result.attempt,
        input=prompts[0].text if prompts else "",
        target="",
        messages=messages,
        output=_output(result, recorded),
        scores=None if result.error is not None else {_SCORER: _score(result)},
        metadata={
            "episode": result.episode,
            "seed": result.seed,
            "rules": [task.rule for task in result.tasks],
        },
        error=error,
        limit=_limit(result),
        turn_count=result.steps,
        model_usage={_model(result, recorded): _usage([result])},
        total_time=result.wall_seconds,
    )


def _score(result: EpisodeResult) -> Score:
    fields = {"digest", "steps", "tool_calls", "failed_calls", "refused_calls", "ended", "days"}
    fields |= {"agent_error", "incidents", "identity", "tasks", "coverage"}
    return Score(
        value=score_value(result.score, success=result.success),
        explanation=explain_tasks(result.tasks),
        metadata=result.model_dump(mode="json", include=fields),
    )


def _output(result: EpisodeResult, recorded: RecordedEpisode | None) -> ModelOutput:
    """Return the end of the episode in words, for lists of samples."""
    text = result.error or f"ended: {result.ended}"
    return ModelOutput.from_content(_model(result, recorded), text)


def _limit(result: EpisodeResult) -> EvalSampleLimit | None:
    if result.ended is None or result.ended not in _LIMITS or result.identity is None:
        return None
    kind, field = _LIMITS[result.ended]
    limit = result.identity.limits.model_dump()[field]
    return EvalSampleLimit.model_validate({"type": kind, "limit": limit})


def _model(result: EpisodeResult, recorded: RecordedEpisode | None) -> str:
    """Return the model's name; for an agent without a model, the agent's name."""
    agent = recorded.trajectory["agent"] if recorded is not None else None
    name = agent.get("model_name") if isinstance(agent, dict) else None
    return str(name) if name else f"trainee_bench/{result.agent}"


def _usage(results: Sequence[EpisodeResult]) -> ModelUsage:
    prompt = sum(result.prompt_tokens or 0 for result in results)
    reply = sum(result.completion_tokens or 0 for result in results)
    costs = [result.cost_usd for result in results]
    known = [cost for cost in costs if cost is not None]
    return ModelUsage(
        input_tokens=prompt,
        output_tokens=reply,
        total_tokens=prompt + reply,
        total_cost=sum(known) if known and len(known) == len(costs) else None,
    )


def _sample_id(result: EpisodeResult) -> str:
    return f"{result.scenario}.{result.day}"


def _began(folder: RunFolder) -> datetime:
    return _written(folder.path / "run.json")


def _written(path: Path) -> datetime:
    """Return when *path* was written; now if it does not exist."""
    if not path.exists():
        return datetime.now(UTC)
    return datetime.fromtimestamp(int(path.stat().st_mtime), UTC)


def recorded_messages(episode: RecordedEpisode) -> Iterator[ChatMessage]:
    """Yield the messages of *episode*, in order. Raises CannotExport for a missing picture."""
    for step in episode.steps:
        time: dict[str, JsonValue] = {"time": step["timestamp"]}
        if step["source"] == "user":
            yield ChatMessageUser(content=str(step["message"]), metadata=time)
            continue
        calls = [_call(call) for call in objects_in(step.get("tool_calls", []))]
        model = step.get("model_name")
        yield ChatMessageAssistant(
            content=_said(step),
            tool_calls=calls or None,
            model=None if model is None else str(model),
            metadata=time,
        )
        yield from _results(step, calls, episode.folder)


def _said(step: JsonObject) -> str | list[Content]:
    text = str(step["message"])
    if "reasoning_content" not in step:
        return text
    return [ContentReasoning(reasoning=str(step["reasoning_content"])), ContentText(text=text)]


def _call(call: JsonObject) -> ToolCall:
    arguments = call["arguments"]
    assert isinstance(arguments, dict)
    return ToolCall(str(call["tool_call_id"]), str(call["function_name"]), arguments)


def _results(step: JsonObject, calls: list[ToolCall], folder: Path) -> Iterator[ChatMessage]:
    observation = step.get("observation")
    if not isinstance(observation, dict):
        return
    results = objects_in(observation["results"])
    for call, result in zip(calls, results, strict=True):
        yield ChatMessageTool(
            content=_content(result["content"], folder),
            tool_call_id=call.id,
            function=call.function,
            metadata={"time": step["timestamp"]},
        )


def _content(content: JsonValue, folder: Path) -> str | list[Content]:
    if isinstance(content, str):
        return content
    return [
        ContentText(text=str(part["text"]))
        if part["type"] == "text"
        else ContentImage(image=picture_url(part["source"], folder))
        for part in objects_in(content)
    ]
