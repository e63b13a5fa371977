"""Prices of models.

``prices.json`` in this folder has list prices as of its date. A file of the same name and format
beside ``api_config.json`` adds to them and overrides them:

    {"as_of": "2026-11-01", "models": {"my-model": {"input": 0.5, "cached": 0.1, "output": 2}}}

Prices are in US dollars per million tokens. If no table names a model, its price is unknown: None,
never 0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from trainee_bench.harness import models
from trainee_bench.mcp_servers.llm.api_config import DEFAULT_API_CONFIG
from trainee_bench.world.errors import first_flaw

PRICES_FILE = "prices.json"
"""The file name of the shipped table and of a user's table."""

_MILLION = 1_000_000
_DATED = re.compile(r"[-@](\d{4}-\d{2}-\d{2}|\d{8}|latest)")
"""A date at the end of a model's name; the price stays the same."""


class PricesError(Exception):
    """A table of prices cannot be read; the message says where."""


class Price(BaseModel):
    """US dollars per million tokens. If ``cached`` is None, cached tokens cost as much as
    others."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)
    output: float = Field(ge=0)


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    as_of: str = Field(min_length=1)
    note: str = ""
    """A note for readers; all prices are in US dollars."""
    models: dict[str, Price]


@dataclass(frozen=True)
class PriceTable:
    """Prices by the server's names of models."""

    models: Mapping[str, Price]
    as_of: str

    def price(self, model_name: str) -> Price | None:
        """Return the price of *model_name*, which may end in a date that the table does not have.

        A name with any other suffix (gpt-4o-mini, gpt-4o-audio) is a different model.
        """
        near = [
            name
            for name in self.models
            if model_name.startswith(name)
            and (model_name == name or _DATED.fullmatch(model_name[len(name) :]))
        ]
        return self.models[max(near, key=len)] if near else None

    def cost_usd(
        self,
        model_name: str,
        prompt_tokens: int,
        completion_tokens: int,
        cached_tokens: int = 0,
    ) -> float | None:
        """Return US dollars, None if the price is unknown; *cached_tokens* are part of the
        prompt's."""
        price = self.price(model_name)
        if price is None:
            return None
        cached = price.input if price.cached is None else price.cached
        fresh = max(prompt_tokens - cached_tokens, 0)
        dollars = fresh * price.input + cached_tokens * cached + completion_tokens * price.output
        return dollars / _MILLION


def _read(text: bytes, called: str) -> _File:
    try:
        return _File.model_validate_json(text)
    except ValidationError as error:
        place, flaw = first_flaw(error)
        raise PricesError(f"{called}: {place or 'the whole text'}: {flaw}") from None


@cache
def shipped_prices() -> PriceTable:
    """Return the shipped list prices."""
    file = _read((resources.files(models) / PRICES_FILE).read_bytes(), PRICES_FILE)
    return PriceTable(file.models, file.as_of)


def prices_for(api_config: Path = DEFAULT_API_CONFIG) -> PriceTable:
    """Return the shipped prices, overridden by those of a table beside *api_config*.

    Raises PricesError if that table cannot be read.
    """
    own, shipped = api_config.parent / PRICES_FILE, shipped_prices()
    try:
        file = _read(own.read_bytes(), str(own))
    except FileNotFoundError:
        return shipped
    except OSError as error:
        raise PricesError(f"{own} cannot be read: {error.strerror}.") from None
    return PriceTable({**shipped.models, **file.models}, f"{shipped.as_of}, own {file.as_of}")


def cost_usd(
    model_name: str, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0
) -> float | None:
    """Return the cost of a reply by the shipped prices, in US dollars; None if unknown."""
    return shipped_prices().cost_usd(model_name, prompt_tokens, completion_tokens, cached_tokens)
