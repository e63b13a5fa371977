"""Colleagues played by a model: how faithful the model was, and the figures without episodes in
which the simulation rather than the agent may have failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trainee_bench.harness.analysis.statistics.bootstrap import format_estimate
from trainee_bench.harness.analysis.statistics.summary import agent_summaries
from trainee_bench.harness.documents.document import (
    Block,
    Bullet,
    Bullets,
    Column,
    Grid,
    Medium,
    Paragraph,
    Section,
)
from trainee_bench.harness.documents.formatting import NO_VALUE, UNKNOWN, format_count, format_share
from trainee_bench.harness.records.npc_fidelity import NpcFidelity
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.world.colleagues.reply_provenance import ModelDecision, WordingSource


@dataclass(frozen=True)
class NpcFidelityTotals:
    """The replies of models as colleagues, counted over the episodes of one agent.

    ``right`` to ``unavailable`` are what was decided, together all ``replies``; ``corrected``
    are those in which the script replaced a model that had answered; ``told_unasked`` is 0
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
    return [one for one in results if not _is_suspected(one)]


def npc_section(results: Sequence[EpisodeResult]) -> Section | None:
    """What a report says about colleagues played by a model; None where none was."""
    totals = npc_fidelity_totals(results)
    if not totals:
        return None
    replies, suspicion = replies_grid(totals), suspicion_grid(results, totals)
    meanings = (*replies.columns, *(one for one in suspicion.columns if one.meaning))
    blocks: list[Block] = [*npc_warning(totals), replies]
    blocks += [Paragraph("All episodes, and the same without the suspected ones:"), suspicion]
    terms = Grid(meanings, ()).terms
    blocks.append(Section("What the columns mean", (terms,), folds_in=frozenset({Medium.HTML})))
    suspected = tuple(
        Bullet(", ".join(one.colleagues.suspected), id=one.episode)
        for one in sorted(results, key=lambda one: one.episode)
        if one.colleagues is not None and _is_suspected(one)
    )
    if suspected:
        blocks.append(Paragraph("Suspected episodes, with the clues requested but never told:"))
        blocks.append(Bullets(suspected))
    rejected = _rejected_replies(results)
    if rejected:
        blocks.append(Paragraph(f"Rejected model replies, by reason: {rejected}.", "note"))
    return Section("Colleagues played by a model", tuple(blocks))


def npc_warning(totals: Sequence[NpcFidelityTotals]) -> tuple[Paragraph, ...]:
    """What to know before reading any figure, () if there is nothing."""
    replies, missed = sum(f.replies for f in totals), sum(f.unavailable for f in totals)
    if missed == 0:
        return ()
    if missed == replies:
        text = (
            "The model was unavailable for every reply: these figures are with scripted colleagues."
        )
    else:
        text = (
            f"The model was unavailable for {missed} of {replies} replies: scripted ones replaced "
            "them."
        )
    return (Paragraph(text, "warning"),)


def replies_grid(totals: Sequence[NpcFidelityTotals]) -> Grid:
    """What models decided, and whose words were used."""
    columns = (Column("agent"), *(column for column, _ in _REPLY_COLUMNS))
    rows = tuple((one.agent, *(cell(one) for _, cell in _REPLY_COLUMNS)) for one in totals)
    return Grid(columns, rows)


def suspicion_grid(results: Sequence[EpisodeResult], totals: Sequence[NpcFidelityTotals]) -> Grid:
    """Score and success of all episodes, and without those that are suspected."""
    every = {line.agent: line for line in agent_summaries(results)}
    without = {line.agent: line for line in agent_summaries(unsuspected_episodes(results))}
    rows = []
    for one in totals:
        whole, kept = every[one.agent], without.get(one.agent)
        rows.append(
            (
                one.agent, str(one.episodes), format_count(one.suspected),
                format_estimate(whole.score), format_estimate(kept.score) if kept else NO_VALUE,
                format_estimate(whole.success), format_estimate(kept.success) if kept else NO_VALUE,
            )
        )  # fmt: skip
    suspected = Column(
        "suspected",
        "episodes in which a clue was clearly requested and available, but never told",
    )
    return Grid.from_rows(
        ["agent", "episodes", suspected, "score", "score without", "success", "success without"],
        rows,
    )


_REPLY_COLUMNS: tuple[tuple[Column, Callable[[NpcFidelityTotals], str]], ...] = (
    (Column("replies"), lambda one: str(one.replies)),
    (
        Column("agreed", "the model decided as the rule-based matcher did"),
        lambda one: format_share(one.right, one.replies),
    ),
    (
        Column("too open", "it wanted to tell a clue that was not clearly requested (prevented)"),
        lambda one: format_count(one.overreached),
    ),
    (
        Column("too closed", "it wanted to keep back a clue that was clearly requested"),
        lambda one: format_count(one.withheld),
    ),
    (
        Column("other", "it decided differently in a way that tells no clue"),
        lambda one: format_count(one.otherwise),
    ),
    (
        Column("malformed", "its output was not a valid decision"),
        lambda one: format_count(one.malformed),
    ),
    (
        Column("unavailable", "the model could not be reached"),
        lambda one: format_count(one.unavailable),
    ),
    (
        Column("replaced", "the scripted reply was used instead of the model's"),
        lambda one: format_count(one.corrected),
    ),
    (
        Column("model's words", "the model's wording was used; a clue's content is always ours"),
        lambda one: format_share(one.in_model_words, one.replies),
    ),
    (
        Column("told unasked", "clues told without a clear request; the code prevents this"),
        lambda one: str(one.told_unasked),
    ),
    (Column("tokens"), lambda one: UNKNOWN if one.tokens is None else f"{one.tokens:,}"),
    (Column("cost $"), lambda one: UNKNOWN if one.cost_usd is None else f"{one.cost_usd:.3f}"),
)


def _rejected_replies(results: Sequence[EpisodeResult]) -> str:
    """Why replies of models were rejected and how often, the most common reason first."""
    counted = Counter[str]()
    for one in results:
        counted.update(one.colleagues.flaws if one.colleagues else {})
    ordered = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{reason} × {count}" for reason, count in ordered)


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
        suspected=sum(map(_is_suspected, results)),
        tokens=_tokens(played),
        cost_usd=_dollars(played),
    )


def _is_suspected(result: EpisodeResult) -> bool:
    return result.colleagues is not None and bool(result.colleagues.suspected)


def _tokens(played: Sequence[NpcFidelity]) -> int | None:
    """Over the episodes in which the model answered; None if one of them is unknown."""
    answered = [one for one in played if one.replies > one.unavailable]
    if any(one.prompt_tokens is None for one in answered):
        return None
    return sum((one.prompt_tokens or 0) + (one.completion_tokens or 0) for one in answered)


def _dollars(played: Sequence[NpcFidelity]) -> float | None:
    answered = [one for one in played if one.replies > one.unavailable]
    if any(one.cost_usd is None for one in answered):
        return None
    return sum(one.cost_usd or 0 for one in answered)
