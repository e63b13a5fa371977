"""The room of a server: how many sessions or connections there may be, in all and by tenant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["ANONYMOUS", "Room", "ServerDraining", "ServerFull"]

ANONYMOUS = ""
"""The tenant of clients of a server without tenants."""


class ServerFull(Exception):
    """No more sessions may be open now; ``retry_after`` is in seconds."""

    def __init__(self, text: str, retry_after: int = 60):
        super().__init__(text)
        self.retry_after = retry_after


class ServerDraining(ServerFull):
    """The server ends, and takes no new sessions."""


class Room:
    """Places for *limit* sessions, of which each tenant gets at most *tenant_limit*.

    *kind* names in errors what takes a place, if it is not a session.
    """

    def __init__(self, limit: int, tenant_limit: int | None = None, kind: str = "sessions"):
        self.limit, self._tenant_limit = limit, tenant_limit or limit
        self._kind = kind
        self._taken = Counter[str]()
        """Places by tenant, including those of sessions that are just beginning."""

    def __len__(self) -> int:
        return self._taken.total()

    def check(self, tenant: str, lent: int = 0) -> None:
        """Raise ServerFull if *tenant* gets no further place now. *lent* places are not counted,
        since they are about to be given back."""
        if self._taken.total() - lent >= self.limit:
            raise ServerFull(f"all {self.limit} {self._kind} are in use")
        if self._taken[tenant] - lent >= self._tenant_limit:
            raise ServerFull(f"all {self._tenant_limit} {self._kind} of this tenant are in use")

    def take(self, tenant: str) -> None:
        """Take a place, until it is given back."""
        self._taken[tenant] += 1

    @contextmanager
    def taking(self, tenant: str) -> Iterator[None]:
        """Take a place, which stays taken unless an error is raised meanwhile."""
        self.take(tenant)
        try:
            yield
        except BaseException:
            self.give_back(tenant)
            raise

    def give_back(self, tenant: str) -> None:
        """Give a place back."""
        self._taken[tenant] -= 1
        if not self._taken[tenant]:
            del self._taken[tenant]
