"""Opening the model service that an agent uses.

scripted-…        a scripted model, which knows the day   scripted/
"", completions   chat completions                        models/openai_service.py
streaming         the same, received piece by piece
module:Class      a user's, called with a ModelConfig
"""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
)
from pathlib import Path
from typing import Any

from trainee_bench.harness.agents.llm.components import UnknownComponent, load_component_class
from trainee_bench.harness.agents.scripted import SCRIPTED_MODELS, create_scripted_model
from trainee_bench.harness.models.conversation import ModelReply, ModelRequest, ModelService
from trainee_bench.harness.models.prices import PricesError, prices_for
from trainee_bench.harness.records.plan import AgentConfig, ModelSettings
from trainee_bench.harness.session.turns import InfrastructureFault
from trainee_bench.harness.support.text import describe_error
from trainee_bench.mcp_servers.llm.api_config import (
    DEFAULT_API_CONFIG,
    ApiConfigError,
    ModelConfig,
    load_model_config,
)
from trainee_bench.meta_tasks.composition import ComposedDay

COMPLETIONS, STREAMING = "completions", "streaming"
_NEEDS = ("model", "incidents", "reply")


def open_model_service(
    agent: AgentConfig,
    model_settings: ModelSettings,
    composition: ComposedDay,
    attempt: int = 1,
    report: Callable[[InfrastructureFault], None] | None = None,
) -> AbstractAsyncContextManager[ModelService]:
    """Open the service of *agent*'s model until the block is left.

    Only a scripted model uses *composition* and *attempt*. Entering raises InfrastructureFault if
    the model is not defined or not available. *report* gets every fault of the service immediately,
    so that an agent cannot hide it.
    """
    if agent.model is not None and agent.model in SCRIPTED_MODELS:
        return create_scripted_model(agent.model, composition, attempt)
    api_config = Path(model_settings.api_config or DEFAULT_API_CONFIG)
    return _served(agent, api_config, report or _ignore)


def _ignore(fault: InfrastructureFault) -> None:
    """Ignore *fault*."""


@asynccontextmanager
async def _served(
    agent: AgentConfig, api_config: Path, report: Callable[[InfrastructureFault], None]
) -> AsyncIterator[ModelService]:
    async with AsyncExitStack() as stack:
        with _reporting(report):
            service, config = await _open(agent, api_config, stack)
        yield _WatchedService(service, config, report)


async def _open(
    agent: AgentConfig, api_config: Path, stack: AsyncExitStack
) -> tuple[ModelService, ModelConfig]:
    """Open the service on *stack*; return it and its model. Raises InfrastructureFault."""
    try:
        config = load_model_config(agent.model or "", api_config)
        stack.enter_context(_redact_key(config))
        with _redact_key(config):
            made = create_model_service(
                agent.service, config, api_config, with_tokens=agent.record_tokens
            )
    except (ApiConfigError, PricesError, UnknownComponent) as error:
        raise InfrastructureFault(str(error)) from None
    if hasattr(made, "__aenter__"):
        with _redact_key(config):
            made = await stack.enter_async_context(made)
    if lacking := [part for part in _NEEDS if not hasattr(made, part)]:
        raise InfrastructureFault(
            f"Model service {agent.service} has no {' and no '.join(lacking)}: see "
            "ModelService in harness/models/conversation.py."
        )
    return made, config


@contextmanager
def _reporting(report: Callable[[InfrastructureFault], None]) -> Iterator[None]:
    try:
        yield
    except InfrastructureFault as fault:
        report(fault)
        raise


class _WatchedService:
    """Service that reports its faults before an agent can hide them."""

    def __init__(
        self,
        service: ModelService,
        config: ModelConfig,
        report: Callable[[InfrastructureFault], None],
    ):
        self._service = service
        self._config = config
        self._report = report

    @property
    def model(self) -> str:
        return self._service.model

    @property
    def incidents(self) -> Counter[str]:
        return self._service.incidents

    async def reply(self, request: ModelRequest) -> ModelReply:
        """See `ModelService.reply`."""
        with _reporting(self._report), _redact_key(self._config):
            return await self._service.reply(request)


class ServiceError(Exception):
    """An exception of a user's service, with the key removed from its text."""


@contextmanager
def _redact_key(config: ModelConfig) -> Iterator[None]:
    """Remove the key from exceptions of the block: a user's service may quote its server."""
    try:
        yield
    except Exception as error:
        whole = "".join(traceback.format_exception(error))
        if config.without_secrets(whole) == whole:
            raise
        text = config.without_secrets(describe_error(error))
        kind = InfrastructureFault if isinstance(error, InfrastructureFault) else ServiceError
        raise kind(text) from None


def create_model_service(
    named: str, config: ModelConfig, api_config: Path, *, with_tokens: bool = False
) -> Any:
    """Create the service called *named* for the model of *config*; it may be a context manager.

    With *with_tokens*, a built-in service asks for the ids and log-probabilities of tokens. Raises
    UnknownComponent for an unknown name, and PricesError.
    """
    if named not in ("", COMPLETIONS, STREAMING):
        return load_service_class(named)(config)
    # Importing the SDK takes a second, which runs without such a model should not pay.
    from trainee_bench.harness.models.openai_service import OpenAIService
    from trainee_bench.mcp_servers.llm.client import ChatClient

    endpoint = ChatClient(config, stream=named == STREAMING, with_tokens=with_tokens)
    return OpenAIService(config, endpoint, prices_for(api_config))


def load_service_class(named: str) -> Callable[[ModelConfig], object]:
    """Return a user's model service, named as ``module:Class``. Raises UnknownComponent."""
    made: Any = load_component_class("model service", named, (COMPLETIONS, STREAMING))
    kind: Callable[[ModelConfig], object] = made
    return kind


def check_service_known(named: str) -> None:
    """Raise UnknownComponent unless there is a service *named*; "" is the default one."""
    if named not in ("", COMPLETIONS, STREAMING):
        load_service_class(named)
