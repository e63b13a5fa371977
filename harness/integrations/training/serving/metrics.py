"""The figures of a server for Prometheus: sessions, steps, their latency, days begun and saved."""

from __future__ import annotations

from trainee_bench.mcp_servers.serving.prometheus import ServerFigures

__all__ = ["ServingMetrics"]


class ServingMetrics(ServerFigures):
    """The metrics of one server."""

    prefix = "trainee_bench"

    def __init__(self, limit: int):
        super().__init__()
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
        self.steps = self._seconds("step_seconds", "Time of a step")
        self.limit.set(limit)
