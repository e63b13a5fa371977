"""Check whether runs may be compared: same conditions and instances, or else what differs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import combinations

from pydantic import BaseModel

from trainee_bench.harness.agents.external.isolation import NO_ISOLATION
from trainee_bench.harness.analysis.comparison.compared_run import (
    ComparedRun,
    IncomparableRuns,
    InstanceKey,
)
from trainee_bench.harness.episodes.identity import INSIDER
from trainee_bench.harness.records.plan import PERSON_ISOLATION
from trainee_bench.harness.records.results import EpisodeResult

_OWN_LIMITS = frozenset({"limits.steps", "limits.calls_per_turn"})
"""Limits that a built-in agent may replace by its own."""


def check_comparable(runs: Sequence[ComparedRun], apart_from: Collection[str] = ()) -> None:
    """Raise IncomparableRuns unless all *runs* had the same conditions and instances.

    *apart_from* names identity fields that may differ, because their effect is the question: with
    their group, as in ``limits.steps``, or a whole group. Agents of one run may differ in their own
    conditions (`differences_within_runs`).
    """
    for first, second in combinations(runs, 2):
        first_episodes, second_episodes = first.graded_episodes(), second.graded_episodes()
        shared = [instance for instance in first_episodes if instance in second_episodes]
        if not shared:
            raise IncomparableRuns(
                f"{first.label} and {second.label} have no fully graded scenario day in common."
            )
        for instance in shared:
            _check_same_instance(
                first, second, instance, first_episodes[instance] + second_episodes[instance]
            )
        differences = _identity_differences(first, second, shared, apart_from)
        if differences:
            raise IncomparableRuns(
                f"{first.label} and {second.label} ran under different conditions: "
                f"{'; '.join(differences)}. Run both under the same conditions."
            )


def _check_same_instance(
    first: ComparedRun, second: ComparedRun, instance: InstanceKey, results: Sequence[EpisodeResult]
) -> None:
    """Raise IncomparableRuns if the instance differs between the two despite its name."""
    name = instance[0]
    seeds = {result.seed for result in results}
    rules = {tuple(sorted(task.rule for task in result.tasks)) for result in results}
    differs = [kind for kind, count in (("seed", len(seeds)), ("rules", len(rules))) if count > 1]
    first_scenario, second_scenario = ((run.scenarios or {}).get(name) for run in (first, second))
    if not differs and first_scenario and second_scenario:
        left, right = (
            found.model_dump(exclude={"guidance"}) for found in (first_scenario, second_scenario)
        )
        differs = [part for part in {**left, **right} if left.get(part) != right.get(part)]
    if differs:
        raise IncomparableRuns(
            f"{first.label} and {second.label} had different instances of {name}: they differ in "
            f"{', '.join(differs)}. Compare runs of the same benchmark."
        )


def _identity_differences(
    first: ComparedRun,
    second: ComparedRun,
    shared: Iterable[InstanceKey],
    apart_from: Collection[str],
) -> list[str]:
    """Return the values on both sides of each identity field that differs."""
    first_episodes, second_episodes = first.graded_episodes(), second.graded_episodes()
    differences: dict[str, str] = {}
    for instance in shared:
        left, right = _conditions(first_episodes[instance]), _conditions(second_episodes[instance])
        for field in sorted({*left, *right}):
            first_values, second_values = left.get(field, set()), right.get(field, set())
            steady = len(first_values) == len(second_values) == 1
            brought = (
                steady
                and _in_one_run(first, second)
                and _is_brought(field, first_values | second_values)
            )
            alike = (steady and first_values == second_values) or _is_baseline(
                field, first_values | second_values
            )
            if not (alike or brought) and not {field, field.partition(".")[0]} & {*apart_from}:
                differences.setdefault(field, _difference(field, first_values, second_values))
    return list(differences.values())


def _difference(field: str, first: Collection[str], second: Collection[str]) -> str:
    group, _, name = field.partition(".")
    if group == "frozen" and name:
        return f"agents were shown other {name} (the digests differ)"
    return f"{field} is {_listed(first)} and {_listed(second)}"


def _is_baseline(field: str, values: Collection[str]) -> bool:
    """Return whether *values* differ because a person worked as a baseline for agents.

    A person saw what tools answer, as agents do, and no secret of the day.
    """
    return field == "isolation" and PERSON_ISOLATION in values and INSIDER not in values


def differences_within_runs(runs: Sequence[ComparedRun]) -> list[str]:
    """Return a sentence for each identity field in which *runs* differ because of their agents.

    The limits of a built-in agent, and what an insider knows, are its own: the run gave all its
    agents the same. So these agents may be compared, if the reader is told.
    """
    by_field: dict[str, dict[str, list[str]]] = {}
    for run in runs:
        for field, values in _conditions(run.results).items():
            by_field.setdefault(field, {}).setdefault(_listed(values), []).append(run.label)
    return [
        f"{field} is "
        + ", ".join(f"{value} for {_enumerated(labels)}" for value, labels in found.items())
        for field, found in by_field.items()
        if len(found) > 1 and _is_brought(field, found)
    ]


def _enumerated(labels: Sequence[str]) -> str:
    *others, last = labels
    return f"{', '.join(others)} and {last}" if others else last


def _in_one_run(first: ComparedRun, second: ComparedRun) -> bool:
    return first.origin is not None and first.origin == second.origin


def _is_brought(field: str, values: Collection[str]) -> bool:
    """Return whether *values* of *field* differ because of an agent's own conditions."""
    return field in _OWN_LIMITS or (
        field == "isolation" and INSIDER in values and {*values} <= {INSIDER, NO_ISOLATION}
    )


def _conditions(results: Iterable[EpisodeResult]) -> dict[str, set[str]]:
    """Return the values of each identity field; nested fields have dotted names, as
    ``limits.steps``."""
    values: dict[str, set[str]] = {}
    for result in results:
        fields = _flat(result.identity) if result.identity else {"identity": "unknown"}
        for name, value in fields.items():
            values.setdefault(name, set()).add(value)
    return values


def _flat(model: BaseModel, prefix: str = "") -> dict[str, str]:
    flat: dict[str, str] = {}
    for name in type(model).model_fields:
        value: object = getattr(model, name)
        if isinstance(value, BaseModel):
            flat |= _flat(value, f"{prefix}{name}.")
        elif isinstance(value, tuple):
            flat[prefix + name] = ", ".join(map(str, value)) or "nothing"
        else:
            flat[prefix + name] = "none" if value is None else str(value)
    return flat


def _listed(values: Collection[str]) -> str:
    return " or ".join(sorted(values)) or "not recorded"
