"""Events are data with a name of their own; they survive until they are due."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from pydantic import ValidationError

from tests.world import toy
from tests.world.toy import OPENING, ROBIN, ThingAppears, at
from trainee_bench.world.transaction import Event, Result, Transaction, deserialize
from trainee_bench.world.world import World


def test_an_event_thaws_as_it_was_frozen() -> None:
    event = ThingAppears(thing="čaj ☕", loud=True)
    assert deserialize("ThingAppears", event.model_dump_json()) == event


def test_a_kind_nobody_defines_is_a_bug() -> None:
    with pytest.raises(KeyError, match="NoSuchEvent"):
        deserialize("NoSuchEvent", "{}")


def test_two_events_of_one_name_are_refused() -> None:
    def again() -> type[Event]:
        class ThingAppears(Event):
            def fire(self, tx: Transaction) -> None: ...

        return ThingAppears

    with pytest.raises(TypeError, match="two event classes are called ThingAppears"):
        again()
    assert Event.kinds["ThingAppears"] is ThingAppears


def test_an_event_takes_no_unknown_field_and_does_not_change() -> None:
    with pytest.raises(ValidationError):
        ThingAppears.model_validate({"thing": "x", "colour": "blue"})
    with pytest.raises(ValidationError):
        ThingAppears(thing="x").thing = "y"  # type: ignore[misc]


def test_an_event_that_does_not_say_what_happens_cannot_be_made() -> None:
    class ThingWithoutEnd(Event):
        thing: str

    with pytest.raises(TypeError, match="abstract"):
        ThingWithoutEnd(thing="x")  # type: ignore[abstract]


async def test_an_event_outlives_the_process_that_enqueued_it(tmp_path: Path) -> None:
    def stage(tx: Transaction) -> None:
        toy.populate(tx)
        tx.enqueue(at(9), ThingAppears(thing="x"))

    await (await World.create(tmp_path / "w", OPENING, stage)).close()
    async with await World.open(tmp_path / "w") as world:
        await world.execute(ROBIN, "wait", {}, toy.nothing, minutes=60)
        assert (await world.read(toy.shelf)).things == ("x",)


async def test_an_event_happens_once(world: World) -> None:
    def stage(tx: Transaction) -> Result[toy.Shelf]:
        tx.enqueue(at(8, 1), ThingAppears(thing="x"))
        return toy.nothing(tx)

    await world.execute(ROBIN, "plan", {}, stage)
    await world.execute(ROBIN, "wait", {}, partial(toy.put, thing="y"), minutes=60)
    assert (await world.read(toy.shelf)).things == ("x", "y")
    assert await world.read(lambda tx: tx.rows("SELECT * FROM event")) == []
