"""Digests of what an agent is shown on a day: its world, its tools, its prompts, its pictures.

They depend on the scenario alone. Two results with equal digests come from the same texts,
whatever version of this package made them.
"""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.harness.session.prompt import build_people_prompt, build_prompt
from trainee_bench.mcp_servers import select_toolboxes
from trainee_bench.mcp_servers.office import instructions, offered_toolboxes
from trainee_bench.mcp_servers.serving.server import describe_tool
from trainee_bench.mcp_servers.serving.tool_variants import tool_variants
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.world.apps.files import has_pictures
from trainee_bench.world.pictures.render import renderer_digest
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World


class FrozenDigests(BaseModel):
    """Hashes (SHA-256) of everything that an agent is shown on a day: see `frozen_digests`.

    ``world`` is that of the first morning. ``pictures`` is None on a day without pictures; it also
    depends on the version of Pillow.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    world: str
    tools: str
    prompts: str
    pictures: str | None


async def frozen_digests(morning: World) -> FrozenDigests:
    """Return the digests of the day whose world is *morning*, in which nothing has happened yet.

    The prompts are those of the first day. They are hashed without the limits of turns, which the
    identity has as numbers.
    """
    prompts, tools, pictures = await morning.read(_read)
    return FrozenDigests(
        world=await morning.digest(),
        tools=tools,
        prompts=prompts,
        pictures=pictures,
    )


async def composed_digests(composition: ComposedDay) -> FrozenDigests:
    """Return the digests of *composition*, which is staged once more in memory."""
    staging = World.create_inline(composition.world_config(), composition.populate)
    async with await staging as morning:
        return await frozen_digests(morning)


@lru_cache(maxsize=64)
def tools_digest(
    names: tuple[str, ...] | None,
    minutes: tuple[tuple[str, int], ...],
    variants: tuple[tuple[str, str], ...] = (),
) -> str:
    """Return a hash of how clients see the tools of a scenario: names, descriptions and schemas.

    *names* are the scenario's tools and *minutes* the costs that it changes. *variants* of tools
    are those of its office.
    """
    costs = dict(minutes)
    listed = [
        describe_tool(tool, costs.get(tool.name, tool.minutes)).model_dump(mode="json")
        for box in select_toolboxes(names, dict(variants)).values()
        for tool in box
    ]
    return _hash(json.dumps(listed, sort_keys=True))


def _read(tx: Transaction) -> tuple[str, str, str | None]:
    """Return the digests of prompts, tools and pictures."""
    prompts = (
        build_prompt(tx, None),
        build_people_prompt(tx, EpisodeLimits()),
        instructions(tx, tx.employee, offered_toolboxes(tx)),
    )
    minutes = tuple(sorted(tx.minutes_by_tool.items()))
    pictures = renderer_digest() if has_pictures(tx) else None
    variants = tuple(sorted(tool_variants(tx).items()))
    return _hash(*prompts), tools_digest(tx.offered_apps, minutes, variants), pictures


def _hash(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()
