"""Lets a person who mentors the agent give it hints on a task, or write to it.

The app is opt-in and only for the mentor: the employee's own calls are refused. The text is an
argument, so a replay needs no person. A call takes no time. Its text reaches the agent with its
next result, as a notice of kind GUIDANCE, which no scenario hides.
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
"""The actor of a mentor's calls; nobody at the company has this id."""
LONGEST_TEXT = 2_000
TIERS = ("strategy", "where to look", "how to do it")
"""The contents of a task's hints, by tier."""


class GivenHint(BaseModel, frozen=True):
    """A hint that was given, with its task and its tier (1 to 3)."""

    task: str
    tier: int
    text: str


class MentorMessage(BaseModel, frozen=True):
    """The mentor's message."""

    text: str


@TOOLS.tool(minutes=0)
def guide_hint(
    tx: Transaction,
    task: Annotated[str, Field(description="The task's id")],
    tier: Annotated[int, Field(ge=1, le=len(TIERS), description="1: strategy, 2: where, 3: how")],
    text: Annotated[str, Field(description="The hint", max_length=LONGEST_TEXT)],
) -> Result[GivenHint]:
    """Give the employee a hint on one of their tasks. Only their mentor can do this."""
    _check_mentor(tx)
    line, found = _one_line(text), Desk(tx).task(task)
    tx.notify(tx.employee, NoticeKind.GUIDANCE, f"Hint on {found.id} ({TIERS[tier - 1]}): {line}")
    return Result(
        f"To be shown with the next result: {line}", GivenHint(task=found.id, tier=tier, text=line)
    )


@TOOLS.tool(minutes=0)
def guide_say(
    tx: Transaction,
    text: Annotated[str, Field(description="The message", max_length=LONGEST_TEXT)],
) -> Result[MentorMessage]:
    """Write to the employee, who reads it with their next result. Only their mentor can do this."""
    _check_mentor(tx)
    line = _one_line(text)
    tx.notify(tx.employee, NoticeKind.GUIDANCE, f"Your mentor says: {line}")
    return Result(f"To be shown with the next result: {line}", MentorMessage(text=line))


def _check_mentor(tx: Transaction) -> None:
    """Raise Refused unless the mentor acts."""
    if tx.actor != MENTOR:
        raise Refused("Only the mentor of this day can do that. Ask a colleague instead.")


def _one_line(text: str) -> str:
    """Return *text* on one line, as notices are. Raises Invalid if it is empty."""
    line = " ".join(text.split())
    if not line:
        raise Invalid("The text is empty. Write what the employee should read.")
    return line
