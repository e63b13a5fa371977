"""The plan that is handed in, and how it is checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import Field

from trainee_bench.meta_tasks.authoring import Deliverable, RecordId

NEAR_BEST_SHARE = 0.98
"""A plan that reaches this share of the best exposure is nearly as good."""
_HALF_A_HUNDREDTH = 0.5 + 1e-3
"""In hundredths: half a unit of the rounding that is asked for, and the error of calculating."""


class CampaignPlan(Deliverable):
    """The channels of a campaign."""

    selected_channels: list[RecordId] = Field(
        description='list of texts: the ids of the selected channels, such as "CH001", each once, '
        "any order"
    )
    total_cost: int = Field(description="the total cost of the selected channels")
    total_exposure: float = Field(
        description="the sum of the exposures of the selected channels, to two decimals"
    )


@dataclass(frozen=True)
class CampaignTruth:
    """What a plan is graded by; exposures in hundredths.

    Two are equal if the best plan of one is right by the other: it does not matter what channels
    would reach that are not worth their price.
    """

    path: str
    budget: int
    costs: Mapping[str, int]
    exposures: Mapping[str, int] = field(compare=False)
    best: int

    def flaw(self, plan: CampaignPlan) -> str:
        """What is wrong with *plan*, whatever it reaches; "" if nothing is."""
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
        """What the selected channels reach; all of them must exist."""
        return sum(self.exposures[id] for id in plan.selected_channels)
