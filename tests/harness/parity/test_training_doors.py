"""Through the doors of training frameworks, calls have the same results as at the seat."""

from __future__ import annotations

import pytest

from trainee_bench.harness.parity.check import check_script
from trainee_bench.harness.parity.door import DoorUnavailable, find_doors
from trainee_bench.harness.parity.script import ParityScript, parity_scripts

# A framework's warnings are not ours to judge.
pytestmark = [pytest.mark.sweep, pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(600)]


@pytest.mark.parametrize("script", parity_scripts(), ids=lambda script: script.name)
@pytest.mark.parametrize(
    ("name", "refuses"),
    [
        ("trl", {0}),
        ("openenv", set()),
        ("verifiers-direct", set()),
        ("verifiers-mcp", {0}),
    ],
)
def test_only_an_unknown_tool_is_refused_by_a_framework(
    name: str, refuses: set[int], script: ParityScript
) -> None:
    (door,) = find_doors([name])
    try:
        door.versions()
    except DoorUnavailable as missing:
        pytest.skip(str(missing))
    outcome = check_script(door, script)
    assert outcome.problem == ""
    assert {*outcome.refused} == refuses & script.malformed
