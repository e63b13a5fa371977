"""What a person who guides the agent may tell it: hints on a task, and messages.

Opt-in, and for the mentor alone: an employee whose day offers this app is refused. The text is an
argument, so a replay needs nobody and nothing else. It takes no time, and rides on the agent's next
result as a notice of a kind of its own, which no scenario hides.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from trainee_bench.mcp_servers.serving.toolbox import Toolbox
from trainee_bench.world.apps.desk import Desk
from trainee_bench.world.errors import Invalid, Refused
from trainee_bench.world.transaction import NoticeKind, Result, Transaction

TOOLS = Toolbox("guide", "Give the employee hints on tasks, and write to them, as their mentor.")

MENTOR = "mentor"
"""The actor of a guiding person's calls; nobody at the company has this id."""
LONGEST_TEXT = 2_000
TIERS = ("strategy", "where to look", "how to do it")
"""What the hints of a task say, tier by tier."""


class GivenHint(BaseModel, frozen=True):
    """A hint that was given: to which task, which tier (1 to 3), and the text."""

    task: str
    tier: int
    text: str


class MentorMessage(BaseModel, frozen=True):
    """What the mentor wrote."""

    text: str


@TOOLS.tool(minutes=0)
def guide_hint(
    tx: Transaction,
    task: Annotated[str, Field(description="The task's id")],
    tier: Annotated[int, Field(ge=1, le=len(TIERS), description="1 strategy, 2 where, 3 how")],
    text: Annotated[str, Field(description="The hint", max_length=LONGEST_TEXT)],
) -> Result[GivenHint]:
    """Give the employee a hint on one of their tasks. Only their mentor can."""
    _check_mentor(tx)
    said, found = _spoken(text), Desk(tx).task(task)
    tx.notify(tx.employee, NoticeKind.GUIDANCE, f"Hint on {found.id} ({TIERS[tier - 1]}): {said}")
    return Result(
        f"Given with the next result: {said}", GivenHint(task=found.id, tier=tier, text=said)
    )


@TOOLS.tool(minutes=0)
def guide_say(
    tx: Transaction,
    text: Annotated[str, Field(description="The message", max_length=LONGEST_TEXT)],
) -> Result[MentorMessage]:
    """Write to the employee, who reads it with their next result. Only their mentor can."""
    _check_mentor(tx)
    said = _spoken(text)
    tx.notify(tx.employee, NoticeKind.GUIDANCE, f"Your mentor says: {said}")
    return Result(f"Said with the next result: {said}", MentorMessage(text=said))


def _check_mentor(tx: Transaction) -> None:
    """Raise Refused unless the mentor acts."""
    if tx.actor != MENTOR:
        raise Refused("Only the mentor who guides this day can do that. Ask a colleague instead.")


def _spoken(text: str) -> str:
    """*text* on one line, as notices are. Raises Invalid if it says nothing."""
    said = " ".join(text.split())
    if not said:
        raise Invalid("The text is empty: write what the employee is to read.")
    return said
