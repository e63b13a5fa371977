"""Who plays the colleagues of a run: the script, or a model that servers ask."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from mcp.client.stdio import get_default_environment

from harness.fidelity import ColleaguesPlayed, colleagues_played
from harness.models.prices import PricesError, prices_beside
from harness.plan import Backing, PlanError
from mcp_servers.models.api_config import (
    DEFAULT_API_CONFIG,
    ApiConfigError,
    ModelConfig,
    described_model,
)
from mcp_servers.serving.seat import NOTHING_OUTSIDE
from mcp_servers.serving.toolbox import Outside
from world.world import World

SCRIPTED = "scripted"
_WAY_OUT = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")
"""What says how the world outside is reached."""


def npc_brain(backing: Backing) -> str:
    """What stands in a result's identity: "scripted", or "model:" and the model's name."""
    model = _model(backing)
    return SCRIPTED if model is None else f"model:{model.model_name}"


@asynccontextmanager
async def opened_colleagues(backing: Backing) -> AsyncIterator[Mapping[str, Outside]]:
    """What seats are to do before tools, for as long as the block lasts.

    Raises PlanError if the model that is to play colleagues cannot be had.
    """
    model = _model(backing)
    if model is None:
        yield NOTHING_OUTSIDE
        return
    # A client of models, which runs with scripted colleagues do without.
    from mcp_servers.colleagues.playing import played_by
    from mcp_servers.models.endpoint import Unavailable

    async with AsyncExitStack() as stack:
        try:
            colleagues = await stack.enter_async_context(played_by(model))
        except Unavailable as error:
            raise PlanError(f"--npc-model {backing.npc_model}: {error}") from None
        yield colleagues.outside


def child_options(backing: Backing) -> list[str]:
    """What a server process is told of its colleagues."""
    if backing.npc_model is None:
        return []
    return ["--npc-model", backing.npc_model, "--api-config", str(_described_in(backing))]


def child_environment(backing: Backing) -> dict[str, str] | None:
    """The environment of a server process: the usual, and what it needs to ask the model."""
    model = _model(backing)
    if model is None:
        return None
    names = {*_WAY_OUT, *map(str.lower, _WAY_OUT), model.api_key_var or ""}
    passed = {name: os.environ[name] for name in sorted(names) if name in os.environ}
    return get_default_environment() | passed


async def fidelity(world: World, backing: Backing) -> ColleaguesPlayed | None:
    """What the model did as colleagues in *world*; None where none played them."""
    model = _model(backing)
    if model is None:
        return None
    try:
        prices = prices_beside(_described_in(backing))
    except PricesError as error:
        raise PlanError(f"--npc-model {backing.npc_model}: {error}") from None
    return await colleagues_played(world, model.model_name, prices.cost_usd)


def _model(backing: Backing) -> ModelConfig | None:
    """The model that plays colleagues. Raises PlanError if it is not described any more."""
    if backing.npc_model is None:
        return None
    try:
        return described_model(backing.npc_model, _described_in(backing))
    except ApiConfigError as error:
        raise PlanError(f"--npc-model {backing.npc_model}: {error}") from None


def _described_in(backing: Backing) -> Path:
    return Path(backing.api_config) if backing.api_config else DEFAULT_API_CONFIG.absolute()
