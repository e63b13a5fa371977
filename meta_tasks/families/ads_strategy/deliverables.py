"""The submitted campaign plan and its grading."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import Field

from trainee_bench.meta_tasks.authoring import Deliverable, RecordId

NEAR_BEST_SHARE = 0.98
"""Share of the best exposure from which a plan counts as nearly best."""
_HALF_A_HUNDREDTH = 0.5 + 1e-3
"""Tolerance in hundredths: half a unit of the required rounding, plus floating-point error."""


class CampaignPlan(Deliverable):
    """The channels of a campaign."""

    selected_channels: list[RecordId] = Field(
        description='list of strings: the ids of the selected channels, such as "CH001", each '
        "once, any order"
    )
    total_cost: int = Field(description="the total cost of the selected channels")
    total_exposure: float = Field(
        description="the sum of the exposures of the selected channels, to two decimals"
    )


@dataclass(frozen=True)
class CampaignTruth:
    """Grading data for a plan. Exposures are in hundredths.

    Equality ignores the exposures of single channels, because channels outside the best plan do
    not change the right answer.
    """

    path: str
    budget: int
    costs: Mapping[str, int]
    exposures: Mapping[str, int] = field(compare=False)
    best: int

    def flaw(self, plan: CampaignPlan) -> str:
        """Return the error that makes *plan* invalid, or ""."""
        chosen = plan.selected_channels
        if not chosen:
            return "no channel is selected"
        if len(set(chosen)) < len(chosen):
            return "a channel is selected twice"
        if not set(chosen) <= self.costs.keys():
            return "a selected channel is not in the list of channels"
        cost = sum(self.costs[id] for id in chosen)
        if cost > self.budget:
            return "the selected channels cost more than the budget"
        if plan.total_cost != cost:
            return "total_cost is not what the selected channels cost"
        if not math.isfinite(plan.total_exposure) or (
            abs(100 * plan.total_exposure - self.reached(plan)) > _HALF_A_HUNDREDTH
        ):
            return "total_exposure is not what the selected channels reach"
        return ""

    def reached(self, plan: CampaignPlan) -> int:
        """Return the exposure of the selected channels, all of which must exist."""
        return sum(self.exposures[id] for id in plan.selected_channels)
