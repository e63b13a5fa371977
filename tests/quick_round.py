"""What of its cases a test tries in the quick round, and what only ``-m sweep`` tries."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import pytest
from _pytest.mark import ParameterSet


def seeds(quick: int, sweep: int) -> pytest.MarkDecorator:
    """Give a test its ``seeds``: the first *quick* ones, under ``sweep`` the first *sweep* ones."""
    rounds = [
        pytest.param(range(quick), id=f"{quick} seeds"),
        pytest.param(range(sweep), id=f"{sweep} seeds", marks=pytest.mark.sweep),
    ]
    return pytest.mark.parametrize("seeds", rounds)


def rules_and_seeds(
    chosen: Collection[str], rules: Iterable[str], quick: int, sweep: int
) -> pytest.MarkDecorator:
    """Give a test its ``rule`` and ``seeds``: those among *chosen* the first *quick* seeds, under
    ``sweep`` all *rules* the first *sweep* ones."""
    every = list(rules)
    rounds = [
        pytest.param(rule, range(count), id=f"{rule}, {count} seeds", marks=marks)
        for count, marks in ((quick, ()), (sweep, pytest.mark.sweep))
        for rule in every
        if marks or rule in chosen
    ]
    return pytest.mark.parametrize(("rule", "seeds"), rounds)


def quick_first(cases: Iterable[object], count: int = 1) -> list[ParameterSet]:
    """*cases* for a test's parameter: the first *count* as they are, the others for ``sweep``."""
    return [
        pytest.param(case, marks=() if number < count else pytest.mark.sweep)
        for number, case in enumerate(cases)
    ]


def quick_only(chosen: Collection[object], cases: Iterable[object]) -> list[ParameterSet]:
    """*cases* for a test's parameter: those among *chosen* as they are, the others for ``sweep``.

    Raises ValueError if none of *cases* was chosen.
    """
    all_cases = list(cases)
    if not any(case in chosen for case in all_cases):
        raise ValueError("the quick round has to try one of the cases")
    return [
        pytest.param(case, marks=() if case in chosen else pytest.mark.sweep) for case in all_cases
    ]
