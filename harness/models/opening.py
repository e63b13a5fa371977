"""Opening the model service that a candidate thinks with.

scripted-…          a scripted model, which knows the day   scripted/
"", completions     chat completions                        openai_service.py
streaming           the same, received piece by piece
module:Class        anybody's, called with a ModelConfig
"""

from __future__ import annotations

import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
)
from pathlib import Path
from typing import Any

from harness.models.prices import PricesError, prices_beside
from harness.models.service import ModelService
from harness.plan import Backing, Candidate
from harness.thinking.parts import UnknownPart, own_class
from harness.workplace import InfrastructureFault
from mcp_servers.models.api_config import (
    DEFAULT_API_CONFIG,
    ApiConfigError,
    ModelConfig,
    described_model,
)
from meta_tasks.composition import Composition

COMPLETIONS, STREAMING = "completions", "streaming"
_NEEDS = ("model", "incidents", "reply")


def opened_service(
    candidate: Candidate, backing: Backing, composition: Composition, attempt: int = 1
) -> AbstractAsyncContextManager[ModelService]:
    """The service of *candidate*'s model, for as long as the block lasts.

    A scripted model works the day of *composition*, each *attempt* in its own way; all others
    know nothing of it. On entering, InfrastructureFault is raised where the model is not described
    or cannot be asked.
    """
    # Scripted models draw on the whole harness, which is built on this.
    from harness.models.scripted import SCRIPTED, scripted_service

    if candidate.model is not None and candidate.model in SCRIPTED:
        return scripted_service(candidate.model, composition, attempt)
    return _served(candidate, Path(backing.api_config or DEFAULT_API_CONFIG))


@asynccontextmanager
async def _served(candidate: Candidate, api_config: Path) -> AsyncIterator[ModelService]:
    try:
        config = described_model(candidate.model or "", api_config)
        with _discreet(config):
            made = made_service(candidate.service, config, api_config)
    except (ApiConfigError, PricesError, UnknownPart) as error:
        raise InfrastructureFault(str(error)) from None
    async with AsyncExitStack() as stack:
        stack.enter_context(_discreet(config))
        if hasattr(made, "__aenter__"):
            made = await stack.enter_async_context(made)
        if lacking := [part for part in _NEEDS if not hasattr(made, part)]:
            raise InfrastructureFault(
                f"Model service {candidate.service} has no {' and no '.join(lacking)}: see "
                "ModelService in harness/models/service.py."
            )
        service: ModelService = made
        yield service


class ServiceError(Exception):
    """What somebody's own service raised, without the key that it had put into words."""


@contextmanager
def _discreet(config: ModelConfig) -> Iterator[None]:
    """Nothing raised in the block names the key: somebody's own service may quote its server."""
    try:
        yield
    except Exception as error:
        whole = "".join(traceback.format_exception(error))
        if config.without_secrets(whole) == whole:
            raise
        said = config.without_secrets(f"{type(error).__name__}: {error}")
        kind = InfrastructureFault if isinstance(error, InfrastructureFault) else ServiceError
        raise kind(said) from None


def made_service(named: str, config: ModelConfig, api_config: Path) -> Any:
    """The service called *named* for the model of *config*, or what opens it.

    Raises UnknownPart for a name that nobody knows, and PricesError.
    """
    if named not in ("", COMPLETIONS, STREAMING):
        return service_class(named)(config)
    # The SDK takes a second to import, and who runs without a model never needs it.
    from harness.models.openai_service import OpenAIService
    from mcp_servers.models.endpoint import Endpoint

    endpoint = Endpoint(config, stream=named == STREAMING)
    return OpenAIService(config, endpoint, prices_beside(api_config))


def service_class(named: str) -> Callable[[ModelConfig], object]:
    """Anybody's model service, named as ``module:Class``. Raises UnknownPart."""
    made: Any = own_class("model service", named, (COMPLETIONS, STREAMING))
    kind: Callable[[ModelConfig], object] = made
    return kind


def refuse_unknown_service(named: str) -> None:
    """Raise UnknownPart unless a service is called *named*, "" being the usual one."""
    if named not in ("", COMPLETIONS, STREAMING):
        service_class(named)
