"""Figures on where the facts in an agent's work came from and how well it asked, as stored in
results.

They are measured only from the day's composition, world and log. `harness/provenance` measures
them, and docs/how_it_works/provenance.md defines them.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from pydantic import Field

from trainee_bench.harness.records.frozen_model import FrozenModel


class FactOrigin(StrEnum):
    """An agent's knowledge of a fact when it delivered the work that depends on it."""

    SEEN = "seen"
    STALE = "stale"
    UNSEEN = "unseen"


class FactProvenance(FrozenModel):
    """A hidden fact that a published task needs.

    Numbers are those of actions; None means that there was no such action. ``told`` is the first
    action before the task's deadline whose result had the fact as it is at the deadline.
    ``earlier`` is the same for an earlier version of the fact. ``delivered`` is the last action
    that delivered the task's work in time. ``asked_for`` says whether a colleague tells the fact
    when asked.
    """

    fact: str
    task: str
    asked_for: bool
    told: int | None = Field(default=None, ge=1)
    earlier: int | None = Field(default=None, ge=1)
    delivered: int | None = Field(default=None, ge=1)

    @property
    def origin(self) -> FactOrigin | None:
        """The agent's knowledge of the fact when it delivered it; None if it did not."""
        if self.delivered is None:
            return None
        if self.told is not None and self.told < self.delivered:
            return FactOrigin.SEEN
        known = self.earlier is not None and self.earlier < self.delivered
        return FactOrigin.STALE if known else FactOrigin.UNSEEN


class ProvenanceFigures(FrozenModel):
    """The facts of a day or week, task by task, and the agent's questions.

    ``questions`` counts each message once for every colleague who was to answer it, except messages
    that told the colleague what they waited to hear. ``telling`` counts the questions whose answers
    told the agent something new that one of its tasks needed.
    """

    facts: tuple[FactProvenance, ...]
    questions: int = Field(ge=0)
    telling: int = Field(ge=0)

    def delivered(self, origin: FactOrigin) -> int:
        """Return how many of the delivered facts have this *origin*."""
        return sum(fact.origin is origin for fact in self.facts)

    @property
    def unseen_share(self) -> float | None:
        """The share of the delivered facts that were never seen; None if none was delivered."""
        delivered = sum(fact.origin is not None for fact in self.facts)
        return self.delivered(FactOrigin.UNSEEN) / delivered if delivered else None

    @property
    def precision(self) -> float | None:
        """The share of questions that told something; None without any question."""
        return self.telling / self.questions if self.questions else None

    @property
    def recall(self) -> float | None:
        """The share of the facts that can be asked for that was told; None if there are none."""
        wanted = [fact for fact in self.facts if fact.asked_for]
        return sum(fact.told is not None for fact in wanted) / len(wanted) if wanted else None


def total_provenance(measured: Iterable[ProvenanceFigures]) -> ProvenanceFigures | None:
    """Return the *measured* days together; each fact and question counts the same.

    None without any day.
    """
    days = list(measured)
    if not days:
        return None
    return ProvenanceFigures(
        facts=tuple(fact for day in days for fact in day.facts),
        questions=sum(day.questions for day in days),
        telling=sum(day.telling for day in days),
    )
