"""What is said in the meeting: to everybody, and to the trainee in particular.

The format of what is to be handed in is rendered from the model that grades it, and told
here only.
"""

from __future__ import annotations

from collections.abc import Sequence

from trainee_bench.meta_tasks.deliverable import Deliverable
from trainee_bench.meta_tasks.families.meeting_attend.decisions import MeetingDecision
from trainee_bench.meta_tasks.families.meeting_attend.purchase_requests import (
    PurchaseRequest,
    format_euros,
)

RULES_PATH = "drive:/financial/procurement_rules.md"

MEETING_MINUTES = (
    (
        "Everybody said what is finished and what comes next. Two appointments of next week were "
        "exchanged. There was cake."
    ),
    (
        "The coming month was gone through week by week. One date is still open and will be "
        "settled between those concerned."
    ),
    (
        "The team looked back on the quarter: what went well, what took too long, what should be "
        "tried once. Nobody wanted more meetings."
    ),
)


def requests_assignment(
    wishes: Sequence[PurchaseRequest], path: str, model: type[Deliverable], checked: bool
) -> str:
    """The assignment to write down the team's requests at *path*.

    *checked*: only those that keep the procurement rules.
    """
    which = (
        f"Compare each request with the procurement rules in {RULES_PATH} first. List the "
        "requests that keep all of the rules; leave out every request that breaks one."
        if checked
        else "List every request as it was made, even if it looks large; Finance looks at it later."
    )
    lines = [
        f"- {wish.name} asks for {wish.quantity} x {wish.item} at {format_euros(wish.price)} each."
        for wish in wishes
    ]
    return "\n".join(
        [
            "Please write down what the team would like to have bought. The requests:",
            *lines,
            which,
            *_hand_in(path, model),
        ]
    )


def decisions_assignment(
    decisions: Sequence[MeetingDecision], path: str, model: type[Deliverable]
) -> str:
    """The assignment to write down at *path* what was decided."""
    lines = [
        f"- {decision.topic}: {decision.owner} takes care of it until {decision.due.isoformat()}, "
        f"with a budget of EUR {decision.budget}."
        for decision in decisions
    ]
    return "\n".join(
        [
            "Please write a note of what was decided today:",
            *lines,
            *_hand_in(path, model),
        ]
    )


def _hand_in(path: str, model: type[Deliverable]) -> list[str]:
    return [
        f"Hand it in as {path}, a JSON object with these fields and no others:",
        model.describe(),
    ]
