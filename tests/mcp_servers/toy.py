"""A toy app for tests of what serves apps: a shelf of things, some of them difficult."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, Field, JsonValue

from tests.world import toy
from tests.world.toy import OPENING, ROBIN, Shelf, at
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.mcp_servers.serving.toolbox import Toolbox
from trainee_bench.world.errors import Refused
from trainee_bench.world.transaction import Picture, Result, Transaction
from trainee_bench.world.world import World, WorldConfig

TOOLS = Toolbox("shelf", "A shelf of things.")
PICTURE = b"\x89PNG not really"


class Reply(BaseModel):
    """What somebody outside said."""

    text: str | None


@TOOLS.tool(read_only=True)
def shelf_list(
    tx: Transaction, limit: Annotated[int, Field(description="At most so many", ge=1, le=50)] = 10
) -> Result[Shelf]:
    """What is on the shelf. Use it before you put something there."""
    things = toy.shelf(tx).things[:limit]
    return Result(", ".join(things) or "The shelf is empty.", Shelf(things=things))


@TOOLS.tool(minutes=5)
def shelf_put(
    tx: Transaction,
    thing: Annotated[str, Field(description="What to put there", max_length=50)],
    where: Literal["left", "right"] = "left",
    copies: int | None = None,
) -> Result[Shelf]:
    """Put a thing on the shelf.

    It stays there.
    """
    for _ in range(copies or 1):
        toy.put(tx, thing)
    tx.enqueue(at(9), toy.ThingAppears(thing="dust", loud=True))
    return Result(f"{thing} is on the {where}.", toy.shelf(tx))


@TOOLS.tool(minutes=3, destructive=True)
def shelf_clear(tx: Transaction) -> Result[Shelf]:
    """Take everything away, which the shelf does not allow."""
    tx.run("DELETE FROM shelf")
    raise Refused("Nothing may be taken away; put something there instead.")


@TOOLS.tool()
def shelf_break(tx: Transaction) -> Result[Shelf]:
    """Break the shelf: a bug of ours."""
    toy.put(tx, "half a thing")
    raise ZeroDivisionError("the shelf broke in /home/robin/shelf.py")


@TOOLS.tool(read_only=True, pictures=True)
def shelf_show(tx: Transaction) -> Result[Shelf]:
    """A picture of the shelf."""
    return Result("A shelf.", toy.shelf(tx), Picture(PICTURE, "image/png"))


ASKED: list[str] = []
"""What has been asked outside."""


async def _ask(world: World, person: str, arguments: BaseModel) -> Mapping[str, JsonValue]:
    question = arguments.model_dump()["question"]
    ASKED.append(f"{person}: {question}")
    if question == "forbidden?":
        raise Refused("Nobody outside answers that; ask something else.")
    return {"reply": f"answer {len(ASKED)}"}


@TOOLS.tool(side_effect=_ask)
def shelf_ask(tx: Transaction, question: str) -> Result[Reply]:
    """Ask somebody outside about the shelf."""
    said = tx.effect("reply")
    assert isinstance(said, str)
    return Result(said, Reply(text=said))


async def a_world(opening: WorldConfig = OPENING) -> World:
    """A toy world in memory."""
    return await World.create(None, opening, toy.populate)


def seat_in(world: World) -> ToolDispatcher:
    """Robin's seat at the shelf."""
    return ToolDispatcher(world, ROBIN, [TOOLS])
