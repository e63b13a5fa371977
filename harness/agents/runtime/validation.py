"""Whether those who are to work can be employed as asked, before anything is staged."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from trainee_bench.harness.agents.agent import ModelAgent, UnknownAgent
from trainee_bench.harness.agents.runtime.registry import find_agent
from trainee_bench.harness.agents.scripted import SCRIPTED_MODELS
from trainee_bench.harness.models.prices import PriceTable, prices_for
from trainee_bench.harness.records.plan import AgentConfig, PlanError
from trainee_bench.harness.session.agent_session import EpisodeLimits
from trainee_bench.mcp_servers.llm.api_config import (
    DEFAULT_API_CONFIG,
    ApiConfigError,
    load_model_config,
)


def check_agents(candidates: Iterable[AgentConfig]) -> None:
    """Raise PlanError for a candidate whom nobody knows, or with such parts."""
    for candidate in candidates:
        try:
            made = find_agent(candidate.agent)
            if isinstance(made, type) and issubclass(made, ModelAgent):
                made.from_config(candidate)
        except UnknownAgent as error:
            raise PlanError(str(error)) from None


def check_model_options(
    candidates: Iterable[AgentConfig], system_prompt: str = "", history: str = ""
) -> None:
    """Raise PlanError for a part that was asked for though nobody thinks with a model."""
    if any(candidate.model for candidate in candidates):
        return
    for option, part in (("--system-prompt", system_prompt), ("--history", history)):
        if part:
            raise PlanError(
                f"{option} {part} is for an agent that thinks with a model: name one by --model."
            )


def check_prices_known(
    candidates: Iterable[AgentConfig], limits: EpisodeLimits, api_config: Path | None
) -> None:
    """Raise PlanError if a cost is limited that nobody could know: it would never be reached.

    What a model service of somebody's own costs is for it to say.
    """
    if limits.cost_usd is None:
        return
    for candidate in candidates:
        name = (
            None
            if candidate.service and ":" in candidate.service
            else server_model_name(candidate, api_config)
        )
        if name is not None and price_table(api_config).price(name) is None:
            raise PlanError(
                f"--max-cost: the price of {candidate.model} ({name}) is not known, so its cost "
                "could not be limited. Limit --max-tokens instead, or write its price into a file "
                "prices.json beside the one that describes it."
            )


def server_model_name(candidate: AgentConfig, api_config: Path | None) -> str | None:
    """What the server calls *candidate*'s model; None for one that is scripted or not described."""
    if candidate.model is None or candidate.model in SCRIPTED_MODELS:
        return None
    try:
        return load_model_config(candidate.model, api_config or DEFAULT_API_CONFIG).model_name
    except ApiConfigError:
        return None


def price_table(api_config: Path | None) -> PriceTable:
    """The prices that hold for the models described in *api_config*."""
    return prices_for(api_config or DEFAULT_API_CONFIG)
