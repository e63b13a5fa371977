"""Which models there are, as the original's ``api_config.json`` describes them.

    {"ALIAS": {"model_name": …, "api_key_var": …, "base_url": …, "proxy_url": …}, …}

A key is read where it is needed and stands in no field that could be shown.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    RootModel,
    ValidationError,
    field_validator,
)

DEFAULT_API_CONFIG = Path("api_config.json")
"""Where models are described if nothing else is said: in the working directory."""

API_CONFIG_FORMAT_HINT = (
    '{"ALIAS": {"model_name": "the name the server knows", "api_key_var": "MY_API_KEY", '
    '"base_url": "https://host/v1", "proxy_url": ""}}'
)
"""A file with one model, to be shown where there is none."""

NO_KEY = "none"
"""Sent where no key is configured: servers on one's own machine ask for none."""

_SHORTEST_SECRET = 8
"""Characters; what is shorter, such as EMPTY or ollama, is a word and no key."""

_SOUNDS_LIKE_A_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*_(KEY|TOKEN|SECRET)[0-9]*")


class ApiConfigError(Exception):
    """Models cannot be had as described; says what would be right, and never a key."""


def _stripped(given: object) -> object:
    if isinstance(given, str):
        given = given.strip()
    return given or None if isinstance(given, str) else given


_Name = Annotated[str, BeforeValidator(_stripped)]
_Maybe = Annotated[str | None, BeforeValidator(_stripped)]


class ModelConfig(BaseModel):
    """One model: ``server_model_name`` is what its server calls it, ``alias`` what we do.

    ``base_url`` None is OpenAI's own address, ``proxy_url`` None is as the environment says.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    alias: str = Field(min_length=1)
    model_name: _Name
    api_key_var: _Maybe = Field(default=None, repr=False)
    """The environment variable with the key, or the key itself."""
    base_url: _Maybe = None
    proxy_url: _Maybe = Field(default=None, repr=False)
    """May hold a password, so it is shown as little as the key."""

    def key(self) -> str:
        """The key, for the one who sends it.

        Raises ApiConfigError where ``api_key_var`` names a variable that is not set, or what is
        no key.
        """
        if self.api_key_var is None:
            return NO_KEY
        key = os.environ.get(self.api_key_var, "").strip() or self.api_key_var
        if not (key.isascii() and key.isprintable()):
            raise ApiConfigError(f"The key of model {self.alias!r} has characters no key can have.")
        if key != self.api_key_var:
            return key
        if self.api_key_var in os.environ or _SOUNDS_LIKE_A_VARIABLE.fullmatch(self.api_key_var):
            raise ApiConfigError(
                f"Model {self.alias!r} takes its key from the environment variable "
                f"{self.api_key_var}, which is not set: export it and try again."
            )
        return key

    def without_secrets(self, text: str) -> str:
        """*text*, which somebody else wrote, without the key and the proxy's password."""
        for secret in self._secrets():
            text = _without_beginning(secret, text.replace(secret, "[key]"))
        return text

    def _secrets(self) -> list[str]:
        """Whatever must be shown nowhere, the longest first."""
        found = {self.proxy_url or "", urlsplit(self.proxy_url or "").password or ""}
        if self.api_key_var is not None:
            found.add(os.environ.get(self.api_key_var, "").strip() or self.api_key_var)
        return sorted((one for one in found if len(one) >= _SHORTEST_SECRET), key=len, reverse=True)

    @field_validator("base_url", "proxy_url")
    @classmethod
    def _is_address(cls, url: str | None) -> str | None:
        """Only what can be connected to; an address is logged, so a base has no secrets."""
        if url is None:
            return None
        try:
            parts = urlsplit(url)
            sound = bool(parts.hostname) and (parts.port is None or parts.port > 0)
        except ValueError:
            sound = False
        if not sound or parts.scheme not in ("http", "https", "socks5", "socks5h"):
            raise ValueError("is no address such as https://host/v1")
        return url

    @field_validator("base_url")
    @classmethod
    def _holds_no_secret(cls, url: str | None) -> str | None:
        parts = urlsplit(url or "")
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise ValueError("is scheme, host and path alone; a key belongs into api_key_var")
        if parts.scheme not in ("http", "https", ""):
            raise ValueError("begins with http:// or https://")
        return url


def _without_beginning(secret: str, text: str) -> str:
    """*text* without the beginning of *secret* at its end: words of servers are cut."""
    bare = text.rstrip("….")
    for length in range(len(secret) - 1, _SHORTEST_SECRET - 1, -1):
        if bare.endswith(secret[:length]):
            return f"{bare[:-length]}[key]{text[len(bare) :]}"
    return text


class _File(RootModel[dict[str, dict[str, str | None]]]):
    model_config = ConfigDict(hide_input_in_errors=True)


def load_api_config(path: Path = DEFAULT_API_CONFIG) -> dict[str, ModelConfig]:
    """The models described in the file *path*, by alias, in its order.

    Raises ApiConfigError, naming the place of a flaw and never what stands there.
    """
    try:
        described = _File.model_validate_json(path.read_bytes()).root
    except FileNotFoundError:
        raise ApiConfigError(
            f"There is no file {path} that describes models. Write one, with your own names and "
            f"addresses: {API_CONFIG_FORMAT_HINT}"
        ) from None
    except OSError as error:
        raise ApiConfigError(f"{path} cannot be read: {error.strerror}.") from None
    except ValidationError as error:
        raise ApiConfigError(
            f"{path}: {_flaw(error)}. The format is {API_CONFIG_FORMAT_HINT}"
        ) from None
    models = {}
    for alias, fields in described.items():
        try:
            # The name of the alias comes last: no field of the file can take its place.
            models[alias] = ModelConfig.model_validate(_without_alias(fields) | {"alias": alias})
        except ValidationError as error:
            raise ApiConfigError(
                f"{path}: {alias}.{_flaw(error)}. The format is {API_CONFIG_FORMAT_HINT}"
            ) from None
    return models


def load_model_config(alias: str, path: Path = DEFAULT_API_CONFIG) -> ModelConfig:
    """The model *alias* of the file *path*. Raises ApiConfigError if it is not described there."""
    models = load_api_config(path)
    if alias not in models:
        there = ", ".join(models) or "none"
        raise ApiConfigError(f"{path} describes no model {alias!r}; it has {there}.")
    return models[alias]


def _without_alias(fields: dict[str, str | None]) -> dict[str, str | None]:
    """*fields* so that a key ``alias`` is as unknown as any other."""
    return {f"{key} " if key == "alias" else key: value for key, value in fields.items()}


def _flaw(error: ValidationError) -> str:
    """The first flaw in words; pydantic quotes no input, so no key can be among them."""
    flaw = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(part).strip() for part in flaw["loc"])
    if flaw["type"] == "extra_forbidden":
        return f"{place}: there is no such key"
    said = flaw["msg"].removeprefix("Value error, ")
    return f"{place}: {said}" if place else said
