"""Events that wait for a trigger (something told or submitted) instead of a time.

TriggeredEvent(trigger="submitted T1", …) ──► waits ──► T1 is submitted ──► its event fires
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
    """The trigger that fires when the employee is first told *clue*."""
    return f"told {clue}"


def submitted_trigger(task: str) -> str:
    """The trigger that fires when the employee first submits *task*."""
    return f"submitted {task}"


class TriggeredEvent(Event):
    """Lets an event (its kind and fields) wait for *trigger*."""

    trigger: str
    kind: str
    fields: dict[str, JsonValue]

    @classmethod
    def of(cls, trigger: str, event: Event) -> TriggeredEvent:
        """*event*, to fire as soon as *trigger* fires."""
        return cls(trigger=trigger, kind=type(event).__name__, fields=event.model_dump(mode="json"))

    def fire(self, tx: Transaction) -> None:
        """Store the event until its trigger fires."""
        event = Event.kinds[self.kind].model_validate(self.fields)
        tx.run(
            "INSERT INTO consequence (trigger, kind, body) VALUES (?, ?, ?)",
            self.trigger,
            self.kind,
            event.model_dump_json(),
        )


def fire_triggers(tx: Transaction, trigger: str) -> None:
    """Schedule the events that wait for *trigger* for the end of this action; each fires once."""
    for row in tx.rows("SELECT * FROM consequence WHERE trigger = ? ORDER BY seq", trigger):
        tx.schedule(tx.now, deserialize(row["kind"], row["body"]))
    tx.run("DELETE FROM consequence WHERE trigger = ?", trigger)
