"""Whether results may be compared: same rules of the game, same instances; else what differs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import combinations

from pydantic import BaseModel

from trainee_bench.harness.analysis.comparison.compared_run import (
    ComparedRun,
    IncomparableRuns,
    InstanceKey,
)
from trainee_bench.harness.records.results import EpisodeResult


def check_comparable(entrants: Sequence[ComparedRun], apart_from: Collection[str] = ()) -> None:
    """Raise Incomparable unless all *entrants* were measured alike, on the same instances.

    *apart_from* are fields of an identity that may differ, because their effect is what is asked.
    """
    for one, other in combinations(entrants, 2):
        mine, theirs = one.graded_episodes(), other.graded_episodes()
        shared = [instance for instance in mine if instance in theirs]
        if not shared:
            raise IncomparableRuns(
                f"{one.label} and {other.label} share no day of a scenario on which both were "
                "graded in full."
            )
        for instance in shared:
            _refuse_other_instance(one, other, instance, mine[instance] + theirs[instance])
        said = _identity_differences(one, other, shared, apart_from)
        if said:
            raise IncomparableRuns(
                f"{one.label} and {other.label} were not measured alike: {'; '.join(said)}. Run "
                "both under the same conditions."
            )


def _refuse_other_instance(
    one: ComparedRun, other: ComparedRun, instance: InstanceKey, results: Sequence[EpisodeResult]
) -> None:
    """Raise Incomparable if by the same name the two had different work."""
    name = instance[0]
    seeds = {result.seed for result in results}
    rules = {tuple(sorted(task.rule for task in result.tasks)) for result in results}
    differs = [kind for kind, count in (("seed", len(seeds)), ("rules", len(rules))) if count > 1]
    mine, theirs = ((entrant.scenarios or {}).get(name) for entrant in (one, other))
    if not differs and mine and theirs:
        left, right = (one.model_dump(exclude={"guidance"}) for one in (mine, theirs))
        differs = [field for field in left if left[field] != right[field]]
    if differs:
        raise IncomparableRuns(
            f"{one.label} and {other.label} had different work in {name}: it differs in "
            f"{', '.join(differs)}. Compare runs of the same benchmark."
        )


def _identity_differences(
    one: ComparedRun, other: ComparedRun, shared: Iterable[InstanceKey], apart_from: Collection[str]
) -> list[str]:
    """For each field of the identities that differs, what it is on either side."""
    mine, theirs = one.graded_episodes(), other.graded_episodes()
    said: dict[str, str] = {}
    for instance in shared:
        left, right = _conditions(mine[instance]), _conditions(theirs[instance])
        for field in sorted({*left, *right}):
            ours, others = left.get(field, set()), right.get(field, set())
            alike = ours == others and len(ours) == 1
            if not alike and field.partition(".")[0] not in apart_from:
                said.setdefault(field, f"{field} is {_shown(ours)} and {_shown(others)}")
    return list(said.values())


def _conditions(results: Iterable[EpisodeResult]) -> dict[str, set[str]]:
    """The values of each field of their identities, those within a field as ``limits.steps``."""
    found: dict[str, set[str]] = {}
    for result in results:
        fields = _flat(result.identity) if result.identity else {"identity": "unknown"}
        for name, value in fields.items():
            found.setdefault(name, set()).add(value)
    return found


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


def _shown(values: Collection[str]) -> str:
    return " or ".join(sorted(values)) or "not recorded"
