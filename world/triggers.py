"""Events that wait for a trigger (something told or submitted) instead of a time.

TriggeredEvent(trigger="submitted T1", …) ──► waits ──► T1 is submitted ──► its event fires
"""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue

from trainee_bench.world.transaction import Event, Transaction, deserialize

SCHEMA = """
CREATE TABLE consequence (
    seq INTEGER PRIMARY KEY, trigger TEXT NOT NULL, not_before TEXT, kind TEXT NOT NULL,
    body TEXT NOT NULL
) STRICT;
"""


def told_trigger(clue: str) -> str:
    """Return the trigger that fires when the employee is first told *clue*."""
    return f"told {clue}"


def submitted_trigger(task: str) -> str:
    """Return the trigger that fires when the employee first submits *task*."""
    return f"submitted {task}"


def heard_trigger(expectation: str) -> str:
    """Return the trigger that fires when the employee first says what *expectation* waits for."""
    return f"heard {expectation}"


class TriggeredEvent(Event):
    """Lets an event (its kind and fields) wait for *trigger*, and for the time *not_before* if that
    is later."""

    trigger: str
    not_before: datetime | None = None
    kind: str
    fields: dict[str, JsonValue]

    @classmethod
    def of(cls, trigger: str, event: Event, not_before: datetime | None = None) -> TriggeredEvent:
        """Wrap *event*, to fire as soon as *trigger* fires, but not before *not_before*."""
        return cls(
            trigger=trigger,
            not_before=not_before,
            kind=type(event).__name__,
            fields=event.model_dump(mode="json"),
        )

    def fire(self, tx: Transaction) -> None:
        """Store the event until its trigger fires."""
        event = Event.kinds[self.kind].model_validate(self.fields)
        tx.run(
            "INSERT INTO consequence (trigger, not_before, kind, body) VALUES (?, ?, ?, ?)",
            self.trigger,
            self.not_before.isoformat() if self.not_before else None,
            self.kind,
            event.model_dump_json(),
        )


def fire_triggers(tx: Transaction, trigger: str) -> None:
    """Enqueue the events that wait for *trigger*, for the end of this action or their own later
    time.

    Each of them fires once.
    """
    for row in tx.rows("SELECT * FROM consequence WHERE trigger = ? ORDER BY seq", trigger):
        own = datetime.fromisoformat(row["not_before"]) if row["not_before"] else tx.now
        tx.enqueue(max(tx.now, own), deserialize(row["kind"], row["body"]))
    tx.run("DELETE FROM consequence WHERE trigger = ?", trigger)
