"""Wrong and harmless returns of a task, for the claim *mutants*."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from trainee_bench.harness.testbench.staged_day import StagedDay
from trainee_bench.meta_tasks.missing_facts import MissingFact
from trainee_bench.world.company.people import Person


@dataclass(frozen=True)
class ReturnMutant:
    """Another return of the day's only task, perhaps followed by a submission."""

    name: str
    harmless: bool
    missing: str
    asked: tuple[str, ...]
    submitted_after: bool = False

    async def succeeds(self, day: StagedDay) -> bool:
        """Return whether the finished *day* is a success after this return."""
        copy = await day.fork()
        async with copy.world:
            (task,) = copy.composition.tasks
            given: dict[str, JsonValue] = {"task": task.id, "missing": self.missing}
            given["asked"] = [*self.asked]
            await copy.call("desk_return", given)
            if self.submitted_after:
                await copy.call("desk_submit", {"task": task.id})
            return (await copy.grades())[0].success


async def return_mutants(day: StagedDay) -> Iterator[ReturnMutant]:
    """Return the returns to try after the oracle has worked *day*: if its task can be done, every
    return is wrong."""
    (task,) = day.composition.tasks
    fact, stranger = task.instance.graded.missing, await _stranger(day)
    if fact is None:
        holders = sorted({clue.holder for clue in task.instance.hidden.clues if clue.holder})
        asked = tuple(holders[:1]) or (stranger.id,)
        return iter((ReturnMutant("given back", False, "Open point OP-10000", asked),))
    return _of_missing(fact, day.composition.company.person(fact.keeper), stranger)


def _of_missing(fact: MissingFact, keeper: Person, stranger: Person) -> Iterator[ReturnMutant]:
    number, own = fact.number, (fact.keeper,)
    another = f"OP-{(int(number.removeprefix('OP-')) - 9_999) % 90_000 + 10_000}"
    for name, missing, asked in (
        ("another open point", f"It is {another}.", own),
        ("no open point", "What the task needs was never settled.", own),
        ("two open points", f"It is {number} or {another}.", own),
        ("a part of the number", number[:-1], own),
        ("somebody else asked", f"It is {number}.", (stranger.id,)),
        ("somebody more asked", f"It is {number}.", (*own, stranger.id)),
    ):
        yield ReturnMutant(name, False, missing, asked)
    yield ReturnMutant("submitted after", False, number, own, submitted_after=True)
    for name, missing, asked in (
        ("given back again", f"It is {number}.", own),
        ("the number alone", number, own),
        ("the number in small letters", number.lower(), own),
        ("the keeper by name", f"It is {number}.", (keeper.name,)),
        ("the keeper twice", f"Nobody has “{number}”!", (keeper.email, *own)),
    ):
        yield ReturnMutant(name, True, missing, asked)


async def _stranger(day: StagedDay) -> Person:
    """Return a colleague whom no call of the day names."""
    said = json.dumps([dict(entry.arguments) for entry in await day.world.log()])
    holders = {clue.holder for task in day.composition.tasks for clue in task.instance.hidden.clues}
    people = day.composition.company.people
    free = (person for person in people if person.id not in holders)
    return next(person for person in free if person.id not in said and person.name not in said)
