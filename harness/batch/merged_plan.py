"""The plan of a merged run, from the plans of the runs that it is merged from.

    RunPart, RunPart, … ──merge_plans()──► RunPlan

Runs belong together if they have the same benchmark and settings. They are parts of one plan
(`run --part K/N`), or each has some of the scenarios or agents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from trainee_bench.harness.batch.merged_order import (
    ContradictoryOrders,
    common_order,
    shipped_order,
)
from trainee_bench.harness.batch.options import EXECUTION
from trainee_bench.harness.certification.badges import NOT_CERTIFIED
from trainee_bench.harness.episodes.identity import TERMINAL_APP
from trainee_bench.harness.records.begun_episodes import RecordedEvent
from trainee_bench.harness.records.plan import (
    AgentConfig,
    RefusedScenario,
    RunPlan,
    UnsupportedTask,
)
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.world.errors import first_flaw

_Named = TypeVar("_Named", Scenario, AgentConfig, RefusedScenario)
_OWN = EXECUTION | {"part", "seal"}
_SHARED_OUT = frozenset({"scenarios", "agents", "unsupported", "refused", "badges"})
_BY_DAY = frozenset({"tools", "modality", "guidance", "guided", "frozen", "sandbox"})
"""Conditions of a result that may differ from day to day within a run."""


class CannotMerge(Exception):
    """Runs cannot be merged; the message says why, and what to do."""


@dataclass(frozen=True)
class RunPart:
    """A run to merge, as read from its locked folder."""

    folder: RunFolder
    plan: RunPlan
    results: tuple[EpisodeResult, ...]
    events: tuple[RecordedEvent, ...]

    @property
    def path(self) -> Path:
        """The path of its folder."""
        return self.folder.path

    @property
    def touched(self) -> set[str]:
        """The ids of the episodes that it began."""
        return {result.episode for result in self.results} | {e.episode for e in self.events}


def merge_plans(parts: Sequence[RunPart]) -> RunPlan:
    """Return the plan of the run merged from *parts*. Raises CannotMerge."""
    first = parts[0]
    if first.plan.climb is not None:
        raise CannotMerge(
            f"{first.path} is a climb, whose worlds follow from its own results. Show climbs "
            "together with trainee-bench ladder --beside."
        )
    for part in parts[1:]:
        _check_settings(first, part)
    _check_division(parts)
    scenarios = _in_order(
        _joined("scenario", [(part, part.plan.scenarios) for part in parts]), parts
    )
    names = {scenario.name: None for scenario in scenarios}
    refused = _joined("scenario", [(part, part.plan.refused) for part in parts])
    merged: dict[str, tuple[BaseModel, ...]] = {
        "scenarios": scenarios,
        "agents": _joined("agent", [(part, part.plan.agents) for part in parts]),
        "unsupported": _unsupported(parts, names),
        "refused": tuple(scenario for scenario in refused if scenario.name not in names),
    }
    own = first.plan.model_dump(exclude={"part", "seal"}) | {"badges": _badges(parts)}
    try:
        plan = RunPlan.model_validate(own | {k: _dumped(v) for k, v in merged.items()})
    except ValidationError as error:
        _, flaw = first_flaw(error)
        raise CannotMerge(f"These runs cannot form one run: {flaw}.") from None
    _check_episodes(parts, plan)
    _check_conditions(parts)
    return plan


def in_fixed_order(parts: Sequence[RunPart]) -> list[RunPart]:
    """Return *parts* in an order that depends on what they are, not on how they were given."""
    names = {scenario.name for part in parts for scenario in part.plan.scenarios}
    known = shipped_order(parts[0].plan.benchmark, names)

    def key(part: RunPart) -> tuple[object, ...]:
        scenarios = [scenario.name for scenario in part.plan.scenarios]
        return (
            part.plan.part.number if part.plan.part is not None else 0,
            min((known.index(name) for name in scenarios if name in known), default=0),
            scenarios,
            [agent.name for agent in part.plan.agents],
            part.plan.digest(),
            sorted(part.touched),
        )

    return sorted(parts, key=key)


def _in_order(scenarios: Sequence[Scenario], parts: Sequence[RunPart]) -> tuple[Scenario, ...]:
    """Return *scenarios* in the order of their benchmark. Raises CannotMerge."""
    by_name = {scenario.name: scenario for scenario in scenarios}
    orders = [[scenario.name for scenario in part.plan.scenarios] for part in parts]
    try:
        order = common_order(orders)
        with suppress(ContradictoryOrders):  # the benchmark is a file with a shipped one's name
            order = common_order([*orders, shipped_order(parts[0].plan.benchmark, by_name)])
    except ContradictoryOrders as error:
        raise CannotMerge(
            f"The scenarios {error} have different orders in these runs. Merge only runs of one "
            "benchmark."
        ) from None
    return tuple(by_name[name] for name in order)


def _undivided(plan: RunPlan) -> dict[str, object]:
    """Return what all parts of one plan have in common."""
    return plan.model_dump(exclude={*_OWN, "badges"})


def _badges(parts: Sequence[RunPart]) -> dict[str, str]:
    """Return the badges of own offices' rules; one that runs saw differently does not count."""
    merged: dict[str, str] = {}
    for part in parts:
        for rule, badge in part.plan.badges.items():
            same = merged.setdefault(rule, badge) == badge
            merged[rule] = badge if same else f"{NOT_CERTIFIED} on every machine"
    return {rule: merged[rule] for rule in sorted(merged)}


def _dumped(models: Sequence[BaseModel]) -> object:
    return [model.model_dump() for model in models]


def _check_settings(first: RunPart, part: RunPart) -> None:
    """Raise CannotMerge if the settings of two runs differ."""
    ours, theirs = (
        run.plan.model_dump(mode="json", exclude={*_OWN, *_SHARED_OUT}) for run in (first, part)
    )
    for name in ours.keys() | theirs.keys():
        if ours.get(name) != theirs.get(name):
            raise CannotMerge(
                f"{first.path} and {part.path} differ in {name}: {ours.get(name)} and "
                f"{theirs.get(name)}. Merge only runs of one benchmark with the same settings."
            )


def _check_division(parts: Sequence[RunPart]) -> None:
    """Raise CannotMerge if runs with --part are not parts of the same plan."""
    divided = [part for part in parts if part.plan.part is not None]
    whole = [part.plan.model_copy(update={"part": None}) for part in divided]
    for part, plan in zip(divided, whole, strict=True):
        first = divided[0]
        assert part.plan.part is not None and first.plan.part is not None
        if part.plan.part.count != first.plan.part.count:
            raise CannotMerge(
                f"{first.path} is part {first.plan.part} and {part.path} is part "
                f"{part.plan.part}: they divide the run differently. Give the folders of one array."
            )
        if _undivided(plan) != _undivided(whole[0]):
            raise CannotMerge(
                f"{first.path} and {part.path} are parts of different runs: their scenarios or "
                "agents differ. Give the folders of one array."
            )


def _joined(what: str, given: Sequence[tuple[RunPart, Sequence[_Named]]]) -> tuple[_Named, ...]:
    """Return everything in *given* once, by name. Raises CannotMerge for two of one name."""
    found: dict[str, tuple[RunPart, _Named]] = {}
    for part, named in given:
        for item in named:
            before, known = found.setdefault(item.name, (part, item))
            if known != item:
                raise CannotMerge(
                    f"The {what} {item.name} of {before.path} is not that of {part.path}: "
                    f"{_difference(known, item)}. Merge only runs of one benchmark."
                )
    return tuple(named for _, named in found.values())


def _difference(one: _Named, two: _Named) -> str:
    """Say in which field *one* and *two* differ first."""
    ours, theirs = one.model_dump(mode="json"), two.model_dump(mode="json")
    name = next(name for name in ours | theirs if ours.get(name) != theirs.get(name))
    values = [str(values.get(name)) for values in (ours, theirs)]
    shown = all(len(value) <= 40 for value in values)
    return f"they differ in {name}" + (f" ({values[0]} and {values[1]})" if shown else "")


def _unsupported(parts: Sequence[RunPart], order: Iterable[str]) -> tuple[UnsupportedTask, ...]:
    """Return the tasks without a family, each scenario's from the first run that has it."""
    found: dict[str, list[UnsupportedTask]] = {}
    for part in parts:
        own: dict[str, list[UnsupportedTask]] = {s.name: [] for s in part.plan.scenarios}
        for task in part.plan.unsupported:
            own.setdefault(task.scenario, []).append(task)
        found = own | found
    return tuple(task for name in order for task in found[name])


def _check_episodes(parts: Sequence[RunPart], merged: RunPlan) -> None:
    """Raise CannotMerge if a day was worked twice, or would differ in the merged run."""
    digests = {spec.id: spec.digest for spec in merged.episode_specs()}
    began: dict[str, RunPart] = {}
    for part in parts:
        own = {spec.id: spec.digest for spec in part.plan.episode_specs()}
        for episode in (id for id in own if id in part.touched):
            before = began.setdefault(episode, part)
            if before is not part:
                raise CannotMerge(_doubled(episode, before, part))
            if digests.get(episode) != own[episode]:
                raise CannotMerge(
                    f"{episode} of {part.path} would be another episode in the merged run, since "
                    "what its agent remembers depends on the other scenarios. Run all scenarios "
                    "together, with --part for each machine."
                )


def _doubled(episode: str, before: RunPart, part: RunPart) -> str:
    """Say in which of two runs *episode* was begun and worked."""
    ours, theirs = (
        next((result for result in run.results if result.episode == episode), None)
        for run in (before, part)
    )
    if ours is None or theirs is None:
        state = "was begun in both, and a day counts only once"
    elif ours == theirs:
        state = "has the same result in both, so one seems to be a copy of the other"
    else:
        state = "has different results in them, and nobody may choose between these"
    return (
        f"{episode} is in {before.path} and in {part.path}: it {state}. Leave one of the folders "
        "out; `trainee-bench run --resume` works the days that are then missing."
    )


def _check_conditions(parts: Sequence[RunPart]) -> None:
    """Raise CannotMerge if an agent worked under different conditions in two runs."""
    seen: dict[tuple[str, str], tuple[RunPart, object]] = {}
    for part in parts:
        for result in part.results:
            for name, value in _conditions(result):
                before, known = seen.setdefault((result.agent, name), (part, value))
                if known != value:
                    raise CannotMerge(
                        f"{result.agent} worked under other conditions in {part.path} than in "
                        f"{before.path}: {name} is {value} and {known}. Work these days again on "
                        "machines that offer the same."
                    )


def _conditions(result: EpisodeResult) -> Iterator[tuple[str, object]]:
    """Yield the conditions of *result* that depend on its machine or version, by name."""
    identity = result.identity
    if identity is None or result.broken:
        return
    yield from identity.model_dump(mode="json", exclude={*_BY_DAY}).items()
    if TERMINAL_APP in identity.tools:
        yield "sandbox", identity.sandbox
