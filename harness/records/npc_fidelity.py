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
    """What a model did as all colleagues of an episode.

    ``decisions`` and ``words`` count replies by the kinds of `ModelDecision` and `WordingSource`,
    ``flaws`` counts rejected replies by reason. ``suspected`` are clues that were clearly asked
    for, could have been told, and never were. Tokens and cost are None if the service does not
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
        """How many replies there were."""
        return sum(self.decisions.values())

    @property
    def unavailable(self) -> int:
        """How many replies were made without the model because it was unavailable."""
        return self.decisions.get(ModelDecision.UNAVAILABLE, 0)

    @property
    def corrected(self) -> int:
        """How many replies the script made although the model was available."""
        return self.words.get(WordingSource.STAND_IN, 0) - self.unavailable


CostFunction = Callable[[str, int, int, int], float | None]
"""US dollars for a model by name, and tokens: prompts, completions, cached of the prompts."""


async def read_npc_fidelity(world: World, model_name: str, cost: CostFunction) -> NpcFidelity:
    """The fidelity of the model *model_name* as the colleagues in *world*, whose day is over."""

    def see(tx: Transaction) -> tuple[tuple[ReplyRecord, ...], frozenset[str]]:
        return ProvenanceLog(tx).all(), Knowledge(tx).told_to(tx.employee)

    records, told = await world.read(see)
    played = [record.played for record in records]
    spent = await _spent(world)
    counted = spent.replies > 0
    return NpcFidelity(
        model=model_name,
        decisions=_counted(one.decision.value for one in played),
        words=_counted(one.words.value for one in played),
        flaws=_counted(one.flaw for one in played if one.flaw),
        told_unasked=sum(bool(one.told) and one.told != one.asked for one in played),
        suspected=tuple(sorted({o.asked for o in played if o.asked != o.told} - told - {""})),
        prompt_tokens=spent.prompt_tokens if counted else None,
        completion_tokens=spent.completion_tokens if counted else None,
        cost_usd=cost(model_name, spent.prompt_tokens, spent.completion_tokens, spent.cached_tokens)
        if counted
        else None,
    )


async def _spent(world: World) -> DraftUsage:
    """The usage of all drafts, from the effects in the log."""
    entries = [
        entry.effects[DRAFT_USAGE_EFFECT]
        for entry in await world.log()
        if DRAFT_USAGE_EFFECT in entry.effects
    ]
    return sum((DraftUsage.model_validate(entry) for entry in entries), DraftUsage())


def _counted(kinds: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(kinds).items()))
