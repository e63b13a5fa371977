"""Claim: what a clue hides cannot be observed before the clue is told.

For every clue the same seed is staged twice, the second time with another secret behind that clue,
so that the right answers differ. All calls must give identical observations in these two paired
worlds until the clue is told in one of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, JsonValue

from trainee_bench.harness.certification.claim import NO_FACTS, Claim, rotating_sample
from trainee_bench.harness.certification.tool_sweep import sweep_tools
from trainee_bench.harness.records.tried_world import TriedWorld
from trainee_bench.harness.testbench.staged_day import (
    StagedDay,
    oracle_log,
    single_task_day,
    stage_day,
)
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.scenario import Variation
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.colleagues.knowledge import Knowledge
from trainee_bench.world.week import NEXT_DAY
from trainee_bench.world.world import ActionResult

_SEED_OFFSETS = range(1, 40)
"""Redraws of a secret to get a different one; small choices repeat often."""
LATER_ROUNDS = 1
"""Rounds of a sweep on each further day of a week."""
_QUESTIONS = 40
"""Limit for the messages sent when asking in the wrong order."""


@dataclass(frozen=True)
class RecordedCall:
    """A tool call to repeat."""

    tool: str
    arguments: Mapping[str, JsonValue]


@dataclass(frozen=True)
class Observation:
    """The result of a call, and the clues that had been told by then."""

    shown: object
    told: frozenset[str]


async def certify_counterfactuals(rule: str, seeds: Sequence[int]) -> Claim:
    """Check that the same calls give identical observations in both worlds.

    The calls are the oracle's, a sweep of all tools, and questions to every holder about everything
    in the wrong order.
    """
    claim = Claim("counterfactuals")
    for seed in seeds:
        with claim.trying(rule, seed):
            await _compare_pairs(claim, rule, seed)
    claim.end_trials(NO_FACTS)
    return claim


async def _compare_pairs(claim: Claim, rule: str, seed: int) -> None:
    """Compare one seed's world with its paired worlds, one for each clue of a sample."""
    plain = single_task_day(rule, seed)
    recordings: dict[str, tuple[Sequence[RecordedCall], Sequence[Observation]]] = {}
    for clue in rotating_sample(plain.tasks[0].instance.hidden.clues, seed):
        other = _counterfactual(rule, seed, plain, clue.id)
        claim.expect(other is not None, f"seed {seed}: {clue.id} never changes the answer")
        if other is None:
            continue
        undeclared = ", ".join(sorted(_undeclared_holders(plain, other)))
        claim.expect(
            not undeclared,
            f"seed {seed}: {clue.id} decides whether {undeclared} has a part in the task; its "
            "family has to name all people who may have one as possible_holders",
        )
        if not recordings:
            recordings = await _recordings(plain)
        asking = _wrong_order(plain, other)
        own = {"asking everybody in the wrong order": (asking, await observe_calls(plain, asking))}
        for name, (calls, seen) in (recordings | own).items():
            difference = await first_difference(seen, other, clue.id, calls)
            claim.expect(
                difference is None,
                f"seed {seed}: {clue.id} shows in {name}: {difference}",
                TriedWorld(seed, secrets=other.scenario_day.variation.secret_seed_offsets),
            )


def _counterfactual(rule: str, seed: int, plain: ComposedDay, clue: str) -> ComposedDay | None:
    """Return the same day with another secret behind *clue*; None if the truth never differs."""
    instance = plain.tasks[0].instance
    for offset in _SEED_OFFSETS:
        variation = Variation(secret_seed_offsets={clue: offset})
        try:
            other = single_task_day(rule, seed, variation)
        except CompositionError:  # a complication finds no other answer with this secret
            continue
        changed = other.tasks[0].instance
        if changed.graded.truth != instance.graded.truth or (
            clue in instance.hidden.superseded and changed.hidden.clues != instance.hidden.clues
        ):
            return other
    return None


def _undeclared_holders(left: ComposedDay, right: ComposedDay) -> frozenset[str]:
    """Return the people with something to tell or to hear in only one of two paired worlds.

    Possible holders of both worlds are left out.
    """
    scenes = [composition.tasks[0].instance for composition in (left, right)]
    holders, others = (
        {clue.holder for clue in scene.hidden.clues}
        | {expected.holder for expected in scene.hidden.expectations}
        for scene in scenes
    )
    shared = scenes[0].hidden.possible_holders & scenes[1].hidden.possible_holders
    return frozenset(holders ^ others) - shared - {""}


async def _recordings(
    composition: ComposedDay,
) -> dict[str, tuple[Sequence[RecordedCall], Sequence[Observation]]]:
    """Return sequences of calls for both worlds by name, and what they show in this one."""
    log = await oracle_log(composition)
    oracle = [RecordedCall(entry.tool, entry.arguments) for entry in log]
    day = await stage_day(composition)
    async with day.world:
        watch = CallRecorder(day)
        await sweep_tools(day.seat.tools.values(), watch.observe)
        for _ in composition.days[1:]:
            await watch.observe(NEXT_DAY, {})
            await sweep_tools(day.seat.tools.values(), watch.observe, rounds=LATER_ROUNDS)
        swept = watch.calls, watch.seen
    return {
        "the oracle's calls": (oracle, await observe_calls(composition, oracle)),
        "a sweep of every tool": swept,
    }


def _wrong_order(left: ComposedDay, right: ComposedDay) -> Sequence[RecordedCall]:
    """Return questions for the last clue first, each to all holders of a clue in either world.

    On each further day of a week, some of them are asked again.
    """
    scenes = (left.tasks[0].instance, right.tasks[0].instance)
    holders = sorted({c.holder for instance in scenes for c in instance.hidden.clues if c.holder})
    questions = [
        c.asks[0] for instance in scenes for c in reversed(instance.hidden.clues) if c.asks
    ]
    phrases = [
        " ".join(group[0] for group in expectation.values)
        for instance in scenes
        for expectation in instance.hidden.expectations
    ]
    messages = [
        RecordedCall("chat_send_message", {"to": person, "text": text})
        for text in dict.fromkeys([*questions, *phrases])
        for person in holders
    ]
    reading = [RecordedCall("chat_read_history", {"peer": p}) for p in holders]
    calls = messages[:_QUESTIONS] + reading
    for _ in left.days[1:]:
        calls += [RecordedCall(NEXT_DAY, {}), *messages[: len(reading)], *reading]
    return calls


async def observe_calls(
    composition: ComposedDay, calls: Sequence[RecordedCall]
) -> list[Observation]:
    """Return what *calls* show, one after the other, in a new world of *composition*."""
    day = await stage_day(composition)
    async with day.world:
        watch = CallRecorder(day)
        for call in calls:
            await watch.observe(call.tool, call.arguments)
        return watch.seen


async def first_difference(
    seen: Sequence[Observation], other: ComposedDay, clue: str, calls: Sequence[RecordedCall]
) -> str | None:
    """Describe the first of *calls* that differs from *seen* in the *other* world.

    Observations count until *clue* is told in both worlds. None if there is no difference.
    """
    day = await stage_day(other)
    async with day.world:
        watch = CallRecorder(day)
        for number, (call, left) in enumerate(zip(calls, seen, strict=True), start=1):
            await watch.observe(call.tool, call.arguments)
            right = watch.seen[-1]
            if clue in left.told and clue in right.told:
                return None
            if (clue in left.told) != (clue in right.told) or left.shown != right.shown:
                return f"call {number}, {call.tool}{dict(call.arguments)}"
    return None


@dataclass
class CallRecorder:
    """A day with the calls made in it, what they showed, and the clues told so far."""

    day: StagedDay
    told: frozenset[str] = frozenset()
    calls: list[RecordedCall] = field(default_factory=list)
    seen: list[Observation] = field(default_factory=list)

    async def observe(
        self, tool: str, arguments: Mapping[str, JsonValue]
    ) -> ActionResult[BaseModel]:
        """Make a call and record what it shows.

        Clues are looked up only after notices and calls that write, since no other call tells any.
        """
        done = await self.day.observe(tool, arguments)
        known, person = self.day.seat.tools.get(tool), self.day.seat.person
        if done.notices or known is None or not known.read_only:
            self.told = await self.day.world.read(lambda tx: Knowledge(tx).told_to(person))
        self.calls.append(RecordedCall(tool, arguments))
        self.seen.append(Observation(_shown(done), self.told))
        return done


def _shown(done: ActionResult[BaseModel]) -> object:
    """Return everything that an observer sees of an action."""
    result = done.result
    data = result.data.model_dump(mode="json") if result else None
    picture = result.picture if result else None
    return done.now, result and result.text, data, picture, str(done.error), done.notices
