"""Trainee-Bench: a simulated company of MCP servers in which an AI agent spends its first days."""

from importlib import import_module
from typing import Any

# verifiers takes the taskset, the agent's program and the environment of the package that is named
# to it from what that package exports.
_EXPORTED = {"OfficeTaskset": "taskset", "OfficeHarness": "harness", "OfficeEnv": "env"}
__all__ = ["OfficeEnv", "OfficeHarness", "OfficeTaskset"]


def __getattr__(name: str) -> Any:
    if name not in _EXPORTED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"trainee_bench.harness.integrations.verifiers.{_EXPORTED[name]}")
    return getattr(module, name)
