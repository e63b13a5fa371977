"""How faithfully models played colleagues, and what the figures are without episodes in which
the simulation rather than the agent may have failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from trainee_bench.harness.analysis.report.table import NO_VALUE, UNKNOWN, Grid, format_estimate
from trainee_bench.harness.analysis.report.terms import Facts
from trainee_bench.harness.analysis.statistics.summary import agent_summaries
from trainee_bench.harness.records.npc_fidelity import NpcFidelity
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.world.colleagues.reply_provenance import ModelDecision, WordingSource

NPC_TERMS: Facts = [
    ("right", "the model decided as the matcher did"),
    ("overreached", "it would have told a clue that was not asked for clearly"),
    ("withheld", "it would not have told one that was"),
    ("otherwise", "it decided something else in which no clue was told"),
    ("malformed", "what it said was no decision"),
    ("unavailable", "it could not be asked"),
    ("corrected", "the script's line stood in for the model's"),
    ("own words", "the model's were used; the payload is the clue's in any case"),
    ("unasked", "clues told that were not asked for clearly; code never lets it happen"),
    (
        "suspected",
        "episodes in which a clue was asked for clearly, could have been told, and never was",
    ),
]


@dataclass(frozen=True)
class NpcFidelityTotals:
    """Replies of models as colleagues, counted, of the episodes of one agent.

    ``right`` to ``unavailable`` are what was decided, together all ``replies``; ``corrected``
    are those in which the script stood in for a model that was there; ``told_unasked`` is 0
    unless our own code is broken. ``suspected`` counts episodes. Tokens and dollars are None
    where they are unknown for a part.
    """

    agent: str
    episodes: int
    replies: int
    right: int
    overreached: int
    withheld: int
    otherwise: int
    malformed: int
    unavailable: int
    corrected: int
    in_model_words: int
    told_unasked: int
    suspected: int
    tokens: int | None
    cost_usd: float | None


def npc_fidelity_totals(results: Sequence[EpisodeResult]) -> list[NpcFidelityTotals]:
    """A line per agent whose colleagues a model played, by name; [] where none did."""
    agents = sorted({one.agent for one in results if one.colleagues is not None})
    return [_fidelity(agent, [one for one in results if one.agent == agent]) for agent in agents]


def unsuspected_episodes(results: Sequence[EpisodeResult]) -> list[EpisodeResult]:
    """The episodes in which nothing suggests a fault of the simulation."""
    return [one for one in results if not _suspected(one)]


@dataclass(frozen=True)
class NpcSection:
    """What a report says of colleagues that models played.

    ``warning`` is what has to be known before any figure is read, "" if nothing has.
    ``suspected`` pairs episodes with the clues that were asked for in vain, ``flaws`` what was
    wrong with words that could not be used with how often it was.
    """

    warning: str
    replies: Grid
    suspicion: Grid
    suspected: tuple[tuple[str, str], ...]
    flaws: tuple[tuple[str, int], ...]
    terms: Facts


def build_npc_section(results: Sequence[EpisodeResult]) -> NpcSection | None:
    """What there is to say of *results*; None where no model played colleagues."""
    found = npc_fidelity_totals(results)
    if not found:
        return None
    return NpcSection(
        _warning(found),
        _replies(found),
        _suspicion(results, found),
        _suspicions(results),
        _flaws(results),
        NPC_TERMS,
    )


def _warning(found: Sequence[NpcFidelityTotals]) -> str:
    replies, missed = sum(f.replies for f in found), sum(f.unavailable for f in found)
    if missed == 0:
        return ""
    if missed == replies:
        return (
            "The model could be had for no reply at all: these are figures with colleagues of the "
            "script's."
        )
    return f"The model could not be had for {missed} of {replies} replies: the script's stood in."


def _replies(found: Sequence[NpcFidelityTotals]) -> Grid:
    """What models decided, and whose words were used."""
    rows = (
        (
            one.agent, str(one.replies), _share(one.right, one.replies), _count(one.overreached),
            _count(one.withheld), _count(one.otherwise), _count(one.malformed),
            _count(one.unavailable), _count(one.corrected),
            _share(one.in_model_words, one.replies), str(one.told_unasked),
            UNKNOWN if one.tokens is None else f"{one.tokens:,}",
            UNKNOWN if one.cost_usd is None else f"{one.cost_usd:.3f}",
        )
        for one in found
    )  # fmt: skip
    return Grid(
        (
            "agent", "replies", "right", "overreached", "withheld", "otherwise",
            "malformed", "unavailable", "corrected", "own words",
            "unasked", "tokens", "cost $",
        ),
        tuple(rows),
    )  # fmt: skip


def _suspicion(results: Sequence[EpisodeResult], found: Sequence[NpcFidelityTotals]) -> Grid:
    """Score and success of all episodes, and without those that are suspected."""
    every = {line.agent: line for line in agent_summaries(results)}
    without = {line.agent: line for line in agent_summaries(unsuspected_episodes(results))}
    rows = []
    for one in found:
        kept = without.get(one.agent)
        rows.append(
            (
                one.agent, str(one.episodes), _count(one.suspected),
                format_estimate(every[one.agent].score), format_estimate(kept.score) if kept else NO_VALUE,
                format_estimate(every[one.agent].success), format_estimate(kept.success) if kept else NO_VALUE,
            )
        )  # fmt: skip
    return Grid(
        (
            "agent", "episodes", "suspected", "score", "score without", "success",
            "success without",
        ),
        tuple(rows),
    )  # fmt: skip


def _suspicions(results: Sequence[EpisodeResult]) -> tuple[tuple[str, str], ...]:
    """Each suspected episode with the clues that were asked for in vain."""
    return tuple(
        (one.episode, ", ".join(one.colleagues.suspected))
        for one in sorted(results, key=lambda one: one.episode)
        if one.colleagues is not None and _suspected(one)
    )


def _flaws(results: Sequence[EpisodeResult]) -> tuple[tuple[str, int], ...]:
    """What was wrong with words that could not be used, the commonest first."""
    counted = Counter[str]()
    for one in results:
        counted.update(one.colleagues.flaws if one.colleagues else {})
    return tuple(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))


def _fidelity(agent: str, results: Sequence[EpisodeResult]) -> NpcFidelityTotals:
    played = [one.colleagues for one in results if one.colleagues is not None]
    decisions, words = Counter[str](), Counter[str]()
    for one in played:
        decisions.update(one.decisions)
        words.update(one.words)
    return NpcFidelityTotals(
        agent=agent,
        episodes=len(played),
        replies=sum(one.replies for one in played),
        right=decisions[ModelDecision.RIGHT],
        overreached=decisions[ModelDecision.OVERREACHED],
        withheld=decisions[ModelDecision.WITHHELD],
        otherwise=decisions[ModelDecision.OTHERWISE],
        malformed=decisions[ModelDecision.MALFORMED],
        unavailable=decisions[ModelDecision.UNAVAILABLE],
        corrected=sum(one.corrected for one in played),
        in_model_words=words[WordingSource.MODEL],
        told_unasked=sum(one.told_unasked for one in played),
        suspected=sum(map(_suspected, results)),
        tokens=_tokens(played),
        cost_usd=_dollars(played),
    )


def _suspected(result: EpisodeResult) -> bool:
    return result.colleagues is not None and bool(result.colleagues.suspected)


def _tokens(played: Sequence[NpcFidelity]) -> int | None:
    """Of the episodes in which the model was asked; None if one of them is unknown."""
    asked = [one for one in played if one.replies > one.unavailable]
    if any(one.prompt_tokens is None for one in asked):
        return None
    return sum((one.prompt_tokens or 0) + (one.completion_tokens or 0) for one in asked)


def _dollars(played: Sequence[NpcFidelity]) -> float | None:
    asked = [one for one in played if one.replies > one.unavailable]
    if any(one.cost_usd is None for one in asked):
        return None
    return sum(one.cost_usd or 0 for one in asked)


def _share(count: int, whole: int) -> str:
    return f"{count} ({count / whole:.0%})" if whole else NO_VALUE


def _count(count: int) -> str:
    return str(count) if count else NO_VALUE
