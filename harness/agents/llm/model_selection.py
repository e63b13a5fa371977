"""Which models a run was asked for, and whether they can be had, before anything is staged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trainee_bench.harness.agents.llm.components import UnknownComponent
from trainee_bench.harness.agents.llm.model_services import check_service_known
from trainee_bench.harness.agents.scripted import ALL_SCRIPTED, GRADED_MODELS, SCRIPTED_MODELS
from trainee_bench.harness.models.prices import PricesError, prices_for
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.mcp_servers.llm.api_config import (
    DEFAULT_API_CONFIG,
    ApiConfigError,
    load_model_config,
)

_WITHOUT_A_KEY = (
    f"Without a key there are the scripted models {', '.join(SCRIPTED_MODELS)}; {ALL_SCRIPTED} is "
    f"{', '.join(GRADED_MODELS)}."
)


def resolve_models(
    models: Sequence[str],
    api_config: Path | None = None,
    service: str = "",
    keyless: bool = False,
) -> tuple[str, ...]:
    """The aliases that *models* mean, each once.

    Raises PlanError for a model that is described nowhere, a key that is not set (unless
    *keyless*), and a *service* that nobody knows or that scripted models do not have.
    """
    aliases = tuple(dict.fromkeys(_spelled_out(models)))
    served = [alias for alias in aliases if alias not in SCRIPTED_MODELS]
    if service and not aliases:
        raise PlanError(f"--service {service} is for a model: name one by --model ALIAS.")
    if service:
        _refuse_service(service, [alias for alias in aliases if alias in SCRIPTED_MODELS])
    for alias in served:
        _refuse_unknown("--model", alias, api_config, keyless)
    return aliases


def resolve_npc_model(
    alias: str | None, api_config: Path | None = None, keyless: bool = False
) -> str | None:
    """The model that plays colleagues. Raises PlanError for one that cannot."""
    if alias is None:
        return None
    if alias == ALL_SCRIPTED or alias in SCRIPTED_MODELS:
        raise PlanError(
            f"--npc-model {alias}: a scripted model works days and plays nobody. Leave the option "
            "out, and colleagues answer by their own script."
        )
    _refuse_unknown("--npc-model", alias, api_config, keyless)
    return alias


def api_config_path(
    models: Sequence[str], npc_model: str | None, api_config: Path | None
) -> str | None:
    """Where the models of a run are described, for whoever carries it out; None if all are
    scripted and nothing was named."""
    needed = npc_model is not None or any(
        alias not in SCRIPTED_MODELS for alias in _spelled_out(models)
    )
    if api_config is None and not needed:
        return None
    return str((api_config or DEFAULT_API_CONFIG).resolve())


def _spelled_out(models: Sequence[str]) -> list[str]:
    return [
        alias
        for model in models
        for alias in (GRADED_MODELS if model == ALL_SCRIPTED else (model,))
    ]


def _refuse_service(service: str, scripted: Sequence[str]) -> None:
    if scripted:
        raise PlanError(
            f"--service {service} is for models that a server has; {', '.join(scripted)} are "
            "asked here. Leave it out, or ask for another model."
        )
    try:
        check_service_known(service)
    except UnknownComponent as error:
        raise PlanError(f"--service {service}: {error}") from None


def _refuse_unknown(option: str, alias: str, api_config: Path | None, keyless: bool) -> None:
    """Raise PlanError unless *alias* is described and, unless *keyless*, has its key."""
    path = api_config or DEFAULT_API_CONFIG
    try:
        described = load_model_config(alias, path)
        prices_for(path)
        if not keyless:
            described.key()
    except (ApiConfigError, PricesError) as error:
        hint = f" {_WITHOUT_A_KEY}" if option == "--model" else ""
        raise PlanError(f"{option} {alias}: {error}{hint}") from None
