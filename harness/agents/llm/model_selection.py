"""Checks that the models of a run are available, before anything is staged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from trainee_bench.harness.agents.llm.components import UnknownComponent
from trainee_bench.harness.agents.llm.model_services import check_service_known
from trainee_bench.harness.agents.scripted import ALL_SCRIPTED, GRADED_MODELS, SCRIPTED_MODELS
from trainee_bench.harness.models.prices import PricesError, prices_for
from trainee_bench.harness.records.plan import AgentConfig, PlanError
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.mcp_servers.llm.api_config import (
    DEFAULT_API_CONFIG,
    ApiConfigError,
    load_model_config,
)

_WITHOUT_A_KEY = (
    f"These models need no key: {', '.join(SCRIPTED_MODELS)}; {ALL_SCRIPTED} means "
    f"{', '.join(GRADED_MODELS)}."
)


def expand_aliases(models: Sequence[str]) -> tuple[str, ...]:
    """Return *models* with `ALL_SCRIPTED` replaced by the models it means, each alias once."""
    return tuple(
        dict.fromkeys(
            alias
            for model in models
            for alias in (GRADED_MODELS if model == ALL_SCRIPTED else (model,))
        )
    )


def api_config_path(
    models: Sequence[str], npc_model: str | None, api_config: Path | None
) -> str | None:
    """Return the absolute path of the file that defines a run's models.

    Returns None if all models are scripted and *api_config* is None, too.
    """
    served = any(alias not in SCRIPTED_MODELS for alias in expand_aliases(models))
    if api_config is None and npc_model is None and not served:
        return None
    return str((api_config or DEFAULT_API_CONFIG).resolve())


def check_models(agents: Iterable[AgentConfig], api_config: Path | None, need_keys: bool) -> None:
    """Raise PlanError if an agent's model or its service is not available.

    A model that is not scripted needs a definition in *api_config* and, with *need_keys*, its key.
    A service must exist, and scripted models have none.
    """
    models = {(agent.model, agent.service): None for agent in agents if agent.model is not None}
    scripted = [model for model, service in models if service and model in SCRIPTED_MODELS]
    for service in dict.fromkeys(service for _, service in models if service):
        _check_service(service, scripted)
    for alias in dict.fromkeys(model for model, _ in models if model not in SCRIPTED_MODELS):
        _check_defined("--model", alias, api_config, need_keys)


def check_npc_model(alias: str | None, api_config: Path | None, need_keys: bool) -> None:
    """Raise PlanError if the model *alias* cannot play the colleagues; None means no model."""
    if alias is None:
        return
    if alias == ALL_SCRIPTED or alias in SCRIPTED_MODELS:
        raise PlanError(
            f"--npc-model {alias}: a scripted model can only be an agent. Leave the "
            "option out, and the colleagues follow their own script."
        )
    _check_defined("--npc-model", alias, api_config, need_keys)


def check_prices_known(
    agents: Iterable[AgentConfig], limits: EpisodeLimits, api_config: Path | None
) -> None:
    """Raise PlanError if cost is limited and a model's price is unknown.

    Such a limit would never be reached. A user's own model service reports its cost itself.
    """
    if limits.cost_usd is None:
        return
    for agent in agents:
        own_service = ":" in agent.service
        name = None if own_service else server_model_name(agent, api_config)
        prices = prices_for(api_config or DEFAULT_API_CONFIG)
        if name is not None and prices.price(name) is None:
            raise PlanError(
                f"--max-cost: the price of {agent.model} ({name}) is not known, so its cost cannot "
                "be limited. Use --max-tokens instead, or add the price to a file prices.json "
                "beside the file that defines the model."
            )


def server_model_name(agent: AgentConfig, api_config: Path | None) -> str | None:
    """Return the server's name for the model of *agent*; None if it is scripted or not defined."""
    if agent.model is None or agent.model in SCRIPTED_MODELS:
        return None
    try:
        return load_model_config(agent.model, api_config or DEFAULT_API_CONFIG).model_name
    except ApiConfigError:
        return None


def _check_service(service: str, scripted: Sequence[str]) -> None:
    """Raise PlanError if *service* is unknown, or any *scripted* models would have it."""
    if scripted:
        raise PlanError(
            f"--service {service} is for models on a server; {', '.join(scripted)} run in this "
            "process. Leave the option out, or name another model."
        )
    try:
        check_service_known(service)
    except UnknownComponent as error:
        raise PlanError(f"--service {service}: {error}") from None


def _check_defined(option: str, alias: str, api_config: Path | None, need_keys: bool) -> None:
    path = api_config or DEFAULT_API_CONFIG
    try:
        config = load_model_config(alias, path)
        prices_for(path)
        if need_keys:
            config.key()
    except (ApiConfigError, PricesError) as error:
        hint = f" {_WITHOUT_A_KEY}" if option == "--model" else ""
        raise PlanError(f"{option} {alias}: {error}{hint}") from None
