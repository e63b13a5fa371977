"""The figures of a server for Prometheus: sessions, steps, their latency, days begun and saved.

With several workers, set PROMETHEUS_MULTIPROC_DIR to an empty folder: then each worker reports all.
"""

from __future__ import annotations

import os

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

__all__ = ["ServingMetrics"]

_NAMESPACE = "trainee_bench"
_SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_LATENCIES = (0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
"""Upper bounds in seconds of the histogram of steps."""


class ServingMetrics:
    """The metrics of one server; each has a registry of its own."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self, limit: int):
        self._registry = CollectorRegistry()
        self.open = self._gauge("sessions_open", "Sessions that are open")
        self.limit = self._gauge("sessions_limit", "Sessions that may be open")
        self.refused = self._counter("sessions_refused", "Sessions that found no room")
        self.staged = self._counter("days_staged", "Days that were begun")
        self.resumed = self._counter("days_resumed", "Days that were gone on with")
        self.saved = self._counter("days_saved", "Times that a day was saved")
        self.deleted = self._counter("days_deleted", "Saved days that were deleted")
        self.store_failures = self._counter(
            "store_failures", "Requests that the store of saved days failed"
        )
        self.unsaved = self._gauge(
            "sessions_unsaved", "Sessions whose last save failed, which stay open until it succeeds"
        )
        self.steps = Histogram(
            f"{_NAMESPACE}_step_seconds",
            "Time of a step",
            buckets=_LATENCIES,
            registry=self._registry,
        )
        self.limit.set(limit)

    def text(self) -> bytes:
        """Return the figures in Prometheus's format."""
        if _SHARED_FOLDER not in os.environ:
            return generate_latest(self._registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return generate_latest(together)

    def _gauge(self, name: str, about: str) -> Gauge:
        return Gauge(
            f"{_NAMESPACE}_{name}", about, registry=self._registry, multiprocess_mode="livesum"
        )

    def _counter(self, name: str, about: str) -> Counter:
        return Counter(f"{_NAMESPACE}_{name}", about, registry=self._registry)
