"""What follows from something done or heard: events that wait for a trigger instead of a time.

Follows(trigger="submitted T1", …) ──► waits ──► T1 is submitted ──► its event happens
"""

from __future__ import annotations

from pydantic import JsonValue

from world.event import Event, thaw
from world.turn import Turn

SCHEMA = """
CREATE TABLE consequence (
    seq INTEGER PRIMARY KEY, trigger TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL
) STRICT;
"""


def told(clue: str) -> str:
    """The trigger that the employee was told *clue*, for the first time."""
    return f"told {clue}"


def submitted(task: str) -> str:
    """The trigger that the employee handed in *task*, for the first time."""
    return f"submitted {task}"


class Follows(Event):
    """From now on *event* (its kind and fields) waits for *trigger*."""

    trigger: str
    kind: str
    fields: dict[str, JsonValue]

    @classmethod
    def of(cls, trigger: str, event: Event) -> Follows:
        """*event*, to happen as soon as *trigger* is met."""
        return cls(trigger=trigger, kind=type(event).__name__, fields=event.model_dump(mode="json"))

    def happen(self, turn: Turn) -> None:
        """Let it wait."""
        event = Event.kinds[self.kind].model_validate(self.fields)
        turn.run(
            "INSERT INTO consequence (trigger, kind, body) VALUES (?, ?, ?)",
            self.trigger,
            self.kind,
            event.model_dump_json(),
        )


def meet(turn: Turn, trigger: str) -> None:
    """Let what waits for *trigger* happen when this action ends; once."""
    for row in turn.rows("SELECT * FROM consequence WHERE trigger = ? ORDER BY seq", trigger):
        turn.schedule(turn.now, thaw(row["kind"], row["body"]))
    turn.run("DELETE FROM consequence WHERE trigger = ?", trigger)
