"""Values on the command line of `trainee-bench serve`, and the errors of invalid ones."""

from __future__ import annotations

import argparse
import re

OPERATORS_PATHS = frozenset({"/healthz", "/readyz", "/metrics"})
"""The addresses for operators, which no server of apps may have."""


def host_and_port(text: str) -> tuple[str, int]:
    """Return the host and port in *text*. Raises ArgumentTypeError."""
    host, colon, port = text.rpartition(":")
    if not (host and colon and port.isdecimal() and int(port) < 2**16):
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT, such as 127.0.0.1:8000")
    return host.removeprefix("[").removesuffix("]"), int(port)


def url_path(text: str) -> str:
    """Return the path *text*. Raises ArgumentTypeError."""
    if not re.fullmatch(r"(/[\w.~-]+)+/?|/", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"{text!r} is not a URL path, such as /mcp")
    if text in OPERATORS_PATHS:
        raise argparse.ArgumentTypeError(f"{text} is an address for operators; choose another")
    return text


def seconds(text: str) -> float:
    """Return the seconds in *text*. Raises ArgumentTypeError."""
    if not re.fullmatch(r"\d{1,4}(\.\d+)?", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds, such as 10")
    return float(text)
