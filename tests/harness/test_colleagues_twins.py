"""Twins cannot be told apart by colleagues of a model either, in whose words all shows that it
is shown."""

from __future__ import annotations

import pytest
from openai.types.chat import ChatCompletion

from harness.certificate import twins
from harness.in_process import Workday
from mcp_servers import usual
from mcp_servers.colleagues.playing import Colleagues
from mcp_servers.models.endpoint import Endpoint
from mcp_servers.serving.seat import Seat
from meta_tasks.composition import Composition
from tests.models_at_play import Player, able, telltale
from tests.scripted_endpoint import Json
from world.played import Plays, Words
from world.world import World

RULES = ("website_analysis.slow_page", "transactions.self_approved.s3", "sales.per_dept_avg_sales")


class InProcess(Endpoint):
    """A model that is asked without a server."""

    def __init__(self, player: Player):
        self.player = player
        self.asked: list[Json] = []

    async def complete(self, messages: object, *_: object, **__: object) -> ChatCompletion:  # type: ignore[override]
        self.asked.append({"messages": messages})
        return ChatCompletion.model_validate(self.player(self.asked[-1]).body)


@pytest.mark.parametrize(("rule", "player"), [*((r, telltale) for r in RULES), (RULES[0], able)])
async def test_twins_look_the_same_until_the_clue_is_told(
    rule: str, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, worlds = InProcess(player), list[World]()

    async def stage_day(composition: Composition) -> Workday:
        world = await World.create(None, composition.opening(), composition.stage)
        worlds.append(world)
        person = composition.company.trainee.id
        seat = Seat(world, person, usual().values(), Colleagues(model).outside)
        return Workday(composition, world, seat)

    said = set()
    really, wrong_order = World.close, twins._wrong_order

    def greeted(one: Composition, other: Composition) -> list[twins.Call]:
        """The same with a greeting before, to which a model answers as it likes."""
        calls = list(wrong_order(one, other))
        holders = dict.fromkeys(str(c.arguments["to"]) for c in calls if "to" in c.arguments)
        return [
            twins.Call("chat_send_message", {"to": to, "text": text})
            for text in ("Hello!", "Thanks, see you later!")
            for to in holders
        ] + calls

    async def close(world: World) -> None:
        records = await world.look(lambda turn: Plays(turn).all())
        said.update(record.played.words for record in records)
        await really(world)

    monkeypatch.setattr(twins, "stage_day", stage_day)
    monkeypatch.setattr(twins, "_wrong_order", greeted)
    monkeypatch.setattr(World, "close", close)
    claim = await twins.certify_twins(rule, range(1))
    assert claim.holds, claim.broken
    assert model.asked and Words.MODEL in said
