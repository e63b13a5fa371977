"""What follows from something done or heard: events that wait for a trigger instead of a time.

Follows(trigger="submitted T1", …) ──► waits ──► T1 is submitted ──► its event happens
"""

from __future__ import annotations

from pydantic import JsonValue

from trainee_bench.world.transaction import Event, Transaction, deserialize

SCHEMA = """
CREATE TABLE consequence (
    seq INTEGER PRIMARY KEY, trigger TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL
) STRICT;
"""


def told_trigger(clue: str) -> str:
    """The trigger that the employee was told *clue*, for the first time."""
    return f"told {clue}"


def submitted_trigger(task: str) -> str:
    """The trigger that the employee handed in *task*, for the first time."""
    return f"submitted {task}"


class TriggeredEvent(Event):
    """From now on *event* (its kind and fields) waits for *trigger*."""

    trigger: str
    kind: str
    fields: dict[str, JsonValue]

    @classmethod
    def of(cls, trigger: str, event: Event) -> TriggeredEvent:
        """*event*, to happen as soon as *trigger* is met."""
        return cls(trigger=trigger, kind=type(event).__name__, fields=event.model_dump(mode="json"))

    def fire(self, tx: Transaction) -> None:
        """Let it wait."""
        event = Event.kinds[self.kind].model_validate(self.fields)
        tx.run(
            "INSERT INTO consequence (trigger, kind, body) VALUES (?, ?, ?)",
            self.trigger,
            self.kind,
            event.model_dump_json(),
        )


def fire_triggers(tx: Transaction, trigger: str) -> None:
    """Let what waits for *trigger* happen when this action ends; once."""
    for row in tx.rows("SELECT * FROM consequence WHERE trigger = ? ORDER BY seq", trigger):
        tx.schedule(tx.now, deserialize(row["kind"], row["body"]))
    tx.run("DELETE FROM consequence WHERE trigger = ?", trigger)
