"""Who plays the colleagues of a run: the script, or a model that servers ask."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from mcp.client.stdio import get_default_environment

from trainee_bench.harness.models.prices import PricesError, prices_for
from trainee_bench.harness.records.npc_fidelity import NpcFidelity, read_npc_fidelity
from trainee_bench.harness.records.plan import ModelSettings, PlanError
from trainee_bench.mcp_servers.llm.api_config import (
    DEFAULT_API_CONFIG,
    ApiConfigError,
    ModelConfig,
    load_model_config,
)
from trainee_bench.mcp_servers.serving.dispatcher import NO_SIDE_EFFECTS
from trainee_bench.mcp_servers.serving.toolbox import SideEffect
from trainee_bench.world.world import World

SCRIPTED_BRAIN = "scripted"
_WAY_OUT = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")
"""What says how the world outside is reached."""


def npc_brain(model_settings: ModelSettings) -> str:
    """What stands in a result's identity: "scripted", or "model:" and the model's name."""
    model = _model(model_settings)
    return SCRIPTED_BRAIN if model is None else f"model:{model.model_name}"


@asynccontextmanager
async def open_npc_model(model_settings: ModelSettings) -> AsyncIterator[Mapping[str, SideEffect]]:
    """What seats are to do before tools, for as long as the block lasts.

    Raises PlanError if the model that is to play colleagues cannot be had.
    """
    model = _model(model_settings)
    if model is None:
        yield NO_SIDE_EFFECTS
        return
    # A client of models, which runs with scripted colleagues do without.
    from trainee_bench.mcp_servers.llm.client import ModelUnavailable
    from trainee_bench.mcp_servers.llm_colleagues.drafting import open_drafter

    async with AsyncExitStack() as stack:
        try:
            colleagues = await stack.enter_async_context(open_drafter(model))
        except ModelUnavailable as error:
            raise PlanError(f"--npc-model {model_settings.npc_model}: {error}") from None
        yield colleagues.side_effects


def server_process_options(model_settings: ModelSettings) -> list[str]:
    """What a server process is told of its colleagues."""
    if model_settings.npc_model is None:
        return []
    return [
        "--npc-model",
        model_settings.npc_model,
        "--api-config",
        str(_described_in(model_settings)),
    ]


def server_process_environment(model_settings: ModelSettings) -> dict[str, str] | None:
    """The environment of a server process: the usual, and what it needs to ask the model."""
    model = _model(model_settings)
    if model is None:
        return None
    names = {*_WAY_OUT, *map(str.lower, _WAY_OUT), model.api_key_var or ""}
    passed = {name: os.environ[name] for name in sorted(names) if name in os.environ}
    return get_default_environment() | passed


async def measure_npc_fidelity(world: World, model_settings: ModelSettings) -> NpcFidelity | None:
    """What the model did as colleagues in *world*; None where none played them."""
    model = _model(model_settings)
    if model is None:
        return None
    try:
        prices = prices_for(_described_in(model_settings))
    except PricesError as error:
        raise PlanError(f"--npc-model {model_settings.npc_model}: {error}") from None
    return await read_npc_fidelity(world, model.model_name, prices.cost_usd)


def _model(model_settings: ModelSettings) -> ModelConfig | None:
    """The model that plays colleagues. Raises PlanError if it is not described any more."""
    if model_settings.npc_model is None:
        return None
    try:
        return load_model_config(model_settings.npc_model, _described_in(model_settings))
    except ApiConfigError as error:
        raise PlanError(f"--npc-model {model_settings.npc_model}: {error}") from None


def _described_in(model_settings: ModelSettings) -> Path:
    return (
        Path(model_settings.api_config)
        if model_settings.api_config
        else DEFAULT_API_CONFIG.absolute()
    )
