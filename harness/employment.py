"""Whether those who are to work can be employed as asked, before anything is staged."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from harness.agents import Thinker, UnknownAgent, find
from harness.models.prices import PriceTable, prices_beside
from harness.models.scripted import SCRIPTED
from harness.plan import Candidate, PlanError
from harness.workplace import Limits
from mcp_servers.models.api_config import DEFAULT_API_CONFIG, ApiConfigError, described_model


def refuse_unemployable(candidates: Iterable[Candidate]) -> None:
    """Raise PlanError for a candidate whom nobody knows, or with such parts."""
    for candidate in candidates:
        try:
            made = find(candidate.agent)
            if isinstance(made, type) and issubclass(made, Thinker):
                made.employed(candidate)
        except UnknownAgent as error:
            raise PlanError(str(error)) from None


def refuse_idle_parts(
    candidates: Iterable[Candidate], system_prompt: str = "", history: str = ""
) -> None:
    """Raise PlanError for a part that was asked for though nobody thinks with a model."""
    if any(candidate.model for candidate in candidates):
        return
    for option, part in (("--system-prompt", system_prompt), ("--history", history)):
        if part:
            raise PlanError(
                f"{option} {part} is for an agent that thinks with a model: name one by --model."
            )


def refuse_unpriced(
    candidates: Iterable[Candidate], limits: Limits, api_config: Path | None
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
            else model_name(candidate, api_config)
        )
        if name is not None and prices(api_config).price(name) is None:
            raise PlanError(
                f"--max-cost: the price of {candidate.model} ({name}) is not known, so its cost "
                "could not be limited. Limit --max-tokens instead, or write its price into a file "
                "prices.json beside the one that describes it."
            )


def model_name(candidate: Candidate, api_config: Path | None) -> str | None:
    """What the server calls *candidate*'s model; None for one that is scripted or not described."""
    if candidate.model is None or candidate.model in SCRIPTED:
        return None
    try:
        return described_model(candidate.model, api_config or DEFAULT_API_CONFIG).model_name
    except ApiConfigError:
        return None


def prices(api_config: Path | None) -> PriceTable:
    """The prices that hold for the models described in *api_config*."""
    return prices_beside(api_config or DEFAULT_API_CONFIG)
