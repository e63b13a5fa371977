"""The options of an OpenEnv server: its splits, and the default for clients that name none."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Self

from pydantic import ConfigDict, Field, ValidationError, field_validator, model_validator

from trainee_bench.harness.generation.spec import InvalidGenerationSpec
from trainee_bench.harness.integrations.training.splits import (
    GENERATED,
    DaySplit,
    SplitOptions,
    UnknownSplit,
)
from trainee_bench.mcp_servers.serving.bearer_tokens import check_token
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark, shipped_benchmark_names

__all__ = ["OPTIONS_VARIABLE", "InvalidServerOptions", "OpenEnvOptions"]

OPTIONS_VARIABLE = "TRAINEE_BENCH_OPENENV"
"""The environment variable with the options as JSON, for servers that are started by name."""
_TYPES = {"train": "train", "dev": "validation"}
"""OpenEnv's names of split types; all other splits are tests."""


class InvalidServerOptions(ValueError):
    """Raised for wrong options; says which, and what would be right."""


class OpenEnvOptions(SplitOptions):
    """The options of a server. It offers the generated splits, drawn with these options, the
    shipped benchmarks of days, and *split* if it is a file. *split* is the default for clients."""

    # no error shows the keys of tenants
    model_config = ConfigDict(hide_input_in_errors=True)

    max_sessions: int = Field(default=1_024, ge=1)
    """How many clients may work days at once, in each worker of the server."""
    processes: int = Field(default=1, ge=1)
    """How many processes step the days, for each worker of the server."""
    store: str = "memory://trainee-bench"
    """The place of saved sessions: a folder, or an address of fsspec such as s3://bucket/days.
    Workers of one server need the same one. By default they are kept in the server's memory."""
    save_every: int = Field(default=1, ge=1)
    """After how many steps a session is saved. If a worker is killed, the steps since then are
    lost: at most one less than this, so none by default."""
    idle_seconds: float = Field(default=900.0, gt=0)
    """How long a session may stay unused; then it is saved, and its room is free."""
    keep_seconds: float = Field(default=604_800.0, gt=0)
    """How long a saved session is kept that nobody uses; then it is deleted. By default a week."""
    session_steps: int = Field(default=10_000, ge=1)
    """How many steps a session may have. Further steps are refused."""
    session_bytes: int = Field(default=16 * 1024**2, ge=4_096)
    """How many bytes a saved session may have. Further steps are refused."""
    tenants: dict[str, str] = Field(default_factory=dict)
    """Names of tenants and their keys, which differ and are valid tokens (see `check_token`). If
    there are any, clients send ``Authorization: Bearer``."""
    tenant_sessions: int | None = Field(default=None, ge=1)
    """How many sessions one tenant may have at once; None: an equal part of max_sessions."""

    @field_validator("tenants")
    @classmethod
    def _have_keys(cls, tenants: dict[str, str]) -> dict[str, str]:
        for name, key in tenants.items():
            if not re.fullmatch(r"[A-Za-z0-9._-]+", name):
                raise ValueError(
                    f"the name {name!r} of a tenant: use letters, digits, dots, hyphens and "
                    "underscores"
                )
            try:
                check_token(key)
            except ValueError as error:
                raise ValueError(f"the key of tenant {name}: {error}") from None
            sharing = [other for other, its in tenants.items() if its == key]
            if len(sharing) > 1:
                raise ValueError(
                    f"tenants {' and '.join(sharing)} have the same key: give each its own"
                )
        return tenants

    @model_validator(mode="after")
    def _fit(self) -> Self:
        if self.keep_seconds < 2 * self.idle_seconds:
            raise ValueError(
                f"keep_seconds={self.keep_seconds:g} would delete sessions that are in use: give "
                f"at least twice idle_seconds, {2 * self.idle_seconds:g}"
            )
        if self.tenants and self.tenant_limit * len(self.tenants) > self.max_sessions:
            raise ValueError(
                f"{len(self.tenants)} tenants with {self.tenant_limit} sessions each are more than "
                f"max_sessions={self.max_sessions}: raise that, or lower tenant_sessions"
            )
        return self

    @property
    def tenant_limit(self) -> int:
        """How many sessions one tenant may have at once, in each worker of the server."""
        shares = max(1, self.max_sessions // max(1, len(self.tenants)))
        return self.tenant_sessions or shares

    @classmethod
    def from_environment(cls, variables: Mapping[str, str] = os.environ) -> OpenEnvOptions:
        """Return the options in the variable OPTIONS_VARIABLE, as JSON. Raises
        InvalidServerOptions."""
        try:
            options = cls.model_validate_json(variables.get(OPTIONS_VARIABLE) or "{}")
            _ = options.splits
        except ValidationError as error:
            flaw = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, flaw["loc"])) or "the whole text"
            why = flaw["msg"].removeprefix("Value error, ")  # what pydantic adds to our own text
            raise InvalidServerOptions(f"{OPTIONS_VARIABLE}, {where}: {why}") from None
        except (UnknownSplit, InvalidGenerationSpec) as error:
            raise InvalidServerOptions(f"{OPTIONS_VARIABLE}: {error}") from None
        return options

    @cached_property
    def splits(self) -> Mapping[str, DaySplit]:
        """The splits by name. Raises UnknownSplit or InvalidGenerationSpec."""
        names = dict.fromkeys((self.split, *GENERATED, *_benchmarks_of_days()))
        return {name: self.model_copy(update={"split": name}).open() for name in names}

    def find(self, name: str) -> DaySplit:
        """Return the split *name*. Raises UnknownSplit for one that is not offered."""
        if name not in self.splits:
            raise UnknownSplit(f"There is no split {name!r}; use {', '.join(self.splits)}.")
        return self.splits[name]


def split_type(name: str) -> str:
    """Return OpenEnv's type of the split *name*."""
    return _TYPES.get(name, "test")


def _benchmarks_of_days() -> list[str]:
    return [
        name
        for name in shipped_benchmark_names()
        if not any(scenario.week for scenario in load_shipped_benchmark(name).scenarios)
    ]
