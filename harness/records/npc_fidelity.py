"""How faithfully a model played the colleagues in one episode, read from its world."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from pydantic import Field

from trainee_bench.harness.records.frozen_model import FrozenModel
from trainee_bench.mcp_servers.llm_colleagues.drafting import DRAFT_USAGE_EFFECT, DraftUsage
from trainee_bench.world.colleagues.knowledge import Knowledge
from trainee_bench.world.colleagues.reply_provenance import (
    ModelDecision,
    ProvenanceLog,
    ReplyRecord,
    WordingSource,
)
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World


class NpcFidelity(FrozenModel):
    """Counts of what a model did as all colleagues of an episode.

    ``decisions`` and ``words`` count replies by the kinds of `ModelDecision` and `WordingSource`,
    and ``flaws`` counts rejected replies by reason. ``suspected`` has clues that were clearly asked
    for and could have been told, but never were. Tokens and cost are None if the service does not
    report them.
    """

    model: str
    decisions: dict[str, int] = Field(default_factory=dict)
    words: dict[str, int] = Field(default_factory=dict)
    flaws: dict[str, int] = Field(default_factory=dict)
    told_unasked: int = 0
    suspected: tuple[str, ...] = ()
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None

    @property
    def replies(self) -> int:
        """The number of replies."""
        return sum(self.decisions.values())

    @property
    def unavailable(self) -> int:
        """The number of replies made without the model because it was unavailable."""
        return self.decisions.get(ModelDecision.UNAVAILABLE, 0)

    @property
    def corrected(self) -> int:
        """The number of replies that the script made although the model was available."""
        return self.words.get(WordingSource.STAND_IN, 0) - self.unavailable


CostFunction = Callable[[str, int, int, int], float | None]
"""Function that returns US dollars for a model's name and the tokens of prompts, completions and
cached prompts."""


async def read_npc_fidelity(world: World, model_name: str, cost: CostFunction) -> NpcFidelity:
    """Read how faithfully the model *model_name* played the colleagues in *world*, whose day is
    over."""

    def read_replies(tx: Transaction) -> tuple[tuple[ReplyRecord, ...], frozenset[str]]:
        return ProvenanceLog(tx).all(), Knowledge(tx).told_to(tx.employee)

    records, told = await world.read(read_replies)
    played = [record.played for record in records]
    spent = await _spent(world)
    counted = spent.replies > 0
    return NpcFidelity(
        model=model_name,
        decisions=_counted(reply.decision.value for reply in played),
        words=_counted(reply.words.value for reply in played),
        flaws=_counted(reply.flaw for reply in played if reply.flaw),
        told_unasked=sum(bool(reply.told) and reply.told != reply.asked for reply in played),
        suspected=tuple(
            sorted({reply.asked for reply in played if reply.asked != reply.told} - told - {""})
        ),
        prompt_tokens=spent.prompt_tokens if counted else None,
        completion_tokens=spent.completion_tokens if counted else None,
        cost_usd=cost(model_name, spent.prompt_tokens, spent.completion_tokens, spent.cached_tokens)
        if counted
        else None,
    )


async def _spent(world: World) -> DraftUsage:
    """Return the usage of all drafts, from the effects in the log."""
    entries = [
        entry.effects[DRAFT_USAGE_EFFECT]
        for entry in await world.log()
        if DRAFT_USAGE_EFFECT in entry.effects
    ]
    return sum((DraftUsage.model_validate(entry) for entry in entries), DraftUsage())


def _counted(kinds: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(kinds).items()))
