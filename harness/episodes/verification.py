"""Verifying a result: its day is staged again from its spec, repeated from the log, and graded.

    plan ──spec──► staged day ──recorded log──► same results? ──► grades ──► same line?

This comparison needs neither the agent nor a model. Facts that were recorded while the agent worked
are compared with its trajectory. `NOT_VERIFIED` lists what remains.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from trainee_bench.harness.agents.runtime.registry import discover_agents
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.episodes.grading import verifier_grades
from trainee_bench.harness.episodes.identity import (
    INSIDER,
    TERMINAL_APP,
    is_insider,
    offered_apps,
    result_identity,
)
from trainee_bench.harness.episodes.log_origin import log_flaws
from trainee_bench.harness.episodes.manual_work import with_human_part
from trainee_bench.harness.episodes.night import night_flaws
from trainee_bench.harness.episodes.recorded_turns import (
    ending_flaws,
    memory_flaws,
    own_calls,
    trajectory_flaws,
)
from trainee_bench.harness.episodes.replay import (
    OtherDay,
    RecordedDay,
    read_recorded_day,
    replay_day,
)
from trainee_bench.harness.episodes.result_builder import (
    DayFigures,
    Tries,
    broken_result,
    day_figures,
)
from trainee_bench.harness.records.npc_fidelity import read_npc_fidelity
from trainee_bench.harness.records.plan import EpisodeSpec, ModelSettings
from trainee_bench.harness.records.results import (
    EpisodeResult,
    ResultIdentity,
    TaskResult,
    world_name,
)
from trainee_bench.harness.records.schedule_figures import ScheduleFigures
from trainee_bench.harness.session.frozen import FrozenDigests, frozen_digests
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.harness.support.text import describe_error
from trainee_bench.mcp_servers.terminal import RAN_EFFECT
from trainee_bench.meta_tasks.catalog import UnknownRuleError
from trainee_bench.meta_tasks.grade import day_score
from trainee_bench.meta_tasks.kept_days import composed
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.world import World

NOT_VERIFIED = (
    "who made the calls, and whether the settings of run.json applied",
    "the effects of terminal commands and the replies of a model, which are taken from the log",
    "turns, tokens, costs, incidents, errors, ends and texts, which are taken from the trajectory",
    "calls that were cut off, which the log may lack",
    "wall_seconds",
    "tries and the texts of faults, and the error of an episode that broke",
    "the sandbox of a day on which no command ran in it",
    "whether a learning agent wrote its memory itself",
    "runs that were never shown, and whether begun.jsonl was rewritten",
    "what a submission says about itself",
)
"""Facts that no verification can check. `begun.jsonl` shows whether the line was changed later."""
_TOLD_OF_A_BREAK = ("wall_seconds", "faults")
_MODEL_BRAIN = "model:"
_SHOWN_CHARS = 120


@dataclass(frozen=True)
class VerifiedDay:
    """Outcome of verifying one result: the number of actions repeated, and all contradictions."""

    episode: str
    actions: int
    problems: tuple[str, ...]


async def verify_result(spec: EpisodeSpec, result: EpisodeResult, folder: Path) -> VerifiedDay:
    """Compare *result*, a line of the run in *folder*, with its *spec* and its recorded actions.

    A result without a world may only state that the episode broke.
    """
    problems = list(_spec_problems(spec, result))
    if result.world is None:
        return VerifiedDay(spec.id, 0, (*problems, *_broken_problems(spec, result)))
    try:
        composition = composed(spec.scenario, spec.day)
        recorded = await read_recorded_day(folder / world_name(spec.id), composition)
    except OtherDay:
        problems.append("the world is that of another day than the plan's: it was exchanged")
        return VerifiedDay(spec.id, 0, tuple(problems))
    except (WorldFileError, CompositionError, UnknownRuleError) as error:
        return VerifiedDay(spec.id, 0, (*problems, f"not replayed: {error}"))
    problems += [f"its world has a table {name}, which no day makes" for name in recorded.more]
    config = composition.world_config()
    async with await World.create_inline(config, composition.populate) as world:
        frozen = await frozen_digests(world)
        problems += log_flaws(spec, composition.company.trainee.id, recorded.log)
        try:
            difference = await replay_day(recorded, world)
        except (ValueError, LookupError, TypeError) as error:  # effects that no tool can have had
            flaw = f"not replayed: {describe_error(error)}"
            return VerifiedDay(spec.id, len(recorded.log), (*problems, flaw))
        if difference is not None:
            return VerifiedDay(spec.id, len(recorded.log), (*problems, difference.text))
        problems += await _colleague_problems(result, world)
        try:
            grade = await verifier_grades(world)
        except WorldFileError as error:
            return VerifiedDay(spec.id, len(recorded.log), (*problems, f"not graded: {error}"))
        figures = await day_figures(spec, composition, world, grade)
    problems += await night_flaws(spec, composition, recorded.log)
    problems += _line_problems(spec, result, recorded, figures, frozen)
    problems += memory_flaws(folder, spec, result)
    problems += ending_flaws(result, composition.days, recorded.log)
    problems += trajectory_flaws(folder, spec, result, composition.days, recorded.log)
    return VerifiedDay(spec.id, len(recorded.log), tuple(problems))


def _spec_problems(spec: EpisodeSpec, result: EpisodeResult) -> Iterator[str]:
    """Yield how the line contradicts its spec."""
    if result.spec_digest is None:
        yield "the line has no spec_digest: it was written by an older version"
    elif result.spec_digest != spec.digest:
        yield "the line was made under another plan than run.json has now"
    pairs = {
        "scenario": (result.scenario, spec.scenario.name),
        "day": (result.day, spec.day_name),
        "agent": (result.agent, spec.agent),
        "attempt": (result.attempt, spec.attempt),
        "seed": (result.seed, spec.scenario.seed),
        "transport": (result.transport, str(spec.transport)),
        "forked_from": (result.forked_from, spec.forked_from),
    }
    for name, (stated, planned) in pairs.items():
        if stated != planned:
            yield f"the line says {name} {stated}, the plan {planned}"
    if result.remembers != spec.remembers and (result.remembers or result.world is not None):
        yield f"the line says remembers {result.remembers}, the plan {spec.remembers}"


def _broken_problems(spec: EpisodeSpec, result: EpisodeResult) -> Iterator[str]:
    """Yield what a line without a world states beyond that its episode broke."""
    if result.score is not None or result.error is None:
        yield "the line has a score, but names no world that it comes from"
        return
    broken = broken_result(spec, result.error, Tries(result.tries, began=0))
    stated, due = dict(result), dict(broken)
    for name in (
        name for name in due if name not in _TOLD_OF_A_BREAK and stated[name] != due[name]
    ):
        yield f"the line says {name} {_short(stated[name])}, a broken episode {_short(due[name])}"


async def _colleague_problems(result: EpisodeResult, world: World) -> list[str]:
    """Return how the line's figures of the colleagues' model contradict the repeated *world*.

    The model's price is not known here.
    """
    stated, brain = result.colleagues, result.identity.npc_brain if result.identity else ""
    if not brain.startswith(_MODEL_BRAIN):
        return [] if stated is None else ["the line has figures of colleagues, but no model played"]
    model = brain.removeprefix(_MODEL_BRAIN).partition("+")[0]
    cost = stated.cost_usd if stated is not None else None
    found = await read_npc_fidelity(world, model, lambda *_: cost)
    if stated == found:
        return []
    return [f"the line says colleagues {_short(stated)}, the repeated day gives {_short(found)}"]


def _line_problems(
    spec: EpisodeSpec,
    result: EpisodeResult,
    recorded: RecordedDay,
    figures: DayFigures,
    frozen: FrozenDigests,
) -> Iterator[str]:
    """Yield how the line contradicts the repeated day."""
    if result.digest != recorded.digest:
        yield f"the line has the digest {result.digest}, its world {recorded.digest}"
    yield from _task_problems(result.tasks, figures.tasks)
    for name in ("score", "success", "coverage"):
        stated, found = getattr(result, name), getattr(figures, name)
        if stated != found:
            yield f"the line says {name} {stated}, the repeated day gives {found}"
    yield from _day_problems(result, figures)
    yield from _schedule_problems(result, figures)
    yield from _provenance_problems(result, figures)
    if result.identity is None:
        yield "the line has no identity"
    else:
        yield from _identity_problems(spec, result.identity, recorded.log, frozen)
        yield from _count_problems(result, result.identity.limits, recorded.log)


def _day_problems(result: EpisodeResult, figures: DayFigures) -> Iterator[str]:
    """Yield how the line's days of a week contradict the repeated week."""
    if len(result.days) != len(figures.by_day):
        told = pluralize(len(result.days), "day")
        yield f"the line has figures of {told}, its week {len(figures.by_day)}"
        return
    for day, due in zip(result.days, figures.by_day, strict=True):
        stated, found = (day.due, day.score), (len(due), day_score(due, None))
        if stated != found:
            yield f"{day.name}: the line has (due, score) {stated}, the repeated week {found}"
    for name in ("steps", "tool_calls", "failed_calls") if result.days else ():
        total = sum(getattr(day, name) for day in result.days)
        if total != getattr(result, name):
            yield f"the line's days have {total} {name} together, the line {getattr(result, name)}"


def _task_problems(stated: tuple[TaskResult, ...], found: tuple[TaskResult, ...]) -> Iterator[str]:
    if [(task.task, task.rule) for task in stated] != [(task.task, task.rule) for task in found]:
        yield "the line's tasks are not those of the day"
        return
    for line, again in zip(stated, found, strict=True):
        theirs, ours = dict(line), dict(again)
        for name in (name for name in ours if theirs[name] != ours[name]):
            detail = _checkpoint_difference(line, again) if name == "checkpoints" else ""
            yield (
                f"{line.task or line.rule}: the line's {name} differ from the repeated day's"
                f"{detail or f': {_short(theirs[name])} and {_short(ours[name])}'}"
            )


def _schedule_problems(result: EpisodeResult, figures: DayFigures) -> Iterator[str]:
    """Yield how the schedules of the line differ from those of the repeated day or week.

    A line without any states nothing.
    """
    if result.days and result.schedule is not None:
        yield "the line has a schedule of a day, but is that of a week"
    if not result.days:
        yield from _schedule_differences("the line's schedule", result.schedule, figures, 0)
    for place, day in enumerate(result.days[: len(figures.schedules)]):
        whose = f"{day.name}: the line's schedule"
        yield from _schedule_differences(whose, day.schedule, figures, place)


def _schedule_differences(
    whose: str, stated: ScheduleFigures | None, figures: DayFigures, place: int
) -> Iterator[str]:
    """Yield how *stated* differs from the schedule of the repeated day number *place*."""
    theirs, ours = dict(stated or figures.schedules[place]), dict(figures.schedules[place])
    for name in (name for name in ours if theirs[name] != ours[name]):
        known, found = _short(theirs[name]), _short(ours[name])
        yield f"{whose} says {name} {known}, the repeated day gives {found}"


def _provenance_problems(result: EpisodeResult, figures: DayFigures) -> Iterator[str]:
    """Yield how the provenance of the line differs from that of the repeated day or week.

    A line without one states nothing.
    """
    theirs, ours = dict(result.provenance or figures.provenance), dict(figures.provenance)
    for name in (name for name in ours if theirs[name] != ours[name]):
        known, found = _short(theirs[name]), _short(ours[name])
        yield f"the line's provenance says {name} {known}, the repeated day gives {found}"


def _checkpoint_difference(line: TaskResult, again: TaskResult) -> str:
    """Return the first checkpoint that differs, "" if their number does."""
    for stated, found in zip(line.checkpoints, again.checkpoints, strict=False):
        if stated != found:
            return (
                f" at {found.name}: {_short(stated.passed)}, {_short(stated.seen)} and "
                f"{_short(found.passed)}, {_short(found.seen)}"
            )
    return ""


def _identity_problems(
    spec: EpisodeSpec, stated: ResultIdentity, log: tuple[LogEntry, ...], frozen: FrozenDigests
) -> Iterator[str]:
    """How the line's identity contradicts spec and log, as far as this machine can know it."""
    known: dict[str, object] = {"sandbox": _sandbox(spec, stated, log)}
    if stated.frozen is None or frozen.pictures is None or stated.frozen.pictures is None:
        known["frozen"] = frozen
    else:  # which depend on the machine that drew them
        known["frozen"] = frozen.model_copy(update={"pictures": stated.frozen.pictures})
    ours_to_judge = (
        spec.agent_config.agent in discover_agents()
    )  # a user's own code is not imported here
    insider = is_insider(spec) if ours_to_judge else stated.isolation == INSIDER
    # the model's file may be anything on this machine
    if spec.model_settings.npc_model is not None:
        modelled = stated.npc_brain.startswith(_MODEL_BRAIN)
        brain = stated.npc_brain if modelled else _MODEL_BRAIN + spec.model_settings.npc_model
        known["npc_brain"] = brain.partition("+")[0]
        spec = spec.model_copy(update={"model_settings": ModelSettings()})
    expected = result_identity(spec, insider=insider, frozen=None).model_copy(update=known)
    planned = with_human_part(expected, log)
    for name in type(stated).model_fields:
        theirs, due = getattr(stated, name), getattr(planned, name)
        if theirs != due:
            yield f"the line's identity says {name} {_short(theirs)}, the spec {_short(due)}"


def _sandbox(spec: EpisodeSpec, stated: ResultIdentity, log: tuple[LogEntry, ...]) -> str | None:
    """Return the kind of sandbox in which the commands of *log* ran.

    Without any command it is the line's, which depends on the machine that worked the day; None on
    a day without a terminal.
    """
    if TERMINAL_APP not in offered_apps(spec):
        return None
    ran = (entry.effects.get(RAN_EFFECT) for entry in log)
    kinds = {str(run["sandbox"]) for run in ran if isinstance(run, dict) and "sandbox" in run}
    return (
        stated.sandbox if not kinds or (stated.sandbox in kinds and len(kinds) == 1) else min(kinds)
    )


def _count_problems(
    result: EpisodeResult, limits: EpisodeLimits, log: tuple[LogEntry, ...]
) -> Iterator[str]:
    """Yield how the line's counts contradict the log and the limits.

    A call that a limit of real time cut off is counted, but perhaps not logged.
    """
    calls = own_calls(result, log)
    failed = sum(not entry.ok for entry in calls)
    if len(calls) > result.tool_calls:
        yield f"the log has {pluralize(len(calls), 'call')}, the line only {result.tool_calls}"
    if failed > result.failed_calls + (result.tool_calls - len(calls)):
        found = pluralize(failed, "call")
        yield f"{found} of the log failed, but {result.failed_calls} of the line"
    elif result.failed_calls > failed + max(0, result.tool_calls - len(calls)):
        told = pluralize(result.failed_calls, "call")
        yield f"{told} of the line failed, but {failed} of the log"
    for day in result.days or (result,):
        if day.steps > limits.steps or day.tool_calls > limits.steps * limits.calls_per_turn:
            yield (
                f"the line has {pluralize(day.steps, 'step')} with "
                f"{pluralize(day.tool_calls, 'call')}; its limits are "
                f"{pluralize(limits.steps, 'step')} of {limits.calls_per_turn}"
            )


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
