"""Reads model definitions from ``api_config.json``, in the original benchmark's format.

    {"ALIAS": {"model_name": …, "api_key_var": …, "base_url": …, "proxy_url": …}, …}

A key is read only when a request needs it, and no model's printed form contains it.
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
"""The default file with model definitions, in the working directory."""

API_CONFIG_FORMAT_HINT = (
    '{"ALIAS": {"model_name": "the name the server knows", "api_key_var": "MY_API_KEY", '
    '"base_url": "https://host/v1", "proxy_url": ""}}'
)
"""An example file with one model, shown in error messages."""

NO_KEY = "none"
"""The key that is sent if none is configured: local servers need none."""

_SHORTEST_SECRET = 8
"""Minimum characters of a secret. A shorter value, such as EMPTY or ollama, is a placeholder."""

_SOUNDS_LIKE_A_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*_(KEY|TOKEN|SECRET)[0-9]*")


class ApiConfigError(Exception):
    """A model definition is missing or invalid. The text says how to correct it, without keys."""


def _stripped(given: object) -> object:
    if isinstance(given, str):
        given = given.strip()
    return given or None if isinstance(given, str) else given


_Name = Annotated[str, BeforeValidator(_stripped)]
_Maybe = Annotated[str | None, BeforeValidator(_stripped)]


class ModelConfig(BaseModel):
    """One model: ``model_name`` is its name at the server, ``alias`` its name here.

    ``base_url`` None means OpenAI, ``proxy_url`` None means the environment's proxy settings.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    alias: str = Field(min_length=1)
    model_name: _Name
    api_key_var: _Maybe = Field(default=None, repr=False)
    """The environment variable with the key, or the key itself."""
    base_url: _Maybe = None
    proxy_url: _Maybe = Field(default=None, repr=False)
    """The proxy's URL. It may contain a password, so it is never printed."""

    def key(self) -> str:
        """Return the API key, for the request that sends it.

        Raises ApiConfigError if ``api_key_var`` names a variable that is not set, or if the value
        cannot be a key.
        """
        if self.api_key_var is None:
            return NO_KEY
        key = os.environ.get(self.api_key_var, "").strip() or self.api_key_var
        if not (key.isascii() and key.isprintable()):
            raise ApiConfigError(
                f"The key of model {self.alias!r} contains characters that no key has."
            )
        if key != self.api_key_var:
            return key
        if self.api_key_var in os.environ or _SOUNDS_LIKE_A_VARIABLE.fullmatch(self.api_key_var):
            raise ApiConfigError(
                f"Model {self.alias!r} reads its key from the environment variable "
                f"{self.api_key_var}, which is not set: export it and try again."
            )
        return key

    def without_secrets(self, text: str) -> str:
        """Return *text* from elsewhere without the key and the proxy's password."""
        for secret in self.secrets():
            text = _without_beginning(secret, text.replace(secret, "[key]"))
        return text

    def secrets(self) -> list[str]:
        """Return the secrets of this model, which nobody may see, longest first."""
        found = {self.proxy_url or "", urlsplit(self.proxy_url or "").password or ""}
        name = self.api_key_var
        if name is not None:
            key = os.environ.get(name, "").strip()
            found.add(key or ("" if _SOUNDS_LIKE_A_VARIABLE.fullmatch(name) else name))
        long_enough = (secret for secret in found if len(secret) >= _SHORTEST_SECRET)
        return sorted(long_enough, key=len, reverse=True)

    @field_validator("base_url", "proxy_url")
    @classmethod
    def _is_address(cls, url: str | None) -> str | None:
        """Accept only URLs that can be connected to."""
        if url is None:
            return None
        try:
            parts = urlsplit(url)
            sound = bool(parts.hostname) and (parts.port is None or parts.port > 0)
        except ValueError:
            sound = False
        if not sound or parts.scheme not in ("http", "https", "socks5", "socks5h"):
            raise ValueError("is not a URL such as https://host/v1")
        return url

    @field_validator("base_url")
    @classmethod
    def _holds_no_secret(cls, url: str | None) -> str | None:
        parts = urlsplit(url or "")
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise ValueError("may have only scheme, host and path; put a key into api_key_var")
        if parts.scheme not in ("http", "https", ""):
            raise ValueError("begins with http:// or https://")
        return url


def _without_beginning(secret: str, text: str) -> str:
    """Remove a beginning of *secret* from the end of *text*: servers' texts may be truncated."""
    bare = text.rstrip("….")
    for length in range(len(secret) - 1, _SHORTEST_SECRET - 1, -1):
        if bare.endswith(secret[:length]):
            return f"{bare[:-length]}[key]{text[len(bare) :]}"
    return text


class _File(RootModel[dict[str, dict[str, str | None]]]):
    model_config = ConfigDict(hide_input_in_errors=True)


def load_api_config(path: Path = DEFAULT_API_CONFIG) -> dict[str, ModelConfig]:
    """Load the models defined in the file *path*, by alias, in the order of the file.

    Raises ApiConfigError, which names the place of an error but never the value there.
    """
    try:
        described = _File.model_validate_json(path.read_bytes()).root
    except FileNotFoundError:
        raise ApiConfigError(
            f"There is no model file {path}. Write one with your own names and "
            f"URLs: {API_CONFIG_FORMAT_HINT}"
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
            # The alias comes last, so that no field of the file can replace it.
            models[alias] = ModelConfig.model_validate(_without_alias(fields) | {"alias": alias})
        except ValidationError as error:
            raise ApiConfigError(
                f"{path}: {alias}.{_flaw(error)}. The format is {API_CONFIG_FORMAT_HINT}"
            ) from None
    return models


def load_model_config(alias: str, path: Path = DEFAULT_API_CONFIG) -> ModelConfig:
    """Load the model *alias* from the file *path*. Raises ApiConfigError if it is not defined
    there."""
    models = load_api_config(path)
    if alias not in models:
        there = ", ".join(models) or "none"
        raise ApiConfigError(f"{path} defines no model {alias!r}; available: {there}.")
    return models[alias]


def _without_alias(fields: dict[str, str | None]) -> dict[str, str | None]:
    """Rename a key ``alias`` in *fields*, so that it is rejected like any unknown key."""
    return {f"{key} " if key == "alias" else key: value for key, value in fields.items()}


def _flaw(error: ValidationError) -> str:
    """Return the first validation error as text, without the input value and so without keys."""
    flaw = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(part).strip() for part in flaw["loc"])
    if flaw["type"] == "extra_forbidden":
        return f"{place}: unknown field"
    message = flaw["msg"].removeprefix("Value error, ")
    return f"{place}: {message}" if place else message
