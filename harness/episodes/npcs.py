"""The colleagues of a run: played by their script, or by a model that the servers ask."""

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
_NETWORK_VARIABLES = (
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
)
"""Environment variables that configure network access."""


def npc_brain(model_settings: ModelSettings) -> str:
    """Return the ``npc_brain`` of a result's identity: "scripted", or "model:" and the model's
    name."""
    model = _model(model_settings)
    return SCRIPTED_BRAIN if model is None else f"model:{model.model_name}"


@asynccontextmanager
async def open_npc_model(model_settings: ModelSettings) -> AsyncIterator[Mapping[str, SideEffect]]:
    """Open the side effects that ask the model, until the block is left; none without a model.

    Raises PlanError if the model is not available.
    """
    model = _model(model_settings)
    if model is None:
        yield NO_SIDE_EFFECTS
        return
    # Importing the model client takes a second, and most runs do not need it.
    from trainee_bench.mcp_servers.llm.client import ModelUnavailable
    from trainee_bench.mcp_servers.llm_colleagues.drafting import open_drafter

    async with AsyncExitStack() as stack:
        try:
            colleagues = await stack.enter_async_context(open_drafter(model))
        except ModelUnavailable as error:
            raise PlanError(f"--npc-model {model_settings.npc_model}: {error}") from None
        yield colleagues.side_effects


def server_process_options(model_settings: ModelSettings) -> list[str]:
    """Return the options of a server process about its colleagues."""
    if model_settings.npc_model is None:
        return []
    return [
        "--npc-model",
        model_settings.npc_model,
        "--api-config",
        str(_api_config(model_settings)),
    ]


def server_process_environment(model_settings: ModelSettings) -> dict[str, str] | None:
    """Return the environment of a server process that asks a model; None for the default one."""
    model = _model(model_settings)
    if model is None:
        return None
    names = {*_NETWORK_VARIABLES, *map(str.lower, _NETWORK_VARIABLES), model.api_key_var or ""}
    passed = {name: os.environ[name] for name in sorted(names) if name in os.environ}
    return get_default_environment() | passed


async def measure_npc_fidelity(world: World, model_settings: ModelSettings) -> NpcFidelity | None:
    """Return the fidelity of the model in *world*; None if the colleagues followed their script."""
    model = _model(model_settings)
    if model is None:
        return None
    try:
        prices = prices_for(_api_config(model_settings))
    except PricesError as error:
        raise PlanError(f"--npc-model {model_settings.npc_model}: {error}") from None
    return await read_npc_fidelity(world, model.model_name, prices.cost_usd)


def _model(model_settings: ModelSettings) -> ModelConfig | None:
    """Return the model that plays the colleagues, if any. Raises PlanError if it is not defined."""
    if model_settings.npc_model is None:
        return None
    try:
        return load_model_config(model_settings.npc_model, _api_config(model_settings))
    except ApiConfigError as error:
        raise PlanError(f"--npc-model {model_settings.npc_model}: {error}") from None


def _api_config(model_settings: ModelSettings) -> Path:
    return (
        Path(model_settings.api_config)
        if model_settings.api_config
        else DEFAULT_API_CONFIG.absolute()
    )
