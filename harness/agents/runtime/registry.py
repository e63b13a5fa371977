"""Agents by name: built-in ones, and users' as ``module:Name``."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from trainee_bench.harness.agents.agent import Agent, UnknownAgent
from trainee_bench.harness.agents.person import PersonAgent
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.supervision import AgentProtocol
from trainee_bench.harness.support.plugin_loader import PluginError, is_plugin_name, load_plugin

CHEATS = "trainee_bench.harness.agents.cheats"
"""The package of the agents that try to score without the work."""
_PACKAGES = ("trainee_bench.harness.agents.builtin", CHEATS)
"""The packages of built-in agents, one agent per module. They are named and not imported, because
cheats import this package."""


@cache
def discover_agents() -> dict[str, type[Agent]]:
    """Return the built-in agents by name, sorted. Raises TypeError for a module without one."""
    agents = {}
    modules = [
        (info.name, package)
        for package in _PACKAGES
        for info in pkgutil.iter_modules(importlib.import_module(package).__path__)
    ]
    for name, package in sorted(modules):
        module = importlib.import_module(f"{package}.{name}")
        classes = [
            member
            for member in vars(module).values()
            if inspect.isclass(member)
            and issubclass(member, Agent)
            and getattr(member, "name", None) == name
        ]
        if len(classes) != 1:
            raise TypeError(f"{module.__name__} must define one Agent named {name!r}")
        agents[name] = classes[0]
    return agents


def find_agent(name: str) -> Callable[[], AgentProtocol] | type[Agent]:
    """Return the factory of the agent called *name*: a built-in class, a person, or
    ``module:Name``.

    Raises UnknownAgent, naming the built-in ones.
    """
    builtin_agents = discover_agents()
    if name in builtin_agents:
        return builtin_agents[name]
    if name == PersonAgent.name:
        return PersonAgent
    if not is_plugin_name(name):
        raise UnknownAgent(
            f"There is no agent {name!r}. There are {', '.join(builtin_agents)}; "
            "your own is named as module:Class or module:function."
        )
    return _find_plugin_agent(name)


def _find_plugin_agent(named: str) -> Callable[[], AgentProtocol]:
    try:
        made: Any = load_plugin(named, "an agent")
    except PluginError as error:
        raise UnknownAgent(str(error)) from error
    if callable(made) and inspect.iscoroutinefunction(getattr(made, "work", None)):
        agent: Callable[[], AgentProtocol] = made
        return agent
    if _is_agent_function(made):
        return lambda: _FunctionAgent(made)
    module, _, name = named.partition(":")
    raise UnknownAgent(
        f"{module} has no class {name!r} with `async def work(self, session)`, and no "
        f"`async def {name}(session)`."
    )


def _is_agent_function(made: object) -> bool:
    """Whether *made* is an async function of one argument, the session."""
    if inspect.isclass(made) or not callable(made):
        return False
    own = inspect.getattr_static(type(made), "__call__", None)
    if not (inspect.iscoroutinefunction(made) or inspect.iscoroutinefunction(own)):
        return False
    try:
        inspect.signature(made).bind("a session")
    except TypeError:
        return False
    return True


@dataclass(frozen=True)
class _FunctionAgent:
    """An agent that is a single function."""

    function: Callable[[AgentSession], Awaitable[None]]

    async def work(self, session: AgentSession) -> None:
        """Work the day."""
        await self.function(session)
