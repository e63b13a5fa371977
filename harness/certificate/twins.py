"""Claim 2: what is hidden cannot be seen before it is told.

For every clue the same seed is staged with only that clue's secret drawn differently. Any
calls then give the same observations in both worlds, to the letter, until the clue is
told in one of them; and the right answers differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, JsonValue

from harness.certificate.claim import Claim
from harness.certificate.rotation import turn_by_turn
from harness.certificate.sweep import sweep
from harness.in_process import Workday, single_task, stage_day
from meta_tasks.composition import Composition
from meta_tasks.scenario import Variation
from world.npc import Knowledge
from world.world import Done

_SALTS = range(1, 40)
"""How often a secret is drawn anew to get another one; small choices repeat often."""
_QUESTIONS = 40
"""Messages of one asking in the wrong order, at the most."""


@dataclass(frozen=True)
class Call:
    """A recorded call."""

    tool: str
    arguments: Mapping[str, JsonValue]


@dataclass(frozen=True)
class Seen:
    """What a call showed, and which clues had been told after it."""

    shown: object
    told: frozenset[str]


async def certify_twins(rule: str, seeds: range) -> Claim:
    """Twins cannot be told apart by the oracle's calls, by a sweep of all tools, or by asking
    every holder everything in the wrong order."""
    claim = Claim("twins")
    for seed in seeds:
        plain = single_task(rule, seed)
        recordings: dict[str, tuple[Sequence[Call], Sequence[Seen]]] = {}
        for clue in turn_by_turn(plain.tasks[0].scene.clues, seed):
            twin = _twin(rule, seed, plain, clue.id)
            claim.expect(twin is not None, f"seed {seed}: {clue.id} never changes the answer")
            if twin is None:
                continue
            if not recordings:
                recordings = await _recordings(plain)
            asking = _wrong_order(plain, twin)
            own = {"asking everybody in the wrong order": (asking, await play(plain, asking))}
            for name, (calls, seen) in (recordings | own).items():
                difference = await first_difference(seen, twin, clue.id, calls)
                claim.expect(
                    difference is None, f"seed {seed}: {clue.id} shows in {name}: {difference}"
                )
    claim.tried = max(claim.tried, 1)
    return claim


def _twin(rule: str, seed: int, plain: Composition, clue: str) -> Composition | None:
    """The same instance with another secret behind *clue*, so that the truth differs."""
    for salt in _SALTS:
        twin = single_task(rule, seed, Variation(twist={clue: salt}))
        if twin.tasks[0].scene.truth != plain.tasks[0].scene.truth:
            return twin
    return None


async def _recordings(composition: Composition) -> dict[str, tuple[Sequence[Call], Sequence[Seen]]]:
    """Sequences of calls to play in both worlds with what they show in this one, by the name of
    who makes them."""
    day = await stage_day(composition)
    async with day.world:
        await day.run_oracles()
        oracle = [Call(entry.tool, entry.arguments) for entry in await day.world.log()]
    day = await stage_day(composition)
    async with day.world:
        watch = _Watch(day)
        await sweep(day.seat.tools.values(), watch.observe)
        swept = watch.calls, watch.seen
    return {
        "the oracle's calls": (oracle, await play(composition, oracle)),
        "a sweep of every tool": swept,
    }


def _wrong_order(one: Composition, other: Composition) -> Sequence[Call]:
    """The last clues first, each asked of everybody who holds one in either world."""
    scenes = (one.tasks[0].scene, other.tasks[0].scene)
    holders = sorted({c.holder for scene in scenes for c in scene.clues if c.holder})
    questions = [c.asks[0] for scene in scenes for c in reversed(scene.clues) if c.asks]
    phrases = [
        " ".join(group[0] for group in expectation.values)
        for scene in scenes
        for expectation in scene.expectations
    ]
    asked = [
        Call("chat_send_message", {"to": person, "text": text})
        for text in dict.fromkeys([*questions, *phrases])
        for person in holders
    ]
    return asked[:_QUESTIONS] + [Call("chat_read_history", {"peer": p}) for p in holders]


async def play(composition: Composition, calls: Sequence[Call]) -> list[Seen]:
    """What *calls* show in a fresh world of *composition*, one after the other."""
    day = await stage_day(composition)
    async with day.world:
        watch = _Watch(day)
        for call in calls:
            await watch.observe(call.tool, call.arguments)
        return watch.seen


async def first_difference(
    seen: Sequence[Seen], other: Composition, clue: str, calls: Sequence[Call]
) -> str | None:
    """The first of *calls* that shows in the *other* world something else than was *seen*,
    before *clue* is told in both, if any."""
    day = await stage_day(other)
    async with day.world:
        watch = _Watch(day)
        for number, (call, left) in enumerate(zip(calls, seen, strict=True), start=1):
            await watch.observe(call.tool, call.arguments)
            right = watch.seen[-1]
            if clue in left.told and clue in right.told:
                return None
            if (clue in left.told) != (clue in right.told) or left.shown != right.shown:
                return f"call {number}, {call.tool}{dict(call.arguments)}"
    return None


@dataclass
class _Watch:
    """A day, what was called in it so far, what that showed, and what has been told."""

    day: Workday
    told: frozenset[str] = frozenset()
    calls: list[Call] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)

    async def observe(self, tool: str, arguments: Mapping[str, JsonValue]) -> Done[BaseModel]:
        """Make a call and note what it shows. Nothing is told without a notice, or by a call
        that only reads."""
        done = await self.day.observe(tool, arguments)
        known, person = self.day.seat.tools.get(tool), self.day.seat.person
        if done.notices or known is None or not known.read_only:
            self.told = await self.day.world.look(lambda turn: Knowledge(turn).told_to(person))
        self.calls.append(Call(tool, arguments))
        self.seen.append(Seen(_shown(done), self.told))
        return done


def _shown(done: Done[BaseModel]) -> object:
    """All that an observer gets of an action."""
    result = done.result
    data = result.data.model_dump(mode="json") if result else None
    picture = result.picture if result else None
    return done.now, result and result.text, data, picture, str(done.error), done.notices
