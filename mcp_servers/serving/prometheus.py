"""Figures for Prometheus: a server's registry and its text; needs the extra `serving`.

With several workers, set PROMETHEUS_MULTIPROC_DIR to an empty folder: then each worker reports the
figures of all.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import ClassVar

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

_SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_LATENCIES = (0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
"""Upper bounds in seconds of a histogram of times."""


class ServerFigures:
    """The figures of one server, with a registry of its own; a subclass makes them.

    Their names begin with ``prefix``.
    """

    content_type = CONTENT_TYPE_LATEST
    prefix: ClassVar[str]

    def __init__(self) -> None:
        self._registry = CollectorRegistry()

    def text(self) -> bytes:
        """Return the figures in Prometheus's format."""
        if _SHARED_FOLDER not in os.environ:
            return generate_latest(self._registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return generate_latest(together)

    def _gauge(self, name: str, about: str) -> Gauge:
        return Gauge(
            f"{self.prefix}_{name}", about, registry=self._registry, multiprocess_mode="livesum"
        )

    def _counter(self, name: str, about: str, labels: Sequence[str] = ()) -> Counter:
        return Counter(f"{self.prefix}_{name}", about, labels, registry=self._registry)

    def _seconds(self, name: str, about: str) -> Histogram:
        return Histogram(
            f"{self.prefix}_{name}", about, buckets=_LATENCIES, registry=self._registry
        )
