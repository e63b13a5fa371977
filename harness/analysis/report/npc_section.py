"""The section on colleagues played by a model, and how faithful the model was.

It also has the figures without episodes in which the simulation rather than the agent may have
failed.
"""

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
    Paragraph,
    Section,
    meanings_of,
)
from trainee_bench.harness.documents.formatting import NO_VALUE, UNKNOWN, format_count, format_share
from trainee_bench.harness.records.npc_fidelity import NpcFidelity
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.world.colleagues.reply_provenance import ModelDecision, WordingSource


@dataclass(frozen=True)
class NpcFidelityTotals:
    """The replies of models as colleagues, counted over the episodes of one agent.

    ``right`` to ``unavailable`` are the decisions, together all ``replies``. ``corrected`` counts
    decisions where the script replaced a model that had answered. ``told_unasked`` is 0 unless our
    own code is broken. ``suspected`` counts episodes. Tokens and dollars are None if they are
    unknown for a part.
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
    """Return a line per agent whose colleagues a model played, by name; empty if there are none."""
    agents = sorted({result.agent for result in results if result.colleagues is not None})
    return [
        _fidelity(agent, [result for result in results if result.agent == agent])
        for agent in agents
    ]


def unsuspected_episodes(results: Sequence[EpisodeResult]) -> list[EpisodeResult]:
    """Return the episodes in which nothing suggests a fault of the simulation."""
    return [result for result in results if not _is_suspected(result)]


def npc_section(results: Sequence[EpisodeResult]) -> Section | None:
    """Return the section on colleagues played by a model; None if there were none."""
    totals = npc_fidelity_totals(results)
    if not totals:
        return None
    replies, suspicion = replies_grid(totals), suspicion_grid(results, totals)
    blocks: list[Block] = [*npc_warning(totals), replies]
    blocks += [Paragraph("All episodes, and the same without the suspected ones:"), suspicion]
    blocks.append(meanings_of(replies, suspicion))
    suspected = tuple(
        Bullet(", ".join(result.colleagues.suspected), id=result.episode)
        for result in sorted(results, key=lambda result: result.episode)
        if result.colleagues is not None and _is_suspected(result)
    )
    if suspected:
        blocks.append(Paragraph("Suspected episodes, with the clues requested but never told:"))
        blocks.append(Bullets(suspected))
    rejected = _rejected_replies(results)
    if rejected:
        blocks.append(Paragraph(f"Rejected model replies, by reason: {rejected}.", "note"))
    return Section("Colleagues played by a model", tuple(blocks))


def npc_warning(totals: Sequence[NpcFidelityTotals]) -> tuple[Paragraph, ...]:
    """Return a warning for readers of the figures, empty if there is none."""
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
    """Return what models decided, and whose words were used."""
    columns = (Column("agent"), *(column for column, _ in _REPLY_COLUMNS))
    rows = tuple((line.agent, *(cell(line) for _, cell in _REPLY_COLUMNS)) for line in totals)
    return Grid(columns, rows)


def suspicion_grid(results: Sequence[EpisodeResult], totals: Sequence[NpcFidelityTotals]) -> Grid:
    """Return score and success of all episodes, and without the suspected ones."""
    every = {summary.agent: summary for summary in agent_summaries(results)}
    unsuspected = agent_summaries(unsuspected_episodes(results))
    without = {summary.agent: summary for summary in unsuspected}
    rows = []
    for line in totals:
        whole, kept = every[line.agent], without.get(line.agent)
        rows.append(
            (
                line.agent, str(line.episodes), format_count(line.suspected),
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
    (Column("replies"), lambda line: str(line.replies)),
    (
        Column("agreed", "the model decided as the rule-based matcher did"),
        lambda line: format_share(line.right, line.replies),
    ),
    (
        Column("too open", "it wanted to tell a clue that was not clearly requested (prevented)"),
        lambda line: format_count(line.overreached),
    ),
    (
        Column("too closed", "it wanted to withhold a clue that was clearly requested"),
        lambda line: format_count(line.withheld),
    ),
    (
        Column("other", "it decided differently, but no clue was involved"),
        lambda line: format_count(line.otherwise),
    ),
    (
        Column("malformed", "its output was not a valid decision"),
        lambda line: format_count(line.malformed),
    ),
    (
        Column("unavailable", "the model could not be reached"),
        lambda line: format_count(line.unavailable),
    ),
    (
        Column("replaced", "the scripted reply was used instead of the model's"),
        lambda line: format_count(line.corrected),
    ),
    (
        Column("model's words", "the model's wording was used; a clue's content is always ours"),
        lambda line: format_share(line.in_model_words, line.replies),
    ),
    (
        Column("told unasked", "clues told without a clear request; the code prevents this"),
        lambda line: str(line.told_unasked),
    ),
    (Column("tokens"), lambda line: UNKNOWN if line.tokens is None else f"{line.tokens:,}"),
    (Column("cost $"), lambda line: UNKNOWN if line.cost_usd is None else f"{line.cost_usd:.3f}"),
)


def _rejected_replies(results: Sequence[EpisodeResult]) -> str:
    """Return the reasons why replies of models were rejected, the most common first, with
    counts."""
    counted = Counter[str]()
    for result in results:
        counted.update(result.colleagues.flaws if result.colleagues else {})
    ordered = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{reason} × {count}" for reason, count in ordered)


def _fidelity(agent: str, results: Sequence[EpisodeResult]) -> NpcFidelityTotals:
    played = [result.colleagues for result in results if result.colleagues is not None]
    decisions, words = Counter[str](), Counter[str]()
    for fidelity in played:
        decisions.update(fidelity.decisions)
        words.update(fidelity.words)
    return NpcFidelityTotals(
        agent=agent,
        episodes=len(played),
        replies=sum(fidelity.replies for fidelity in played),
        right=decisions[ModelDecision.RIGHT],
        overreached=decisions[ModelDecision.OVERREACHED],
        withheld=decisions[ModelDecision.WITHHELD],
        otherwise=decisions[ModelDecision.OTHERWISE],
        malformed=decisions[ModelDecision.MALFORMED],
        unavailable=decisions[ModelDecision.UNAVAILABLE],
        corrected=sum(fidelity.corrected for fidelity in played),
        in_model_words=words[WordingSource.MODEL],
        told_unasked=sum(fidelity.told_unasked for fidelity in played),
        suspected=sum(map(_is_suspected, results)),
        tokens=_tokens(played),
        cost_usd=_dollars(played),
    )


def _is_suspected(result: EpisodeResult) -> bool:
    return result.colleagues is not None and bool(result.colleagues.suspected)


def _tokens(played: Sequence[NpcFidelity]) -> int | None:
    """Return the tokens of the episodes in which the model answered; None if some are unknown."""
    answered = [fidelity for fidelity in played if fidelity.replies > fidelity.unavailable]
    if any(fidelity.prompt_tokens is None for fidelity in answered):
        return None
    return sum(
        (fidelity.prompt_tokens or 0) + (fidelity.completion_tokens or 0) for fidelity in answered
    )


def _dollars(played: Sequence[NpcFidelity]) -> float | None:
    answered = [fidelity for fidelity in played if fidelity.replies > fidelity.unavailable]
    if any(fidelity.cost_usd is None for fidelity in answered):
        return None
    return sum(fidelity.cost_usd or 0 for fidelity in answered)
