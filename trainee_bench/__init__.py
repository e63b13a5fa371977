"""Trainee-Bench: a simulated company of MCP servers in which an AI agent spends its first days."""

from typing import Any

# verifiers takes the taskset of the package that is named to it from what that package exports.
__all__ = ["OfficeTaskset"]


def __getattr__(name: str) -> Any:
    if name != "OfficeTaskset":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from trainee_bench.harness.integrations.verifiers.taskset import OfficeTaskset

    return OfficeTaskset
