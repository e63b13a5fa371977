"""Paired worlds stay indistinguishable when a model that repeats all it sees plays colleagues."""

from __future__ import annotations

import pytest
from openai.types.chat import ChatCompletion

from tests.models_at_play import Player, able, telltale
from tests.scripted_endpoint import Json
from trainee_bench.harness.certification import counterfactuals
from trainee_bench.harness.testbench.staged_day import StagedDay
from trainee_bench.mcp_servers import default_toolboxes
from trainee_bench.mcp_servers.llm.client import ChatClient
from trainee_bench.mcp_servers.llm_colleagues.drafting import ColleagueDrafter
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.world.colleagues.reply_provenance import ProvenanceLog, WordingSource
from trainee_bench.world.world import World

RULES = ("website_analysis.slow_page", "transactions.self_approved.s3", "sales.per_dept_avg_sales")


class InProcess(ChatClient):
    """A model that is asked without a server."""

    def __init__(self, player: Player):
        self.player = player
        self.asked: list[Json] = []

    async def complete(self, messages: object, *_: object, **__: object) -> ChatCompletion:  # type: ignore[override]
        self.asked.append({"messages": messages})
        return ChatCompletion.model_validate(self.player(self.asked[-1]).body)


@pytest.mark.parametrize(
    ("rule", "player"),
    [
        (RULES[0], telltale),
        (RULES[0], able),
        *(pytest.param(rule, telltale, marks=pytest.mark.sweep) for rule in RULES[1:]),
    ],
)
async def test_twins_look_the_same_until_the_clue_is_told(
    rule: str, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, worlds = InProcess(player), list[World]()

    async def stage_day(composition: ComposedDay) -> StagedDay:
        world = await World.create_inline(composition.world_config(), composition.populate)
        worlds.append(world)
        person = composition.company.trainee.id
        seat = ToolDispatcher(
            world, person, default_toolboxes().values(), ColleagueDrafter(model).side_effects
        )
        return StagedDay(composition, world, seat)

    said = set()
    really, wrong_order = World.close, counterfactuals._wrong_order

    def greeted(one: ComposedDay, other: ComposedDay) -> list[counterfactuals.RecordedCall]:
        """The same with a greeting before, to which a model answers as it likes."""
        calls = list(wrong_order(one, other))
        holders = dict.fromkeys(str(c.arguments["to"]) for c in calls if "to" in c.arguments)
        return [
            counterfactuals.RecordedCall("chat_send_message", {"to": to, "text": text})
            for text in ("Hello!", "Thanks, see you later!")
            for to in holders
        ] + calls

    async def close(world: World) -> None:
        records = await world.read(lambda tx: ProvenanceLog(tx).all())
        said.update(record.played.words for record in records)
        await really(world)

    monkeypatch.setattr(counterfactuals, "stage_day", stage_day)
    monkeypatch.setattr(counterfactuals, "_wrong_order", greeted)
    monkeypatch.setattr(World, "close", close)
    claim = await counterfactuals.certify_counterfactuals(rule, range(1))
    assert claim.holds, claim.broken
    assert model.asked and WordingSource.MODEL in said
